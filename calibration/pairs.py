"""Kernels beside their mended forms: their launches, and what each is mended of.

``python -m calibration.pairs`` writes ``calibration/data/pairs/launches.json``, which ``gpusim measure --launches``
runs; what an H200 counted of them stands beside it.  :mod:`calibration.advice` holds advice against that.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from calibration import bench
from calibration.kinds import WAVE, Launch, Sizes, array, floats, i32, launch_of
from gpusim.results.causes import Cause

FOLDER = bench.DATA / "pairs"
GOOD = (
    "transpose<33> 64x64x32x8 2048", "transpose<33> 128x128x32x8 4096", "copy_four 16384x256", "copy_four 65536x256",
    "add_four 65536x256", "sums64<2> 1056x256 8", "steps<0> 264x1024 128",
)  # fmt: skip
"""Mended forms of which nothing is left to be mended."""
GOOD_DESCRIBED: tuple[tuple[str, dict[str, int]], ...] = (
    ("copy-vec4", {"N": 1 << 26}),
    ("copy-vec8-f16", {"N": 1 << 27}),
    ("transpose-padded", {"M": 8192, "N": 8192}),
)
"""Described kernels of which nothing is, and their sizes."""


class Pair(NamedTuple):
    """A launch, what costs it time, and the same without that."""

    cause: Cause
    slow: Launch
    mended: Launch

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.slow["id"])


launch = partial(launch_of, "pairs.cu")


def alike(cause: Cause, slow: str, mended: str, grid: Sizes, block: Sizes, *args: Any) -> Pair:
    """Two kernels that are launched alike."""
    return Pair(cause, launch(slow, grid, block, *args), launch(mended, grid, block, *args))


def streams(count: int, arrays: int = 2) -> list[Launch]:
    """Arrays of so many floats."""
    return [floats(count) for _ in range(arrays)]


# ---------------------------------------------------------------- pairs, a function for each kind


def global_accesses() -> Iterator[Pair]:
    """Words of a warp that lie apart, or across lines."""
    sectors, long, rows = Cause.EXCESS_SECTORS, 16 * 1024 * 256, 32768
    yield alike(sectors, "copy_stretches", "copy_side_by_side", 1024, 256, *streams(long), i32(16))
    by = {"float32": 0.5}
    yield Pair(
        sectors,
        launch("push_structs", 8192, 256, floats(8 * 8192 * 256), by),
        launch("push_arrays", 8192, 256, floats(8192 * 256), by),
    )
    yield Pair(
        sectors,
        launch("sums_of_rows", 256, 128, floats(rows * 512), floats(rows), i32(rows), i32(512)),
        launch("sums_of_columns", 256, 128, floats(rows * 512), floats(rows), i32(512), i32(rows)),
    )
    yield alike(sectors, "transpose_direct", "transpose<33>", (64, 64), (32, 8), *streams(1 << 22), i32(2048))
    slow, mended = (
        launch("scale_pitched", 8192, 256, *streams(8192 * pitch), i32(pitch), i32(1024)) for pitch in (1025, 1056)
    )
    yield Pair(sectors, slow, mended)
    slow, mended = (launch("shift", 16384, 256, floats((1 << 22) + 8), floats(1 << 22), i32(by)) for by in (1, 8))
    yield Pair(sectors, slow, mended)


def shared_memory() -> Iterator[Pair]:
    """Bank conflicts."""
    banks = Cause.BANK_CONFLICTS
    for n in (1024, 2048, 4096):
        yield alike(banks, "transpose<32>", "transpose<33>", (n // 32, n // 32), (32, 8), *streams(n * n), i32(n))
    yield alike(banks, "products<32>", "products<33>", (32, 32), (32, 32), *streams(1 << 20, 3), i32(1024))
    yield alike(banks, "tree_far", "tree_near", 8192, 512, floats(8192 * 512), floats(8192))
    integers = array("int32", 4096), array("int32", 2 * WAVE * 128)
    yield alike(banks, "tables<0>", "tables<1>", 2 * WAVE, 128, *integers, i32(1024))


def atomics() -> Iterator[Pair]:
    """Atomics that a block could spare."""
    values = array("int32", 32 * 4 * WAVE * 256, "randint:256")
    yield alike(
        Cause.ATOMICS, "histogram_global", "histogram_shared", 4 * WAVE, 256, values, array("int32", 256), i32(32)
    )
    yield alike(Cause.ATOMICS, "sum_by_atomics", "sum_by_shuffles", 8192, 256, floats(8192 * 256), floats(1))


def divergence() -> Iterator[Pair]:
    """Threads of a warp that go different ways, or for different times."""
    for slow, mended, grid, block, rounds in (
        ("ways_by_lane", "ways_by_warp", 8 * WAVE, 256, 256),
        ("rounds_by_lane", "rounds_by_warp", WAVE, 1024, 32),
        ("four_ways<0>", "four_ways<5>", 8 * WAVE, 256, 128),
    ):
        yield alike(Cause.DIVERGENCE, slow, mended, grid, block, *streams(grid * block), i32(rounds))


def local_memory() -> Iterator[Pair]:
    """Registers spilled, and an array that is none."""
    threads = 4 * WAVE * 256
    yield alike(
        Cause.SPILLS, "sums64<8>", "sums64<2>", 8 * WAVE, 256, floats(128 * threads), floats(2 * threads), i32(8)
    )
    arrays = floats(16 * threads), floats(threads), array("int32", 272, "arange")
    yield alike(Cause.SPILLS, "array_at_run_time", "array_in_registers", 4 * WAVE, 256, *arrays, i32(256))


def parallelism() -> Iterator[Pair]:
    """Warps, loads under way, blocks: too few of each, or too many."""
    threads, many, odd = 4 * WAVE * 256, 1 << 22, (WAVE + 8) * 1024 * 32
    arrays = floats(32 * threads), floats(threads), i32(32)
    slow, mended = (launch("stream_slowly", 4 * WAVE, 256, *arrays, shared=kb * 1024) for kb in (200, 100))
    yield Pair(Cause.FEW_WARPS, slow, mended)
    args = *streams(many), i32(many), i32(16)
    slow, mended = (launch("scale_all", 4 * WAVE, 128, *args, shared=kb * 1024) for kb in (100, 50))
    yield Pair(Cause.FEW_WARPS, slow, mended)
    arrays = floats(64 * WAVE * 256), floats(WAVE * 256), i32(64)
    yield alike(Cause.LATENCY, "stream_slowly", "stream_by_two", WAVE, 256, *arrays)
    args = *streams(odd), i32(odd), i32(64)
    slow, mended = (launch("scale_all", blocks, 1024, *args, shared=150 * 1024) for blocks in (WAVE + 8, WAVE))
    yield Pair(Cause.LAST_WAVE, slow, mended)
    yield alike(Cause.BARRIERS, "steps<1>", "steps<0>", 2 * WAVE, 1024, *streams(2 * WAVE * 1024), i32(128))
    args = *streams(many), i32(many), i32(64)
    yield Pair(Cause.FEW_BLOCKS, launch("scale_all", 32, 1024, *args), launch("scale_all", 4 * WAVE, 512, *args))


def order() -> Iterator[Pair]:
    """What is read again after L2 has lost it; what a thread does."""
    arrays = floats(24 << 20), floats(8 * WAVE * 256)
    slow, mended = (launch("passes", 8 * WAVE, 256, *arrays, i32(6 << 20), i32(part << 20), i32(3)) for part in (6, 2))
    yield Pair(Cause.L2_CAPACITY, slow, mended)
    for count in (1 << 24, 1 << 26):
        slow, mended = (
            launch(kernel, count // each, 256, *streams(count, 3))
            for kernel, each in (("add_one", 256), ("add_four", 1024))
        )
        yield Pair(Cause.SHORT_BLOCKS, slow, mended)
        yield Pair(
            Cause.SHORT_BLOCKS,
            launch("scale_by", count // 256, 256, *streams(count), {"float32": 1.0}),
            launch("copy_four", count // 1024, 256, *streams(count)),
        )


def product(kernel: str, tile: int, threads: tuple[int, int]) -> Launch:
    """A product of matrices of 1024 x 1024 by tiles."""
    return launch(kernel, (1024 // tile, 1024 // tile), threads, *streams(1 << 20, 3), i32(1024))


def products() -> Iterator[Pair]:
    """Tiles too small, and elements of a thread too few."""
    by_one = {tile: product(f"tiles<{tile}>", tile, (tile, tile)) for tile in (8, 16, 32)}
    yield Pair(Cause.SMALL_TILES, by_one[8], by_one[16])
    yield Pair(Cause.SMALL_TILES, by_one[16], by_one[32])
    yield Pair(Cause.REUSE, by_one[32], product("four_a_thread", 32, (32, 8)))
    yield Pair(
        Cause.REUSE,
        product("products<32>", 32, (32, 32)),
        product("products_two_by_two<64>", 64, (32, 32)),
    )
    for tile in (8, 16):
        yield Pair(Cause.REUSE, by_one[tile], product(f"two_by_two<{tile}>", 2 * tile, (tile, tile)))


def caches() -> Iterator[Pair]:
    """What is read once, in the place of what is read again."""
    for blocks, count, shared in ((8 * WAVE, 40000, 0), (2 * WAVE, 10000, 100 * 1024)):
        places = array("int32", 64 * blocks * 256, f"randint:{count}")
        args = places, floats(count), floats(blocks * 256), i32(64)
        slow, mended = (launch(f"table_of_l1<{hint}>", blocks, 256, *args, shared=shared) for hint in (0, 1))
        yield Pair(Cause.L1_PLACES, slow, mended)


def code() -> Iterator[Pair]:
    """Instructions that others would do for, or fewer of them."""
    threads = 8 * WAVE * 256
    for by in (1024, 7):
        integers = array("int32", threads, "arange"), array("int32", threads), i32(by), i32(64)
        yield alike(Cause.DIVISION, "folded_by", f"folded<{by}>", 8 * WAVE, 256, *integers)
    yield alike(Cause.DOUBLES, "by_doubles", "by_floats", 8 * WAVE, 256, *streams(threads), i32(64))
    for kind, names in (("uint8", ("bytes_one", "bytes_sixteen")), ("uint16", ("halves_one", "halves_eight"))):
        numbers = array(kind, 64 * threads, "randint:256"), array("int32", threads), i32(64)
        yield alike(Cause.NARROW, *names, 8 * WAVE, 256, *numbers)


def limits() -> list[Pair]:
    """Pairs of which advice says what mending brings at most."""
    threads, square = 8 * WAVE * 256, streams(1408 * 1408, 3)
    return [
        alike(
            Cause.NO_TENSOR, "products_by_floats", "products_by_tensor_cores", (11, 11), 256, *square, i32(1408)
        ),
        alike(Cause.SPECIAL, "powers<0>", "powers<1>", 8 * WAVE, 256, *streams(threads), i32(256)),
    ]  # fmt: skip


KINDS = global_accesses, shared_memory, atomics, divergence, local_memory, parallelism, order, products, caches, code


def pairs() -> list[Pair]:
    """All of them."""
    return list(itertools.chain.from_iterable(kind() for kind in KINDS))


def main() -> None:
    """Write the launch file."""
    launches = {one["id"]: one for pair in [*pairs(), *limits()] for one in (pair.slow, pair.mended)}
    (FOLDER / "launches.json").write_text(json.dumps(list(launches.values()), indent=1) + "\n")


if __name__ == "__main__":
    main()
