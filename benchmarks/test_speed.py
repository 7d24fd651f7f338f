"""How fast a launch is counted, executed, predicted.  Run by hand; see README.md."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gpusim
from calibration.handwritten import counters
from gpusim import hardware
from gpusim.catalogue import lookup
from gpusim.frontends.described import assemble, lower, tiles_of
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
    gpu, bound = hardware.load("h200"), lookup.get(name).launch(**params)
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


MACHINE_CODE = {
    "matmul-register-tiled n=512": ("matmul-register-tiled", {"n": 512}),
    "matmul-coarsened n=512": ("matmul-coarsened", {"n": 512}),
    "divergence N=1048576": ("divergence", {"N": 1 << 20, "w": 2}),
    "vector-add N=1048576": ("vector-add", {"N": 1 << 20}),
}


@pytest.mark.parametrize("values", [False, True], ids=["counts", "values"])
@pytest.mark.parametrize("case", MACHINE_CODE)
def test_machine_code_rate(benchmark: Any, case: str, values: bool) -> None:
    """Emitted CUDA, compiled: with caches and pace, and with or without its results."""
    cuda = pytest.importorskip("gpusim.cuda")
    name, params = MACHINE_CODE[case]
    bound = lookup.get(name).launch(**params)
    kernel = cuda.compile(bound.kernel.emit(**tiles_of(bound)), gpu="h200", options=["-ftz=true"]).kernel()
    arrays = {spec.name: np.ones(spec.shape, np.float32) for spec in bound.arrays}
    args = [arrays[p.name] if p.name in arrays else np.int32(bound.params[p.name]) for p in kernel.parameters]
    how = {"values": values, "sample": False}
    profile = benchmark.pedantic(
        gpusim.profile, (kernel, bound.grid, bound.block, args), how, rounds=2, warmup_rounds=1
    )
    benchmark.extra_info["warp_instructions_per_s"] = profile.warp_instructions / benchmark.stats.stats.min


def test_timed_rate(benchmark: Any) -> None:
    """The 54 launches that an H200 was measured on first, issue by issue, one after the other (five minutes)."""
    pytest.importorskip("gpusim.cuda")
    from gpusim.launches import file, profiling

    measured = counters()
    specs = [
        spec
        for spec in file.read(Path(__file__).parents[1] / "calibration/data/handwritten/launches.json")
        if spec.id in measured
    ]
    assert len(specs) == len(measured)
    profiling.profile(specs[0], "h200")
    profiles = benchmark.pedantic(lambda: [profiling.profile(spec, "h200") for spec in specs], rounds=1)
    instructions = sum(profile.warp_instructions for profile in profiles)
    benchmark.extra_info["warp_instructions_per_s"] = instructions / benchmark.stats.stats.min


def keep_one_core() -> None:
    """Give up the others, where the system lets a process choose."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def predict_on_one_core(cache: Path) -> None:
    """The command, as typed in a shell, with its compiled code in a folder."""
    words = ["predict", "matmul-tiled", "--n", "4096", "--tile", "32", "--gpu", "h200"]
    command, env = [sys.executable, "-m", "gpusim", *words], {**os.environ, "GPUSIM_CACHE_DIR": str(cache)}
    subprocess.run(command, check=True, capture_output=True, env=env, preexec_fn=keep_one_core)


def test_first_run_of_all(benchmark: Any, tmp_path: Path) -> None:
    benchmark.pedantic(predict_on_one_core, (tmp_path,), rounds=1)


def test_predict_4096(benchmark: Any, tmp_path: Path) -> None:
    predict_on_one_core(tmp_path)
    benchmark.pedantic(predict_on_one_core, (tmp_path,), rounds=3)
