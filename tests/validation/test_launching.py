"""How long launches take that do nothing: here and on an H200."""

import json
from functools import cache
from pathlib import Path

import pytest

from gpusim import cuda
from gpusim.profiling import profile
from tests.validation.test_emitted import other_compiler

FOLDER = Path(__file__).parent
LAUNCHES = json.loads((FOLDER / "data" / "h200_latency.json").read_text())["launches"]
SHOWN = [row for row in LAUNCHES if row["kernel"] == "e_empty" and row["grid"] <= 16_896]


@cache
def empty():
    return cuda.compile(FOLDER / "latency.cu", gpu="sm_90").kernel("e_empty")


@pytest.mark.slow
@pytest.mark.skipif(bool(other_compiler()), reason=other_compiler())
@pytest.mark.parametrize("row", SHOWN, ids=lambda r: f"{r['grid']}x{r['block']}")
def test_launching_takes_the_time_it_takes_on_silicon(row):
    """Within a tenth and 600 cycles: two runs of an H200 differ by 300 to 500 where hardly anything happens."""
    found = profile(empty(), row["grid"], row["block"], [], gpu="h200", sample=False)
    assert found.cycles == pytest.approx(row["cycles_elapsed_max"], rel=0.1, abs=600)
