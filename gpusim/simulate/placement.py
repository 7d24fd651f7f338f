"""Where the blocks of the first wave land.

As measured on an H200, driver 580.159, CUDA 13.0, for grids of 2 to 5280 blocks.
A grid goes GPC after GPC, a block an SM, over and over; the SMs first in line come
round sooner than the others.  What is left for the last round is spread
evenly over the GPCs, and inside a GPC over its TPCs (pairs of SMs), before any
TPC gets two; yet neighbouring blocks stay in one GPC.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from gpusim.hardware.fixed import TPC_SMS

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu


def first_wave(gpu: Gpu, slots: int, blocks: int) -> list[int]:
    """SM of each block that starts at once.

    Parameters
    ----------
    gpu : Gpu
    slots : int
        Blocks an SM holds.
    blocks : int
        Blocks of the grid.

    Returns
    -------
    list of int
        As many entries as there are blocks, or places for them.
    """
    early = list(gpu.placement.order[: gpu.placement.early_sms])
    groups = _groups(gpu)
    rounds, left = divmod(min(blocks, slots * gpu.sm_count), gpu.sm_count)
    wave = _full(early, groups, rounds, gpu.placement.early_groups) if rounds else []
    return wave + (early + _spread(groups, max(left - len(early), 0)))[:left]


def _groups(gpu: Gpu) -> list[list[int]]:
    """SMs of each GPC, in order, without those that come early."""
    rest = gpu.placement.order[gpu.placement.early_sms :]
    return [list(group) for _, group in itertools.groupby(rest, key=lambda sm: gpu.placement.sm_gpc[sm])]


def _full(early: list[int], groups: list[list[int]], rounds: int, period: int) -> list[int]:
    """So many rounds of all groups, and so many blocks on every SM."""
    if not early:
        return [sm for _ in range(rounds) for group in groups for sm in group]
    ahead, wave = rounds - 1, list(early)
    for k, group in enumerate(group for _ in range(rounds) for group in groups):
        if ahead and (k + 1) % period == 0:
            wave += early
            ahead -= 1
        wave += group
    return wave + early * ahead


def _spread(groups: list[list[int]], blocks: int) -> list[int]:
    """One round over the GPCs with fewer blocks than SMs: first a block a TPC, then two."""
    tpcs = [[list(pair) for _, pair in itertools.groupby(group, key=lambda sm: sm // TPC_SMS)] for group in groups]
    quota = [0] * len(groups)
    for width in range(1, TPC_SMS + 1):
        room = [sum(min(len(pair), width) for pair in group) for group in tpcs]
        blocks = _deal(quota, room, blocks)
    return [sm for group, n in zip(tpcs, quota, strict=True) for sm in _of_gpc(group, n)]


def _deal(quota: list[int], room: list[int], blocks: int) -> int:
    """Deal blocks round robin to GPCs that have room; returns those left over."""
    while blocks and any(q < r for q, r in zip(quota, room, strict=True)):
        for k in range(len(quota)):
            if blocks and quota[k] < room[k]:
                quota[k] += 1
                blocks -= 1
    return blocks


def _of_gpc(tpcs: list[list[int]], blocks: int) -> list[int]:
    """SMs of ``blocks`` blocks of one GPC: the first TPCs take two if all must take one."""
    doubled = max(blocks - len(tpcs), 0)
    chosen = [pair if k < doubled else pair[:1] for k, pair in enumerate(tpcs)]
    return [sm for pair in chosen for sm in pair][:blocks]
