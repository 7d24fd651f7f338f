"""Do random CUDA programs compute what the same programs compute on the host?"""

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.host.build import COMPILER
from tests.programs.run import How, batch, compare, reduced

pytestmark = [
    pytest.mark.usefixtures("compiler"),
    pytest.mark.skipif(COMPILER is None, reason="needs g++"),
]
SEEDS = st.integers(0, 2**32 - 1)
AS_DRAWN = (Phase.explicit, Phase.generate)  # a program that differs is made smaller statement by statement instead


def assert_alike(seed, count, how):
    """Hold ``count`` programs against the host."""
    if failures := compare(batch(seed, count, how), how, seed):
        pytest.fail(f"seed {seed}: {len(failures)} of {count} differ\n{reduced(failures[0], seed)}", pytrace=False)


@settings(max_examples=7, phases=AS_DRAWN)
@given(seed=SEEDS)
def test_programs_compute_what_the_host_does(seed):
    assert_alike(seed, 25, How())


@pytest.mark.parametrize(
    "how",
    [
        How("a100-40gb"),
        How("b200"),
        How("h200", explicit=True),
        How("h200", ("-Xptxas=-O1",)),
        How("h200", ("-Xptxas=-O0",), explicit=True),
    ],
    ids=str,
)
@settings(max_examples=1, phases=AS_DRAWN)
@given(seed=SEEDS)
def test_other_architectures_and_options(how, seed):
    assert_alike(seed, 5, how)
