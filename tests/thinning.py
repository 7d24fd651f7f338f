"""Of many like cases of a test only some are tried each time; ``-m long`` tries the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
EVERY = {
    "validation": 4, "kernels": 3, "emit": 3, "lower": 2, "engine": 2, "profile": 3, "hardware": 2, "check": 2,
    "cuda": 3, "simulate": 3, "measure": 2, "bounds": 2, "lang": 2,
}  # fmt: skip
"""By folder, of how many cases of a test one is tried each time: the first, and so on."""

FEW = 3
"""Cases that are all tried, where a test has no more; of those held against silicon none is."""


def thin_out(items: Iterable[pytest.Item]) -> None:
    """Mark as long what is left for another time.

    Parameters
    ----------
    items : iterable of pytest.Item
        All that were collected.
    """
    cases = [item for item in items if isinstance(item, pytest.Function) and hasattr(item, "callspec")]
    cases = [item for item in cases if not item.get_closest_marker("long")]
    tests = Counter(map(_test, cases))
    met: Counter[tuple[Path, str]] = Counter()
    for item in cases:
        test = _test(item)
        every = EVERY.get(_folder(item.path), 1)
        enough = tests[test] > FEW or _folder(item.path) == "validation"
        if enough and met[test] % every:
            item.add_marker(pytest.mark.long)
        met[test] += 1


def _test(item: pytest.Function) -> tuple[Path, str]:
    return item.path, item.originalname


def _folder(path: Path) -> str:
    """The room that a test is of."""
    return path.relative_to(ROOT).parts[0] if path.is_relative_to(ROOT) else ""
