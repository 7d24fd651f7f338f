"""What changed between two sides: figures by level of the memory hierarchy, counters, and how they were launched."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from gpusim.report.tables import LEVELS, number, trimmed
from gpusim.report.units import format_share
from gpusim.results.metric import Claim

if TYPE_CHECKING:
    from gpusim.decide.diff_sides import Side
    from gpusim.report.tables import Level
    from gpusim.results.figures import Figures
    from gpusim.results.metric import Metric

LITTLE = 0.01
"""Relative change, or difference of two shares, below which a figure has hardly changed."""

Kind = Literal["count", "bytes", "share"]
INSTRUCTIONS, LANES = "smsp__inst_executed.sum", "simt_efficiency"


class Change(NamedTuple):
    """One figure of both sides.

    Attributes
    ----------
    level : str
        ``"L2 reads"``; of a metric its name.
    what : str
        What is counted there: ``"sectors"``; empty where that is clear.
    key : str
        The metric or the property of a profile that it is.
    kind : str
        ``"count"``, ``"bytes"`` or ``"share"`` (0 to 1).
    a, b : float
        NaN where a side does not have it.
    of_a, of_b : Metric or None
        The metrics behind it, with their claims and errors.
    """

    level: str
    what: str
    key: str
    kind: Kind
    a: float
    b: float
    of_a: Metric | None = None
    of_b: Metric | None = None

    @property
    def name(self) -> str:
        """In words: ``"L2 reads: sectors"``."""
        return f"{self.level}: {self.what}" if self.what else self.level

    @property
    def difference(self) -> float:
        """What B has more."""
        return self.b - self.a

    @property
    def factor(self) -> float:
        """B over A; infinite where only A is 0, NaN where both are or one is not known."""
        return factor(self.a, self.b)

    @property
    def is_unchanged(self) -> bool:
        """Whether both are the same to the digit."""
        return self.a == self.b

    @property
    def is_little(self) -> bool:
        """Whether they differ by less than a hundredth, but do."""
        if self.kind == "share":
            return 0 < abs(self.difference) < LITTLE
        return not self.is_unchanged and abs(self.difference) < LITTLE * max(abs(self.a), abs(self.b))

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain strings and numbers, ready for JSON; None for what is not known."""
        return {
            "name": self.name, "figure": self.key, "a": _plain(self.a), "b": _plain(self.b),
            "difference": _plain(self.difference), "factor": _plain(self.factor),
        }  # fmt: skip


class Setting(NamedTuple):
    """How both sides were launched, where they differ: ``registers`` 32 and 64."""

    name: str
    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.name} {self.a} -> {self.b}"


def factor(a: float, b: float) -> float:
    """Give b over a; infinite where a alone is 0, NaN where nothing can be said.

    Examples
    --------
    >>> factor(4, 2), factor(0, 2), factor(0, 0)
    (0.5, inf, nan)
    """
    if a:
        return b / a
    return math.copysign(math.inf, b) if b else math.nan


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def levels(a: Figures, b: Figures) -> tuple[Change, ...]:
    """Give every figure that one of them has, from instructions down to device memory.

    Parameters
    ----------
    a, b : Figures

    Returns
    -------
    tuple of Change
        Those that are known of both, and not 0 in both.
    """
    found = (_change(a, b, *row) for row in _rows(device_memory(a, b)))
    return tuple(change for change in found if _is_known(change) and (change.a or change.b))


def device_memory(a: Figures, b: Figures) -> str:
    """Give what the device memory of both is called.

    Parameters
    ----------
    a, b : Figures
    """
    return a.memory if a.memory == b.memory else "DRAM"


def _is_known(change: Change) -> bool:
    return math.isfinite(change.a) and math.isfinite(change.b)


def _rows(memory: str) -> Iterator[tuple[str, str, str, Kind, str]]:
    """Level, what is counted, figure, kind and the metric whose claim it has, of every figure that is looked at."""
    yield "instructions", "", INSTRUCTIONS, "count", INSTRUCTIONS
    yield "lanes active", "", LANES, "share", "smsp__thread_inst_executed.sum"
    above = ""
    for level in LEVELS:
        label = level.label.format(memory=memory)
        above = above if label.startswith(" ") else label.removesuffix(" wavefronts")
        yield from _of_level(above, level)


def _of_level(name: str, level: Level) -> Iterator[tuple[str, str, str, Kind, str]]:
    """The figures of a level: bytes alone where it has no sectors, for a sector is always 32 bytes."""
    claim = level.claim or level.units
    if level.requests:
        yield name, "requests", level.requests, "count", claim
    if level.units:
        yield name, _counted(level), level.units, "count", claim
    elif level.nbytes:
        yield name, "", level.nbytes, "bytes", claim
    if level.hit_rate:
        yield name, "hit rate", level.hit_rate, "share", level.units.replace(".sum", "_lookup_hit.sum")


