"""Joining neighbouring shared loads into 8- and 16-byte ones, as the compiler does.

Loads join when nothing between them can change what they read, when they stand
at constant distances from one base, and when that base is provably aligned.
Global loads are left as they are: the compiler knows no alignment of a pointer
argument beyond its element's.  Of two fp16 numbers that share a register, the second becomes its upper half.
What joins was read off nvcc's machine code: at most four elements, and neither bf16 nor fp8.
"""

from __future__ import annotations

from gpusim.lang.lower.regions import Access, Array, AsyncCopy, Branch, Groups, Item, Loop, Sync
from gpusim.lang.lower.values import Node

WORD = 4
MOST = 4  # elements that one load fetches
APART = ("bf16", "e4m3", "e5m2")


def join_shared_loads(items: list[Item]) -> list[Item]:
    """``items`` with shared loads joined, inner regions too."""
    stretches: dict[Array, list[Access]] = {}
    replaced: dict[Access, Access | None] = {}
    for item in items:
        if isinstance(item, Access) and item.is_shared:
            if _joinable(item):
                stretches.setdefault(item.array, []).append(item)
            elif item.kind != "load":
                _join(stretches.pop(item.array, []), replaced)
        elif isinstance(item, AsyncCopy):
            _join(stretches.pop(item.to.array, []), replaced)
        elif isinstance(item, (Sync, Groups, Loop, Branch)):
            for stretch in stretches.values():
                _join(stretch, replaced)
            stretches.clear()
            _inside(item)
    for stretch in stretches.values():
        _join(stretch, replaced)
    kept = (replaced.get(item, item) if isinstance(item, Access) else item for item in items)
    return [item for item in kept if item is not None]


def _inside(item: Item) -> None:
    if isinstance(item, Loop):
        item.body = join_shared_loads(item.body)
    elif isinstance(item, Branch):
        item.then, item.orelse = join_shared_loads(item.then), join_shared_loads(item.orelse)


def _joinable(access: Access) -> bool:
    alone = access.width == access.array.nbytes and access.guard is None
    return access.kind == "load" and alone and access.array.dtype not in APART


def _join(stretch: list[Access], replaced: dict[Access, Access | None]) -> None:
    """Join what can be joined of loads between which nothing is written."""
    order = {access: place for place, access in enumerate(stretch)}
    by_base: dict[Node | None, dict[int, Access]] = {}
    for access in stretch:
        by_base.setdefault(access.base, {})[access.offset] = access
    for base, at in by_base.items():
        multiple = base.facts.multiple if base is not None else 0
        size = next(iter(at.values())).array.nbytes
        for width in (16, 8, 4):
            if multiple % width or width > MOST * size:
                continue
            for offset in sorted(at):
                group = _neighbours(at, offset, width)
                if offset % width == 0 and len(group) > 1:
                    _replace(group, width, order, replaced)
                    for access in group:
                        del at[access.offset]


def _neighbours(at: dict[int, Access], offset: int, width: int) -> list[Access]:
    """Loads of ``width`` bytes from ``offset`` on, without a gap; none where there is one."""
    if offset not in at:
        return []
    size = at[offset].width
    group = [at[place] for place in range(offset, offset + width, size) if place in at]
    whole = len(group) * size == width
    lows, highs = group[::2], group[1::2]
    in_order = size == WORD or all(a.results[0].id < b.results[0].id for a, b in zip(lows, highs, strict=False))
    return group if whole and in_order else []


def _replace(group: list[Access], width: int, order: dict[Access, int], replaced: dict[Access, Access | None]) -> None:
    """One wide load in the place of the earliest of ``group``."""
    first = min(group, key=order.__getitem__)
    results = [access.results[0] for access in group]
    if group[0].width < WORD:
        for low, high in zip(results[::2], results[1::2], strict=True):
            high.op, high.args = "upper", (low,)
        results = results[::2]
    head = group[0]
    wide = Access(
        "load", head.array, head.index, width, first.line, tuple(results), cache=head.cache, base=head.base,
        offset=head.offset,
    )  # fmt: skip
    replaced.update(dict.fromkeys(group))
    replaced[first] = wide
