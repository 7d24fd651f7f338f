"""Schedulers and their warps: dealt in turns, each warp in one entry of one scheduler."""

import pytest

from gpusim.engine.core.scheduler_entries import entries_of, entry_of, warp_of
from tests.engine.hierarchy.small import small


@pytest.mark.parametrize(("slots", "warps"), [(2, 4), (3, 5), (1, 1), (7, 3)])
def test_every_warp_has_an_entry_and_every_entry_a_warp(slots, warps):
    m = small(sizes={"SLOTS": slots, "WARPS": warps})
    n = slots * warps
    found = {}
    for sm in range(2):
        for scheduler in range(4):
            for entry in range(entries_of(m, scheduler)):
                w = int(warp_of(m, sm, scheduler, entry))
                assert tuple(map(int, entry_of(m, w))) == (4 * sm + scheduler, entry)
                found[w] = scheduler
    assert sorted(found) == list(range(2 * n))
    assert all(scheduler == w % n % 4 for w, scheduler in found.items())
