"""Which line of one source is which of the other: by what they say, wherever they stand."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.decide.diff_sides import COUNTED

if TYPE_CHECKING:
    from gpusim.results.traffic import Traffic

ALIKE = 0.6
"""Likeness (0 to 1, by difflib, of their names and numbers) from which two lines count as one that was edited."""

UNTOLD = "\n"
"""What stands before a line's place, where nobody knows what it says: no text has it."""

Pair = tuple[int | None, int | None]
"""Places of a line in both sources; None where it is in one alone."""


class Line(NamedTuple):
    """A line of the source, or an array, in both sides.

    Attributes
    ----------
    a, b : Traffic or None
        What it costs; None where a side has no such line.
    """

    a: Traffic | None
    b: Traffic | None

    @property
    def name(self) -> str:
        """Where it stands in B; in A where it is gone."""
        return self._either.name

    @property
    def text(self) -> str:
        """What it says there."""
        return self._either.text

    @property
    def _either(self) -> Traffic:
        found = self.b or self.a
        assert found is not None
        return found

    @property
    def moved(self) -> float:
        """Sectors and wavefronts by which it changed."""
        return sum(abs(self.of("b", what) - self.of("a", what)) for what in ("sectors", "wavefronts"))

    def of(self, side: str, what: str) -> float:
        """What it costs in one side: a field of :class:`~gpusim.results.traffic.Traffic`; 0 where it is not there."""
        traffic = self.a if side == "a" else self.b
        return 0 if traffic is None else float(getattr(traffic, what))

    @property
    def is_unchanged(self) -> bool:
        """Whether it costs the same in every respect."""
        return all(self.of("a", what) == self.of("b", what) for what in COUNTED)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain dicts, ready for JSON: names and texts in both, and what changed."""
        sides = {key: traffic and {"name": traffic.name, "text": traffic.text} for key, traffic in zip("ab", self)}  # noqa: B905
        costs = {what: (self.of("a", what), self.of("b", what)) for what in COUNTED}
        return sides | {"changed": {what: {"a": a, "b": b} for what, (a, b) in costs.items() if a != b}}


def lines(a: Sequence[Traffic], b: Sequence[Traffic]) -> tuple[Line, ...]:
    """Match the lines of two sources, and put first what changed most.

    A line that moved is found by its text.  One that was edited is matched with the likest one that is left.

    Parameters
    ----------
    a, b : sequence of Traffic
        In the order of their sources.

    Returns
    -------
    tuple of Line
        Every line once.
    """
    said_a, said_b = _said(a), _said(b)
    swap = said_a > said_b  # difflib may match differently the other way round
    pairs = _matched(said_b, said_a) if swap else _matched(said_a, said_b)
    if swap:
        pairs = [(mine, theirs) for theirs, mine in pairs]
    found = [Line(None if k is None else a[k], None if m is None else b[m]) for k, m in pairs]
    return tuple(sorted(found, key=lambda line: (-line.moved, line.name)))


def arrays(a: Sequence[Traffic], b: Sequence[Traffic]) -> tuple[Line, ...]:
    """Match arrays by name, and put first what changed most.

    Parameters
    ----------
    a, b : sequence of Traffic
    """
    of_a, of_b = ({array.name: array for array in of} for of in (a, b))
    found = [Line(of_a.get(name), of_b.get(name)) for name in dict.fromkeys([*of_a, *of_b])]
    return tuple(sorted(found, key=lambda line: (-line.moved, line.name)))


def _said(of: Sequence[Traffic]) -> list[str]:
    """What each line says, without the width of its blanks; its place where nobody knows."""
    return [" ".join(line.text.split()) or UNTOLD + line.name for line in of]


def _matched(a: list[str], b: list[str]) -> list[Pair]:
    """Places that belong together: those in the same order, those that moved, those that were edited, then the rest."""
    matcher = difflib.SequenceMatcher(a=a, b=b, autojunk=False)
    pairs = [(of.a + k, of.b + k) for of in matcher.get_matching_blocks() for k in range(of.size)]
    for among in (_moved, _edited):
        left_a, left_b = _left(a, [k for k, _ in pairs]), _left(b, [m for _, m in pairs])
        pairs += among(a, b, left_a, left_b)
    alone: list[Pair] = [(k, None) for k in _left(a, [k for k, _ in pairs])]
    alone += [(None, m) for m in _left(b, [m for _, m in pairs])]
    return [*pairs, *alone]


def _left(texts: Sequence[str], taken: Sequence[int]) -> list[int]:
    gone = set(taken)
    return [k for k in range(len(texts)) if k not in gone]


def _moved(a: list[str], b: list[str], left_a: list[int], left_b: list[int]) -> list[tuple[int, int]]:
    """Lines that say the same elsewhere."""
    places: dict[str, list[int]] = defaultdict(list)
    for m in left_b:
        places[b[m]].append(m)
    return [(k, places[a[k]].pop(0)) for k in left_a if places[a[k]]]


def _edited(a: list[str], b: list[str], left_a: list[int], left_b: list[int]) -> list[tuple[int, int]]:
    """Lines that say nearly the same, the likest first."""
    found: list[tuple[int, int]] = []
    for _, k, m in sorted(_likenesses(a, b, left_a, left_b)):
        if k not in {pair[0] for pair in found} and m not in {pair[1] for pair in found}:
            found.append((k, m))
    return found


def _words(text: str) -> list[str]:
    """Names and numbers of a line: brackets are in all of them."""
    return re.findall(r"\w+", text)


def _likenesses(a: list[str], b: list[str], left_a: list[int], left_b: list[int]) -> Iterator[tuple[float, int, int]]:
    """How unlike lines are that are like enough, with their places."""
    for k in (k for k in left_a if not a[k].startswith(UNTOLD)):
        for m in (m for m in left_b if not b[m].startswith(UNTOLD)):
            like = difflib.SequenceMatcher(a=_words(a[k]), b=_words(b[m]), autojunk=False)
            if like.quick_ratio() >= ALIKE and (ratio := like.ratio()) >= ALIKE:
                yield -ratio, k, m
