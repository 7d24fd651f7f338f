"""Kernel: a description's signature and launch shape, traced once when first looked at."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, Any

from gpusim.hardware import DEFAULT_ARCHITECTURE
from gpusim.lang.binding import bind, launch_shape, positive
from gpusim.lang.description_errors import DescriptionError, check_source, check_tree, describing, fail, nearest
from gpusim.lang.evaluate import cdiv, evaluate
from gpusim.lang.kept_programs import lowered, tree_digest
from gpusim.lang.trace import MemoryHandle, Tracer, condition, integer, tracing
from gpusim.lang.tree import DType, Expr, GlobalArray, Param, Tree

if TYPE_CHECKING:
    from gpusim.isa.program import Program
    from gpusim.lang.count import IO, Flops
    from gpusim.lang.lower.target import Target

PROGRAMS_KEPT = 16  # of all kernels together; one of unrolled attention takes tens of megabytes


# ------------------------------------------------------------------ annotations


@dataclass(frozen=True)
class ArrayType:
    """Annotation of a global array: ``gl.In[gl.f32, "M", "K"]``."""

    intent: str
    dtype: DType
    shape: tuple[object, ...]


@dataclass(frozen=True)
class ScalarType:
    """Annotation of a scalar argument: ``gl.Scalar[gl.f32]``."""

    dtype: DType


def _array_type(intent: str, item: Any) -> ArrayType:
    dtype, *shape = item if isinstance(item, tuple) else (item,)
    if not isinstance(dtype, DType) or dtype is DType.PRED or not shape:
        raise DescriptionError(
            f'gl.{intent.capitalize()}[...] takes an element type, then extents, e.g. gl.In[gl.f32, "M", "K"]'
        )
    return ArrayType(intent, dtype, tuple(shape))


class In:
    """``gl.In[dtype, *shape]``: a global array that the kernel reads."""

    def __class_getitem__(cls, item: Any) -> ArrayType:
        return _array_type("in", item)


class Out:
    """``gl.Out[dtype, *shape]``: a global array that the kernel writes."""

    def __class_getitem__(cls, item: Any) -> ArrayType:
        return _array_type("out", item)


class InOut:
    """``gl.InOut[dtype, *shape]``: a global array that the kernel reads and writes."""

    def __class_getitem__(cls, item: Any) -> ArrayType:
        return _array_type("inout", item)


class Tile:
    """``T: gl.Tile = 32``: a tile size, bound when lowered."""


class Scalar:
    """``gl.Scalar[gl.i32]``: a scalar argument."""

    def __class_getitem__(cls, dtype: Any) -> ScalarType:
        if dtype not in (DType.I32, DType.U32, DType.F32):
            raise DescriptionError("gl.Scalar[...] takes gl.i32, gl.u32 or gl.f32")
        return ScalarType(dtype)


# ------------------------------------------------------------------ the decorator


def kernel(
    *,
    grid: Callable[[Any], Any],
    block: Callable[[Any], Any],
    requires: Callable[[Any], Iterable[tuple[Any, str]]] | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., None]], Kernel]:
    """Make a description of the decorated function.

    Parameters
    ----------
    grid, block : callable
        From the parameters (``p.M``, ``p.T``) to one to three extents: blocks, and threads a block.
    requires : callable, optional
        From the parameters to a list of ``(condition, message)`` that a launch must meet.
    name : str, optional
        Instead of the function's.

    Returns
    -------
    callable
        Decorator giving a :class:`Kernel`.
    """
    return lambda function: Kernel(function, grid=grid, block=block, requires=requires, name=name)


class Kernel:
    """A description: its tree, listing, launch shape, IO, and its lowering to a Program."""

    def __init__(
        self,
        function: Callable[..., None],
        *,
        grid: Callable[[Any], Any],
        block: Callable[[Any], Any],
        requires: Callable[[Any], Iterable[tuple[Any, str]]] | None = None,
        name: str | None = None,
    ) -> None:
        self.function = function
        self.name = name or function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self._grid, self._block, self._requires = grid, block, requires
        self._counts: dict[tuple[str, tuple[tuple[str, Any], ...]], Any] = {}
        self._lock = threading.RLock()

    @property
    def tree(self) -> Tree:
        """The traced description."""
        with self._lock:
            return self._traced

    @cached_property
    def _traced(self) -> Tree:
        code = self.function.__code__
        with describing(code.co_filename, code.co_firstlineno):
            check_source(self.function)
            tree = self._trace(code.co_filename)
            check_tree(tree)
        return tree

    def _trace(self, source: str) -> Tree:
        with tracing(Tracer(self.name)) as tracer:
            arguments, defaults = _arguments(self.function, tracer)
            self.function(**arguments)
            tracer.check_loops()
            if len(tracer.blocks) > 1:
                fail("a gl.range, gl.unroll or gl.doubling was not run to its end; write it as a for statement")
            p = Parameters(tracer.params)
            return Tree(
                name=self.name,
                params=tuple(tracer.params.values()),
                globals=tuple(tracer.globals),
                shared=tuple(tracer.shared),
                locals=tuple(tracer.locals),
                grid=_extents(self._grid(p), "grid"),
                block=_extents(self._block(p), "block"),
                body=tuple(tracer.blocks[0]),
                requires=tuple((condition(c, "requires"), text) for c, text in (self._requires or _nothing)(p)),
                source=source,
                defaults=defaults,
            )

    @cached_property
    def digest(self) -> str | None:
        """What tells the traced description from every other; None where nothing does."""
        return tree_digest(self.tree)

    @property
    def params(self) -> tuple[Param, ...]:
        """Sizes, tiles and scalars, in the order of the signature."""
        return self.tree.params

    @property
    def arrays(self) -> tuple[GlobalArray, ...]:
        """Global arrays, in the order of the signature."""
        return self.tree.globals

    @property
    def defaults(self) -> dict[str, int]:
        """Default tile sizes."""
        return dict(self.tree.defaults)

    def __str__(self) -> str:
        from gpusim.lang.printer import listing

        return listing(self.tree)

    def __repr__(self) -> str:
        return f"<Kernel {self.name}>"

    def bind(self, **params: float) -> dict[str, int | float]:
        """Values of all parameters: ``params``, with tile defaults filled in, checked.

        Raises
        ------
        DescriptionError
            For an unknown or missing name, or a size or tile that is not a positive int below 2**31.
        """
        return bind(self.tree, params)

    def shape(self, **params: float) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Grid and block of a launch.

        Parameters
        ----------
        **params
            Sizes, tiles (defaults apply), and the scalars that the launch shape depends on.

        Returns
        -------
        grid, block : tuple of 3 ints
            Blocks, and threads a block, along x, y, z.

        Raises
        ------
        DescriptionError
            For wrong parameters, a requirement not met, or a shape beyond CUDA's limits.
        """
        return launch_shape(self.tree, self.bind(**params))

    def array_shape(self, name: str, **params: float) -> tuple[int, ...]:
        """Extents of global array ``name``, in elements."""
        arrays = {a.name: a for a in self.arrays}
        if name not in arrays:
            raise DescriptionError(f"{self.name} has no array {name!r}{nearest(name, arrays)}")
        binding = self.bind(**params)
        return tuple(int(evaluate(e, binding)) for e in arrays[name].shape)

    def tiles(self, **tiles: int) -> dict[str, int]:
        """All tile sizes: ``tiles``, with defaults filled in, checked."""
        return {name: int(n) for name, n in bind(self.tree, tiles, roles=("tile",)).items()}

    def lower(self, *, arch: str | Target = DEFAULT_ARCHITECTURE, **tiles: int) -> Program:
        """The Program for an architecture and these tile sizes (the last ones are kept: a second call is free)."""
        from gpusim.lang.lower.target import target

        known = target(arch) if isinstance(arch, str) else arch
        with self._lock:
            return _lowered(self, tuple(sorted(self.tiles(**tiles).items())), known)

    def emit(self, *, name: str | None = None, **tiles: int) -> str:
        """CUDA C++ source for these tile sizes: one kernel, called ``name`` if that is given.

        It takes the parameters of the Program that :meth:`lower` gives, in the same order.
        """
        from gpusim.lang.emit import emit

        return emit(self.tree, self.tiles(**tiles), name)

    def dynamic_shared(self, **tiles: int) -> int:
        """Bytes of dynamic shared memory that what :meth:`emit` gives is launched with; 0: all of it is static."""
        from gpusim.lang.emit.declarations import dynamic_shared

        return dynamic_shared(self.tree, self.tiles(**tiles))

    def io(self, **fixed: Any) -> IO:
        """Elements and bytes of each global array that the threads load and store, as sympy expressions.

        Parameters
        ----------
        **fixed
            Parameters to put numbers for (``T=32``); the others stay symbols.
        """
        from gpusim.lang.count import io

        made: IO = self._counted("io", io, fixed)
        return made

    def flops(self) -> Flops:
        """Floating-point operations of a launch, as sympy expressions."""
        from gpusim.lang.count import flops

        made: Flops = self._counted("flops", flops, {})
        return made

    def _counted(self, kind: str, count: Callable[..., Any], fixed: Mapping[str, Any]) -> Any:
        key = (kind, tuple(sorted(fixed.items())))
        with self._lock:
            if key not in self._counts:
                self._counts[key] = count(self.tree, **fixed)
            return self._counts[key]


