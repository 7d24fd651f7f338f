"""A published IO formula beside the derived one, as ``gpusim formula`` shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.listings import readable, table_of

if TYPE_CHECKING:
    from gpusim.catalogue.published import Comparison, Row


def published(
    formula: Any, comparison: Comparison, rows: Sequence[Row], powers: Mapping[str, tuple[float, float]]
) -> list[RenderableType]:
    """Show the formula, where the algorithm departs from it, counted numbers, and how both grow.

    Parameters
    ----------
    formula : gpusim.catalogue.algorithm.Published
    comparison : gpusim.catalogue.published.Comparison
    rows : sequence of gpusim.catalogue.published.Row
    powers : mapping of str to (float, float)
        Fitted and claimed exponents.

    Returns
    -------
    list of rich renderables
    """
    lines = [Text(line) for line in (*_formula(formula, comparison), *_departures(comparison))]
    shown: list[RenderableType] = [Text(""), *lines, Text("")]
    if rows:
        shown += [*_numbers(formula, rows), Text("")]
    if powers:
        shown.append(Text(_growth(formula.order, powers)))
    return shown


def _formula(formula: Any, comparison: Comparison) -> Iterator[str]:
    what = " and ".join(word for word, counts in (("loaded", formula.loads), ("stored", formula.stores)) if counts)
    meaning = "".join(f", with {name} = {readable(text)}" for name, text in formula.where.items())
    each = "" if formula.times == "1" else f" for each of {readable(formula.times)}"
    yield f"Published: {readable(formula.formula)} elements {what}{each}{meaning} ({formula.source})."
    yield f"Derived:   {readable(comparison.derived)}."


def _departures(comparison: Comparison) -> Iterator[str]:
    """Why derived is not printed, term by term."""
    if not comparison.departs and comparison.rounding == 0 and comparison.unexplained == 0:
        yield "They are the same."
        return
    yield "Derived - published:"
    for term, why in comparison.departs:
        yield f"  {readable(term)}: {why}"
    if comparison.rounding != 0:
        yield f"  {readable(comparison.rounding)}: the last tile need not be full, but is walked over all the same"
    if comparison.unexplained != 0:
        yield f"  {readable(comparison.unexplained)}: not explained"


def _numbers(formula: Any, rows: Sequence[Row]) -> list[RenderableType]:
    """A row for each case: parameters, elements derived, counted and printed."""
    names = list(dict.fromkeys(name for row in rows for name in row.params))
    varied = [name for name in names if len({row.params.get(name) for row in rows}) > 1]
    heading = [*varied, "derived", "counted", "published", "derived/published"]
    cells = [
        [*(str(row.params[name]) for name in varied), f"{row.derived}", f"{row.counted}", f"{row.printed:.0f}",
         f"{row.derived / row.printed:.3f}"]
        for row in rows
    ]  # fmt: skip
    fixed = ", ".join(f"{name} = {rows[0].params[name]}" for name in names if name not in varied)
    table = table_of([heading, *cells], right=range(len(heading)), keys=max(len(varied), 1))
    return [Text(f"Elements{f' for {fixed}' if fixed else ''}:"), *table]


def _growth(order: str, powers: Mapping[str, tuple[float, float]]) -> str:
    fitted = ", ".join(f"{name}^{found:.2f} ({claimed:g})" for name, (found, claimed) in powers.items())
    return f"It grows as {fitted}; claimed, in brackets, is the order of {readable(order)}."
