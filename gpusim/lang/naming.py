"""What a description calls its values: the Python variables of the function being traced.

The tree needs none of it; code made for people to read does.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType

from gpusim.lang.tree import Const, Expr, Index, Named, Param, Stmt


class LocalNames:
    """Names seen so far, by the block that was open when they were."""

    def __init__(self) -> None:
        self._seen: dict[int, dict[str, object]] = {}

    def fresh(self, frame: FrameType | None, blocks: Sequence[list[Stmt]]) -> tuple[Named, ...]:
        """Names in ``frame`` for values that they did not have in any of ``blocks``, those open, innermost last."""
        seen = [self._seen.setdefault(id(block), {}) for block in blocks]
        found = [
            (name, value)
            for name, value in (frame.f_locals if frame else {}).items()
            if _deserves_name(value) and not any(names.get(name) is value for names in seen)
        ]
        seen[-1].update(found)
        return tuple(found)


def _deserves_name(value: object) -> bool:
    """Whether a name for it tells more than it does itself: constants, parameters and loop indices have theirs."""
    if isinstance(value, tuple):
        return bool(value) and all(isinstance(v, Expr) for v in value)
    return isinstance(value, Expr) and not isinstance(value, (Const, Param, Index))
