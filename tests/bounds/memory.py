"""A fast memory that counts what it moves."""

from __future__ import annotations

from collections import OrderedDict


class Memory:
    """Fast memory of so many elements: least recently used goes first, and is written where it was changed."""

    def __init__(self, elements: int) -> None:
        self._room, self._held, self.moved = elements, OrderedDict[object, bool](), 0

    def touch(self, element: object, *, changes: bool = False, fresh: bool = False) -> None:
        changed = self._held.pop(element, None)
        if changed is None:
            self.moved += not fresh
            while len(self._held) >= self._room:
                self.moved += self._held.popitem(last=False)[1]
        self._held[element] = bool(changed) or changes

    def drop(self, element: object) -> None:
        """Forget a value that nobody needs any more."""
        self._held.pop(element, None)

    def flush(self) -> int:
        self.moved += sum(self._held.values())
        self._held.clear()
        return self.moved
