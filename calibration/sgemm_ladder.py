"""The SGEMM ladder on an RTX A6000, as published, and the same kernels on an H200: each step here and there.

Run by hand (half an hour): ``python -m calibration.sgemm_ladder`` writes docs/ladder.md.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration import bench
from gpusim import cuda
from gpusim.frontends.cuda import profile
from gpusim.profiles.profile import Profile

GPU, SIZE = "rtx-a6000", 4096
DOCS = Path(__file__).parents[1] / "docs"


class Step(NamedTuple):
    """A kernel of ladder.cu, its block, and what a block computes along x and y of the grid."""

    kernel: str
    block: tuple[int, int]
    across: int
    down: int


STEPS = {
    "1 naive": Step("naive", (32, 32), 32, 32),
    "2 gmem coalescing": Step("coalesced", (1024, 1), 32, 32),
    "3 smem caching": Step("shared_tile", (1024, 1), 32, 32),
    "4 1D blocktiling": Step("tile_1d", (512, 1), 64, 64),
    "5 2D blocktiling": Step("tile_2d", (256, 1), 128, 128),
    "7 bank conflicts linearize": Step("linear", (256, 1), 128, 128),
    "8 bank conflicts offset": Step("padded", (256, 1), 128, 128),
    "11 double buffering": Step("double_buffer", (256, 1), 256, 128),
    "6 vectorized mem access": Step("vector", (256, 1), 128, 128),
    "9 autotuning": Step("autotuned", (256, 1), 128, 128),
    "10 warptiling": Step("warp_tile", (128, 1), 128, 128),
}
"""By their names in the published table, slowest first."""


def published() -> dict[str, float]:
    """GFLOP/s of each step on an RTX A6000, as published."""
    with (bench.DATA / "a6000_sgemm.csv").open() as file:
        return {row["kernel"]: float(row["gflops"]) for row in csv.DictReader(file) if row["kernel"] in STEPS}


@cache
def module(gpu: str) -> cuda.Module:
    """Machine code of the ladder for a GPU."""
    return cuda.compile(bench.SOURCES / "ladder.cu", gpu=gpu)


def run(step: Step, n: int, depth: int, matrices: Sequence[np.ndarray] = (), gpu: str = GPU) -> Profile:
    """Profile a step for an n x n result, sums of so many terms; given A, B and C it computes 2 A B + 3 C into C."""
    A, B, C = matrices or [np.broadcast_to(np.float32(0), shape) for shape in ((n, depth), (depth, n), (n, n))]
    args = [np.int32(n), np.int32(n), np.int32(depth), np.float32(2), A, B, np.float32(3), C]
    grid = (n // step.across, n // step.down)
    return profile(module(gpu).kernel(step.kernel), grid, step.block, args, gpu=gpu, values=bool(matrices))


def speed(step: Step, n: int, depth: int) -> float:
    """GFLOP/s."""
    return 2e-9 * n * n * depth / run(step, n, depth).seconds


def relative(speeds: Mapping[str, float]) -> dict[str, float]:
    """Each step's speed over the naive one's."""
    return {name: value / speeds["1 naive"] for name, value in speeds.items()}


PUBLISHED = """
## As published, RTX A6000

| step | published, GFLOP/s | here | published, times naive | here | error |
|---|--:|--:|--:|--:|--:|
"""
ON_H200 = """
## The same kernels on an H200

| step | cycles on an H200 | here | error |
|---|--:|--:|--:|
"""


def page(speeds: Mapping[str, float], cycles: Mapping[str, float]) -> str:
    """The page of the documentation, from GFLOP/s on an A6000 and cycles on an H200."""
    theirs = published()
    here, there = relative(speeds), relative(theirs)
    ratios = [
        f"| {name} | {theirs[name]:.0f} | {value:.0f} | {there[name]:.1f} | {here[name]:.1f} "
        f"| {here[name] / there[name] - 1:+.1%} |"
        for name, value in speeds.items()
    ]
    measured = bench.table("ladder")["cycles"]
    errors = [
        f"| {name} | {measured[name]:.0f} | {value:.0f} | {value / measured[name] - 1:+.1%} |"
        for name, value in cycles.items()
    ]
    tables = PUBLISHED + "\n".join(ratios) + "\n" + ON_H200 + "\n".join(errors) + "\n"
    return (bench.NOTES / "ladder.md").read_text() + tables


def main() -> None:
    """Write the page."""
    speeds, cycles = {}, {}
    for name, step in STEPS.items():
        speeds[name] = speed(step, SIZE, SIZE)
        cycles[name] = run(step, SIZE, SIZE, gpu=bench.GPU).cycles
        print(f"{name}: {speeds[name]:.1f} GFLOP/s, {cycles[name]:.0f} cycles on an H200", flush=True)
    (DOCS / "ladder.md").write_text(page(speeds, cycles))


if __name__ == "__main__":
    main()
