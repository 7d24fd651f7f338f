"""Bytes a cycle and SM, from L2 and DRAM: by warps and loads under way, of streams that read, write and copy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration import bench

BLOCKS, THREADS = 2 * bench.SMS, 1024  # as many as the GPU holds at once
L2_SPAN = 16 << 20
FULL_SPAN = 32 << 20  # bytes beyond which a run goes on long enough for its ends not to matter
MOST_LOADS, LEAST_LOADS = 256, 128  # of each warp
STREAMED = (96 << 20, 224 << 20)
MICRO, LIMITS = bench.table("micro"), bench.table("limits")["bytes"]


def limited(key: str) -> float:
    """Bytes a cycle that an SM reads, on average: ``"l2_b16_u4_132sm_8warps"``."""
    where, width, unroll, sms, warps = key.split("_")
    nbytes, n_sm, n_warps = int(width[1:]), int(sms.removesuffix("sm")), int(warps.removesuffix("warps"))
    a_load = n_sm * n_warps * 32 * nbytes
    loads = max(min(MOST_LOADS, FULL_SPAN // a_load), LEAST_LOADS)
    span = L2_SPAN if where == "l2" else 1 << (a_load * loads - 1).bit_length()
    words, clocks = np.zeros(span // 4, np.int32), np.zeros((bench.SMS, 2), np.int64)
    args = (
        np.int32(loads),
        np.int32(n_sm),
        np.uint32(0),
        np.uint32(span // nbytes - 1),
        words,
        clocks,
        np.zeros(1, np.int32),
    )
    state = "warm" if where == "l2" else "cold"
    bench.launch("limits.cu", f"{width}_{unroll}", bench.SMS, 32 * n_warps, *args, cache=state)
    first, last = ~clocks[:n_sm, 0], clocks[:n_sm, 1]
    return float(np.mean(a_load * loads / n_sm / (last - first)))


def _read(nbytes: int) -> float:
    """Seconds."""
    args = np.int32(nbytes // 16), np.int32(1), np.zeros(nbytes // 4, np.uint32), np.zeros(1, np.int32)
    return bench.launch("micro.cu", "u_stream_cg", BLOCKS, THREADS, *args).seconds


def of_one_sm(footprint_kib: int) -> float:
    """Bytes a cycle that one SM reads from L2."""
    nbytes, clocks = footprint_kib << 10, np.zeros(1 + 2 * THREADS // 32, np.int64)
    times = max((4 << 20) // nbytes, 1)
    args = np.int32(nbytes // 16), np.int32(times), np.zeros(nbytes // 4, np.uint32), clocks, np.zeros(1, np.int32)
    bench.launch("micro.cu", "u_stream_cg_1sm", 1, THREADS, *args, cache="warm")
    return nbytes * times / bench.elapsed(clocks[1:])


def _write(nbytes: int) -> float:
    args = np.int32(nbytes // 16), np.zeros(nbytes // 4, np.uint32)
    return bench.launch("micro.cu", "u_stream_st", BLOCKS, THREADS, *args).seconds


def _copy(nbytes: int) -> float:
    return bench.described("copy-vec4", N=nbytes // 8).seconds


def streamed(what: str) -> float:
    """GB/s that a stream goes on with: what more of it takes longer."""
    took = {"read": _read, "write": _write, "copy": _copy}[what]
    few, many = (took(nbytes) for nbytes in STREAMED)
    return (STREAMED[1] - STREAMED[0]) / (many - few) / 1e9


def cases() -> Iterator[bench.Case]:
    """Every measured bandwidth."""
    for where in ("l2", "hbm"):
        measured = {k: v for k, v in LIMITS.items() if k.startswith(where)}
        yield from bench.each(f"bandwidth by warps: {where}", "byte/cycle", measured, limited)
    group = "bandwidth"
    yield from bench.each(
        group, "byte/cycle", MICRO["l2_bytes_per_clk_1sm"], lambda k: of_one_sm(int(k)), "u_stream_cg_1sm, KiB:"
    )
    dram = {what: MICRO[f"dram_{what}_GBps"] for what in ("read", "write", "copy")}
    yield from bench.each(group, "GB/s", dram, streamed, "DRAM")