def _nothing(_: object) -> tuple[()]:
    return ()


@lru_cache(maxsize=PROGRAMS_KEPT)
def _lowered(kernel: Kernel, tiles: tuple[tuple[str, int], ...], target: Target) -> Program:
    return lowered(kernel.tree, tiles, target)


class Parameters:
    """``p`` in ``grid=lambda p: ...``: parameters as attributes."""

    def __init__(self, params: Mapping[str, Param]) -> None:
        self._params = params

    def __getattr__(self, name: str) -> Param:
        if name not in self._params:
            fail(f"p.{name}: no such parameter{nearest(name, self._params)}")
        return self._params[name]


def _extents(shape: Any, what: str) -> tuple[Expr, Expr, Expr]:
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not 1 <= len(shape) <= 3:
        fail(f"{what} of {len(shape)} extents; one to three")
    x, y, z = (integer(e, f"extent of the {what}") for e in (*shape, 1, 1)[:3])
    return x, y, z


# ------------------------------------------------------------------ signature


def _arguments(function: Callable[..., None], tracer: Tracer) -> tuple[dict[str, Any], dict[str, int]]:
    """What the function is called with to be traced, and the tile defaults."""
    signature = inspect.signature(function, eval_str=True)
    kinds = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    scalars = {name: made for name, kind in kinds.items() if (made := _parameter(name, kind)) is not None}
    arguments: dict[str, Any] = {}
    for name, kind in kinds.items():
        if name in scalars:
            arguments[name] = tracer.params[name] = scalars[name]
        elif isinstance(kind, ArrayType):
            extents = tuple(_extent(e, name, scalars, tracer) for e in kind.shape)
            tracer.globals.append(GlobalArray(name, kind.dtype, extents, kind.intent))
            arguments[name] = MemoryHandle(tracer, tracer.globals[-1])
        else:
            fail(f"parameter {name!r} is neither gl.In/Out/InOut[...], gl.Tile nor gl.Scalar[...]; annotate it")
    return arguments, _defaults(signature, scalars)


