"""Algorithm: a described kernel with everything a prediction is held against.

A file in ``kernels/`` (or in a user's own folder) describes a kernel in :mod:`gpusim.lang` and wraps it in an
:class:`Algorithm`: what it computes (a NumPy reference), what it must move (closed-form IO, written by hand and so
independent of the counted one), what a textbook would say, and how a user names its parameters.  Making one traces
nothing and imports neither sympy nor NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gpusim.catalogue.formulas import Elements, Published, Textbook, TextbookValue, Traffic, pretty, symbol
from gpusim.catalogue.parameters import Parametrised, Params
from gpusim.errors import ParameterError, UnknownNameError
from gpusim.host_memory import in_parts

if TYPE_CHECKING:
    import numpy as np
    import sympy

    from gpusim.lang import Kernel

__all__ = [
    "Algorithm", "ArraySpec", "Arrays", "Draw", "KernelLaunch", "Published", "Textbook", "Traffic", "numpy_dtype",
]  # fmt: skip

Arrays = dict[str, "np.ndarray"]
Draw = Callable[["np.random.Generator", tuple[int, ...], Params], "np.ndarray"]
Derive = Callable[..., Arrays]


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
class Algorithm(Parametrised):
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
        ``{"M": {"Bc": "ceil(M/(4*d))"}}``.  A later word's formulas see what follows from those before it.  A
        parameter that is given itself does not follow.
    io : mapping of str to Traffic, or None
        Closed-form IO of every array, written by hand; None where it depends on data.
    textbook : Textbook or None
        What a textbook says of the traffic.
    published : Published or None
        A formula from the literature to hold the traffic against.
    computation : str
        What is computed, as :func:`gpusim.bounds.computation.parse` reads it, where the least traffic is to follow from
        more than the arrays' sizes: ``"C[m,n] += A[m,k] * B[k,n]"``.
    touched : mapping of str to str
        Elements that are read from outside, or of outputs written, where these are not all of the array: formulas.
    draw : mapping of str to callable
        ``draw(rng, shape, params)`` for input arrays that are not to be standard normal (or, ints, zero).
    derive : callable, optional
        ``derive(drawn, **params)`` gives by name the input arrays that follow from others: a backward pass takes what
        the forward one has stored.
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
    >>> from gpusim.catalogue import lookup
    >>> tiled = lookup.get("matmul-tiled")
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
    computation: str = ""
    touched: Mapping[str, str] = field(default_factory=dict)
    draw: Mapping[str, Draw] = field(default_factory=dict)
    derive: Derive | None = None
    tolerance: str | float = 1e-5
    family: str = "other"
    also: tuple[str, ...] = ()
    notes: str = ""
    hidden: bool = False

    def __post_init__(self) -> None:
        for name in ("sizes", "scalars", "tiles", "aliases", "rules", "touched", "draw"):
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

    def _check(self, params: Params) -> None:
        self._shape(params)

    def _shape(self, params: Params) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Grid and block, once the kernel's own rules hold."""
        from gpusim.lang import DescriptionError

        _ = self.kernel.tree  # a wrong description is its own error, with its line
        try:
            return self.kernel.shape(**params)
        except DescriptionError as error:
            raise ParameterError(f"{self.name}: {str(error).removeprefix(f'{self.kernel.name}: ')}") from None

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

    def inputs(self, rng: np.random.Generator, only: Collection[str] | None = None, /, **given: int) -> Arrays:
        """Draw the input arrays: standard normal unless :attr:`draw` or :attr:`derive` says otherwise.

        Parameters
        ----------
        rng : numpy.random.Generator
        only : collection of str, optional
            Of these arrays alone; they hold the same as if all were drawn.
        **given : int
            As for :meth:`bind`.

        Returns
        -------
        dict
            The ``in`` and ``inout`` arrays by name.
        """
        launch = self.launch(**given)
        wanted = [spec for spec in launch.arrays if spec.intent != "out"]
        kept = None if only is None or self.derive else set(only)
        drawn = {spec.name: self._drawn(rng, spec, launch.params, kept) for spec in wanted}
        if self.derive:
            drawn |= self.derive(drawn, **launch.params)
        return {name: array for name, array in drawn.items() if only is None or name in only}

    def _drawn(
        self, rng: np.random.Generator, spec: ArraySpec, params: Params, kept: Collection[str] | None
    ) -> np.ndarray:
        """Contents of an array; those of one that is not kept are drawn and forgotten."""
        import numpy as np

        if spec.name in self.draw:
            return self.draw[spec.name](rng, spec.shape, params)
        dtype, count = numpy_dtype(spec.dtype), math.prod(spec.shape)
        if spec.dtype in ("i32", "u32"):
            return np.zeros(spec.shape, dtype)
        is_kept = kept is None or spec.name in kept
        found = np.empty(spec.shape if is_kept else 0, dtype)
        for part in in_parts(count):
            drawn = rng.standard_normal(part.stop - part.start).astype(dtype)
            if is_kept:
                found.reshape(-1)[part] = drawn
        return found

    def allowed_error(self, **given: int) -> float:
        """Largest error against the reference: absolute for values up to 1, relative above.

        Parameters
        ----------
        **given : int
            As for :meth:`bind`.
        """
        if isinstance(self.tolerance, str):
            return float(self.value(self.tolerance, self.bind(**given)))
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
            name: Elements(int(self.value(array.loads, params)), int(self.value(array.stores, params)))
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
                values[key] = TextbookValue(text, int((self.value(text, launch.params) * size).round()))
        inputs = [spec for spec in launch.arrays if spec.intent != "out"]
        text = " + ".join(f"bytes({spec.name})" for spec in inputs)
        values["compulsory"] = TextbookValue(text, sum(spec.nbytes for spec in inputs))
        return values

    def derived(self) -> dict[str, Elements]:
        """Elements loaded from and stored to every array as the description's tree has them, as sympy expressions."""
        return {name: Elements(_known(io.loaded), _known(io.stored)) for name, io in self.kernel.io().items()}

    @property
    def textbook_text(self) -> str:
        """The textbook's formula in words: ``"2MNK/T elements read, MN written"``."""
        if self.textbook is None:
            return ""
        return f"{pretty(self.textbook.reads)} elements read, {pretty(self.textbook.writes)} written"


