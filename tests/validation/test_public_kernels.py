"""What is found in kernels of public repositories: is the page what is kept, and is nothing a false alarm?"""

from __future__ import annotations

import json

from calibration import page_parts, public_kernels


def test_the_page_has_what_is_kept() -> None:
    assert page_parts.part(public_kernels.PAGE, public_kernels.BEGIN, public_kernels.END) == public_kernels.text()


def test_each_launch_has_been_checked_to_its_end() -> None:
    launches = json.loads(public_kernels.LAUNCHES.read_text())["launches"]
    assert [one["id"] for one in launches] == [one.id for one in public_kernels.kept()]
    assert not any(one.stopped for one in public_kernels.kept())


def test_nothing_is_found_in_sixty_kernels_that_are_right() -> None:
    clean = [one for one in public_kernels.kept() if one.is_clean]
    assert len({one.id for one in clean}) >= 60
    assert public_kernels.alarms() == []


def test_what_is_a_fault_was_found() -> None:
    assert {one.id for one in public_kernels.kept() if one.findings} == public_kernels.FAULTS.keys()
