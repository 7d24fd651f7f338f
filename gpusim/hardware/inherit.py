"""What a GPU takes from its base, and what is derived where neither says it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from gpusim.hardware.fixed import TPC_SMS
from gpusim.hardware.quantities import rules
from gpusim.hardware.sections import Throughput
from gpusim.hardware.spec import Provenance, bus_peak

SEEN = ("measured", "fitted")
"""Kinds of numbers that were seen on one GPU: for others they are assumed."""

OWN_TEXTS = ("name", "full_name", "measured")
"""Never inherited."""

_PEAK, _SPEED = ("dram.bus_bits", "clock.memory_hz"), ("sm_count", "clock.sm_hz")

DROPPED_BY = {
    "gpcs": ("sm_count",),
    "placement.order": ("sm_count", "gpcs", "placement.sm_gpc"),
    "placement.sm_gpc": ("sm_count", "gpcs"),
    "placement.sm_half": ("sm_count", "gpcs", "placement.sm_gpc", "l2.partitions"),
    "dram.datasheet_bytes_per_s": _PEAK,
    "l1.unified_bytes": ("l1.size_bytes",),
    "l1.size_bytes": ("l1.unified_bytes",),
}
"""Numbers that are not inherited where one of these differs from the base: they would not fit it."""

SCALED_WITH = {
    **{f"dram.{name}_bytes_per_s": _PEAK for name in ("read", "write", "copy")},
    **{f"throughput.{name}": _SPEED for name, rule in rules(Throughput).items() if rule.unit in ("flop/s", "op/s")},
    "clock.tensor_hz": ("clock.sm_hz",),
    "clock.tensor_load_hz": ("clock.sm_hz",),
    "clock.tensor_full_hz": ("clock.sm_hz",),
}
"""Rates that are inherited in proportion to these numbers: what is not said of them holds as a share."""

DERIVED = ("placement.order", "placement.sm_gpc", "placement.sm_half", "dram.read_bytes_per_s")
"""Numbers that a specification may leave out: :func:`derive` gives them."""

READ_SHARE = 0.92
"""Of the peak of device memory that streaming reads reach, where nobody measured it: an H200's 0.922."""


@dataclass
class Sheet:
    """What a specification file says, by key.

    Attributes
    ----------
    base : str or None
    texts : dict
        Name, architecture, ... : text and flags.
    numbers : dict of str to Provenance
    """

    base: str | None = None
    texts: dict[str, Any] = field(default_factory=dict)
    numbers: dict[str, Provenance] = field(default_factory=dict)


def over(base: Sheet, own: Sheet) -> Sheet:
    """Lay a sheet over its base.

    Parameters
    ----------
    base, own : Sheet
        `base` is complete; what `own` says goes before it.

    Returns
    -------
    Sheet
        What was measured or fitted on the base counts as assumed here, and an
        inherited source says whose it is.
    """
    name = base.texts["name"]
    kept = {key: _as_of(name, entry) for key, entry in base.numbers.items() if _inherits(key, base, own)}
    texts = {key: text for key, text in base.texts.items() if key not in OWN_TEXTS}
    merged = Sheet(texts=texts | own.texts, numbers=kept | own.numbers)
    if "gpcs" not in merged.numbers:
        _share_out(merged, len(base.numbers["gpcs"].value), name)
    _scale(base, own, merged)
    return merged


def laid_under(sheet: Sheet, generation: Sheet) -> Sheet:
    """Lay a sheet over what its generation has in common.

    Parameters
    ----------
    sheet : Sheet
        Of a GPU; what it says goes before.
    generation : Sheet
        Its name is that of the GPU on which its numbers were measured: for others these are assumed.

    Returns
    -------
    Sheet
    """
    name = generation.texts["name"]
    mine = sheet.texts["name"] == name
    common = {k: e if mine or e.kind not in SEEN else _as_of(name, e) for k, e in generation.numbers.items()}
    return replace(sheet, numbers=common | sheet.numbers)


def generation_over(base: Sheet, own: Sheet) -> Sheet:
    """Lay what a generation has in common over another one that it names as its base."""
    gpu, arch = base.texts["name"], base.texts["arch"]
    kept = {key: _as_of(gpu if entry.kind in SEEN else arch, entry) for key, entry in base.numbers.items()}
    return replace(own, texts=base.texts | own.texts, numbers=kept | own.numbers)


