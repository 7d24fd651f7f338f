"""Do random CUDA programs compute what the same programs compute on the host?"""

import pytest

from tests.host.build import COMPILER
from tests.marks import most_by_hand
from tests.programs.run import How, batch, compare, compare_with_recorded, digest, on_host, recorded, reduced

pytestmark = pytest.mark.usefixtures("compiler")
on_any_host = pytest.mark.skipif(COMPILER is None, reason="needs g++")

PLAIN = How()
OTHERS = [
    How("a100-40gb"),
    How("b200"),
    How("h200", explicit=True),
    How("h200", ("-Xptxas=-O1",)),
    How("h200", ("-Xptxas=-O0",), explicit=True),
]
RUNS = [(seed, 25, PLAIN) for seed in range(7)] + [(100 + k, 5, how) for k, how in enumerate(OTHERS)]
"""Seed, number of programs, and how they are compiled: 200 programs."""
TRIED = [RUNS[0], *RUNS[7:9]]


@pytest.mark.parametrize(("seed", "count", "how"), most_by_hand(RUNS, TRIED), ids=str)
def test_programs_compute_what_the_host_does(seed, count, how):
    if COMPILER is None:
        failures = compare_with_recorded(seed, count, how)
    elif failures := compare(batch(seed, count, how), how, seed):
        failures[0] = reduced(failures[0], seed)
    if failures:
        pytest.fail(f"seed {seed}: {len(failures)} of {count} differ\n{failures[0]}", pytrace=False)


@on_any_host
@pytest.mark.parametrize(("seed", "count", "how"), RUNS[::4], ids=str)
def test_what_is_recorded_is_what_the_host_computes(seed, count, how):
    """After a change of the generator: ``python -m tests.programs --record``."""
    left = on_host(batch(seed, count, how), how, seed)
    assert [digest(each) for each in left] == recorded(seed, how)


def test_programs_are_as_many_as_promised():
    assert sum(count for _, count, _ in RUNS) == 200
