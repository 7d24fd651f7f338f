"""Latency and throughput of instructions on one SM: dependent chains, independent ones, barriers, long code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from calibration import bench

LOOPS = 4096  # iterations of a loop, a multiple of how often it is unrolled
MEASURED = bench.table("micro")
PASSES = 4  # over straight-line code, after one that fetches it

_REAL, _WHOLE = np.float32(1), np.int32(1)
DEPENDENT: dict[str, Any] = {
    "u_ffma_dep": _REAL, "u_imad_dep": _WHOLE, "u_iadd_dep": _WHOLE, "u_ex2_dep": _REAL,
    "u_shfl_dep": _WHOLE, "u_dfma_dep": np.float64(1),
}  # fmt: skip
"""The operand of each chain of dependent instructions."""
INDEPENDENT: dict[str, Any] = {"u_ffma_tp": _REAL, "u_imad_tp": _WHOLE, "u_ex2_tp": _REAL}
CHAINS = 8  # independent ones of a warp
LOADS = {"lds32": "u_lds_tp", "lds128": "u_lds128_tp", "ldg32_l1": "u_ldg_l1_tp", "ldg128_l1": "u_ldg128_l1_tp"}
WARPS_THAT_LOAD = 32


def _of_thread(kernel: str, threads: int, *args: Any, sink: type = np.float32) -> float:
    """Cycles an iteration that the first thread took."""
    clocks = np.zeros(1, np.int64)
    bench.launch("micro.cu", kernel, 1, threads, np.int32(LOOPS), *args, clocks, np.zeros(1024, sink))
    return float(clocks[0] / LOOPS)


def _of_block(kernel: str, warps: int, *args: Any, sink: type = np.int32, loops: int = LOOPS) -> float:
    """Cycles an iteration from the first warp's start to the last one's end."""
    clocks = np.zeros(1 + 2 * warps, np.int64)
    bench.launch("micro.cu", kernel, 1, 32 * warps, np.int32(loops), *args, clocks, np.zeros(1024, sink))
    return bench.elapsed(clocks[1:]) / loops


def dependent(kernel: str) -> float:
    """Cycles from one instruction of a chain to the next."""
    operand = DEPENDENT[kernel]
    return _of_thread(kernel, 32, operand, sink=type(operand))


def independent(kernel: str, warps: int) -> float:
    """Results a cycle."""
    operand = INDEPENDENT[kernel]
    return 32 * CHAINS * warps / _of_block(kernel, warps, operand, sink=type(operand))


def loads(kind: str, stride: int) -> float:
    """Cycles a load of a warp whose lanes read elements so far apart."""
    read = [np.zeros(1 << 14, np.int32)] if kind.startswith("ldg") else []
    times = LOOPS // 4
    return _of_block(LOADS[kind], WARPS_THAT_LOAD, np.int32(stride), np.int32(0), *read, loops=times) / WARPS_THAT_LOAD


def matrices(warps: int) -> float:
    """Cycles a matrix instruction on an SM."""
    return _of_block("u_hmma_tp", warps, sink=np.float32, loops=LOOPS // 4) / CHAINS / warps


@cache
def straight_line(key: str) -> float:
    """Cycles an FFMA of code of so many KiB, mean over warps: ``"64KiB_4warps"``."""
    kib, warps = (int(part.rstrip("KiBwarps")) for part in key.split("_"))
    clocks, length = np.zeros(2 * warps, np.int64), kib * 1024 // 16
    args = np.int32(PASSES), _REAL, clocks, np.zeros(1024, np.float32)
    bench.launch("sched.cu", f"i_{length}", 1, 32 * warps, *args)
    return float(np.diff(clocks.reshape(-1, 2)).mean() / PASSES / length)


def cases() -> Iterator[bench.Case]:
    """What micro.cu measured of one SM."""
    group = "latency of instructions"
    yield from bench.each(group, "cycle", {k: MEASURED[k] for k in DEPENDENT}, dependent)
    yield bench.Case(
        group, "u_smem_chase", "cycle", MEASURED["smem_latency"], lambda: _of_thread("u_smem_chase", 32, sink=np.uint32)
    )
    yield bench.Case(group, "u_hmma_dep", "cycle", MEASURED["hmma16816_dep"], lambda: _of_thread("u_hmma_dep", 32))
    yield from bench.each(
        "barriers",
        "cycle",
        MEASURED["u_bar"],
        lambda w: _of_thread("u_bar", 32 * int(w), sink=np.int32),
        "u_bar, warps:",
    )
    yield from _throughputs()
    yield from bench.each("instruction fetch", "cycle", bench.table("scheduling")["icache"], straight_line)


def _throughputs() -> Iterator[bench.Case]:
    group = "throughput of one SM"
    for name in INDEPENDENT:
        by_warps = MEASURED[f"{name}_perclk_perSM"]
        yield from bench.each(
            group, "1/cycle", by_warps, lambda w, name=name: independent(name, int(w)), f"{name}, warps:"
        )
    for kind in LOADS:
        by_stride = MEASURED[f"{kind}_cycles_per_warp_inst"]
        yield from bench.each(group, "cycle", by_stride, lambda s, kind=kind: loads(kind, int(s)), f"{kind}, stride:")
    yield from bench.each(
        group, "cycle", MEASURED["hmma16816_cycles_per_inst_perSM"], lambda w: matrices(int(w)), "u_hmma_tp, warps:"
    )
