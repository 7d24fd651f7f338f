"""What does a number of a specification change?  Each is doubled and halved: what it names moves, and nothing else.

A key stands in one of four tables: it has an effect, it is informational, the engine cannot vary it, or it is a list.
What an architecture promises programs no GPU changes: ``test_architecture_sections.py`` asks what depends on it.
"""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import gpusim
from gpusim import cuda, hardware
from gpusim.hardware.programming import ARCHITECTURE_SECTIONS
from gpusim.hardware.quantities import rules
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import key_of, place_of
from tests.marks import most_by_hand

CYCLES, READ, SECONDS = "gpc__cycles_elapsed.max", "dram__bytes_read.sum", "gpu__time_duration.sum"
L1_HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
SHARED_LIMIT = "launch__occupancy_limit_shared_mem"
L2_READS = "lts__t_sectors_srcunit_tex_op_read.sum"
EXECUTED = (
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__sass_inst_executed_op_branch.sum",
    *(f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum" for what in ("requests", "sectors") for op in ("ld", "st")),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
)  # fmt: skip
"""Counts that follow from the program: no number of a GPU changes them."""

NOISE = 0.035
"""By which time may move the other way: who meets whom in the caches changes with any latency."""


def described(name: str, **params: Any) -> Callable[[hardware.Gpu], gpusim.Profile]:
    return lambda gpu: gpusim.predict(name, gpu, **params)


def written(
    name: str, blocks: int, threads: int, *arrays: Any, source: Path = Path(__file__).parent / "what_if.cu", **more: int
) -> Callable[[hardware.Gpu], gpusim.Profile]:
    return lambda gpu: gpusim.profile(
        kernel(name, gpu.arch, source), blocks, threads, [np.copy(array) for array in arrays], gpu=gpu, **more
    )


@functools.cache
def kernel(name: str, arch: str, source: Path = Path(__file__).parent / "what_if.cu") -> cuda.Kernel:
    return cuda.compile(source, gpu=arch, kernel=name).kernel(name)


def ones(count: int, kind: Any = np.float32) -> Any:
    return np.ones(count, kind)


def lines(count: int) -> Any:
    """So many lines of 128 bytes, each of which says where the next one begins, the last one where the first does."""
    found = np.zeros(32 * count, np.uint32)
    found[::32] = np.roll(32 * np.arange(count), -1)
    return found


WGMMA = Path(__file__).parent / "what_if_wgmma.cu"
CLUSTERS = Path(__file__).parent / "what_if_clusters.cu"
MICROBENCHMARKS = Path(gpusim.__file__).parent / "data" / "microbenchmarks"
TENSORS = Path(__file__).parents[1] / "cuda" / "sources" / "tensors.cu"


def beside(kernel: str) -> Any:
    """Products of one warpgroup beside other instructions of another one."""
    arrays = [ones(count, np.uint32) for count in (128, 144, 256)]
    source = MICROBENCHMARKS / "beside_products.cu"
    return written(kernel, 1, 256, np.int32(32), np.int32(0), *arrays, source=source)


def added(kernel: str, kind: Any) -> Callable[[hardware.Gpu], gpusim.Profile]:
    """All lanes of 64 blocks add to one address, eight times."""
    steps = map(np.int32, (8, 0, 0, 0, 0, 1, 0, 32))
    arrays = np.zeros(1, kind), *steps, np.zeros(1, np.int32)
    return written(kernel, 64, 128, *arrays, source=MICROBENCHMARKS / "atomics.cu")


PROBES = {
    "copy": described("copy", N=1 << 19),
    "stream": described("copy-vec4", N=1 << 21),
    "tiled": described("matmul-tiled", n=256, tile=16),
    "naive": described("matmul-naive", n=128, tile=16),
    "strided": described("copy-strided", N=1 << 16, s=32),
    "far": described("copy-strided", N=1 << 10, s=8192),
    "gather": described("gather", N=1 << 16),
    "partial": described("store-strided", N=1 << 18, s=8),
    "rows": described("softmax-online", M=512, N=1024),
    "transpose": described("transpose-naive", M=512, N=512),
    "alone": described("exp", N=1 << 7),
    "shuffles": described("reduce-shuffle", N=1 << 17),
    "warm": described("copy", N=1 << 19, cache="warm"),
    "passes": described("softmax-safe", M=528, N=8192),
    "waves": described("copy", N=1 << 21, B=64),
    "tiles": described("matmul-register-tiled", n=256, BM=64, BN=64, BK=8, TM=8, TN=8),
    "blocks": described("copy", N=132 * 32 * 64, B=64),
    "products": described("matmul-tensor", M=16, N=16, K=256, BM=16, BN=16, BK=16, WM=16, WN=16, S=2),
    "padded": described("transpose-padded", M=256, N=256),
    "ragged": described("matmul-tiled", n=200, tile=16),
    "constants": written("constants", 1, 32, ones(32)),
    "constants of an SM": written("constants_twice", 1, 32, np.int32(24), ones(32)),
    "constants of a GPC": written("constants_twice", 1, 32, np.int32(512), ones(32)),
    "code of 24 KB": written(
        "straight_24", 1, 32, np.int32(4), ones(8, np.int64), source=MICROBENCHMARKS / "fetches.cu"
    ),
    "products and exponentials": written(
        "mma_ex2",
        1,
        32,
        np.int32(64),
        ones(1 << 14, np.uint32),
        ones(64, np.int64),
        ones(1 << 12),
        np.int32(0),
        source=MICROBENCHMARKS / "mio.cu",
    ),
    "stored twice": written(
        "stored_twice",
        2,
        32,
        np.zeros(1 << 15, np.int32),
        np.arange(1, 9, dtype=np.int32),
        np.int32(8),
        np.zeros(16, np.uint8),
        np.zeros(16, np.int32),
        source=MICROBENCHMARKS / "l1_words.cu",
    ),
    "added": added("red_add_f32", np.float32),
    "counted": added("red_add_u32", np.uint32),
    "halving": described("reduce-sequential", N=100_000),
    "rows of 300": described("softmax-safe", M=200, N=300),
    "fp64": written("fp64", 132, 1024, ones(132 * 1024, float), ones(132 * 1024, float)),
    "shared loads": written("shared_loads", 1056, 128, ones(1056 * 128)),
    "global loads": written("global_loads", 1056, 128, ones(256), ones(1056 * 128)),
    "chase in L1": written("chase", 1, 1, lines(16), ones(1, np.uint32), np.int32(512)),
    "chase in L2": written("chase", 1, 1, lines(4096), ones(1, np.uint32), np.int32(8192)),
    "chase in DRAM": written("chase", 1, 1, lines(1024), ones(1, np.uint32), np.int32(1000)),
    "half2s": written("half2s", 264, 256, ones(1 << 18, np.float16), ones(1 << 18, np.float16)),
    "mma16": written("mma16", 132, 512, ones(32, np.uint32), ones(132 * 512)),
    "mma8": written("mma8", 132, 512, ones(32, np.uint32), ones(132 * 512)),
    "wgmma wide": written("wgmma_wide", 132, 128, ones(132 * 128, np.uint32), source=WGMMA, dynamic_shared=8192),
    "wgmma beside": beside("S128_ffma_16"),
    "wgmma beside MUFU": beside("S128_ex2_16"),
    "wgmma narrow": written("wgmma_narrow", 132, 128, ones(132 * 128, np.uint32), source=WGMMA, dynamic_shared=8192),
    "cluster": written("cluster", 132, 128, ones(256, np.uint32), ones(132 * 128, np.uint32), source=CLUSTERS),
    "pipeline": lambda gpu: gpusim.profile(
        kernel("pipeline", gpu.arch, TENSORS),
        264,
        160,
        [ones(264 * 6 * 512), ones(264 * 6 * 512), np.int32(6)],
        gpu=gpu,
        dynamic_shared=4096,
    ),
    "stored pieces": written(
        "piece_store_read",
        132,
        32,
        np.int32(16),
        np.uint32(4096),
        np.uint32((16 << 20) - 1),
        ones(16 << 20, np.uint8),
        ones(264, np.int64),
        source=MICROBENCHMARKS / "tma.cu",
        dynamic_shared=66560,
    ),
    "mma64": written("mma64", 132, 32, ones(32, float), ones(132 * 32, float)),
}


class Effect(NamedTuple):
    """What a number decides."""

    probe: str
    """The launch in which it does."""
    sign: int
    """+1: the metric grows with the number, -1: it shrinks, 0: either, for it is no cost."""
    metric: str = CYCLES
    base: str = "h200"
    along: tuple[tuple[str, float], ...] = ()
    """Numbers that must change with it, and by which factor, when it is doubled; halved, by the inverse."""
    factors: tuple[float, ...] = (2, 0.5)
    """By which it is changed."""


SMALL = "small-caches"
"""An H200 with 1 MiB of L2, so that small launches outgrow it."""

EFFECTS = {
    "sm_count": Effect("passes", -1),
    "sm.schedulers": Effect("half2s", -1, along=(("sm.max_warps", 1),)),
    "sm.issue_per_scheduler": Effect(
        "tiled", -1, base="p100", along=(("sm.max_warps", 1), ("sm.max_threads_per_block", 0.5))
    ),
    "sm.max_warps": Effect("copy", +1, "launch__occupancy_limit_warps"),
    "sm.max_blocks": Effect("copy", +1, "launch__occupancy_limit_blocks"),
    "sm.registers": Effect("copy", +1, "launch__occupancy_limit_registers"),
    "sm.register_alloc_unit": Effect("padded", -1, "launch__occupancy_limit_registers"),
    "sm.register_partitions": Effect("tiles", -1, "launch__occupancy_limit_registers"),
    "sm.fp32_lanes": Effect("tiles", -1),
    "sm.int32_lanes": Effect("tiled", -1),
    "sm.fp64_lanes": Effect("fp64", -1),
    "sm.fp16_lanes": Effect("half2s", -1),
    "sm.mufu_lanes": Effect("rows", -1),
    "sm.lsu_issue_interval_cycles": Effect("tiled", +1),
    "sm.shared_interval_cycles": Effect("shared loads", +1),
    "sm.global_interval_cycles": Effect("global loads", +1),
    "sm.shared_queue": Effect("rows", 0),
    "sm.global_queue": Effect("transpose", 0),
    "sm.code_lines_ahead": Effect("tiled", -1),
    "shared.reserved_bytes_per_block": Effect("tiled", -1, SHARED_LIMIT),
    "shared.alloc_granularity_bytes": Effect("shuffles", -1, SHARED_LIMIT),
    "l1.unified_bytes": Effect("passes", +1, L1_HITS),
    "l1.size_bytes": Effect("passes", +1, L1_HITS, base="p100"),
    "l1.unused_lines": Effect("passes", -1, L1_HITS),
    "l1.front_ways": Effect("passes", 0, L1_HITS),
    "l1.vacated_lines": Effect("passes", 0, L1_HITS),
    "l2.size_bytes": Effect("gather", -1, READ, SMALL),
    "l2.partitions": Effect("tiled", +1),
    "l2.slices": Effect("partial", -1),
    "l2.slice_bytes_per_cycle": Effect("warm", -1),
    "l2.slice_write_bytes_per_cycle": Effect("partial", -1),
    "l2.link_bytes_per_cycle": Effect("stream", -1),
    "l2.link_write_turns": Effect("stream", +1),
    "l2.fetch_bytes": Effect("strided", +1, READ),
    "l2.coalescer_max_merge": Effect("tiled", -1, L2_READS),
    "l2.coalescer_window_cycles": Effect("tiled", -1, L2_READS),
    "l2.coalescer_window_spread": Effect("tiled", 0, L2_READS),
    "l2.coalescer_refusing_cycles": Effect("gather", 0, L2_READS),
    "l2.atomic_request_cycles": Effect("counted", +1),
    "l2.atomic_chain_cycles": Effect("added", +1),
    "l2.associativity": Effect("gather", 0, READ, SMALL),
    "l2.partial_high_share": Effect("partial", -1, READ, SMALL),
    "l2.partial_low_share": Effect("partial", -1, READ, SMALL),
    "dram.bus_bits": Effect("strided", -1),
    "dram.channels": Effect("stream", 0),
    "dram.read_bytes_per_s": Effect("stream", -1),
    "dram.refresh_interval_s": Effect("stream", 0),
    "latency.mufu_cycles": Effect("alone", +1),
    "latency.shfl_cycles": Effect("shuffles", +1),
    "latency.shared_cycles": Effect("tiled", +1),
    "latency.l1_hit_cycles": Effect("chase in L1", +1),
    "latency.l2_hit_near_cycles": Effect("chase in L2", +1),
    "latency.l2_fabric_cycles": Effect("chase in DRAM", +1),
    "latency.dram_cycles": Effect("chase in DRAM", +1),
    "latency.l2_spread_cycles": Effect("warm", 0),
    "latency.dram_spread_cycles": Effect("alone", 0),
    "latency.barrier_cycles": Effect("tiled", +1),
    "latency.barrier_cycles_per_warp": Effect("tiled", +1),
    "latency.fp64_cycles": Effect("fp64", +1, base="rtx-a6000"),
    "latency.mma_cycles": Effect("mma64", +1),
    "clock.sm_hz": Effect("tiles", -1, SECONDS),
    "clock.l2_hz": Effect("partial", -1),
    "clock.memory_hz": Effect("strided", -1),
    "clock.tensor_load_hz": Effect("mma16", -1, SECONDS, along=(("clock.tensor_full_hz", 1),)),
    "clock.tensor_full_hz": Effect("wgmma wide", -1, SECONDS),
    "clock.tensor_settle_s": Effect("wgmma wide", -1, SECONDS),
    "throughput.l2_to_sm_bytes_per_cycle": Effect("warm", -1),
    "throughput.sm_to_l2_bytes_per_cycle": Effect("transpose", -1),
    "throughput.l2_read_bytes_per_cycle": Effect("warm", -1),
    "throughput.mma_16816_cycles": Effect("mma16", +1),
    "latency.wgmma_cycles": Effect("wgmma narrow", +1),
    "latency.wgmma_place_cycles": Effect("wgmma beside", 0),
    "latency.wgmma_slows_cycles": Effect("wgmma beside", +1),
    "latency.wgmma_slows_mufu_cycles": Effect("wgmma beside MUFU", +1),
    "throughput.wgmma_columns_per_cycle": Effect("wgmma wide", -1),
    "throughput.wgmma_least_cycles": Effect("wgmma narrow", +1),
    "throughput.mma_1688_cycles": Effect("mma8", +1),
    "placement.early_sms": Effect("waves", 0),
    "placement.early_groups": Effect("waves", 0),
    "placement.cpcs": Effect("copy", 0),
    "placement.turnover_cycles": Effect("copy", +1),
    "placement.start_gap_cycles": Effect("blocks", 0, "sm__cycles_active.avg"),
    "placement.start_gap_cycles_per_warp": Effect("waves", 0, "sm__cycles_active.avg"),
    "launch.overhead_cycles": Effect("alone", +1),
    "launch.stores_done_cycles": Effect("alone", +1),
    "launch.gpc_turn_l2_cycles": Effect("copy", 0),
    "launch.tpc_gap_cycles": Effect("copy", 0),
    "launch.tpc_gap_cycles_per_warp": Effect("copy", 0),
    "launch.cpc_gap_cycles": Effect("copy", 0),
    "launch.half_gap_cycles": Effect("copy", 0),
    "launch.warp_start_cycles": Effect("alone", +1),
    "launch.warp_apart_cycles": Effect("copy", 0),
    "launch.warp_exit_cycles": Effect("alone", +1),
    "launch.dram_read_bytes": Effect("alone", +1, READ),
    "launch.code_piece_bytes": Effect("copy", 0, READ),
    "fetch.first_code_cycles": Effect("alone", +1),
    "fetch.next_line_cycles": Effect("shared loads", +1),
    "fetch.gpc_gives_cycles": Effect("partial", +1),
    "fetch.taken_branch_cycles": Effect("tiled", +1),
    "fetch.taken_branch_bubble_cycles": Effect("shared loads", +1),
    "fetch.constant_cycles": Effect("alone", +1),
    "fetch.constant_sm_miss_cycles": Effect("alone", +1),
    "fetch.constant_gpc_miss_cycles": Effect("constants", +1),
    "fetch.special_register_cycles": Effect("copy", +1),
    "fetch.uniform_special_cycles": Effect("shared loads", +1, "sm__cycles_active.avg"),
    "fetch.sm_code_lines": Effect("code of 24 KB", -1),
    "fetch.sm_constant_lines": Effect("constants of an SM", -1),
    "fetch.gpc_constant_lines": Effect("constants of a GPC", -1, factors=(0.25,)),
    "fetch.gpc_constant_misses": Effect("constants", -1),
    "issue.wide_cycles": Effect("copy", 0),
    "issue.wide_turns": Effect("copy", 0),
    "issue.factor_cycles": Effect("rows", 0),
    "issue.wide_factor_cycles": Effect("rows", 0),
    "issue.operand_cycles": Effect("shared loads", +1),
    "issue.first_operand_cycles": Effect("half2s", 0),
    "issue.late_operand_cycles": Effect("tiled", 0),
    "issue.operand_release_cycles": Effect("tiled", 0),
    "issue.uniform_cycles": Effect("shared loads", +1),
    "issue.run_ahead_cycles": Effect("tiled", 0),
    "issue.special_function_held_cycles": Effect("products and exponentials", +1),
    "access.wide_delays_global_cycles": Effect("copy", 0),
    "access.global_between_shared_cycles": Effect("tiled", +1),
    "access.awaited_cycles": Effect("tiled", +1),
    "access.predicated_off_cycles": Effect("halving", +1),
    "access.wavefront_apart_cycles": Effect("shared loads", +1),
    "access.dense_load_cycles": Effect("tiled", 0),
    "access.dense_load_wait_cycles": Effect("tiled", 0),
    "access.dense_load_wavefronts": Effect("tiles", 0),
    "access.data_queue_cycles": Effect("naive", -1),
    "access.out_line_bytes": Effect("transpose", +1),
    "access.out_sector_bytes": Effect("rows", +1),
    "access.out_broken_sector_bytes": Effect("partial", +1),
    "access.out_held_cycles": Effect("transpose", 0),
    "access.out_lasts_cycles": Effect("stored twice", -1, L1_HITS),
    "access.ask_cycles": Effect("gather", +1),
    "access.ask_along_cycles": Effect("global loads", 0),
    "access.send_along_cycles": Effect("naive", 0),
    "access.slice_queue_cycles": Effect("gather", 0, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"),
    "dram.half_line_cycles": Effect("alone", +1),
    "dram.write_batch_cycles": Effect("stream", 0, base=SMALL),
    "dram.turnaround_cycles": Effect("passes", 0, base=SMALL),
    "latency.fma_cycles": Effect("tiled", +1),
    "copies.mbarrier_cycles": Effect("pipeline", +1),
    "copies.phase_look_cycles": Effect("pipeline", +1, factors=(16,)),
    "copies.load_start_cycles": Effect("pipeline", +1),
    "copies.store_start_cycles": Effect("stored pieces", +1),
    "copies.request_cycles": Effect("pipeline", +1, factors=(16,)),
    "copies.load_bytes_per_cycle": Effect("pipeline", -1, factors=(1 / 16,)),
    "clusters.barrier_cycles": Effect("cluster", +1),
    "clusters.barrier_cycles_per_block": Effect("cluster", +1),
    "clusters.fence_cycles": Effect("cluster", +1),
    "clusters.fence_cycles_per_warp": Effect("cluster", +1),
    "clusters.load_cycles": Effect("cluster", +1),
    "clusters.far_cycles": Effect("cluster", +1),
    "clusters.atomic_cycles": Effect("cluster", +1),
    "clusters.load_bytes_per_cycle": Effect("cluster", -1),
    "clusters.store_bytes_per_cycle": Effect("cluster", -1),
    "clusters.arrive_cycles": Effect("cluster", +1),
    "spacing.other_pipe_cycles": Effect("tiled", 0),
    "spacing.guard_cycles": Effect("ragged", 0),
    "spacing.jump_cycles": Effect("tiled", 0),
    "spacing.barrier_cycles": Effect("tiled", 0),
    "spacing.tensor_cycles": Effect("products", 1, factors=(0.5,)),  # longer waits are by instructions of their own
    "spacing.operands_read_cycles": Effect("rows", 0, factors=(0.1,)),
    "spacing.global_cycles": Effect("tiled", 0, factors=(0.02,)),
    "spacing.shared_cycles": Effect("tiles", 0),
    "spacing.shuffle_cycles": Effect("rows", 0, factors=(0.1,)),
    "spacing.constant_cycles": Effect("rows of 300", 0),
    "spacing.variable_cycles": Effect("rows", 0),
}
"""What each number decides, and where that shows."""

REPRESENTATIVE = {
    "sm_count", "sm.registers", "sm.fp32_lanes", "shared.alloc_granularity_bytes", "l1.unified_bytes", "l2.size_bytes",
    "l2.slices", "l2.associativity", "l2.coalescer_max_merge", "dram.bus_bits", "dram.read_bytes_per_s",
    "latency.shared_cycles", "latency.l2_hit_near_cycles", "latency.dram_cycles", "clock.sm_hz", "clock.memory_hz",
    "throughput.l2_read_bytes_per_cycle", "placement.turnover_cycles", "launch.overhead_cycles",
    "fetch.first_code_cycles", "issue.operand_cycles", "access.awaited_cycles", "copies.load_start_cycles",
    "clusters.load_cycles", "spacing.jump_cycles",
}  # fmt: skip
"""Bandwidths, latencies, capacities, counts and clocks, from every section: tried each time, the others by hand."""

FIXED = {
    "sm.shuffle_lanes", "sm.tensor_bits", "sm.tensor_octet_bits", "l1.line_bytes", "l1.sector_bytes", "l1.tag_sets",
    "l1.ways", "l1.data_bytes_per_cycle", "l2.line_bytes", "l2.sector_bytes", "l2.half_stretch_bytes",
    "dram.channel_stretch_bytes", "dram.page_bytes", "placement.tpc_sms", "fetch.code_line_bytes",
    "fetch.constant_line_bytes", "issue.register_banks", "issue.register_stages", "access.request_lines",
    "access.request_sectors",
}  # fmt: skip
"""Numbers that the engine cannot vary."""

LIMITS: dict[str, Callable[[hardware.Gpu], gpusim.Profile]] = {
    "sm.max_threads_per_block": described("matmul-tiled", n=64, tile=32),
    "sm.max_registers_per_thread": described("matmul-register-tiled", n=128, BM=128, BN=128, BK=8, TM=8, TN=8),
    "shared.max_bytes_per_block": lambda gpu: gpusim.profile(
        kernel("chase", gpu.arch), 1, 1, (lines(1), ones(1, np.uint32), np.int32(1)), gpu=gpu, dynamic_shared=200_000
    ),
}
"""Half of each number is too little for a launch."""

HASHES = ((0, 2, 4, 6), (1, 3, 5, 7)), ((2, 8), (3, 9), (4, 10), (5, 11), (6, 12), (7, 13), (8, 14))
LISTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "gpcs": ("tiled", lambda gpcs: gpcs[::-1]),
    "shared.carveout_steps": ("passes", lambda steps: steps[-1:]),
    "l1.tag_hash": ("far", lambda _: HASHES[0]),
    "l1.set_hash": ("passes", lambda _: HASHES[1]),
    "l1.vacating_order": ("passes", lambda order: (order[0] ^ 1, *order[1:])),
    "l2.half_bits": ("tiled", lambda bits: bits[1:]),
    "placement.order": ("tiled", lambda order: order[::-1]),
    "placement.sm_gpc": ("tiled", lambda gpcs: gpcs[::-1]),
    "placement.sm_half": ("tiled", lambda halves: halves[::-1]),
}
"""A launch that tells a list from another one, and the other one."""

INFORMATIONAL = {
    key_of(section, name)
    for section, kind in SECTIONS.items()
    for name, rule in rules(kind).items()
    if rule.informational
}


def text(base: str, numbers: dict[str, Any]) -> str:
    """A GPU that differs from its base in some numbers."""
    tables: dict[str, list[str]] = {}
    for key, value in numbers.items():
        section, name = place_of(key)
        unit = rules(SECTIONS[section])[name].unit
        line = f'{name} = {{ value = {json.dumps(value)}, unit = "{unit}", kind = "assumed", source = "what if" }}'
        tables.setdefault(section, []).append(line)
    return "\n".join([f'base = "{base}"', *(line for name, table in tables.items() for line in (f"[{name}]", *table))])


@functools.cache
def predicted(base: str, probe: str, change: tuple[tuple[str, Any], ...] = ()) -> dict[str, float]:
    """Every metric of a probe on a GPU that differs from a base."""
    found = PROBES[probe](gpu(base, change))
    return {name: float(metric.value) for name, metric in found.metrics.items()}


@functools.cache
def gpu(base: str, change: tuple[tuple[str, Any], ...]) -> hardware.Gpu:
    numbers = dict(change)
    if base == SMALL:
        base, numbers = "h200", {"l2.size_bytes": 1 << 20} | numbers
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "what-if.toml"
        path.write_text(text(base, numbers))
        return hardware.load(path)


def changed(base: str, factors: dict[str, float]) -> tuple[tuple[str, Any], ...]:
    """Numbers of a base, each times its factor."""
    known = dict(gpu(base, ()).sources)
    return tuple((key, type(known[key].value)(known[key].value * factor)) for key, factor in factors.items())


@pytest.mark.slow
@pytest.mark.parametrize("key", most_by_hand(EFFECTS, REPRESENTATIVE))
def test_a_number_moves_what_it_names_the_right_way(key: str) -> None:
    effect = EFFECTS[key]
    before, moved = predicted(effect.base, effect.probe), []
    for factor in effect.factors:
        try:
            change = changed(effect.base, {key: factor, **{other: factor**power for other, power in effect.along}})
            after = predicted(effect.base, effect.probe, change)
        except hardware.SpecError:
            continue
        assert {name: (before[name], after[name]) for name in EXECUTED if after[name] != before[name]} == {}
        growth = after[effect.metric] / before[effect.metric] - 1
        moved.append(growth * (1 if factor > 1 else -1) * effect.sign if effect.sign else abs(growth))
    assert moved
    assert max(moved) > 0
    assert min(moved) > -NOISE


def test_every_number_is_read_or_informational_or_refused() -> None:
    own = {section: kind for section, kind in SECTIONS.items() if section not in ARCHITECTURE_SECTIONS}
    known = {key_of(section, name) for section, kind in own.items() for name in rules(kind)}
    tables = [set(EFFECTS), FIXED, set(LIMITS), set(LISTS), INFORMATIONAL, {"shared.bytes_per_sm"}]
    assert sum(map(len, tables)) == len(known)
    assert set().union(*tables) == known
    assert set(EFFECTS) > REPRESENTATIVE
    assert {place_of(key)[0] for key in EFFECTS} == {place_of(key)[0] for key in REPRESENTATIVE}


@pytest.mark.parametrize("key", sorted(FIXED))
def test_what_the_engine_cannot_vary_is_refused(key: str) -> None:
    for factor in (2, 0.5):
        with pytest.raises(hardware.SpecError, match=f"{key}: value must be at"):
            gpu("h200", changed("h200", {key: factor}))


@pytest.mark.parametrize("key", LIMITS)
def test_a_launch_above_a_limit_is_refused(key: str) -> None:
    LIMITS[key](gpu("h200", ()))
    with pytest.raises(gpusim.GpusimError):
        LIMITS[key](gpu("h200", changed("h200", {key: 0.5})))


@pytest.mark.slow
@pytest.mark.parametrize("key", LISTS)
def test_a_list_is_read(key: str) -> None:
    probe, other = LISTS[key]
    value = other(dict(hardware.load("h200").sources)[key].value)
    before, after = predicted("h200", probe), predicted("h200", probe, ((key, value),))
    assert after != before
    kept = [name for name in EXECUTED if "wavefronts" not in name]  # the tag stage has wavefronts of its own
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}


