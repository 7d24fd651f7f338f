"""Do atomics ask L2 for as much as on an H200, and wait for one another as long?"""

from __future__ import annotations

import statistics

import pytest

from calibration.microbenchmarks import atomics
from tests.marks import most_by_hand

FEW = 1 << 16
CHOSEN = [row for row in atomics.MEASURED if atomics.updates(row) <= FEW]


def is_told(row: atomics.Row) -> bool:
    """Whether lanes meet at four lines at most; of more the hardware makes up to a tenth more requests."""
    return not row["hashed"] or row["mask"] * row["stride"] < 4 * 32


@pytest.mark.parametrize("row", [row for row in CHOSEN if is_told(row)], ids=atomics.name)
def test_sectors_and_requests_are_those_of_silicon(row: atomics.Row) -> None:
    assert atomics.counted(row) == (row["sectors"], row["requests"])


ONE_ADDRESS = [row for row in atomics.MEASURED if row["mask"] == 0 and row["blocks"] in (8, 132)]
CONTENDED = [row for row in ONE_ADDRESS if 1 << 16 <= atomics.updates(row) <= 1 << 20]


@pytest.mark.parametrize("row", most_by_hand(CONTENDED, CONTENDED[:6]), ids=atomics.name)
def test_a_slice_takes_as_long_for_one_address(row: atomics.Row) -> None:
    assert atomics.profile(row).cycles == pytest.approx(row["cycles"], rel=0.04)


@pytest.mark.long
def test_half_of_the_short_launches_are_within_six_per_cent() -> None:
    off = [abs(atomics.profile(row).cycles / row["cycles"] - 1) for row in CHOSEN if atomics.is_bound(row)]
    assert statistics.median(off) < 0.06
