"""How fast a launch is counted, executed, predicted.  Run by hand; see README.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim import catalog, hardware
from gpusim.prediction import assemble, lower
from gpusim.simulate import Launch, count, execute

LAUNCHES = {
    "matmul-tiled T=32 n=1024": ("matmul-tiled", {"n": 1024, "tile": 32}),
    "matmul-tiled T=16 n=512": ("matmul-tiled", {"n": 512, "tile": 16}),
    "matmul-coarsened n=512": ("matmul-coarsened", {"n": 512}),
    "matmul-register-tiled n=1024": ("matmul-register-tiled", {"n": 1024}),
    "matmul-register-tiled-vec4 n=1024": ("matmul-register-tiled-vec4", {"n": 1024}),
}


def launch_of(name: str, params: dict[str, int], *, values: bool) -> tuple[Launch, hardware.Occupancy]:
    """A launch ready to run, and what an SM holds of it."""
    gpu, bound = hardware.load("h200"), catalog.get(name).launch(**params)
    arrays = {spec.name: np.ones(spec.shape, np.float32) for spec in bound.arrays} if values else None
    launch = assemble(bound, lower(bound, gpu), arrays)
    return launch, hardware.occupancy(gpu, launch.threads, launch.program.n_registers, launch.shared_bytes)


@pytest.mark.parametrize("case", LAUNCHES)
def test_counting_rate(benchmark: Any, case: str) -> None:
    launch, held = launch_of(*LAUNCHES[case], values=False)
    counts = benchmark.pedantic(
        count, (launch, hardware.load("h200"), held), {"sample": False}, rounds=2, warmup_rounds=1
    )
    benchmark.extra_info["warp_instructions_per_s"] = counts.warp_instructions / benchmark.stats.stats.min


def test_executing_rate(benchmark: Any) -> None:
    launch, held = launch_of("matmul-tiled", {"n": 256, "tile": 32}, values=True)
    instructions = count(launch, hardware.load("h200"), held, sample=False).warp_instructions
    benchmark.pedantic(execute, (launch, hardware.load("h200"), held), {"checked": False}, rounds=2, warmup_rounds=1)
    benchmark.extra_info["warp_instructions_per_s"] = instructions / benchmark.stats.stats.min


def test_predict_4096(benchmark: Any) -> None:
    gpusim.predict("matmul-tiled", gpu="h200", n=64, tile=32)
    profile = benchmark.pedantic(gpusim.predict, ("matmul-tiled", "h200"), {"n": 4096, "tile": 32}, rounds=1)
    assert profile.dram_bytes_read > 0
