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


def allocate(blocks: list[MBlock], groups: Groups) -> Allocation:
    """Give every register of ``blocks`` a place; there may be more of them than exist.

    Raises
    ------
    OutOfPredicates
        If seven predicates are not enough.
    """
    live = live_masks(blocks)
    found = (_colour(groups.groups(), live, wide_first) for wide_first in (False, True))
    return min(found, key=lambda allocation: allocation.used)


def _colour(groups: list[Group], live: dict[VReg, int], wide_first: bool) -> Allocation:
    busy: list[int] = []
    busy_preds: list[int] = [0] * N_PREDICATES
    place: dict[VReg, int] = {}

    def start(group: Group) -> tuple[int, int]:
        mask = 0
        for reg in group.members.values():
            mask |= live.get(reg, 0)
        first = (mask & -mask).bit_length()
        return (-group.align if wide_first else 0), first

    used = 0
    for group in sorted(groups, key=start):
        if next(iter(group.members.values())).is_pred:
            _take_predicate(group, live, busy_preds, place)
        else:
            used = max(used, _take(group, live, busy, place))
    return Allocation(place, used)


def _take(group: Group, live: dict[VReg, int], busy: list[int], place: dict[VReg, int]) -> int:
    """First aligned place at which every member fits; returns one past its last register."""
    base = 0
    masks = [(d, live.get(reg, 0)) for d, reg in group.members.items()]
    top = max(group.members)
    while True:
        busy.extend([0] * (base + top + 1 - len(busy)))
        if not any(busy[base + d] & mask for d, mask in masks):
            break
        base += group.align
    for d, mask in masks:
        busy[base + d] |= mask
        place[group.members[d]] = base + d
    return base + top + 1


def _take_predicate(group: Group, live: dict[VReg, int], busy: list[int], place: dict[VReg, int]) -> None:
    (reg,) = group.members.values()
    mask = live.get(reg, 0)
    for number in range(N_PREDICATES):
        if not busy[number] & mask:
            busy[number] |= mask
            place[reg] = number
            return
    raise OutOfPredicates(reg)
