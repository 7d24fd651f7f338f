"""When the blocks of the first wave start: as on an H200, whose GPCs start them side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration import bench
from gpusim import hardware
from gpusim.catalogue import lookup
from gpusim.engine.core.machine import driver
from gpusim.engine.state import columns as S
from gpusim.frontends.described import assemble, lower
from gpusim.isa.encode import encode
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.build import machine
from gpusim.simulate.launch import lay_out

MEASURED = bench.table("starts")["starts"]


def starts(threads: int, blocks_per_sm: int) -> np.ndarray:
    """Cycle at which each block of a wave starts, shape (SMs, blocks)."""
    gpu = hardware.load("h200")
    blocks = gpu.sm_count * blocks_per_sm
    bound = lookup.get("copy").launch(N=blocks * threads, block=threads)
    launch = assemble(bound, lower(bound, gpu), None)
    held = hardware.occupancy(gpu, launch.threads, launch.program.n_registers, launch.shared_bytes)
    m = machine(gpu, launch, held, encode(launch.program), lay_out(launch), np.zeros(1, np.uint32), 1)
    driver(m, BlockQueue.whole(blocks).rows())(0)
    begun = np.where(m.blocks[:, S.ID] >= 0, m.blocks[:, S.STARTED], -1).reshape(gpu.sm_count, -1)
    return np.sort(begun, axis=1)[:, -blocks_per_sm:] / S.TICKS


@pytest.mark.parametrize("row", MEASURED, ids=lambda r: f"{r['blocks_per_sm']} of {r['threads']}")
def test_a_first_wave_starts_as_fast_as_on_silicon(row: dict[str, Any]) -> None:
    """On an SM within a third and 60 cycles; on the GPU within 250, for its timer shows 190 of one block each."""
    begun = starts(row["threads"], row["blocks_per_sm"])
    on_an_sm = (begun.max(axis=1) - begun.min(axis=1)).mean()
    assert on_an_sm == pytest.approx(row["last_start_on_an_sm_cycles"], rel=0.35, abs=60)
    cycles = row["span_of_all_starts_ns"] * 1e-9 * hardware.load("h200").clock.sm_hz
    assert begun.max() - begun.min() == pytest.approx(cycles, abs=250)
