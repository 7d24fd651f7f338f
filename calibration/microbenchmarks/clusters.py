"""Clusters: their barrier, shared memory and mbarriers of other blocks, copies for several, and where blocks lie."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from calibration import bench

ROUNDS = (16, 48)  # the difference of two numbers of rounds is timed
UNROLLED, RING = 8, 4  # accesses of a round, pieces of a round
SIZES = (2, 4, 8)
SHARED = (32 << 10) + (1 << 10)
SPAN = 16 << 20
STAY = 5_000
"""Cycles that blocks stay whose place is asked for: all that fit are there at once."""
GROUP, PLACED = "clusters", "where clusters lie"


@cache
def cycles(gpu: str, kernel: str, clusters: int, warps: int, args: tuple[int, ...], steps: int) -> float:
    """Cycles of a step, of which a round has several; of the slowest block."""
    return bench.a_step(lambda rounds: float(np.max(_noted(gpu, kernel, clusters, warps, args, rounds))), ROUNDS, steps)


def _noted(gpu: str, kernel: str, clusters: int, warps: int, args: tuple[int, ...], rounds: int) -> np.ndarray:
    """Cycles of each warp of the blocks."""
    blocks = clusters * _size(kernel)
    clocks = np.zeros(2 * blocks * warps, np.int64)
    given: tuple[Any, ...] = (np.int32(rounds), *(np.uint32(number) for number in args), clocks)
    if not kernel.startswith(("meet", "turns")):
        given = (*given, np.zeros(32, np.uint32))
    bench.launch("cluster.cu", kernel, blocks, 32 * warps, *given, gpu=gpu)
    return clocks[1::2] - clocks[::2]


def _size(kernel: str) -> int:
    """Blocks of a cluster."""
    return int(kernel.rpartition("_")[2])


@cache
def of_pieces(gpu: str, kernel: str, clusters: int, nbytes: int) -> float:
    """Cycles of a round that brings pieces of so many bytes from L2 to every block."""
    return bench.a_step(lambda rounds: _copied(gpu, kernel, clusters, nbytes, rounds), ROUNDS, 1)


def _copied(gpu: str, kernel: str, clusters: int, nbytes: int, rounds: int) -> float:
    blocks = clusters * _size(kernel)
    clocks = np.zeros(2 * blocks, np.int64)
    args = np.int32(rounds), np.uint32(nbytes), np.uint32(SPAN - 1), np.zeros(SPAN, np.uint8), clocks
    bench.launch("cluster.cu", kernel, blocks, 32, *args, shared=SHARED, cache="warm", gpu=gpu)
    return bench.spent(clocks)


@cache
def placed(gpu: str, size: int, clusters: int) -> np.ndarray:
    """SMs of the blocks of clusters that are there at once, a row a cluster."""
    sms, clocks = np.zeros(size * clusters, np.uint32), np.zeros(2 * size * clusters, np.int64)
    bench.launch("cluster.cu", f"where_{size}", size * clusters, 1024, np.int32(STAY), sms, clocks, gpu=gpu)
    return sms.reshape(-1, size)


def on_sms_of_one_tpc(gpu: str, size: int, clusters: int) -> float:
    """Share of the blocks whose TPC has another block of the cluster."""
    tpcs = placed(gpu, size, clusters) // 2
    return float(np.mean([(row == tpc).sum() > 1 for row in tpcs for tpc in row]))


def on_one_sm(gpu: str, size: int, clusters: int) -> float:
    """Share of the clusters of which two blocks are on one SM."""
    return float(np.mean([len(set(row)) < size for row in placed(gpu, size, clusters)]))


def sms_used(gpu: str, size: int, clusters: int) -> float:
    """SMs that have a block."""
    return float(len(set(placed(gpu, size, clusters).ravel())))


def _timed() -> Iterator[tuple[str, int, int, tuple[int, ...], int]]:
    """Kernels, clusters, warps, arguments and steps of a round."""
    for size in SIZES:
        for kernel in ("meet_ordered", "meet_relaxed"):
            for warps in (1, 4, 32) if size == 2 else (1, 32):
                yield f"{kernel}_{size}", 1, warps, (), 1
        for further in (1, 0) if size == 2 else (1, size // 2):
            yield f"load_chain_{size}", 1, 1, (further,), UNROLLED
            yield f"atomic_chain_{size}", 1, 1, (further,), UNROLLED
        for kernel in ("turns_of_block", "turns_of_cluster", "turns_by_words"):
            yield f"{kernel}_{size}", 1, 1, (), 2
    yield "meet_relaxed_2", bench.SMS // 2, 1, (), 1
    for kernel in ("load_4", "load_16", "store_4", "store_16", "add_4"):
        for warps in (1, 8, 32):
            for active in (1, 2):
                yield f"{kernel}_2", 1, warps, (1, active), UNROLLED * warps
        yield f"{kernel}_4", 1, 8, (1, 4), UNROLLED * 8
        yield f"{kernel}_2", bench.SMS // 2, 8, (1, 2), UNROLLED * 8


def _brought() -> Iterator[tuple[str, int, int]]:
    """Kernels that bring pieces: clusters and bytes."""
    for size in SIZES:
        for nbytes in (2048, 16384):
            for kernel in ("piece_multicast", "piece_of_each", "ring_multicast", "ring_of_each"):
                yield f"{kernel}_{size}", 1, nbytes
        for kernel in ("ring_multicast", "ring_of_each"):
            yield f"{kernel}_{size}", 128 // size, 16384


def questions() -> Iterator[bench.Question]:
    """Cycles of what blocks of a cluster do together, and on which SMs they are."""
    for kernel, clusters, warps, args, steps in _timed():
        told = f" ({', '.join(map(str, args))})" if args else ""
        name = f"{kernel}{told}, {_counted(clusters)}, {warps} warps"
        at = kernel, clusters, warps, args, steps
        yield bench.Question(GROUP, name, "cycle", lambda gpu, at=at: cycles(gpu, *at))  # type: ignore[misc]
    for kernel, clusters, nbytes in _brought():
        pieces = RING if kernel.startswith("ring") else 1
        each = kernel, clusters, nbytes
        yield bench.Question(
            GROUP, f"{kernel}, {nbytes} bytes, {_counted(clusters)}", "cycle",
            lambda gpu, at=each, n=pieces: of_pieces(gpu, *at) / n,  # type: ignore[misc]
        )  # fmt: skip
    for size in SIZES:
        for clusters in (1, 4, 200 // size, 600 // size):
            where = size, clusters
            for share in (on_sms_of_one_tpc, on_one_sm, sms_used):
                name = f"{share.__name__.replace('_', ' ')}, {_counted(clusters)} of {size}"
                yield bench.Question(PLACED, name, "1", lambda gpu, at=where, f=share: f(gpu, *at), floor=1.0)  # type: ignore[misc]


def _counted(clusters: int) -> str:
    return f"{clusters} cluster{'s' * (clusters > 1)}"
