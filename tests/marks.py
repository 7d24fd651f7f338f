"""Parameters of tests that are too many to be tried each time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def most_by_hand(every: Iterable[Any], chosen: Collection[Any]) -> list[Any]:
    """Every parameter, or tuple of them: those chosen are tried each time, the others with ``-m long``."""
    return [one if one in chosen else pytest.param(*_values(one), marks=pytest.mark.long) for one in every]


def _values(one: Any) -> tuple[Any, ...]:
    return one if type(one) is tuple else (one,)
