"""Kernels beside their mended forms: their launches, what each is mended of, and what advice says against hardware.

``python -m calibration.pairs`` writes ``calibration/data/pairs/launches.json``, which ``gpusim measure --launches``
runs; what an H200 counted of them stands beside it.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from calibration import bench
from calibration.kinds import Launch, array, floats, i32
from gpusim.results.causes import Cause

FOLDER = bench.DATA / "pairs"
WAVE = 132
"""Blocks of an H200 where an SM has one."""


class Pair(NamedTuple):
    """A launch, what costs it time, and the same without that."""

    cause: Cause
    slow: Launch
    mended: Launch

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.slow["id"])


def launch(kernel: str, grid: Any, block: Any, *args: Any, shared: int = 0) -> Launch:
    """A launch as a launch file has it; its name says its numbers."""
    grid, block = ([sizes] if isinstance(sizes, int) else list(sizes) for sizes in (grid, block))
    numbers = [str(number) for argument in args for number in (argument.get("int32"),) if number is not None]
    shape = "x".join(map(str, (*grid, *block)))
    own = {"dynamic_shared": shared} if shared else {}
    return {
        "id": " ".join([kernel, shape, *numbers, *([f"{shared}B"] if shared else [])]), "source": "pairs.cu",
        "kernel": kernel, "grid": grid, "block": block, **own, "args": list(args),
    }  # fmt: skip


def streams(count: int) -> list[Launch]:
    """Two arrays of so many floats."""
    return [floats(count), floats(count)]


def pairs() -> list[Pair]:
    """All of them."""
    many, odd = 1 << 22, (WAVE + 8) * 1024 * 32
    found = [
        Pair(
            Cause.EXCESS_SECTORS,
            launch("copy_stretches", 1024, 256, floats(16 * 1024 * 256), floats(16 * 1024 * 256), i32(16)),
            launch("copy_side_by_side", 1024, 256, floats(16 * 1024 * 256), floats(16 * 1024 * 256), i32(16)),
        ),
        Pair(
            Cause.EXCESS_SECTORS,
            launch("push_structs", 8192, 256, floats(8 * 8192 * 256), {"float32": 0.5}),
            launch("push_arrays", 8192, 256, floats(8192 * 256), {"float32": 0.5}),
        ),
        Pair(
            Cause.EXCESS_SECTORS,
            launch("sums_of_rows", 256, 128, floats(32768 * 512), floats(32768), i32(32768), i32(512)),
            launch("sums_of_columns", 256, 128, floats(32768 * 512), floats(32768), i32(512), i32(32768)),
        ),
        Pair(
            Cause.EXCESS_SECTORS,
            launch("transpose_direct", (64, 64), (32, 8), floats(many), floats(many), i32(2048)),
            launch("transpose<33>", (64, 64), (32, 8), floats(many), floats(many), i32(2048)),
        ),
        Pair(
            Cause.EXCESS_SECTORS,
            launch("scale_pitched", 8192, 256, floats(8192 * 1025), floats(8192 * 1025), i32(1025), i32(1024)),
            launch("scale_pitched", 8192, 256, floats(8192 * 1056), floats(8192 * 1056), i32(1056), i32(1024)),
        ),
        Pair(
            Cause.EXCESS_SECTORS,
            launch("shift", 16384, 256, floats(many + 8), floats(many), i32(1)),
            launch("shift", 16384, 256, floats(many + 8), floats(many), i32(8)),
        ),
    ]
    for n in (1024, 2048, 4096):
        square = floats(n * n)
        found.append(
            Pair(
                Cause.BANK_CONFLICTS,
                launch("transpose<32>", (n // 32, n // 32), (32, 8), square, square, i32(n)),
                launch("transpose<33>", (n // 32, n // 32), (32, 8), square, square, i32(n)),
            )
        )
    square = floats(1024 * 1024)
    found += [
        Pair(
            Cause.BANK_CONFLICTS,
            launch("products<32>", (32, 32), (32, 32), square, square, square, i32(1024)),
            launch("products<33>", (32, 32), (32, 32), square, square, square, i32(1024)),
        ),
        Pair(
            Cause.BANK_CONFLICTS,
            launch("tree_far", 8192, 512, floats(8192 * 512), floats(8192)),
            launch("tree_near", 8192, 512, floats(8192 * 512), floats(8192)),
        ),
        Pair(
            Cause.BANK_CONFLICTS,
            launch("tables<0>", 2 * WAVE, 128, array("int32", 4096), array("int32", 2 * WAVE * 128), i32(1024)),
            launch("tables<1>", 2 * WAVE, 128, array("int32", 4096), array("int32", 2 * WAVE * 128), i32(1024)),
        ),
        Pair(
            Cause.ATOMICS,
            launch("histogram_global", 4 * WAVE, 256, array("int32", 32 * 4 * WAVE * 256, "randint:256"), array("int32", 256), i32(32)),
            launch("histogram_shared", 4 * WAVE, 256, array("int32", 32 * 4 * WAVE * 256, "randint:256"), array("int32", 256), i32(32)),
        ),
        Pair(
            Cause.ATOMICS,
            launch("sum_by_atomics", 8192, 256, floats(8192 * 256), floats(1)),
            launch("sum_by_shuffles", 8192, 256, floats(8192 * 256), floats(1)),
        ),
        Pair(
            Cause.DIVERGENCE,
            launch("ways_by_lane", 8 * WAVE, 256, floats(8 * WAVE * 256), floats(8 * WAVE * 256), i32(256)),
            launch("ways_by_warp", 8 * WAVE, 256, floats(8 * WAVE * 256), floats(8 * WAVE * 256), i32(256)),
        ),
        Pair(
            Cause.DIVERGENCE,
            launch("rounds_by_lane", WAVE, 1024, floats(WAVE * 1024), floats(WAVE * 1024), i32(32)),
            launch("rounds_by_warp", WAVE, 1024, floats(WAVE * 1024), floats(WAVE * 1024), i32(32)),
        ),
        Pair(
            Cause.DIVERGENCE,
            launch("four_ways<0>", 8 * WAVE, 256, floats(8 * WAVE * 256), floats(8 * WAVE * 256), i32(128)),
            launch("four_ways<5>", 8 * WAVE, 256, floats(8 * WAVE * 256), floats(8 * WAVE * 256), i32(128)),
        ),
        Pair(
            Cause.SPILLS,
            launch("sums64<8>", 8 * WAVE, 256, floats(64 * 8 * WAVE * 256), floats(8 * WAVE * 256), i32(8)),
            launch("sums64<2>", 8 * WAVE, 256, floats(64 * 8 * WAVE * 256), floats(8 * WAVE * 256), i32(8)),
        ),
        Pair(
            Cause.SPILLS,
            launch("array_at_run_time", 4 * WAVE, 256, floats(16 * 4 * WAVE * 256), floats(4 * WAVE * 256), array("int32", 272, "arange"), i32(256)),
            launch("array_in_registers", 4 * WAVE, 256, floats(16 * 4 * WAVE * 256), floats(4 * WAVE * 256), array("int32", 272, "arange"), i32(256)),
        ),
        Pair(
            Cause.FEW_WARPS,
            launch("stream_slowly", 4 * WAVE, 256, floats(32 * 4 * WAVE * 256), floats(4 * WAVE * 256), i32(32), shared=200 * 1024),
            launch("stream_slowly", 4 * WAVE, 256, floats(32 * 4 * WAVE * 256), floats(4 * WAVE * 256), i32(32), shared=100 * 1024),
        ),
        Pair(
            Cause.FEW_WARPS,
            launch("scale_all", 4 * WAVE, 128, floats(many), floats(many), i32(many), i32(16), shared=100 * 1024),
            launch("scale_all", 4 * WAVE, 128, floats(many), floats(many), i32(many), i32(16), shared=50 * 1024),
        ),
        Pair(
            Cause.LATENCY,
            launch("stream_slowly", WAVE, 256, floats(64 * WAVE * 256), floats(WAVE * 256), i32(64)),
            launch("stream_by_two", WAVE, 256, floats(64 * WAVE * 256), floats(WAVE * 256), i32(64)),
        ),
        Pair(
            Cause.LAST_WAVE,
            launch("scale_all", WAVE + 8, 1024, *streams(odd), i32(odd), i32(64), shared=150 * 1024),
            launch("scale_all", WAVE, 1024, *streams(odd), i32(odd), i32(64), shared=150 * 1024),
        ),
        Pair(
            Cause.BARRIERS,
            launch("steps<1>", 2 * WAVE, 1024, floats(2 * WAVE * 1024), floats(2 * WAVE * 1024), i32(128)),
            launch("steps<0>", 2 * WAVE, 1024, floats(2 * WAVE * 1024), floats(2 * WAVE * 1024), i32(128)),
        ),
        Pair(
            Cause.FEW_BLOCKS,
            launch("scale_all", 32, 1024, *streams(many), i32(many), i32(64)),
            launch("scale_all", 4 * WAVE, 512, *streams(many), i32(many), i32(64)),
        ),
        Pair(
            Cause.L2_CAPACITY,
            launch("passes", 8 * WAVE, 256, floats(24 << 20), floats(8 * WAVE * 256), i32(6 << 20), i32(6 << 20), i32(3)),
            launch("passes", 8 * WAVE, 256, floats(24 << 20), floats(8 * WAVE * 256), i32(6 << 20), i32(2 << 20), i32(3)),
        ),
    ]
    for count in (1 << 24, 1 << 26):
        three = [floats(count) for _ in range(3)]
        found += [
            Pair(
                Cause.SHORT_BLOCKS,
                launch("add_one", count // 256, 256, *three),
                launch("add_four", count // 1024, 256, *three),
            ),
            Pair(
                Cause.SHORT_BLOCKS,
                launch("scale_by", count // 256, 256, *streams(count), {"float32": 1.0}),
                launch("copy_four", count // 1024, 256, *streams(count)),
            ),
        ]
    return found


def fusions() -> list[Launch]:
    """Two launches that follow one another, and one that does the same."""
    found = []
    for count in (1 << 22, 1 << 26):
        by = {"float32": 1.5}
        found += [
            launch("scale_by", count // 256, 256, *streams(count), by),
            launch("square", count // 256, 256, *streams(count)),
            launch("scale_and_square", count // 256, 256, *streams(count), by),
        ]
    return found


def main() -> None:
    """Write the launch file."""
    launches: dict[str, Launch] = {}
    for pair in pairs():
        launches |= {one["id"]: one for one in (pair.slow, pair.mended)}
    launches |= {one["id"]: one for one in fusions()}
    (FOLDER / "launches.json").write_text(json.dumps(list(launches.values()), indent=1) + "\n")
    print(len(pairs()), "pairs,", len(launches), "launches")


if __name__ == "__main__":
    main()
