"""Clusters of a launch: blocks that lie on SMs of one GPC, and the order in which they are handed out.

Blocks are handed out cluster by cluster.  So they have numbers of their own beside those of the grid: those of a
cluster follow one another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError
from gpusim.hardware.programming import NOWHERE
from gpusim.simulate.block_queue import BlockQueue, Stretch

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.simulate.launch import Launch


def check(launch: Launch, gpu: Gpu, name: str) -> None:
    """Refuse clusters that a GPU or a grid has no place for.

    Raises
    ------
    ParameterError
    """
    if launch.cluster is None:
        return
    told, blocks = "x".join(map(str, launch.cluster)), launch.cluster_blocks
    if NOWHERE in (gpu.abi.cluster, gpu.abi.cluster_blocks):
        raise ParameterError(f"{name}: a cluster of {told} blocks: clusters of {gpu.arch} are not simulated")
    if blocks > gpu.limits.cluster:
        raise ParameterError(f"{name}: a cluster of {told} blocks: it has {gpu.limits.cluster} at most")
    promised = launch.program.most_in_cluster
    if promised is not None and promised < blocks:
        raise ParameterError(f"{name}: a cluster of {told} blocks, but __launch_bounds__ promised at most {promised}")
    for axis, of_grid, of_cluster in zip("xyz", launch.grid, launch.cluster, strict=True):
        if of_grid % of_cluster:
            raise ParameterError(
                f"{name}: grid.{axis} = {of_grid} is no multiple of the {of_cluster} blocks of a cluster in {axis}"
            )
    if blocks > max(gpu.gpcs):
        raise ParameterError(
            f"{name}: a cluster of {told} blocks has an SM for each: the largest GPC of {gpu.name} has {max(gpu.gpcs)}"
        )


def places_of(gpu: Gpu, slots: int, blocks: int) -> list[list[list[int]]]:
    """SMs of each cluster that fits each GPC, in the order in which they are given one.

    On an H100 a cluster of 2 has the SMs of a TPC, one of 4 those of two TPCs that follow one another in the GPC.

    Parameters
    ----------
    gpu : Gpu
    slots : int
        Blocks an SM holds.
    blocks : int
        Blocks of a cluster.
    """
    found: list[list[list[int]]] = []
    for gpc in range(len(gpu.gpcs)):
        left = {sm: slots for sm in range(gpu.sm_count) if gpu.placement.sm_gpc[sm] == gpc}
        found.append([])
        while len(free := [sm for sm in left if left[sm]]) >= blocks:
            chosen = sorted(sorted(free, key=lambda sm: -left[sm])[:blocks])
            for sm in chosen:
                left[sm] -= 1
            found[-1].append(chosen)
    return found


def at_once(gpu: Gpu, slots: int, blocks: int) -> int:
    """Blocks that a GPU holds at once, in clusters of so many."""
    return blocks * sum(map(len, places_of(gpu, slots, blocks)))


def first_wave(gpu: Gpu, slots: int, launch: Launch) -> list[int]:
    """SM of each block that starts at once, cluster after cluster: GPC after GPC, as single blocks are.

    Clusters that are left for the last round are dealt to the GPCs in turn.
    """
    size, clusters = launch.cluster_blocks, launch.blocks // launch.cluster_blocks
    places, wave = places_of(gpu, slots, size), list[int]()
    rounds = [max(n // size, 1) for n in gpu.gpcs]
    while clusters and any(places):
        room = [min(rounds[k], len(one)) for k, one in enumerate(places)]
        taken = [0] * len(places)
        while clusters and taken != room:
            for k in range(len(places)):
                if clusters and taken[k] < room[k]:
                    taken[k], clusters = taken[k] + 1, clusters - 1
        wave += [sm for one, n in zip(places, taken, strict=True) for chosen in one[:n] for sm in chosen]
        places = [one[n:] for one, n in zip(places, taken, strict=True)]
    return wave


def handed_out_at(launch: Launch, block: int) -> int:
    """The place of a block of the grid in the order in which blocks are handed out."""
    if launch.cluster is None:
        return block
    at = block % launch.grid[0], block // launch.grid[0] % launch.grid[1], block // (launch.grid[0] * launch.grid[1])
    within = [k % n for k, n in zip(at, launch.cluster, strict=True)]
    cluster = [k // n for k, n in zip(at, launch.cluster, strict=True)]
    grid = [k // n for k, n in zip(launch.grid, launch.cluster, strict=True)]
    return _number(cluster, grid) * launch.cluster_blocks + _number(within, launch.cluster)


def _number(at: Iterable[int], extent: Iterable[int]) -> int:
    """A linear number, x first."""
    (x, y, z), (nx, ny, _) = at, extent
    return x + nx * (y + ny * z)


def some(launch: Launch, blocks: Iterable[int], *, kinds: bool = False) -> BlockQueue:
    """Some blocks, and those that are in a cluster with one of them.

    Parameters
    ----------
    launch : Launch
    blocks : iterable of int
        Numbers in the grid.
    kinds : bool
        Each has a row of counts of its own; those that come along have the one after these.
    """
    numbers = [handed_out_at(launch, int(block)) for block in blocks]
    kind = {number: k if kinds else 0 for k, number in enumerate(numbers)}
    clusters = dict.fromkeys(number // launch.cluster_blocks for number in numbers)
    along = len(numbers) if kinds else 0
    every = (cluster * launch.cluster_blocks + rank for cluster in clusters for rank in range(launch.cluster_blocks))
    return BlockQueue(Stretch(number, 1, kind.get(number, along)) for number in every)


def held_at_once(gpu: Gpu, launch: Launch, held: Occupancy) -> int:
    """Blocks of a launch that the whole GPU holds."""
    if launch.cluster is None:
        return math.prod((gpu.sm_count, held.blocks_per_sm))
    return at_once(gpu, held.blocks_per_sm, launch.cluster_blocks)
