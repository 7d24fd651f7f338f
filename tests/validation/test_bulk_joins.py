"""Do requests of bulk copies of SMs of one GPC join as on an H200, and take as long?"""

from __future__ import annotations

import pytest

from calibration.microbenchmarks import bulk_joins
from tests.marks import most_by_hand

FEW = [row for row in bulk_joins.MEASURED if len(row["delays"]) < 3 or row["delays"][-1] < 200]
MINGLED = 0.35
"""Of requests that come while others are about to leave the coalescer, as many more join here."""


@pytest.mark.parametrize("row", most_by_hand(FEW, FEW[::2]), ids=bulk_joins.name)
def test_copies_join(row: bulk_joins.Row) -> None:
    """All or none where the hardware joins all or none; what several blocks are to have never joins."""
    got, want = bulk_joins.share(bulk_joins.simulated(row)), bulk_joins.share(row)
    if row["kernel"].endswith("for_two"):
        assert got == want == pytest.approx(1, abs=0.001)
    else:
        alone = min(want - 1 / len(row["delays"]), 1 - want) < 0.01
        assert got == pytest.approx(want, abs=0.03 if alone else MINGLED)


@pytest.mark.parametrize("row", [row for row in FEW if not row["warm"]], ids=bulk_joins.name)
def test_copies_take_as_long(row: bulk_joins.Row) -> None:
    """The copy that comes first, from HBM: boxes of rows that lie far apart."""
    assert bulk_joins.simulated(row)["took"][0] == pytest.approx(row["took"][0], rel=0.06)
