"""What was worked out of the same objects a moment ago, in this process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
MOST_KEPT = 64
"""Results that are kept of a function: of the kernels of a program that takes turns with them."""


def by_identity(objects: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a function remember its latest results.

    Parameters
    ----------
    objects : int
        So many of its arguments, the first ones, are the same if they are the same object, as programs are, whose
        contents would take long to compare.  The others are the same if they are equal.

    Examples
    --------
    >>> @by_identity(1)
    ... def total(numbers, times):
    ...     print("adding up")
    ...     return times * sum(numbers)
    >>> few = [1, 2]
    >>> total(few, 2), total(few, 2)
    adding up
    (6, 6)
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        kept: OrderedDict[Hashable, tuple[tuple[object, ...], R]] = OrderedDict()

        @wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            key = (*(id(one) for one in args[:objects]), *args[objects:], *sorted(kwargs.items()))
            if key not in kept:
                kept[key] = args[:objects], function(*args, **kwargs)  # held, so that no other object gets its number
                if len(kept) > MOST_KEPT:
                    kept.popitem(last=False)
            kept.move_to_end(key)
            return kept[key][1]

        return called

    return decorate
