"""Numbers that only look random: the same each time, spread evenly."""

import numpy as np

from gpusim.engine.hierarchy.scramble import around, mix


def test_neighbours_are_scrambled_alike_each_time_and_never_below_zero():
    found = [int(mix(k)) for k in range(2000)]
    assert found == [int(mix(k)) for k in range(2000)]
    assert min(found) >= 0
    assert len(set(found)) == len(found)
    for bit in (0, 20, 40, 60):
        assert 0.45 < np.mean([n >> bit & 1 for n in found]) < 0.55


def test_a_latency_lies_evenly_around_its_mean():
    found = [int(around(mix(k), 640)) for k in range(2000)]
    assert -320 <= min(found) < -300
    assert 300 < max(found) < 320
    assert abs(np.mean(found)) < 15
    assert {int(around(mix(k), 0)) for k in range(100)} == {0}
