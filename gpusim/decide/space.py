"""What a sweep or a search goes through: names, the values of each, and conditions that points must meet."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpusim.errors import GpusimError, is_number, listed, shown
from gpusim.expressions import ExpressionError, Number, holds, number
from gpusim.expressions import names as names_in

MOST_POINTS = 1_000_000
"""Of a space that is enumerated."""

_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:([*+])(\d+))?")

Point = dict[str, Any]
"""A value for each name."""


class SpaceError(GpusimError):
    """A space that cannot be gone through: no values, none that meets the conditions, too many."""


@dataclass(frozen=True)
class Space:
    """Values for names, every combination of them a point, but for those that break a condition.

    Parameters
    ----------
    over : mapping of str to sequence
        Values of each name: numbers or words.
    where : sequence of str
        Conditions such as ``"32 <= x*y <= 1024"``; :func:`gpusim.expressions.holds` says what they may hold.

    Raises
    ------
    SpaceError
        A name without values.

    Examples
    --------
    >>> Space({"x": [16, 32], "y": [1, 4]}, ["x*y <= 64"]).points()
    [{'x': 16, 'y': 1}, {'x': 16, 'y': 4}, {'x': 32, 'y': 1}]
    """

    over: Mapping[str, Sequence[Any]]
    where: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.over, Mapping):
            raise SpaceError(f"a space is names with values, such as {{'tile': [8, 16]}}, not {shown(self.over)}")
        listed(self.where, "conditions are a list of texts, such as ['x*y <= 64']", SpaceError, str)
        for name, values in self.over.items():
            if not isinstance(name, str):
                raise SpaceError(f"a name is a text, such as 'tile', not {shown(name)}")
            if isinstance(values, str | bytes) or not isinstance(values, Sequence) or not values:
                raise SpaceError(f"{name} has no values: a list of them is needed, such as [8, 16, 32]")
            if wrong := [value for value in values if not _is_value(value)]:
                raise SpaceError(f"values of {name} are numbers or words, not {shown(wrong[0])}")

    @property
    def size(self) -> int:
        """Combinations of values, whether they meet the conditions or not."""
        return math.prod(len(dict.fromkeys(values)) for values in self.over.values())

    def points(self, known: Callable[[Point], Mapping[str, Number]] | None = None) -> list[Point]:
        """Every point that meets the conditions, once, the last name's values changing first.

        Parameters
        ----------
        known : callable, optional
            Gives what names mean at a point in conditions, besides the point's own.

        Raises
        ------
        SpaceError
            There is none, or there are too many to enumerate.
        ExpressionError
            A condition that is none.
        """
        if self.size > MOST_POINTS:
            raise SpaceError(
                f"{self.size} points are too many to enumerate, at most {MOST_POINTS} are: draw some with --trials N, "
                "or leave values out"
            )
        found = [point for point in self._all() if self.allows(point, known)]
        if not found:
            said = " and ".join(self.where)
            raise SpaceError(f"the space is empty: none of its {self.size} points meets {said}")
        return found

    def allows(self, point: Point, known: Callable[[Point], Mapping[str, Number]] | None = None) -> bool:
        """Whether a point meets the conditions.

        Parameters
        ----------
        point : dict
        known : callable, optional
            As for :meth:`points`.
        """
        if not self.where:
            return True
        own = {name: value for name, value in point.items() if isinstance(value, int | float)}
        if known is not None and any(names_in(text) - own.keys() for text in self.where):
            own = {**known(point), **own}
        return all(self._holds(text, own, point) for text in self.where)

    def _holds(self, text: str, known: Mapping[str, Number], point: Point) -> bool:
        try:
            return holds(text, known)
        except ExpressionError as error:
            at = " ".join(f"{name}={value}" for name, value in point.items())
            raise ExpressionError(f"{error} (at {at})") from None

    def _all(self) -> Iterator[Point]:
        names = list(self.over)
        for values in itertools.product(*(dict.fromkeys(values) for values in self.over.values())):
            yield dict(zip(names, values, strict=True))


def _is_value(value: Any) -> bool:
    """Whether it is a word, or a number other than NaN and infinity."""
    return isinstance(value, str) or (is_number(value) and math.isfinite(value))


def read(texts: Sequence[str], option: str = "--over") -> dict[str, list[Any]]:
    """Read what ``--over`` gives: names with their values.

    Parameters
    ----------
    texts : sequence of str
        ``NAME=VALUE,VALUE`` or ranges in place of values: ``1..8`` has each whole number, ``8..64*2`` doubles,
        ``0..100+20`` adds 20.
    option : str
        What messages call it.

    Returns
    -------
    dict of str to list

    Raises
    ------
    SpaceError
        No name, a name twice, no values, a range that ends below its beginning or never.

    Examples
    --------
    >>> read(["tile=8..64*2", "layout=nn,nt"])
    {'tile': [8, 16, 32, 64], 'layout': ['nn', 'nt']}
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name or not values:
            raise SpaceError(f"{option} {text[:60]}: NAME=VALUES is needed, such as tile=8,16,32 or cf=1..8")
        if name in found:
            raise SpaceError(f"{option} {text[:60]}: {name} has values already")
        found[name] = [value for part in values.split(",") for value in _values(part.strip(), f"{option} {text[:60]}")]
    return found


def _values(text: str, where: str) -> list[Any]:
    """The values of one part between commas."""
    if not text:
        raise SpaceError(f"{where}: a value is missing beside a comma")
    ranged = _RANGE.fullmatch(text)
    if ranged is None and ".." in text:
        raise SpaceError(f"{where}: a range is of whole numbers, as 1..8, 8..64*2 or 0..100+20 are")
    return _of_range(ranged, where) if ranged else [number(text)]


def _of_range(ranged: re.Match[str], where: str) -> list[Any]:
    first, last, step = int(ranged[1]), int(ranged[2]), int(ranged[4] or 1)
    grows = step > 1 and first > 0 if ranged[3] == "*" else step > 0
    if last < first or not grows:
        raise SpaceError(f"{where}: a range goes up, as 1..8, 8..64*2 or 0..100+20 do")
    if ranged[3] == "*":
        return list(itertools.takewhile(lambda n: n <= last, (first * step**k for k in itertools.count())))
    count = (last - first) // step + 1
    if count > MOST_POINTS:
        raise SpaceError(f"{where}: {count} values are too many, at most {MOST_POINTS} are enumerated")
    return list(range(first, last + 1, step))
