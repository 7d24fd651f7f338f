"""An assertion on a quantity of a launch, whose failure says what it is, how sure, and where it comes from."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gpusim.assertions import amounts
from gpusim.assertions.quantities import Quantity, named
from gpusim.errors import ParameterError, UnknownNameError, check_flags, is_number, shown

if TYPE_CHECKING:
    from gpusim.results.figures import Figures

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
ABOUT = "≈"
"""Equal but for a relative tolerance; ``~=`` says the same."""

REL = 0.05
"""Of which nobody says how large it is."""

UPPER, LOWER = ("<", "<="), (">", ">=")
"""Operators that must hold for the upper end of an interval, and for its lower end."""

MOST_LINES = 3
"""Lines of the source that a failure names."""

LONGEST = 60
"""Characters of a line of the source that it shows."""


def assert_metric(
    profile: Figures, metric: str, op: str, value: int | float | str, *, rel: float | None = None, interval: bool = True
) -> None:
    """Fail where a quantity of a launch is not as it must be.

    Parameters
    ----------
    profile : Profile
    metric : str
        As Nsight Compute names it (``"dram__bytes_read.sum"``), as a figure of the profile (``"dram_bytes_read"``) or
        in words (``"HBM reads"``, ``"shared conflicts"``).
    op : str
        ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, or ``≈`` (also ``~=``): equal but for `rel`.
    value : int, float or str
        In the metric's unit, or with one: ``"34 MB"``, ``"10 us"``, ``"45 %"``.
    rel : float, optional
        Of ``≈``: how far off it may be, relative to `value`; 0.05 unless given.
    interval : bool
        Whether ``<`` and ``<=`` must hold for the upper end of a time's interval, ``>`` and ``>=`` for its lower one:
        so four in five launches like it keep to them. Else the prediction alone decides, as it does where a quantity
        has no interval.

    Raises
    ------
    AssertionError
        It is not; the message has the value, its claim and errors, and the lines that have most of it.
    GpusimError
        A metric, an operator or an amount that is not known.
    """
    __tracebackhide__ = True
    _check_kinds(profile, metric, op)
    check_flags(interval=interval)
    quantity = named(profile, metric)
    about = op in (ABOUT, "~=")
    if not about and op not in OPERATORS:
        raise UnknownNameError("operator", op, [*OPERATORS, ABOUT])
    if rel is not None and (not about or not is_number(rel) or not 0 <= rel < math.inf):
        raise ParameterError(f"rel={shown(rel)} is of {ABOUT} alone, 0 or more")
    wanted, decisive = amounts.read(value, quantity.unit), _decisive(quantity, op, interval)
    within = REL if rel is None else rel
    if _within(decisive, wanted, within) if about else _holds(decisive, op, wanted):
        return
    asked = f"{op} {value} (within {100 * within:g} %)" if about else f"{op} {value}"
    raise AssertionError("\n".join(_failure(profile, quantity, asked, decisive, wanted)))


def _check_kinds(profile: object, metric: object, op: object) -> None:
    """Refuse what is of another kind altogether."""
    from gpusim.results.figures import Figures

    if not isinstance(profile, Figures):
        raise ParameterError(f"assert_metric is of a profile, as gpusim.predict gives it, not of {shown(profile)}")
    for name, value, such in (("a metric", metric, "'HBM reads'"), ("an operator", op, "'<='")):
        if not isinstance(value, str):
            raise ParameterError(f"{name} is a text, such as {such}, not {shown(value)}")


def _within(value: float, wanted: float, rel: float) -> bool:
    return abs(value - wanted) <= rel * abs(wanted)


def _holds(value: float, op: str, wanted: float) -> bool:
    """Whether it holds of a value; nothing does of one that is not known."""
    return not math.isnan(value) and OPERATORS[op](value, wanted)


def _decisive(quantity: Quantity, op: str, interval: bool) -> float:
    """The value that is compared: of a time with an interval, the end that decides."""
    ends = quantity.interval if interval else None
    if ends is None or op not in (*UPPER, *LOWER):
        return quantity.value
    return ends.high if op in UPPER else ends.low


def _failure(profile: Figures, quantity: Quantity, asked: str, decisive: float, wanted: float) -> Iterator[str]:
    """What a person must know to see why it does not hold."""
    params = "".join(f" {name}={value}" for name, value in profile.params.items())
    yield f"{profile.kernel}{params} on {profile.gpu}, {profile.cache} caches: {quantity.name} {asked} does not hold"
    yield f"  it is {amounts.written(quantity.value, quantity.unit)}{_trust(quantity)}"
    if decisive != quantity.value and not math.isnan(decisive):
        end = "upper" if decisive > wanted else "lower"
        yield (
            f"  the {end} end of its interval decides, {amounts.written(decisive, quantity.unit)}; interval=False "
            "compares the prediction alone"
        )
    yield from (f"  {line}" for line in _places(profile, quantity.line))
    yield from (f"  {note}" for note in profile.notes)


def _trust(quantity: Quantity) -> str:
    """Its claim; of seconds the interval in a unit that people read."""
    if quantity.interval is None or quantity.unit != "s":
        return f" ({quantity.trust})"
    low, high = (amounts.written(end, "s") for end in quantity.interval[:2])
    return f" ({quantity.trust.partition(',')[0]}, 80 %: {low} to {high})"


def _places(profile: Figures, what: str) -> Iterator[str]:
    """The lines that have most of it, where any has."""
    from gpusim.report.units import format_share

    parts = [(getattr(line, what), line) for line in profile.lines] if what else []
    whole = sum(part for part, _ in parts)
    ranked = sorted((pair for pair in parts if pair[0] > 0), key=lambda pair: -pair[0])
    for part, line in ranked[:MOST_LINES]:
        text = line.text if len(line.text) <= LONGEST else f"{line.text[: LONGEST - 1]}…"
        yield f"{format_share(part / whole)} on {line.name}: {text}".rstrip(": ")
