"""Is what is wrong with a kernel found, by its line and for what it is, and its corrected twin left alone?"""

from __future__ import annotations

import pytest

from calibration import wrong, wrong_checked, wrong_table
from calibration.wrong import Case
from tests.marks import most_by_hand
from tests.run.conftest import nvcc  # noqa: F401 (a fixture)

CHOSEN = (
    "memcheck/read-past-end",
    "memcheck/misaligned-float4",
    "memcheck/shared-past-end",
    "memcheck/heap-leak",
    "racecheck/named-barrier-not-shared",
    "racecheck/ring-without-empty-barrier",
    "racecheck/global-shift-in-place",
    "racecheck/lanes-exchange",
    "racecheck/flag-without-fence",
    "initcheck/half-of-a-word",
    "initcheck/halo-not-loaded",
    "initcheck/heap-not-written",
    "initcheck/cp-async-half",
    "synccheck/barrier-counts-differ",
    "synccheck/shuffle-in-a-loop",
    "synccheck/vote-barrier-under-if",
    "synccheck/mbarrier-bytes-too-many",
    "programs/use-after-free",
)
"""Some of every tool; the others take minutes together."""
CASES = {case.id: case for case in wrong.cases()}
MISSED = wrong_table.MISSED


def tried(*, programs: bool) -> list[Case]:
    cases = [case for case in CASES.values() if case.is_program == programs]
    return most_by_hand(cases, [CASES[name] for name in CHOSEN if CASES[name].is_program == programs])


def hold(case: Case) -> None:
    _, said = wrong_checked.of(case)
    assert said["right"] == []
    rows = wrong_table.of_its_tool(case, said["wrong"])
    found = wrong_table.names(case, rows)
    assert found == (case.id not in MISSED), said["wrong"]


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("case", tried(programs=False), ids=lambda case: case.id)
def test_a_wrong_kernel_is_found_by_its_line_and_its_twin_is_clean(case: Case) -> None:
    hold(case)


@pytest.mark.usefixtures("nvcc")
@pytest.mark.parametrize("case", tried(programs=True), ids=lambda case: case.id)
def test_a_wrong_program_is_found_by_its_line_and_its_twin_is_clean(case: Case) -> None:
    hold(case)


def test_some_of_every_tool_are_tried_each_time() -> None:
    assert {CASES[name].tool for name in CHOSEN} == set(wrong.TOOLS)
    assert not set(CHOSEN) & MISSED.keys()
