"""What is found of two sides: the fields of a comparison, and whether anything changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpusim.decide.changes import Change, Setting
    from gpusim.decide.diff_lines import Line
    from gpusim.decide.diff_sides import Side
    from gpusim.decide.diff_trust import Duration
    from gpusim.decide.diff_why import Why

NOT_ASKED = "not asked"
SAME_TIME = "nothing changed"
"""Why no cause is told: nobody wants to know, or there is none."""


@dataclass(frozen=True, repr=False)
class Found:
    """What is found of A and B; :class:`gpusim.decide.diff.Diff` says what its fields are."""

    a: Side
    b: Side
    time: Duration | None
    why: Why | None
    no_why: str
    settings: tuple[Setting, ...]
    levels: tuple[Change, ...]
    counters: tuple[Change, ...]
    lines: tuple[Line, ...]
    arrays: tuple[Line, ...]
    wrong: tuple[Change, ...]

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing differs of what is known of both: no metric, no line, no array."""
        same_kind = self.a.kind == self.b.kind and bool(self.counters)
        moved = [change for change in (*self.lines, *self.arrays) if not change.is_unchanged]
        return same_kind and not moved and all(change.is_unchanged for change in self.counters)
