"""Algorithm: a described kernel with everything a prediction is held against.

A file in ``kernels/`` (or in a user's own folder) describes a kernel in :mod:`gpusim.lang` and wraps it in an
:class:`Algorithm`: what it computes (a NumPy reference), what it must move (closed-form IO, written by hand and so
independent of the counted one), what a textbook would say, and how a user names its parameters.  Making one traces
nothing and imports neither sympy nor NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.errors import GpusimError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    import sympy

    from gpusim.lang import Kernel

INT32_MAX = 2**31 - 1
"""Largest size or scalar argument: kernels take them as 32-bit ints."""

Params = dict[str, int]
Arrays = dict[str, "np.ndarray"]
Draw = Callable[["np.random.Generator", tuple[int, ...], Params], "np.ndarray"]


class FormulaError(GpusimError):
    """A formula of an algorithm that is no formula of its parameters."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Elements of one array that a kernel loads and stores, as formulas of its parameters.

    Parameters
    ----------
    loads, stores : str
        ``+ - * / // ** ceil min max`` of sizes, tiles and scalar arguments.  An element that several threads, or one
        thread several times, ask for counts every time.
    """

    loads: str = "0"
    stores: str = "0"


@dataclass(frozen=True, slots=True)
class Textbook:
    """The traffic a textbook's cost model gives, in elements; how it rounds at the edges is left out.

    Parameters
    ----------
    reads, writes : str
        Formulas as in :class:`Traffic`.
    element_bytes : int
        Bytes of an element.
    result_bytes : int, optional
        Bytes of an element written, where that differs.
    """

    reads: str
    writes: str
    element_bytes: int = 4
    result_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """A formula that somebody printed for an algorithm's traffic, in elements, and where the algorithm departs from it.

    Parameters
    ----------
    formula : str
        As in :class:`Traffic`; it may also use the symbols of `where`.
    source : str
        Paper, theorem or section.
    where : mapping of str to str
        What the formula's own symbols stand for: ``{"M": "4*d*Bc"}``.
    times : str
        How often the formula counts: ``"B*H"`` for one that is of one head.
    departs : tuple of (str, str)
        Terms by which the algorithm's own traffic differs where tiles divide sizes, and why.
    loads, stores : bool
        What it counts.
    order : str
        The growth that is claimed, a product of powers: ``"N**2*d**2/M"``.
    grid : mapping of str to tuple of int
        Values (of parameters or words) over which exponents are fitted.
    cases : tuple of mapping
        Parameters for which the executed description is counted.
    """

    formula: str
    source: str
    where: Mapping[str, str] = field(default_factory=dict)
    times: str = "1"
    departs: tuple[tuple[str, str], ...] = ()
    loads: bool = True
    stores: bool = True
    order: str = ""
    grid: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    cases: tuple[Mapping[str, int], ...] = ()


class Elements(NamedTuple):
    """Elements of one array loaded and stored: sympy expressions, or ints once parameters are given."""

    loads: Any
    stores: Any


class TextbookValue(NamedTuple):
    """A textbook formula and its value in bytes."""

    formula: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """A buffer that a launch needs.

    Attributes
    ----------
    name : str
    dtype : str
        ``"f32"``, ``"f16"``, ``"bf16"``, ``"e4m3"``, ``"e5m2"``, ``"i32"`` or ``"u32"``.
    shape : tuple of int
    intent : str
        ``"in"``, ``"out"`` or ``"inout"``.  ``out`` buffers start as zeros.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    intent: str

    @property
    def element_bytes(self) -> int:
        """Bytes of an element."""
        from gpusim.lang import DType

        return DType(self.dtype).nbytes

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer."""
        return math.prod(self.shape) * self.element_bytes


@dataclass(frozen=True, slots=True)
class KernelLaunch:
    """A kernel with all its parameters bound: what a simulation or a GPU is asked to run.

    Attributes
    ----------
    kernel : gpusim.lang.Kernel
    params : dict
        Sizes, scalar arguments and tiles, complete.
    grid, block : tuple of int
        Blocks and threads in x, y, z.
    arrays : tuple of ArraySpec
        In the order of the kernel's signature.
    """

    kernel: Kernel
    params: Params
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arrays: tuple[ArraySpec, ...]


def _frozen(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(mapping))


@dataclass(frozen=True, eq=False)
class Algorithm:
    """A described kernel, its reference, its formulas and its parameters.

    Parameters
    ----------
    name : str
        As a user types it: ``"matmul-tiled"``.
    summary : str
        One line for the listing.
    kernel : gpusim.lang.Kernel
    reference : callable
        ``reference(inputs, **params)`` gives the output arrays by name; `inputs` are the ``in`` and ``inout`` arrays.
    sizes : mapping of str to int
        Every size, with its default.
    scalars : mapping of str to int
        Every scalar argument, with its default.  Unlike a size it may be 0 or negative if the kernel allows.
    tiles : mapping of str to int
        Tiles whose default is to differ from the kernel's own.
    aliases : mapping of str to tuple of str
        Words that set one or several parameters: ``{"n": ("M", "N", "K"), "m": ("M",)}``.  The word that sets fewer
        wins, and a parameter's own name always does.
    rules : mapping of str to mapping
        Words from which parameters follow by formulas of the word and the other parameters:
        ``{"M": {"Bc": "ceil(M/(4*d))"}}``.  A parameter that is given itself does not follow.
    io : mapping of str to Traffic, or None
        Closed-form IO of every array, written by hand; None where it depends on data.
    textbook : Textbook or None
        What a textbook says of the traffic.
    published : Published or None
        A formula from the literature to hold the traffic against.
    draw : mapping of str to callable
        ``draw(rng, shape, params)`` for input arrays that are not to be standard normal (or, ints, zero).
    tolerance : str or float
        Allowed error against the reference, in absolute terms for values up to 1 and relative above; may be a formula.
    family : str
        What the listing groups by: ``"matmul"``, ``"vector"``, ``"reduction"``, ...
    also : tuple of str
        Other names it answers to.
    notes : str
        Anything a user must know.
    hidden : bool
        Left out of the plain listing.

    Examples
    --------
    >>> from gpusim import catalog
    >>> tiled = catalog.get("matmul-tiled")
    >>> tiled.bind(n=4096, m=512, tile=16)
    {'M': 512, 'N': 4096, 'K': 4096, 'T': 16}
    >>> tiled.textbook_values(n=4096, T=32)["reads"]
    TextbookValue(formula='2*M*N*K/T', nbytes=17179869184)
    >>> tiled.closed_form()["A"].loads
    K*M*ceiling(N/T)
    >>> tiled.elements(n=4096, T=32)["A"].loads
    2147483648
    """

    name: str
    summary: str
    kernel: Kernel
    reference: Callable[..., Arrays]
    sizes: Mapping[str, int]
    scalars: Mapping[str, int] = field(default_factory=dict)
    tiles: Mapping[str, int] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rules: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    io: Mapping[str, Traffic] | None = None
    textbook: Textbook | None = None
    published: Published | None = None
    draw: Mapping[str, Draw] = field(default_factory=dict)
    tolerance: str | float = 1e-5
    family: str = "other"
    also: tuple[str, ...] = ()
    notes: str = ""
    hidden: bool = False

    def __post_init__(self) -> None:
        for name in ("sizes", "scalars", "tiles", "aliases", "rules", "draw"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))

    def __repr__(self) -> str:
        return f"<Algorithm {self.name}: {self.summary}>"

    # ------------------------------------------------------------ parameters

    @property
    def defaults(self) -> Params:
        """Every parameter with its default: sizes, scalar arguments, tiles; nothing is traced for it."""
        import inspect

        signature = inspect.signature(self.kernel.function).parameters.values()
        tiles = {p.name: p.default for p in signature if p.default is not inspect.Parameter.empty}
        return {**self.sizes, **self.scalars, **tiles, **self.tiles}

    @property
    def words(self) -> list[str]:
        """What sets parameters: their own names, aliases, and words with rules."""
        return [*self.defaults, *self.aliases, *self.rules]

    def bind(self, **given: int) -> Params:
        """Complete `given` with defaults, after resolving aliases.

        Parameters
        ----------
        **given : int
            Parameters by their own names or by an alias.

        Returns
        -------
        dict
            Every parameter.

        Raises
        ------
        UnknownNameError
            For a name that is neither a parameter nor an alias.
        ParameterError
            For a value that is not an integer, is out of range, or breaks one of the kernel's rules.
        """
        params, own = self.defaults, [name for name in given if name not in self.rules]
        for name in sorted(own, key=self._breadth, reverse=True):
            for target in self._targets(name):
                params[target] = self._checked(name, target, given[name])
        chosen = {target for name in own for target in self._targets(name)}
        for word in given.keys() - set(own):
            params |= {k: v for k, v in self._following(word, given[word], params).items() if k not in chosen}
        self._shape(params)
        return params

    def _following(self, word: str, value: Any, params: Params) -> Params:
        """The parameters that follow from a word of :attr:`rules`."""
        known = {**params, word: self._checked(word, word, value)}
        found = {}
        for target, text in self.rules[word].items():
            found[target] = self._checked(word, target, self._value(text, known))
        return found

    def _shape(self, params: Params) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Grid and block, once the kernel's own rules hold."""
        from gpusim.lang import DescriptionError

        _ = self.kernel.tree  # a wrong description is its own error, with its line
        try:
            return self.kernel.shape(**params)
        except DescriptionError as error:
            raise ParameterError(f"{self.name}: {str(error).removeprefix(f'{self.kernel.name}: ')}") from None

    def _breadth(self, name: str) -> float:
        """How many parameters a word sets; a parameter's own name counts least."""
        return 0.5 if name in self.defaults else len(self.aliases.get(name, ()))

    def _targets(self, name: str) -> tuple[str, ...]:
        if name in self.defaults:
            return (name,)
        if name in self.aliases:
            return self.aliases[name]
        raise UnknownNameError(f"parameter of {self.name}", name, self.words)

    def _checked(self, name: str, target: str, value: Any) -> int:
        least = -INT32_MAX if target in self.scalars else 1
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise ParameterError(f"{self.name}: {name} must be an integer, not {value!r}")
        number = value.__index__()
        if number < least:
            raise ParameterError(f"{self.name}: {name} must be at least {least}, not {number}")
        if number > INT32_MAX:
            raise ParameterError(f"{self.name}: {name} = {number} does not fit a 32-bit int (at most {INT32_MAX})")
        return int(number)

    # ------------------------------------------------------------ launch

    def launch(self, **given: int) -> KernelLaunch:
        """Bind the parameters and work out grid, block and buffers.

        Parameters
        ----------
        **given : int
            As for :meth:`bind`.
        """
        params = self.bind(**given)
        grid, block = self._shape(params)
        arrays = tuple(
            ArraySpec(array.name, array.dtype.value, self.kernel.array_shape(array.name, **params), array.intent)
            for array in self.kernel.tree.globals
        )
        return KernelLaunch(self.kernel, params, grid, block, arrays)

    def inputs(self, rng: np.random.Generator, **given: int) -> Arrays:
        """Draw the input arrays: standard normal unless :attr:`draw` says otherwise.

        Parameters
        ----------
        rng : numpy.random.Generator
        **given : int
            As for :meth:`bind`.

        Returns
        -------
        dict
            The ``in`` and ``inout`` arrays by name.
        """
        launch = self.launch(**given)
        wanted = [spec for spec in launch.arrays if spec.intent != "out"]
        return {spec.name: self._drawn(rng, spec, launch.params) for spec in wanted}

    def _drawn(self, rng: np.random.Generator, spec: ArraySpec, params: Params) -> np.ndarray:
        if spec.name in self.draw:
            return self.draw[spec.name](rng, spec.shape, params)
        dtype = numpy_dtype(spec.dtype)
        if spec.dtype in ("i32", "u32"):
            import numpy as np

            return np.zeros(spec.shape, dtype)
        return rng.standard_normal(spec.shape).astype(dtype)

    def allowed_error(self, **given: int) -> float:
        """Largest error against the reference: absolute for values up to 1, relative above.

        Parameters
        ----------
        **given : int
            As for :meth:`bind`.
        """
        if isinstance(self.tolerance, str):
            return float(self._value(self.tolerance, self.bind(**given)))
        return self.tolerance

    # ------------------------------------------------------------ formulas

    def closed_form(self) -> dict[str, Elements]:
        """Elements loaded from and stored to every array, as sympy expressions; empty where the IO depends on data."""
        io = self.io or {}
        return {name: Elements(self.formula(array.loads), self.formula(array.stores)) for name, array in io.items()}

    def elements(self, **given: int) -> dict[str, Elements]:
        """Evaluate the closed form.

        Parameters
        ----------
        **given : int
            As for :meth:`bind`.

        Returns
        -------
        dict
            Array name to the elements loaded and stored, as ints.
        """
        params = self.bind(**given)
        io = self.io or {}
        return {
            name: Elements(int(self._value(array.loads, params)), int(self._value(array.stores, params)))
            for name, array in io.items()
        }

    def textbook_values(self, **given: int) -> dict[str, TextbookValue]:
        """Evaluate the textbook, in bytes: ``reads`` and ``writes``; and ``compulsory``, the inputs read once each.

        Parameters
        ----------
        **given : int
            As for :meth:`bind`.
        """
        launch = self.launch(**given)
        values: dict[str, TextbookValue] = {}
        if self.textbook is not None:
            book, read = self.textbook, self.textbook.element_bytes
            written = read if book.result_bytes is None else book.result_bytes
            for key, text, size in (("reads", book.reads, read), ("writes", book.writes, written)):
                values[key] = TextbookValue(text, int((self._value(text, launch.params) * size).round()))
        inputs = [spec for spec in launch.arrays if spec.intent != "out"]
        text = " + ".join(f"bytes({spec.name})" for spec in inputs)
        values["compulsory"] = TextbookValue(text, sum(spec.nbytes for spec in inputs))
        return values

    @property
    def textbook_text(self) -> str:
        """The textbook's formula in words: ``"2MNK/T elements read, MN written"``."""
        if self.textbook is None:
            return ""
        return f"{pretty(self.textbook.reads)} elements read, {pretty(self.textbook.writes)} written"

    def formula(self, text: str) -> sympy.Expr:
        """Read a formula of this algorithm's parameters.

        Parameters
        ----------
        text : str
            As in :class:`Traffic`.

        Raises
        ------
        FormulaError
            If it cannot be read, or names anything else than the parameters.
        """
        return read_formula(text, self.name, tuple(self.defaults))

    def _value(self, text: str, params: Params) -> sympy.Expr:
        return read_formula(text, self.name, params).subs({symbol(name): value for name, value in params.items()})


