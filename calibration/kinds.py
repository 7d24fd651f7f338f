"""Small kernels of every kind that strangers' programs are full of: their launches.

``python -m calibration.kinds`` writes ``calibration/data/kinds/launches.json``, which ``gpusim measure --launches``
runs; what an H200 counted of them stands beside it.  :mod:`calibration.strangers` holds predictions against that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from calibration import bench
from gpusim.launches import plain

FOLDER = bench.DATA / "kinds"
Launch = dict[str, Any]
WAVE = 132
"""Blocks of an H200 where an SM has one."""


Sizes = int | tuple[int, ...]


def launch_of(
    source: str, kernel: str, grid: Sizes, block: Sizes, *args: Any, shared: int = 0, names_shared: bool = True
) -> Launch:
    """A launch as a launch file has it; its name says its numbers, and its shared memory if that is wanted."""
    blocks, threads = ([sizes] if isinstance(sizes, int) else list(sizes) for sizes in (grid, block))
    numbers = [str(argument["int32"]) for argument in args if "int32" in argument]
    shape = "x".join(map(str, (*blocks, *threads)))
    own = {"dynamic_shared": shared} if shared else {}
    return {
        "id": " ".join([kernel, shape, *numbers, *([f"{shared}B"] if shared and names_shared else [])]),
        "source": source, "kernel": kernel, "grid": blocks, "block": threads, **own, "args": list(args),
    }  # fmt: skip


launch = partial(launch_of, "kinds.cu", names_shared=False)


def i32(value: int) -> dict[str, int]:
    """An integer."""
    return {"int32": value}


def array(dtype: str, count: int, init: str = "zeros") -> dict[str, Any]:
    """An array."""
    return plain.Filled(dtype, init, count).to_json()


def floats(count: int) -> dict[str, Any]:
    """An array of floats."""
    return array("float32", count, "normal")


# ---------------------------------------------------------------- launches, a function for each kind


def atomics() -> Iterator[Launch]:
    """Contended atomics, in shared memory and in global."""
    for dtype, name in (("float32", "float"), ("int32", "int"), ("float64", "double")):
        for random in (0, 1):
            for bins, blocks, threads in ((1, WAVE, 32), (32, WAVE, 256), (1024, 8 * WAVE, 256), (64, 1, 1024)):
                shared = bins * (8 if dtype == "float64" else 4)
                yield launch(
                    f"shared_bins<{name}, {random}>", blocks, threads, i32(bins), i32(16), array(dtype, bins),
                    shared=shared,
                )  # fmt: skip
    for bins, step, blocks in (
        (1, 0, 16),
        (256, 0, 64),
        (256, 0, 264),
        (256, 7, 264),
        (1024, 0, WAVE),
        (65536, 512, WAVE),
    ):
        yield launch("walked_sums", blocks, 128, i32(bins), i32(64), i32(step), array("float32", bins))
    for n, bins in ((65536, 1), (1 << 20, 64), (1 << 20, 4096)):
        yield launch("swapped_maxima", n // 256, 256, i32(n), i32(bins), floats(n), array("int32", bins))
    for n, one_in in ((1 << 18, 1), (1 << 20, 7), (1 << 22, 100)):
        yield launch(
            "taken_places", n // 256, 256, i32(n), i32(one_in), floats(n), array("int32", 1), array("float32", n)
        )


def unequal() -> Iterator[Launch]:
    """Blocks, warps and lanes with unequal work."""
    for backwards in (0, 1):
        for n, threads in ((512, 64), (2048, 128), (8192, 256), (8192, 64)):
            yield launch(
                f"triangle_rows<{backwards}>", n, threads, i32(n), floats(n * n), array("float32", n * threads)
            )
    for of in (0, 1, 2):
        for blocks, threads, most in ((WAVE, 256, 200), (3000, 128, 100), (20000, 64, 40)):
            yield launch(
                f"drawn_rounds<{of}>", blocks, threads, i32(most), floats(1 << 22), array("float32", blocks * threads)
            )
    for warp in (0, 1):
        for rows, mean in ((10000, 8), (65536, 40), (400_000, 12)):
            threads, count = 256, rows * 2 * mean
            yield launch(
                f"sparse_rows<{warp}>", -(-rows * (32 if warp else 1) // threads), threads, i32(rows), i32(mean),
                array("int32", count, "randint:65536"), floats(count), floats(65536), array("float32", rows),
            )  # fmt: skip


READS = (
    "Plain", "Streamed", "InL2", "LastUse", "ReadOnly", "NoL1", "First", "Last", "Ahead128", "Ahead256", "PolicyFirst",
)  # fmt: skip


def hints() -> Iterator[Launch]:
    """Loads and stores with hints of what to keep."""
    for by in READS:
        for rows, n in ((8192, 256), (8192, 768), (16384, 2048)):
            yield launch(
                f"hinted_rows<{by}>", rows // 8, 256, i32(rows), i32(n), floats(rows * n), array("float32", rows * 32)
            )
        for stride in (1, 4, 8):
            n = 1 << 18
            yield launch(
                f"hinted_sectors<{by}>", n // 256, 256, i32(n), i32(stride), floats(n * stride), array("float32", n)
            )
    for hint in range(4):
        for n in (1 << 20, 1 << 23):
            yield launch(f"hinted_copy<{hint}>", n // 256, 256, i32(n), floats(n), array("float32", n))


def rows() -> Iterator[Launch]:
    """A warp or a thread a row."""
    for many, n, threads in (
        (8192, 512, 256), (8192, 1024, 256), (8192, 1536, 256), (4096, 3000, 128), (4096, 8192, 1024), (132, 20000, 32),
    ):  # fmt: skip
        for passes in (1, 2, 3):
            yield launch(
                "warp_rows", many * 32 // threads, threads, i32(many), i32(n), i32(passes), floats(many * n),
                array("float32", many * 32),
            )  # fmt: skip
    for many, n, threads in ((4096, 128, 64), (8192, 300, 128), (33792, 64, 256), (65536, 100, 1024), (132, 4000, 1)):
        for passes in (1, 2):
            yield launch(
                "thread_rows", -(-many // threads), threads, i32(many), i32(n), i32(passes), floats(many * n),
                array("float32", many),
            )  # fmt: skip


def lone_warps() -> Iterator[Launch]:
    """Blocks of one warp."""
    for ways in (1, 4):
        for blocks in (WAVE, 2000, 20000):
            yield launch(
                f"lone_warps<{ways}>", blocks, 32, i32(200), array("int32", 1024, "randint:1024"),
                array("int32", blocks * 32),
            )  # fmt: skip
    for blocks, tiles in ((WAVE, 8), (1000, 4), (8000, 4)):
        yield launch("lone_tiles", blocks, 32, i32(tiles), floats(blocks * tiles * 1024), array("float32", blocks * 32))


def chains() -> Iterator[Launch]:
    """Short dependent chains."""
    for depth in (1, 2, 3, 6):
        for n, bits in ((256, 12), (4096, 20), (65536, 24), (1 << 20, 22)):
            mask = (1 << bits) - 1
            threads = min(n, 128)
            yield launch(
                f"chained<{depth}>", n // threads, threads, i32(n), i32(mask),
                array("int32", mask + 1, f"randint:{mask}"), array("int32", n),
            )  # fmt: skip


def streams() -> Iterator[Launch]:
    """Arrays read and written, in order and out of it."""
    for reads, writes in ((1, 1), (2, 1), (1, 2), (3, 3), (4, 3), (8, 1), (1, 8)):
        for n, dtype in ((1 << 18, "float1"), (1 << 21, "float1"), (1 << 20, "float4")):
            wide = 4 if dtype == "float4" else 1
            yield launch(
                f"streams<{reads}, {writes}, {dtype}>", n // 256, 256, i32(n), floats(n * reads * wide),
                array("float32", n * writes * wide),
            )  # fmt: skip
    for how in range(4):
        for n, width in ((1 << 20, 1024), (1 << 23, 2048), (1 << 22, 32)):
            yield launch(f"permuted<{how}>", n // 256, 256, i32(n), i32(width), floats(n), array("float32", n))


def arithmetic() -> Iterator[Launch]:
    """Doubles, special functions, divisions and arrays in local memory."""
    for what in range(8):
        for blocks, threads, times in ((WAVE, 128, 64), (1056, 256, 32)):
            yield launch(
                f"arithmetic<{what}>", blocks, threads, i32(times), floats(blocks * threads),
                array("float32", blocks * threads),
            )  # fmt: skip
    for n in (16, 64):
        for blocks, times in ((WAVE, 32), (2112, 16)):
            yield launch(
                f"local_arrays<{n}>", blocks, 256, i32(times), array("int32", blocks * 256 * n, "randint:65536"),
                array("int32", blocks * 256),
            )  # fmt: skip


def copies() -> Iterator[Launch]:
    """Copies past L1 of rows, so many bytes apart, to rows that lie otherwise in shared memory."""
    for row, pitch, apart, offset in (
        (64, 256, 64, 0), (64, 256, 80, 0), (64, 256, 96, 0), (64, 64, 80, 0), (64, 64, 80, 16), (32, 256, 48, 0),
        (32, 32, 80, 0), (128, 256, 144, 0), (128, 256, 160, 0), (256, 512, 272, 0), (512, 4096, 512, 16),
        (512, 4096, 512, 48), (512, 4096, 512, 32), (16, 32, 16, 0), (16, 64, 48, 0),
    ):  # fmt: skip
        numbers = map(i32, (row, pitch, apart, offset))
        yield launch(
            "rows_copied", WAVE, 128, *numbers, floats(WAVE * 4 * 4096), array("float32", WAVE * 128), shared=33792
        )


def near_l2() -> Iterator[Launch]:
    """What L2 just holds, or just does not."""
    for megabytes in (8, 24, 40, 60):
        for step in (0, 1009):
            n = (megabytes << 20) // 16
            yield launch("read_again", 66, 512, i32(n), i32(step * 32), floats(4 * n), array("float32", 66 * 512))
    for n, k in ((1024, 1024), (2048, 1024), (3072, 512)):
        tiles = n // 128
        one = launch(
            "panels", tiles, 256, i32(n), i32(k), floats(n * k), floats(n * k), array("float32", tiles**2 * 256)
        )
        yield one | {"grid": [tiles, tiles]}


def cases() -> Iterator[Launch]:
    """Kernels of ``cases.cu``, as other programs launched them."""
    yield from json.loads((FOLDER / "cases.json").read_text())


KINDS = {
    "atomics": atomics, "unequal": unequal, "hints": hints, "rows": rows, "lone_warps": lone_warps, "chains": chains,
    "streams": streams, "arithmetic": arithmetic, "copies": copies, "near_l2": near_l2, "cases": cases,
}  # fmt: skip


def main() -> None:
    """Write the launch file."""
    found = [launch for of in KINDS.values() for launch in of()]
    (FOLDER / "launches.json").write_text("[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n")


if __name__ == "__main__":
    main()