@dataclass(frozen=True, eq=False, repr=False)
class BareKernel(Algorithm):
    """A described kernel without an algorithm around it: sizes and scalars have no defaults.

    Parameters
    ----------
    name, summary, kernel, reference, sizes
        As of :class:`Algorithm`; :meth:`of` makes them.

    Examples
    --------
    >>> from gpusim.catalogue import lookup
    >>> BareKernel.of(lookup.get("vector-add").kernel).bind(N=1000)
    {'N': 1000, 'B': 256}
    """

    @classmethod
    def of(cls, kernel: Kernel) -> BareKernel:
        """Take a kernel as it is.

        Parameters
        ----------
        kernel : gpusim.lang.Kernel
        """
        return cls(kernel.name, (kernel.__doc__ or "").partition("\n")[0], kernel, lambda inputs, **params: {}, {})

    @property
    def defaults(self) -> Params:
        """Tiles with a default."""
        return self.kernel.defaults

    @property
    def words(self) -> list[str]:
        """Names of all parameters."""
        return [parameter.name for parameter in self.kernel.params]

    def bind(self, **given: Any) -> Params:
        """Complete `given` with the defaults of tiles.

        Parameters
        ----------
        **given : int or float
            Every size and scalar by name; tiles that are not to have their default.

        Raises
        ------
        UnknownNameError
            For a name that is no parameter.
        ParameterError
            For a parameter that is missing, has a wrong value, or breaks a rule of the kernel.
        """
        from gpusim.lang import DescriptionError

        unknown = [name for name in given if name not in self.words]
        if unknown:
            raise UnknownNameError(f"parameter of {self.name}", unknown[0], self.words)
        missing = [name for name in self.words if name not in {**self.defaults, **given}]
        if missing:
            raise ParameterError(f"{self.name}: a value is needed for {', '.join(missing)}: {missing[0]}=...")
        try:
            params: Any = self.kernel.bind(**given)
        except DescriptionError as error:
            raise ParameterError(f"{self.name}: {str(error).removeprefix(f'{self.kernel.name}: ')}") from None
        self._check(params)
        return dict(params)


def _known(expression: sympy.Expr) -> sympy.Expr:
    """The same in the symbols of formulas."""
    return expression.subs({old: symbol(old.name) for old in expression.free_symbols})


def numpy_dtype(name: str) -> np.dtype:
    """NumPy's type for one of the language's: ``"f32"`` is ``float32``, ``"e4m3"`` is ``float8_e4m3fn``."""
    import numpy as np

    names: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "u32": np.uint32}
    if name not in names:
        import ml_dtypes

        names = {"bf16": ml_dtypes.bfloat16, "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
    made: np.dtype = np.dtype(names[name])
    return made
