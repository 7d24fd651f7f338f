"""Launches that only move data: cycles here and on an H200."""

import pytest

from tests.validation.exact import other_compiler
from tests.validation.streams import MEASURED, cycles

pytestmark = pytest.mark.skipif(bool(other_compiler()), reason=other_compiler())


WITHIN = {"store": 0.14}
"""What a small launch that only stores takes longer here: see docs/validation.md."""


@pytest.mark.parametrize("kernel", MEASURED)
def test_what_moves_four_mebibytes_takes_the_time_it_takes_on_silicon(kernel):
    assert cycles(kernel, 4) == pytest.approx(MEASURED[kernel]["4"], rel=WITHIN.get(kernel, 0.12))
