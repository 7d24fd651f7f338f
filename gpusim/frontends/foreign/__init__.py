"""Kernels of other packages: each adapter makes a launch of machine code of what its package calls a kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.errors import ParameterError
from gpusim.frontends.foreign.arrays import host_array

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.frontends.addresses import Places
    from gpusim.hardware import Gpu


class Asked(NamedTuple):
    """What a user asks for, in the words of whatever package.

    Attributes
    ----------
    kernel : object
    gpu : Gpu
    grid, block : int or sequence of int
    args : list
        Arrays in the host's memory are NumPy's.
    dynamic_shared : int
        Bytes.
    name : str or None
        Which kernel of a module.
    """

    kernel: Any
    gpu: Gpu
    grid: Any
    block: Any
    args: list[Any]
    dynamic_shared: int = 0
    name: str | None = None


class Taken(NamedTuple):
    """The same for machine code.

    Attributes
    ----------
    kernel : Kernel
    grid, block : int or sequence of int
    args : list
    dynamic_shared : int
        Bytes.
    places : Places or None
        Where arrays lie, if that was decided.
    """

    kernel: Kernel
    grid: Any
    block: Any
    args: list[Any]
    dynamic_shared: int = 0
    places: Places | None = None


ADAPTERS = {"cupy": "cupy", "numba": "numba", "numba_cuda": "numba", "warp": "warp"}
"""Modules here by the packages whose kernels they take."""


def taken(
    kernel: Any, gpu: Gpu, grid: Any, block: Any, args: Sequence[Any], dynamic_shared: int, name: str | None
) -> Taken:
    """A launch of machine code, whatever package the kernel is of.

    Parameters
    ----------
    kernel : object
        gpusim's own, or that of a package in :data:`ADAPTERS`.
    gpu, grid, block, args, dynamic_shared, name
        As for :func:`gpusim.profile`.

    Raises
    ------
    GpusimError
        A kernel of none of these, or one that its package does not compile.
    """
    asked = Asked(kernel, gpu, grid, block, [host_array(n, value) for n, value in enumerate(args, 1)], dynamic_shared)
    if hasattr(kernel, "pack"):
        if name is not None:
            raise ParameterError(f"name={name!r} chooses a kernel of a module, and {kernel.name.full} is one already")
        return Taken(kernel, grid, block, asked.args, dynamic_shared)
    package = type(kernel).__module__.partition(".")[0]
    if package not in ADAPTERS:
        known = ", ".join(dict.fromkeys(ADAPTERS.values()))
        raise ParameterError(
            f"a kernel from gpusim.cuda.compile(...).kernel() is needed, or one of {known}, not {type(kernel).__name__}"
        )
    adapt: Callable[[Asked], Taken] = import_module(f"{__name__}.{ADAPTERS[package]}").adapted
    return adapt(asked._replace(name=name))
