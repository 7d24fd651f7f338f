"""A comparison as tables of at most 80 columns: why, by unit, by level, by line, by array."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.decide import diff_words as words
from gpusim.decide.changes import device_memory, factor
from gpusim.report.busy import ranked
from gpusim.report.busy import shown as busiest
from gpusim.report.claims import claim, legend
from gpusim.report.grid import Grid
from gpusim.report.kept import kept_line
from gpusim.report.units import NOTHING, format_bytes, format_count, format_factor, format_share
from gpusim.report.where import abbreviated

if TYPE_CHECKING:
    from gpusim.decide.changes import Change, Setting
    from gpusim.decide.diff_found import Found
    from gpusim.decide.diff_lines import Line
    from gpusim.decide.diff_sides import Side
    from gpusim.results.metric import Metric

MOST_LINES = 8
"""Lines of the source, and arrays, that are shown at most."""

NAME_COLUMNS = 18
TWICE = 2.0
"""Factor from which a change is shown as a factor, not in per cent."""

COSTS = {
    "requests": "requests", "sectors": "sectors", "wavefronts": "wavefronts", "l2_bytes": "L2", "dram_bytes": "{memory}"
}  # fmt: skip
"""What is shown of lines and arrays."""

MEANING = "Cycles that a cause costs: those by which a launch is shorter without it."
ORDER = "They are taken away one after another, in this order."
ALONE = "Each is taken away alone: two may count the same ones."


def table(diff: Found) -> Iterator[RenderableType]:
    """Lay a comparison out.

    Parameters
    ----------
    diff : Found

    Yields
    ------
    rich renderables
        Print them with :func:`gpusim.report.show`.
    """
    yield Text(words.verdict(diff), style="bold")
    yield from (Text(_heading(label, side)) for label, side in (("A", diff.a), ("B", diff.b)))
    if not diff.is_unchanged:
        yield from _paragraphs(words.times(diff))
    if settings := _shown_settings(diff):
        yield from _paragraphs([f"Launched otherwise: {'; '.join(map(str, settings))}."])
    if diff.is_unchanged:
        return
    yield from _why(diff)
    yield from _busy(diff)
    yield from _levels(diff)
    yield from _lines(diff.lines, "source line", diff)
    yield from _lines(diff.arrays, "array", diff)
    yield from _paragraphs(_footer(diff))


def _heading(label: str, side: Side) -> str:
    params = " ".join(f"{name}={value}" for name, value in side.whole.params.items())
    on = f"on {side.whole.gpu}" if side.whole.gpu else ""
    caches = f"{side.whole.cache} caches" if side.whole.cache else ""
    return f"{label}, {side.kind}: " + "  ".join(filter(None, (side.name, params, on, caches)))


def _shown_settings(diff: Found) -> list[Setting]:
    """What the headings do not say already."""
    said = {"kernel", "GPU", "caches"}
    return [setting for setting in diff.settings if setting.name not in said]


def _paragraphs(said: Sequence[str] | Iterator[str]) -> Iterator[RenderableType]:
    for number, line in enumerate(filter(None, said)):
        yield from [Text("")] * (not number)
        yield Text(line)


# ---------------------------------------------------------------- why


def _why(diff: Found) -> Iterator[RenderableType]:
    if diff.why is None:
        yield from _paragraphs([words.no_why(diff)])
        return
    grid = Grid()
    grid.add_column("why", "name", key=True)
    for heading in ("A", "B", "change"):
        grid.add_column(heading)
    rows = [*diff.why.reasons, diff.why.other]
    for row in rows:
        grid.add_row(
            row.cause, _signed(row.a, ""), _signed(row.b, ""), _signed(row.change), end_section=row is rows[-1]
        )
    grid.add_row("cycles", format_count(diff.why.a), format_count(diff.why.b), _signed(diff.why.change))
    yield Text("")
    yield grid
    if diff.why.reasons:
        how = [ALONE if diff.why.apart else ORDER] if len(diff.why.reasons) > 1 else []
        yield Text(" ".join([MEANING, *how]))
    yield from _paragraphs([words.other(diff)])


def _signed(value: float, plus: str = "+") -> str:
    sign = "-" if value < 0 else plus if value > 0 else ""
    return f"{sign}{format_count(abs(value))}"


# ---------------------------------------------------------------- busy units


def _busy(diff: Found) -> Iterator[RenderableType]:
    """How busy units are, and for how many cycles, of those that matter to one of them."""
    if len(diff.a.steps) + len(diff.b.steps) > 2:
        return
    a, b = ({unit.name: unit for unit in ranked(side.whole)} for side in (diff.a, diff.b))
    if not (a and b):
        return
    matter = dict.fromkeys(unit.name for side in (diff.a, diff.b) for unit in busiest(side.whole))
    grid = Grid()
    grid.add_column("busy", "name", key=True)
    for heading in ("A", "B", "cycles of A", "of B", "change"):
        grid.add_column(heading)
    grid.add_column("claim", "name", about=True, spared=0)
    for name in sorted((name for name in matter if name in a and name in b), key=lambda name: -a[name].share):
        cycles = words.worked(diff.a, a[name]), words.worked(diff.b, b[name])
        errors = " / ".join(dict.fromkeys(unit.error for unit in (a[name], b[name]) if unit.error))
        shares, counts = (format_share(unit[name].share) for unit in (a, b)), map(format_count, cycles)
        grid.add_row(name, *shares, *counts, times(factor(*cycles)), errors)
    yield Text("")
    yield grid


# ---------------------------------------------------------------- levels


def _levels(diff: Found) -> Iterator[RenderableType]:
    """A row for each figure that changed, then a line for those that hardly did, and for those that did not."""
    changes = diff.levels
    if moved := _moved(diff):
        yield Text("")
        yield _grid_of(moved, diff)
    little = _listed(change for change in changes if change.is_little)
    same = _listed(change for change in changes if change.is_unchanged)
    within, alike = ("Changed by", "Unchanged") if diff.a.kind == diff.b.kind else ("Off by", "As measured")
    said = [f"{within} less than 1 %: {little}." if little else "", f"{alike}: {same}." if same else ""]
    yield from _paragraphs(said)


def _listed(changes: Iterable[Change]) -> str:
    """Figures by name, those of a level together."""
    found: dict[str, list[str]] = {}
    for change in changes:
        found.setdefault(change.level, []).extend(filter(None, [change.what]))
    return "; ".join(f"{level} ({', '.join(whats)})" if whats else level for level, whats in found.items())


def _moved(diff: Found) -> list[Change]:
    """Figures that changed by a hundredth or more."""
    return [change for change in diff.levels if not (change.is_unchanged or change.is_little)]


def _grid_of(changes: Sequence[Change], diff: Found) -> Grid:
    grid = Grid()
    grid.add_column("level", "name", key=True)
    for heading in ("A", "B", "change"):
        grid.add_column(heading)
    grid.add_column("claim", "name", about=True, spared=0)
    for change in changes:
        a, b = (_figure(value, change.kind) for value in (change.a, change.b))
        grid.add_row(change.name, a, b, _changed(change), _claims(change, diff))
    return grid


def _figure(value: float, kind: str) -> str:
    return {"count": format_count, "bytes": format_bytes, "share": format_share}[kind](value)


def _changed(change: Change) -> str:
    """By how much: in points of a share, as a factor, or in per cent."""
    if change.kind == "share":
        return f"{100 * change.difference:+.0f} points"
    return times(change.factor)


def times(change: float) -> str:
    """Word a factor: as such from two times on, in per cent below.

    Parameters
    ----------
    change : float
        B over A.

    Examples
    --------
    >>> times(3.2), times(1.25), times(0.5), times(0), times(float("inf"))
    ('3.2x', '+25 %', '-50 %', 'gone', 'new')
    """
    if math.isinf(change):
        return "new"
    if math.isnan(change):
        return NOTHING
    if change >= TWICE:
        return f"{format_factor(change)}x"
    percent = 100 * (change - 1)
    return "gone" if change == 0 else f"{percent:+.1f} %" if abs(percent) < 9.95 else f"{percent:+.0f} %"


def _claims(change: Change, diff: Found) -> tuple[str, str]:
    """Claims of both, once where they are the same."""
    a, b = (_claim(metric, side) for metric, side in ((change.of_a, diff.a), (change.of_b, diff.b)))
    return a if a == b else (f"{a[0]} / {b[0]}", f"{a[1]} / {b[1]}")


def _claim(metric: Metric | None, side: Side) -> tuple[str, str]:
    if side.measured is not None:
        return side.kind, side.kind
    return claim(metric) if side.tells_trust else (NOTHING, NOTHING)


# ---------------------------------------------------------------- lines and arrays


def _lines(found: Sequence[Line], heading: str, diff: Found) -> Iterator[RenderableType]:
    """Rows of those that changed most."""
    changed = [line for line in found if not line.is_unchanged]
    if not changed:
        return
    shown = changed[:MOST_LINES]
    grid = Grid()
    grid.add_column(heading, "name", key=True)
    grid.add_column("", "excerpt", spared=0)
    grid.add_column("of it", "name")
    for name in ("A", "B", "change"):
        grid.add_column(name)
    memory = device_memory(diff.a.whole, diff.b.whole)
    for line, name in zip(shown, abbreviated([_name(line) for line in shown], NAME_COLUMNS), strict=True):
        for number, cells in enumerate(_costs(line, memory)):
            grid.add_row("" if number else name, "" if number else line.text, *cells)
    yield Text("")
    yield grid
    if len(changed) > len(shown):
        yield Text(f"And {len(changed) - len(shown)} more.")


def _name(line: Line) -> str:
    """Where it stands; in both where it moved within a file: ``mm.cu:41>43``."""
    if line.a is None or line.b is None or line.a.name == line.b.name:
        return line.name
    (file, colon, before), (other, _, after) = (of.name.rpartition(":") for of in (line.a, line.b))
    return f"{file}{colon}{before}>{after}" if file == other else line.name


def _costs(line: Line, memory: str) -> Iterator[tuple[str, str, str, str]]:
    """What changed of a line."""
    for what, name in COSTS.items():
        a, b = line.of("a", what), line.of("b", what)
        if a != b:
            kind = "bytes" if what.endswith("bytes") else "count"
            cells = (NOTHING if side is None else _figure(value, kind) for side, value in ((line.a, a), (line.b, b)))
            change = "gone" if line.b is None else "new" if line.a is None else times(b / a if a else math.inf)
            yield name.format(memory=memory), *cells, change  # type: ignore[misc]


# ---------------------------------------------------------------- below


def _footer(diff: Found) -> Iterator[str]:
    yield words.wrong(diff)
    yield words.how_sure(diff)
    yield from dict.fromkeys((*diff.a.whole.notes, *diff.b.whole.notes))
    yield legend({
        change.name: metric
        for change in _moved(diff)
        for metric, side in ((change.of_a, diff.a), (change.of_b, diff.b))
        if side.measured is None and side.tells_trust
    })  # fmt: skip
    yield kept_line(step.kept for side in (diff.a, diff.b) for step in side.steps)
