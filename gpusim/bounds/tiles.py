"""The tiles of a kernel for which its own formula of traffic is least, among those that fit an SM."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm, KernelLaunch
    from gpusim.hardware import Gpu

POWERS = tuple(1 << power for power in range(10))
"""Values that are tried of a tile, beside its own."""

FEWER = POWERS[2:9:2]
"""The same where a kernel has many tiles."""

MANY = 3


class Tiled(NamedTuple):
    """Tiles, and the bytes that the kernel's formula has for them, loads and stores together."""

    tiles: Mapping[str, int]
    nbytes: int


def formula_bytes(algorithm: Algorithm, launch: KernelLaunch) -> Tiled | None:
    """What a kernel's own formula has for a launch; None where there is none, or it depends on data.

    Parameters
    ----------
    algorithm : Algorithm
    launch : KernelLaunch
    """
    cost = _cost(algorithm, launch)
    tiles = {name: launch.params[name] for name in free_tiles(algorithm)}
    return Tiled(tiles, cost(launch.params)) if cost is not None else None


def best(algorithm: Algorithm, launch: KernelLaunch, gpu: Gpu) -> Tiled | None:
    """Tiles that fit a block and an SM, and move least by the kernel's own formula; None where there is no formula.

    Parameters
    ----------
    algorithm : Algorithm
    launch : KernelLaunch
        Whose sizes are kept.
    gpu : gpusim.hardware.Gpu
    """
    cost, names = _cost(algorithm, launch), free_tiles(algorithm)
    if cost is None:
        return None
    values = FEWER if len(names) > MANY else POWERS
    own = tuple(launch.params[name] for name in names)
    choices = product(*({*values, value} for value in own))
    costs = ((cost({**launch.params, **dict(zip(names, tiles, strict=True))}), tiles) for tiles in choices)
    for nbytes, tiles in sorted(costs, key=lambda one: (one[0], one[1] != own, one[1])):
        chosen = dict(zip(names, tiles, strict=True))
        if fits(algorithm, {**launch.params, **chosen}, gpu):
            return Tiled(chosen, nbytes)
    return None


def free_tiles(algorithm: Algorithm) -> list[str]:
    """Tiles that may be chosen: those that no array has as its extent.

    Parameters
    ----------
    algorithm : Algorithm
    """
    from gpusim.lang.tree import Param, leaves

    tree = algorithm.kernel.tree
    of_arrays = {leaf.name for a in tree.globals for e in a.shape for leaf in leaves(e) if isinstance(leaf, Param)}
    return [param.name for param in tree.params if param.role == "tile" and param.name not in of_arrays]


def fits(algorithm: Algorithm, params: Mapping[str, int], gpu: Gpu) -> bool:
    """Whether a block of these parameters can be launched, its arrays in shared memory and in registers.

    Parameters
    ----------
    algorithm : Algorithm
    params : mapping of str to int
    gpu : gpusim.hardware.Gpu
    """
    from gpusim.lang.binding import launch_shape

    tree = algorithm.kernel.tree
    try:
        threads = math.prod(launch_shape(tree, params)[1])
    except (GpusimError, ZeroDivisionError):  # a rule, or a tile smaller than what it is cut into
        return False
    own = sum(_extent(array.shape, params) for array in tree.locals if hasattr(array, "shape"))
    return (
        _shared_bytes(algorithm, params) <= gpu.shared.max_bytes_per_block
        and threads <= gpu.sm.max_threads_per_block
        and own <= gpu.sm.max_registers_per_thread
        and own * threads <= gpu.sm.registers
    )


def _shared_bytes(algorithm: Algorithm, params: Mapping[str, int]) -> int:
    return sum(_extent(array.shape, params) * array.dtype.nbytes for array in algorithm.kernel.tree.shared)


def _extent(shape: Any, params: Mapping[str, int]) -> int:
    from gpusim.lang.evaluate import evaluate

    return math.prod(int(evaluate(e, params)) for e in shape)


def _cost(algorithm: Algorithm, launch: KernelLaunch) -> Callable[[Mapping[str, int]], int] | None:
    """Bytes by the kernel's formula, as a function of its parameters."""
    import sympy

    moved = algorithm.closed_form()
    if not moved:
        return None
    sizes = {spec.name: spec.element_bytes for spec in launch.arrays}
    total = sympy.Add(*(sizes[name] * (one.loads + one.stores) for name, one in moved.items()))
    symbols = sorted(total.free_symbols, key=str)
    function = sympy.lambdify(symbols, total, "math")
    return lambda params: int(function(*(params[symbol.name] for symbol in symbols)))


def words(tiles: Mapping[str, int]) -> Iterator[str]:
    """Tiles as they are typed."""
    return (f"{name}={value}" for name, value in tiles.items())