def symbol(name: str) -> sympy.Symbol:
    """Make a parameter's symbol for sympy: a positive integer."""
    import sympy

    return sympy.Symbol(name, integer=True, positive=True)


def read_formula(text: str, owner: str, names: Iterable[str]) -> sympy.Expr:
    """Turn `text` into a sympy expression of the parameters `names`.

    Parameters
    ----------
    text : str
    owner : str
        Whose formula it is, for the message.
    names : iterable of str
        Parameters it may use.

    Raises
    ------
    FormulaError
        If it cannot be read, or names anything else.

    Examples
    --------
    >>> read_formula("M*K*ceil(N/T)", "matmul-tiled", ["M", "N", "K", "T"])
    K*M*ceiling(N/T)
    """
    import ast

    import sympy

    known = {name: symbol(name) for name in names}
    functions = {"ceil": sympy.ceiling, "floor": sympy.floor, "min": sympy.Min, "max": sympy.Max}
    try:
        used = {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
        strange = sorted(used - known.keys() - functions.keys())
        if strange:
            parameters = ", ".join(known)
            raise FormulaError(f"{owner}: the formula {text!r} uses {', '.join(strange)}; its parameters: {parameters}")
        return sympy.sympify(text, locals={**functions, **known})
    except (sympy.SympifyError, AttributeError, TypeError, SyntaxError) as error:
        raise FormulaError(f"{owner}: cannot read the formula {text!r}") from error


def pretty(text: str) -> str:
    """Write a formula as people do.

    Examples
    --------
    >>> pretty("2*M*N*K/T + M*N*K/(T*Cf)")
    '2MNK/T + MNK/(T·Cf)'
    >>> pretty("N**2*min(s, 8)")
    'N^2·min(s, 8)'
    """
    import re

    text = text.replace("**", "^")
    text = re.sub(r"(?<=\b\w)\*(?=\w\b)(?!\w\()", "", text)
    return text.replace("*", "·")


def numpy_dtype(name: str) -> np.dtype:
    """NumPy's type for one of the language's: ``"f32"`` is ``float32``, ``"e4m3"`` is ``float8_e4m3fn``."""
    import numpy as np

    names: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "u32": np.uint32}
    if name not in names:
        import ml_dtypes

        names = {"bf16": ml_dtypes.bfloat16, "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
    made: np.dtype = np.dtype(names[name])
    return made
