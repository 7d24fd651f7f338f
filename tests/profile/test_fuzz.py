"""Is every damaged cubin refused in one line, or run to its end?"""

from __future__ import annotations

import os

import pytest

from tests.profile.fuzz import fuzz

pytestmark = [
    pytest.mark.usefixtures("compiler"),
    pytest.mark.skipif(os.name != "posix", reason="a crash is watched as a POSIX system tells of it"),
]
SEED = 36


@pytest.mark.long
@pytest.mark.parametrize("count", [12, 2000])
def test_no_damage_crashes_hangs_or_ends_in_a_traceback(count, tmp_path):
    found = fuzz(count, SEED, 2, tmp_path)
    failed = {number: became for number, became in found.items() if became.startswith("FAILED")}
    assert not failed
    assert sorted(found) == list(range(count))
    assert sum(became == "ran" for became in found.values()) > count // 5
    assert sum(became.startswith("refused") for became in found.values()) > count // 5