def _parameter(name: str, kind: object) -> Param | None:
    if kind is Tile:
        return Param(name, DType.I32, "tile")
    return Param(name, kind.dtype, "scalar") if isinstance(kind, ScalarType) else None


def _defaults(signature: inspect.Signature, scalars: Mapping[str, Param]) -> dict[str, int]:
    defaults = {}
    for name, parameter in signature.parameters.items():
        if parameter.default is inspect.Parameter.empty:
            continue
        if name not in scalars or scalars[name].role != "tile":
            fail(f"default of {name!r}; only gl.Tile parameters have one")
        defaults[name] = positive(name, "tile", parameter.default)
    return defaults


def _extent(entry: object, array: str, scalars: Mapping[str, Param], tracer: Tracer) -> Expr:
    """Extent of an array: an int, or an expression in a string over sizes, tiles and scalars."""
    if isinstance(entry, Integral):
        return integer(int(entry), f"extent of {array}")
    if not isinstance(entry, str):
        fail(f"extent {entry!r} of {array}; a size's name, an int, or an expression in a string")
    try:
        code = compile(entry.strip(), "<extent>", "eval")
        value = eval(code, {"__builtins__": {}}, _Names(scalars, tracer))
    except (SyntaxError, TypeError) as error:
        fail(f"extent {entry!r} of {array}: {error}; use names, ints, + - * // % and cdiv(a, b)")
    return integer(value, f"extent of {array}")


class _Names(dict[str, Any]):
    """Names in an extent: tiles and scalars of the signature; all others are sizes."""

    def __init__(self, scalars: Mapping[str, Param], tracer: Tracer) -> None:
        super().__init__(scalars, cdiv=cdiv)
        self._tracer = tracer

    def __missing__(self, name: str) -> Param:
        return self._tracer.size(name)
