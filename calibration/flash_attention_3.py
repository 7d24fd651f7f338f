"""FlashAttention-3: TFLOP/s here, as published, and cycles on an H100 of ours.

Run by hand: ``python -m calibration.flash_attention_3`` writes its part of docs/attention.md (half an hour of two
cores).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from calibration import bench, hopper
from calibration.flash_attention_2 import SHAPES, mean_error, published, write_part
from gpusim.results.metric import CYCLES

GPU, D = "h100-sxm", 128
ROWS, THREADS, SHARED = 128, 384, 164864  # queries of a block, its threads, bytes of its dynamic shared memory
LENGTHS = (256, 512, 1024, 2048, 4096, 8192, 16384)
HEADS = 16  # of the launches that were measured
SMS = 132
SIMULATED = {4096: 16, 8192: 16, 16384: 4}
"""Heads that are simulated at most where not causal, by length; the others are taken to be like them.  The last round
of their blocks has the same share of the SMs as that of all."""


class Launch(NamedTuple):
    """A launch of the kernel: heads of all sequences together, and what :class:`Shape` has, too."""

    heads: int
    N: int
    causal: bool

    @property
    def kernel(self) -> str:
        """Name of the kernel in the source."""
        return f"fa3_d128{'_causal' if self.causal else ''}"

    @property
    def id(self) -> str:
        """Name of the launch that was measured."""
        return f"{self.kernel} BH={self.heads} N={self.N}"

    @property
    def tiles(self) -> int:
        """Tiles of keys that the busiest SM goes through one after another, where not causal."""
        tiles = -(-self.N // ROWS)
        return -(-tiles * self.heads // SMS) * tiles

    @property
    def flops(self) -> float:
        """As the published rates count."""
        return 4.0 * self.heads * self.N**2 * D / (2 if self.causal else 1)


class Found(NamedTuple):
    """What is predicted of a launch."""

    seconds: float
    cycles: float


PUBLISHED = {Launch(shape.heads, shape.N, shape.causal): shape for shape in SHAPES if shape.d == D}
MEASURED = [Launch(HEADS, N, causal) for causal in (False, True) for N in LENGTHS]
LAUNCHES = {*PUBLISHED, *MEASURED}


@cache
def _module() -> Any:
    from gpusim import cuda
    from gpusim.catalogue import lookup

    return cuda.compile(lookup.builtin_folder() / "flash_attention_3.cu", gpu=GPU)


def run(launch: Launch) -> Any:
    """Profile of a launch whose caches are cold; no values are computed."""
    from gpusim import TensorMap
    from gpusim.frontends.cuda import profile

    heads, N, _ = launch
    arrays = [np.zeros((heads, N, D), np.float16) for _ in "QKVO"]
    maps = [
        TensorMap(array, box=(1, rows, 64), swizzle=128)
        for array, rows in zip(arrays, (ROWS, ROWS, ROWS, ROWS // 2), strict=True)
    ]
    args = [*maps, np.zeros(heads * N, np.float32), np.int32(N), np.float32(D**-0.5)]
    grid, code = (-(-N // ROWS), heads), _module().kernel(launch.kernel)
    return profile(code, grid, THREADS, args, gpu=GPU, dynamic_shared=SHARED, values=False, jobs=1)


def part_of(launch: Launch) -> Launch:
    """The launch that is simulated: where blocks are alike and long that of some heads."""
    most = launch.heads if launch.causal else SIMULATED.get(launch.N, launch.heads)
    return launch._replace(heads=min(launch.heads, most))


def predicted(launch: Launch) -> Found:
    """Seconds and cycles of what is simulated."""
    found = run(launch)
    return Found(found.seconds, found.cycles)


def whole(launches: Iterable[Launch], of_parts: Mapping[Launch, Found]) -> dict[Launch, Found]:
    """Seconds and cycles of launches, from those of their parts."""
    found = {}
    for launch in launches:
        smaller = part_of(launch)
        found[launch] = Found(*(value * launch.heads / smaller.heads for value in of_parts[smaller]))
    return found


# ---------------------------------------------------------------- its part of the page


def part(here: Mapping[Launch, Found]) -> str:
    """Its part of the page, from what is predicted of launches that were published, and of those that were measured."""
    text = (bench.NOTES / "attention_3.md").read_text()
    return text + "\n".join([*_rates(here), *_cycles(here)]) + "\n"


def _rates(here: Mapping[Launch, Found]) -> Iterator[str]:
    theirs, errors = published(GPU, kernel="fa3"), []
    yield "\n### Published, H100 SXM5, forward, d = 128, TFLOP/s\n"
    yield "| causal | N | published | predicted | error |"
    yield "|---|--:|--:|--:|--:|"
    for launch, shape in PUBLISHED.items():
        rate = launch.flops / here[launch].seconds * 1e-12
        errors.append(rate / theirs[shape] - 1)
        yield f"| {_causal(launch)} | {launch.N} | {theirs[shape]:.0f} | {rate:.0f} | {errors[-1]:+.1%} |"
    yield f"\nMean error: {mean_error(errors)}."


def _cycles(here: Mapping[Launch, Found]) -> Iterator[str]:
    there, errors = hopper.by_hand("h100-sxm"), []
    yield f"\n### Our kernel on an H100, {HEADS} heads, caches cold\n"
    yield "| causal | N | TFLOP/s there | MHz | cycles there | here | error | cycles a tile there | here |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for launch in MEASURED:
        measured, cycles = there[launch.id], here[launch].cycles
        took, seconds = measured.value(CYCLES), measured.value(hopper.TIME)
        errors.append(cycles / took - 1)
        a_tile = " | ".join("–" if launch.causal else f"{value / launch.tiles:.0f}" for value in (took, cycles))
        clock = f"{launch.flops / seconds * 1e-12:.0f} | {measured.value(hopper.CLOCK) * 1e-6:.0f}"
        yield f"| {_causal(launch)} | {launch.N} | {clock} | {took:.0f} | {cycles:.0f} | {errors[-1]:+.1%} | {a_tile} |"
    yield f"\nMean error: {mean_error(errors)}."


def _causal(launch: Launch) -> str:
    return "yes" if launch.causal else "no"


def main() -> None:
    """Write its part of the page."""
    parts = sorted({part_of(launch) for launch in LAUNCHES}, key=lambda launch: -launch.flops)
    with ProcessPoolExecutor() as pool:
        found = dict(zip(parts, pool.map(predicted, parts), strict=True))
    write_part(part(whole(LAUNCHES, found)), first=False)


if __name__ == "__main__":
    main()