def _counted(level: Level) -> str:
    """What its units are."""
    if level.label.startswith(" "):
        return level.label.strip()
    return "wavefronts" if "wavefronts" in level.units else "sectors"


def _change(a: Figures, b: Figures, level: str, what: str, key: str, kind: Kind, claim: str) -> Change:
    return Change(level, what, key, kind, number(a, key), number(b, key), a.metrics.get(claim), b.metrics.get(claim))


def counters(a: Figures, b: Figures) -> tuple[Change, ...]:
    """Give every metric that both have, under Nsight Compute's names.

    Parameters
    ----------
    a, b : Figures
    """
    return tuple(
        Change(name, "", name, "count", float(metric.value), float(b.metrics[name].value), metric, b.metrics[name])
        for name, metric in a.metrics.items()
        if name in b.metrics
    )


def not_exact(a: Side, b: Side) -> tuple[Change, ...]:
    """Give metrics that are predicted as exact of a launch, and were measured otherwise.

    Parameters
    ----------
    a, b : Side
        A prediction and a measurement of the same launch, in any order; of others there are none.
    """
    if not same_launch(a, b):
        return ()
    exact = (of for of in counters(a.whole, b.whole) if not of.is_unchanged)
    return tuple(of for of in exact if (of.of_a if b.measured else of.of_b).claim is Claim.EXACT)  # type: ignore[union-attr]


def same_launch(a: Side, b: Side) -> bool:
    """Whether a prediction and a measurement are of the same kernel, launched alike.

    Parameters
    ----------
    a, b : Side
    """
    from gpusim.measured.predictions import base_name

    if a.kind == b.kind or len(a.steps) + len(b.steps) > 2:
        return False
    measured, predicted = (a, b) if a.measured else (b, a)
    if not all(_agree(measured, predicted)):
        return False
    names = {base_name(measured.whole.kernel), base_name(measured.name.partition(" ")[0])}
    alike = (measured.whole.grid, measured.whole.block) == (predicted.whole.grid, predicted.whole.block)
    return alike and base_name(predicted.whole.kernel) in names


def _agree(measured: Side, predicted: Side) -> Iterator[bool]:
    """Whether GPU, caches and parameters are the same, as far as both say them."""
    from gpusim.hardware.clocks import split_clock

    here, there = predicted.whole, measured.whole
    yield "" in (here.gpu, there.gpu) or split_clock(here.gpu)[0] == split_clock(there.gpu)[0]
    yield "" in (here.cache, there.cache) or here.cache == there.cache
    told = measured.measured.launch.get("params", {}) if measured.measured else {}
    yield not isinstance(told, Mapping) or all(here.params.get(name, value) == value for name, value in told.items())


def settings(a: Side, b: Side) -> tuple[Setting, ...]:
    """Give what differs of how both were launched, as far as it is known of both.

    Parameters
    ----------
    a, b : Side
    """
    told_a, told_b = _told(a), _told(b)
    names = dict.fromkeys([*told_a, *told_b])
    both = (Setting(name, told_a.get(name, ""), told_b.get(name, "")) for name in names)
    return tuple(setting for setting in both if setting.a != setting.b and setting.a and setting.b)


def _told(side: Side) -> dict[str, str]:
    """How it was launched; empty where that is not known."""
    found = {"kernel": side.name, "GPU": side.whole.gpu, "caches": side.whole.cache}
    found |= {name: str(value) for name, value in side.whole.params.items()}
    if len(side.steps) > 1:
        return found | {"launches": str(len(side.steps))}
    return found | {"launches": "1"} | _of_launch(side.whole)


def _of_launch(figures: Figures) -> dict[str, str]:
    limiters = " and ".join(what.replace("_mem", " memory") for what in figures.occupancy_limiters)
    of_sm = _known(figures.blocks_per_sm)
    return {
        "grid": _extent(figures.grid),
        "block": _extent(figures.block),
        "registers": _known(figures.registers_per_thread),
        "blocks per SM": f"{of_sm} ({limiters})" if of_sm else "",
        "occupancy": format_share(figures.occupancy) if math.isfinite(figures.occupancy) else "",
        "waves": f"{figures.waves:.4g}" if math.isfinite(figures.waves) else "",
    }


def _extent(sizes: tuple[int, int, int]) -> str:
    return "×".join(map(str, trimmed(sizes))) if any(sizes) else ""


def _known(value: float) -> str:
    return f"{value:.0f}" if math.isfinite(value) else ""
