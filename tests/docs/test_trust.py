"""Does the page that says how far to trust predictions say what the package's tables of errors say?"""

from __future__ import annotations

import pytest

from calibration import page_parts, trust


@pytest.mark.parametrize("part", trust.PARTS)
def test_the_page_has_the_errors_that_the_package_carries(part: str) -> None:
    assert page_parts.part(trust.PAGE, *trust.marks(part)) == trust.written(part)


def test_every_kind_has_a_number_of_launches_and_errors_of_time() -> None:
    kinds = dict(trust.kinds())
    assert len(kinds) >= 20
    assert all(errors[trust.METRICS["cycles"]]["n"] >= 7 for errors in kinds.values())


@pytest.mark.parametrize(
    ("share", "shown"), [(0, "0"), (0.0006, "0.1"), (0.0004, "0"), (0.0462, "4.6"), (0.0994, "9.9"), (0.0996, "10")]
)
def test_a_share_has_as_many_digits_as_it_can_bear(share: float, shown: str) -> None:
    assert trust._per_cent(share) == shown
