"""What gpusim finds of wrong kernels beside compute-sanitizer: is the page what is kept, and enough?"""

from __future__ import annotations

from calibration import page_parts, wrong, wrong_table

CASES = wrong.cases()


def test_the_page_has_what_is_kept() -> None:
    assert page_parts.part(wrong_table.PAGE, wrong_table.BEGIN, wrong_table.END) == wrong_table.text()


def test_nineteen_in_twenty_are_found_and_no_twin() -> None:
    kernels = [case for case in CASES if not case.is_program]
    assert sum(map(wrong_table.is_found, kernels)) >= 0.95 * len(kernels)
    assert sum(map(wrong_table.is_told, CASES)) >= 0.95 * len(CASES)
    assert wrong_table.alarms(wrong_table.here) == []


def test_of_what_is_missed_the_reason_is_known() -> None:
    assert {case.id for case in wrong_table.missed()} == wrong_table.MISSED.keys()


def test_every_case_was_run_there() -> None:
    for case in CASES:
        assert all(isinstance(wrong_table.there(case, form), list) for form in ("wrong", "right"))
