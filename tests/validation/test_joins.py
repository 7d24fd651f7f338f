"""Do requests of SMs of one GPC join as on an H200?"""

from __future__ import annotations

import pytest

from tests.validation import joins


@pytest.mark.parametrize("row", joins.MEASURED, ids=joins.name)
def test_requests_join(row: joins.Row) -> None:
    """All or none where the hardware joins all or none; between, which of two SMs is first changes a sixth."""
    got, want = joins.simulated(row), joins.share(row)
    at_an_end = min(want - 1 / row["roles"], 1 - want) < 0.01
    assert got == pytest.approx(want, abs=0.05 if at_an_end else 0.18)
