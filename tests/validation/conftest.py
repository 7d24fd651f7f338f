"""Of the cases of a test that are held against silicon one by one, every fourth is tried each time.

The others are tried with ``-m long``.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

EVERY = 4


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all but the first of every four cases of a test as long."""
    met: Counter[tuple[Path, str]] = Counter()
    for item in items:
        case = isinstance(item, pytest.Function) and hasattr(item, "callspec")
        if not case or Path(__file__).parent not in item.path.parents or item.get_closest_marker("long"):
            continue
        test = item.path, item.originalname
        if met[test] % EVERY:
            item.add_marker(pytest.mark.long)
        met[test] += 1
