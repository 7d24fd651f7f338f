"""Products of a warpgroup: cycles by type, columns, where the first matrix lies, layout, warpgroups, waits and use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

ROUNDS, PRODUCTS = (64, 192), 4  # the difference of two numbers of rounds is timed; products of a round
WARPGROUP = 128  # threads
GROUP = "products of a warpgroup"
COLUMNS = (8, 16, 32, 48, 64, 96, 128, 192, 256)
TYPES = ("f16", "f16_sums_f16", "tf32", "e4m3", "e4m3_sums_f16", "e5m2", "s8")
WIDE = 192  # columns from which sums of four warpgroups do not fit


class Layout:
    """How rows of tiles lie: swizzle as descriptors have it, and bytes between what they name as leading and stride."""

    NONE, BYTES_128, BYTES_64, BYTES_32 = (0, 128, 256), (1, 16, 1024), (2, 16, 512), (3, 16, 256)
    ALONG = (1, 2048, 1024)


SWIZZLES = {"none": Layout.NONE, "128": Layout.BYTES_128, "64": Layout.BYTES_64, "32": Layout.BYTES_32}


@cache
def cycles(gpu: str, kernel: str, warpgroups: int, layout: tuple[int, int, int] = Layout.BYTES_128) -> float:
    """Cycles from a product of one SM to the next."""
    return bench.a_step(lambda rounds: _elapsed(gpu, kernel, warpgroups, layout, rounds), ROUNDS, PRODUCTS) / warpgroups


def _elapsed(gpu: str, kernel: str, warpgroups: int, layout: tuple[int, int, int], rounds: int) -> float:
    threads = warpgroups * WARPGROUP
    clocks, sink = np.zeros(threads // 16, np.int64), np.zeros(threads, np.uint32)
    described = (np.uint32(number) for number in layout)
    args = np.int32(rounds), *described, np.zeros(WARPGROUP, np.uint32), clocks, sink
    bench.launch("wgmma.cu", kernel, 1, threads, *args, gpu=gpu)
    return bench.elapsed(clocks)


def _asked() -> Iterator[tuple[str, int, str]]:
    """Kernels, warpgroups and layouts."""
    for columns in COLUMNS:
        most = 3 if columns >= WIDE else 4
        for first in ("ss", "rs"):
            for warpgroups in (1, 2, most) if columns in (8, 64, 256) else (1, most):
                yield f"bf16_{columns}_{first}", warpgroups, "128"
    for kind in TYPES:
        for columns in (8, 64, 256):
            for first in ("ss", "rs"):
                yield f"{kind}_{columns}_{first}", 1, "128"
        yield f"{kind}_8_rs", 4, "128"
    for columns in (64, 256):
        for swizzle in ("none", "64", "32"):
            yield f"bf16_{columns}_ss", 1, swizzle
            yield f"bf16_{columns}_rs", 1, swizzle
        for along in ("ss_a_along_m", "ss_b_along_n", "ss_both_along", "rs_b_along_n"):
            yield f"bf16_{columns}_{along}", 1, "along"
    yield from _waiting()


def _waiting() -> Iterator[tuple[str, int, str]]:
    """Products that are waited for, by how many warpgroups, and sums that are used."""
    for shape in ("8_ss", "8_rs", "64_ss", "64_rs", "128_ss", "256_ss", "256_rs"):
        for wait in ("wait_1", "wait_2", "wait_4", "lagging"):
            for warpgroups in (1, 2):
                yield f"bf16_{shape}_{wait}", warpgroups, "128"
    for shape in ("8_ss", "8_rs", "64_ss", "64_rs"):
        yield f"bf16_{shape}_two_sets", 1, "128"
    for used in ("64_ss_use_1", "64_ss_use_32", "64_rs_use_32", "256_ss_use_1", "256_ss_use_128", "256_rs_use_128"):
        for warpgroups in (1, 2):
            yield f"bf16_{used}", warpgroups, "128"


def questions() -> Iterator[bench.Question]:
    """Every kernel by every number of warpgroups."""
    layouts = {**SWIZZLES, "along": Layout.ALONG}
    for kernel, warpgroups, layout in _asked():
        swizzled = "" if layout in ("128", "along") else f", swizzle {layout}"
        name = f"{kernel}{swizzled}, {4 * warpgroups} warps"
        at = kernel, warpgroups, layouts[layout]
        yield bench.Question(GROUP, name, "cycle", lambda gpu, at=at: cycles(gpu, *at))  # type: ignore[misc]