def test_an_sm_with_less_shared_memory_holds_fewer_blocks() -> None:
    half = {"shared.bytes_per_sm": 116736, "shared.carveout_steps": (0, 116736), "shared.max_bytes_per_block": 100000}
    launch = functools.partial(gpusim.profile, kernel("chase", "sm_90"), 1, 1, dynamic_shared=60_000)
    limits = [
        launch((lines(1), ones(1, np.uint32), np.int32(1)), gpu=gpu("h200", change)).value(SHARED_LIMIT)
        for change in ((), tuple(half.items()))
    ]
    assert limits == [3, 1]


@pytest.mark.parametrize("base", hardware.names())
def test_a_child_that_says_nothing_is_its_base(base: str) -> None:
    mine, theirs = gpu(base, ()), hardware.load(base)
    assert {key: entry.value for key, entry in mine.sources} == {key: entry.value for key, entry in theirs.sources}
    assert predicted(base, "tiled") == {m: float(x.value) for m, x in PROBES["tiled"](theirs).metrics.items()}


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(INFORMATIONAL))
def test_nothing_depends_on_what_is_informational(key: str) -> None:
    if key not in dict(hardware.load("h200").sources):
        pytest.skip("an H200 does not say it")
    for factor in (2, 0.5):
        try:
            change = changed("h200", {key: factor})
            assert predicted("h200", "mma64", change) == predicted("h200", "mma64")
        except hardware.SpecError:
            continue
