"""Physical registers for virtual ones: greedy colouring of live ranges with their holes."""

from __future__ import annotations

from typing import NamedTuple

from gpusim.lang.lower.coalesce import Group, Groups
from gpusim.lang.lower.liveness import live_masks
from gpusim.lang.lower.machine import MBlock, VReg

N_REGISTERS, N_PREDICATES = 255, 7


class Allocation(NamedTuple):
    """Where each virtual register is, and how many general-purpose ones are in use."""

    place: dict[VReg, int]
    used: int


class OutOfPredicates(Exception):
    """More than seven conditions are needed at once; ``reg`` is the one that found no place."""

    def __init__(self, reg: VReg) -> None:
        super().__init__(repr(reg))
        self.reg = reg


def allocate(blocks: list[MBlock]) -> Allocation:
    """Give every register of ``blocks`` a place; there may be more of them than exist.

    Raises
    ------
    OutOfPredicates
        If seven predicates are not enough.
    """
    live = live_masks(blocks)
    place = _predicates(live)
    groups = [g for g in Groups(blocks).groups() if not next(iter(g.members.values())).is_pred]
    colourings = [_colour(groups, live, wide_first) for wide_first in (False, True)]
    best = min(colourings, key=lambda found: found.used)
    return Allocation({**place, **best.place}, best.used)


def _predicates(live: dict[VReg, int]) -> dict[VReg, int]:
    busy = [0] * N_PREDICATES
    place: dict[VReg, int] = {}
    for reg in sorted((r for r in live if r.is_pred), key=lambda r: live[r] & -live[r]):
        for number, taken in enumerate(busy):
            if not taken & live[reg]:
                busy[number] |= live[reg]
                place[reg] = number
                break
        else:
            raise OutOfPredicates(reg)
    return place


def _colour(groups: list[Group], live: dict[VReg, int], wide_first: bool) -> Allocation:
    """First-fit in the order in which lives begin, groups of four and two before single registers if asked."""

    def start(group: Group) -> tuple[int, int]:
        mask = 0
        for reg in group.members.values():
            mask |= live.get(reg, 0)
        return (-group.align if wide_first else 0), (mask & -mask).bit_length()

    busy: list[int] = []
    place: dict[VReg, int] = {}
    used = 0
    for group in sorted(groups, key=start):
        masks = [(d, live.get(reg, 0)) for d, reg in group.members.items()]
        base = _fit(busy, masks, group.align)
        for d, mask in masks:
            busy[base + d] |= mask
            place[group.members[d]] = base + d
            used = max(used, base + d + 1)
    return Allocation(place, used)


def _fit(busy: list[int], masks: list[tuple[int, int]], align: int) -> int:
    """First aligned place at which every member of a group fits."""
    base, top = 0, max(d for d, _ in masks)
    while True:
        if base + top >= len(busy):
            busy.extend([0] * (base + top + 1 - len(busy)))
        for d, mask in masks:
            if busy[base + d] & mask:
                break
        else:
            return base
        base += align
