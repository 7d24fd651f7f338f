"""Registers that a user names instead of those of the lowered code."""

from __future__ import annotations

import pytest

import gpusim
from gpusim.errors import ParameterError


def test_registers_that_are_given_decide_how_many_blocks_an_sm_holds():
    few, many = (gpusim.predict("matmul-tiled", n=256, tile=16, registers=registers) for registers in (32, 200))
    assert [p.metrics["launch__registers_per_thread"].value for p in (few, many)] == [32, 200]
    assert [p.metrics["launch__occupancy_limit_registers"].value for p in (few, many)] == [8, 1]
    assert few.metrics["smsp__inst_executed.sum"] == many.metrics["smsp__inst_executed.sum"]


@pytest.mark.parametrize("registers", [0, 256])
def test_a_thread_has_no_such_registers(registers):
    with pytest.raises(ParameterError, match=f"registers={registers}: a thread of h200 has 1 to 255"):
        gpusim.predict("copy", N=64, registers=registers)
