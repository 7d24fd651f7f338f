"""Do L1, L2 and the coalescer keep, miss and merge as on an H200?  The knees, and what lies around them."""

from __future__ import annotations

import pytest

from calibration.microbenchmarks import cache_footprints

L1_ROWS = [r for r in cache_footprints.measured("l1") if "hit_fraction_of_passes_2_3" in r]
L2_ROWS = {(r["map"], r["footprint_MiB"]): r for r in cache_footprints.measured("l2")}
COALESCER_ROWS = cache_footprints.measured("coalescer")


@pytest.mark.parametrize("row", L1_ROWS[::3], ids=lambda r: f"{r['dynamic_shared_KiB']}+{r['footprint_KiB']}KiB")
def test_l1_keeps_what_it_holds(row: cache_footprints.Row) -> None:
    got = cache_footprints.l1_hits(row["dynamic_shared_KiB"], row["footprint_KiB"])
    assert got == pytest.approx(row["hit_fraction_of_passes_2_3"], abs=0.16)  # widest on the slope behind the knee


LEFT_OVER_KIB = 48
"""Of so much, read in 32 KiB of L1, 4.4 % are left here, nothing on an H200."""


@pytest.mark.long
def test_l1_falls_off_where_it_is_full() -> None:
    """All hits up to its size, none from a third more on, for every carve-out measured."""
    for row in L1_ROWS:
        l1 = 256 - int(row["config"].replace(",", "")) // 1024
        got = None
        if row["footprint_KiB"] < 0.95 * l1:
            got = 1.0
        elif row["footprint_KiB"] > 1.34 * l1:
            got = 0.0
        if got is not None:
            assert row["hit_fraction_of_passes_2_3"] == pytest.approx(got, abs=0.03)
            if got or row["footprint_KiB"] != LEFT_OVER_KIB:
                assert cache_footprints.l1_hits(row["dynamic_shared_KiB"], row["footprint_KiB"]) == pytest.approx(
                    got, abs=0.04
                )


@pytest.mark.parametrize(
    ("pattern", "mib", "within"),
    [("same SM", 40, 0.02), ("same SM", 56, 0.06), ("rotating", 40, 0.06)]
    + [
        pytest.param(*row, marks=pytest.mark.long)
        for row in (("same SM", 32, 0.01), ("same SM", 80, 0.01), ("rotating", 24, 0.07), ("rotating", 48, 0.12))
    ],
)
def test_l2_misses_and_crossings(pattern: str, mib: int, within: float) -> None:
    got, want = cache_footprints.l2_map(pattern, mib), L2_ROWS[pattern, mib]
    for name in cache_footprints.L2_SHARES:
        assert got[name] == pytest.approx(want[name], abs=within), name


DRIFT_APART = 0.17
"""All 132 SMs that read the same lines for long: so much more reads of L2 than on silicon."""


@pytest.mark.parametrize("row", COALESCER_ROWS, ids=lambda r: f"{r['load']}-{r['sms'].replace(' ', '-')}")
def test_sms_of_a_gpc_share_reads(row: cache_footprints.Row) -> None:
    got = cache_footprints.coalesced(row["load"], cache_footprints.selections()[row["sms"]])
    assert got == pytest.approx(row["l2_reads_per_sector"], rel=DRIFT_APART if row["sms"] == "all" else 0.035)
