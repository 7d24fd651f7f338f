"""Does a lowered kernel compute what its NumPy reference does?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from tests.kernels.cases import CASES, REPRESENTATIVE
from tests.kernels.run import expected
from tests.lower.running import run_algorithm
from tests.marks import most_by_hand

MOST_THREADS, MOST_BLOCKS = 2048, 64  # the interpreter here takes a second for so many


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=2, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_every_kernel_of_the_catalogue_equals_its_reference(name: str, data: st.DataObject) -> None:
    algorithm = lookup.get(name)
    params = data.draw(CASES[name])
    launch = algorithm.launch(**params)
    blocks = math.prod(launch.grid)
    assume(blocks <= MOST_BLOCKS and blocks * math.prod(launch.block) <= MOST_THREADS)
    got, want, error = run_algorithm(algorithm, params), expected(algorithm, params), algorithm.allowed_error(**params)
    for array, value in want.items():
        np.testing.assert_allclose(got[array], value, rtol=error, atol=error, err_msg=array)
