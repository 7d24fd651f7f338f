"""Do products of two warpgroups, and products and other instructions, hold one another up as on an H200?"""

from __future__ import annotations

import pytest

from calibration.microbenchmarks import beside_products

ROWS = {beside_products.name(row): row for row in beside_products.MEASURED}
NOTED = [row for row in ROWS.values() if "issued" in row and "256" not in row["kernel"]]
OTHERS = [row for row in ROWS.values() if row["steps"] and row["kernel"].split("_")[1] in ("ffma", "ffma3", "ex2")]
NOT_HELD_UP = {"S64_ffma3_16", "R64_ffma3_16", "S128_ffma3_16", "R128_ffma3_16", "S128_ffma_16", "R128_ffma_16"}
"""Products here do not wait for what reads three registers, nor to be issued beside what always can be."""


@pytest.mark.parametrize("row", NOTED, ids=beside_products.name)
def test_products_wait_in_one_queue(row: beside_products.Row) -> None:
    """The last warpgroup is done when it is there; products of both were issued in about the same order."""
    got = beside_products.simulated(row)
    assert got["second"][1] == pytest.approx(row["second"][1], rel=0.06)
    for mine, measured in zip(got["issued"], row["issued"], strict=True):
        assert mine[-1] == pytest.approx(measured[-1], rel=0.25, abs=40)


@pytest.mark.parametrize("row", OTHERS, ids=beside_products.name)
def test_others_go_on_more_slowly(row: beside_products.Row) -> None:
    """Cycles of other instructions beside products: 1.3 to 1.8 times those without."""
    got = beside_products.simulated(row)
    took, measured = (r["second"][1] - r["second"][0] for r in (got, row))
    assert took == pytest.approx(measured, rel=0.25)
    if row["kernel"] not in NOT_HELD_UP:
        assert got["first"][1] == pytest.approx(row["first"][1], rel=0.07)


def test_the_queue_is_deep() -> None:
    """A warpgroup's eight products are issued long before they are done, and its own go first."""
    row = ROWS["S64_S64_8_8, 0 steps, 0 turns later"]
    got = beside_products.simulated(row)
    for r in (got, row):
        assert r["second"][1] - r["first"][1] == pytest.approx(8 * 32, abs=10)