def derive(sheet: Sheet) -> None:
    """Add what a sheet leaves out and an H200 tells: how SMs are laid out, what device memory really reads.

    Parameters
    ----------
    sheet : Sheet
        Changed.
    """
    _derive_placement(sheet)
    if "dram.read_bytes_per_s" not in sheet.numbers:
        peak = bus_peak(*(sheet.numbers[key].value for key in _PEAK))
        source = f"{READ_SHARE:g} of the peak, as an H200 reads"
        sheet.numbers["dram.read_bytes_per_s"] = Provenance(READ_SHARE * peak, "byte/s", "assumed", source)


def _derive_placement(sheet: Sheet) -> None:
    """Add the placement lists that a sheet leaves out, as an H200 has them.

    Pairs of SMs (TPCs) go to the GPCs in turn until each is full; blocks go to
    one GPC after the other; GPCs alternate between the halves of L2.
    """
    numbers = sheet.numbers
    sm_gpc = numbers["placement.sm_gpc"].value if "placement.sm_gpc" in numbers else deal(numbers["gpcs"].value)
    halves = numbers["l2.partitions"].value
    derived = {
        "order": tuple(sorted(range(len(sm_gpc)), key=lambda sm: (sm_gpc[sm], sm))),
        "sm_gpc": sm_gpc,
        "sm_half": tuple(gpc % halves for gpc in sm_gpc),
    }
    source = "GPC by GPC and TPC by TPC, the way an H200 was seen to do it"
    for name, value in derived.items():
        numbers.setdefault(f"placement.{name}", Provenance(value, "1", "assumed", source))


def deal(gpcs: tuple[int, ...]) -> tuple[int, ...]:
    """Give each SM its GPC, dealing pairs of SMs to the GPCs in turn.

    Parameters
    ----------
    gpcs : tuple of int
        SMs of each GPC.

    Returns
    -------
    tuple of int
        The GPC of SM 0, 1, ...

    Examples
    --------
    >>> deal((4, 2))
    (0, 0, 1, 1, 0, 0)
    """
    left = list(gpcs)
    dealt: list[int] = []
    while any(left):
        for gpc, free in enumerate(left):
            take = min(TPC_SMS, free)
            dealt += [gpc] * take
            left[gpc] -= take
    return tuple(dealt)


def spread(sm_count: int, count: int) -> tuple[int, ...]:
    """Share SMs out over GPCs as evenly as pairs allow, the larger GPCs last.

    Parameters
    ----------
    sm_count : int
    count : int
        GPCs; fewer are used where there are fewer pairs.

    Returns
    -------
    tuple of int

    Examples
    --------
    >>> spread(132, 8)
    (16, 16, 16, 16, 16, 16, 18, 18)
    >>> spread(3, 8)
    (2, 1)
    """
    pairs, odd = divmod(sm_count, TPC_SMS)
    units = [TPC_SMS] * pairs + [1] * odd
    count = min(count, len(units))
    sizes = [sum(units[gpc::count]) for gpc in range(count)]
    return tuple(sorted(sizes)) if not odd else tuple(sorted(sizes, reverse=True))


def _as_of(name: str, entry: Provenance) -> Provenance:
    kind = "assumed" if entry.kind in SEEN else entry.kind
    source = entry.source if entry.lender else f"as {name}: {entry.source}"
    return entry._replace(kind=kind, source=source)


def _inherits(key: str, base: Sheet, own: Sheet) -> bool:
    return not any(_differs(change, base, own) for change in DROPPED_BY.get(key, ()))


def _differs(key: str, base: Sheet, own: Sheet) -> bool:
    """Tell whether a sheet gives a number another value than its base."""
    if key not in own.numbers:
        return False
    return key not in base.numbers or own.numbers[key].value != base.numbers[key].value


def _share_out(sheet: Sheet, count: int, name: str) -> None:
    value = spread(sheet.numbers["sm_count"].value, count)
    sheet.numbers["gpcs"] = Provenance(value, "1", "assumed", f"shared out evenly over as many GPCs as {name} has")


def _scale(base: Sheet, own: Sheet, merged: Sheet) -> None:
    """Scale inherited rates with what they are a share of."""
    for key, causes in SCALED_WITH.items():
        if key not in merged.numbers or key in own.numbers:
            continue
        changed = [cause for cause in causes if _differs(cause, base, own)]
        ratio = math.prod(own.numbers[cause].value / base.numbers[cause].value for cause in changed)
        if changed:
            entry = merged.numbers[key]
            source = f"{entry.source}, scaled with {' and '.join(changed)}"
            merged.numbers[key] = entry._replace(value=entry.value * ratio, kind="assumed", source=source)
