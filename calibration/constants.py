"""Every number about hardware that the simulator goes by: what it is, how it came to be known, which cases show it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import NamedTuple

from calibration import bench
from gpusim import hardware
from gpusim.hardware.format import show
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import place_of

SHOWN_BY = {
    "launch.overhead_cycles": ["launches/e_empty*"],
    "launch.dram_read_bytes": ["launches/HBM reads of *"],
    "launch.code_piece_bytes": ["launches/HBM reads of *"],
    "launch.stores_done_cycles": ["launches/e_store*", "launches/w_coal*"],
    "launch.warp_start_cycles": ["launches/e_empty() 16896x1024"],
    "launch.warp_exit_cycles": ["launches/e_empty() 16896x1024"],
    "fetch.first_code_cycles": ["launches/e_empty() 1x*"],
    "fetch.next_line_cycles": ["instruction fetch/first pass*", "instruction fetch/later pass, KB: 64"],
    "fetch.gpc_gives_cycles": ["instruction fetch/begun*", "instruction fetch/asked*"],
    "fetch.constant_cycles": ["constant loads/after*"],
    "fetch.constant_sm_miss_cycles": ["instruction fetch/asked*"],
    "fetch.constant_gpc_miss_cycles": ["constant loads/new lines*"],
    "access.predicated_off_cycles": ["accesses by no lane/*"],
    "launch.warp_apart_cycles": ["warp drift/*"],
    "fetch.special_register_cycles": ["special registers/*", "constant loads/apart*", "constant loads/addresses*"],
    "fetch.taken_branch_cycles": ["arithmetic pipes/loop_*, 1 warps"],
    "fetch.taken_branch_bubble_cycles": ["arithmetic pipes/loop_*, 32 warps"],
    "issue.wide_cycles": [
        "instruction sequences/W*",
        "arithmetic pipes/*imad_wide, *",
        "arithmetic pipes/*imad_hi, *",
        "arithmetic pipes/*imad_hi_lop3, *",
    ],
    "issue.factor_cycles": [
        "operand reads/*>W*",
        "arithmetic pipes/chain_imad_wide, *",
        "arithmetic pipes/chain_imad_hi, *",
        "arithmetic pipes/chain_imad_hi_lop3, *",
    ],
    "issue.wide_factor_cycles": ["operand reads/Wep? >>W*"],
    "issue.operand_cycles": ["operand reads/*|, 1 warps"],
    "access.wavefront_apart_cycles": ["bank conflicts/*"],
    "access.dense_load_cycles": ["shared loads among FFMAs/same*"],
    "access.dense_load_wait_cycles": ["shared loads among FFMAs/same*"],
    "issue.special_function_held_cycles": ["special functions, shuffles, matrix loads/mma*ex2, *"],
    "throughput.mma_16816_cycles": ["tensor cores/t_mma_16, *", "tensor cores/t_mma_8, *"],
    "throughput.mma_1688_cycles": ["tensor cores/t_mma_k8_8, *"],
    "issue.run_ahead_cycles": ["arithmetic pipes/barriers*"],
    "dram.half_line_cycles": ["latency of loads/lat*32 lanes, cold"],
    "dram.write_batch_cycles": ["bandwidth/DRAM copy", "bandwidth/DRAM write"],
    "dram.turnaround_cycles": ["bandwidth/DRAM copy"],
    "latency.fma_cycles": ["latency of instructions/u_[fi]*"],
    "latency.mufu_cycles": ["latency of instructions/u_ex2_dep"],
    "latency.shfl_cycles": ["latency of instructions/u_shfl_dep"],
    "latency.fp64_cycles": ["latency of instructions/u_dfma_dep"],
    "latency.mma_cycles": ["latency of instructions/u_hmma_dep"],
    "latency.shared_cycles": ["latency of instructions/u_smem_chase"],
    "latency.l1_hit_cycles": ["chains of loads/chase_ca 4KiB*", "chains of loads/chase_ca 16KiB*"],
    "latency.l2_hit_near_cycles": ["latency of loads/*warm", "latency of loads/w_lat"],
    "latency.l2_fabric_cycles": ["chains of loads/chase_cg 4*KiB*", "chains of loads/chase_cg 32*KiB*"],
    "latency.dram_cycles": ["latency of loads/*1 lanes, cold"],
    "latency.barrier_cycles": ["barriers/u_bar, warps: 1"],
    "latency.barrier_cycles_per_warp": ["barriers/*"],
    "sm.fp32_lanes": ["throughput of one SM/u_ffma_tp*"],
    "sm.int32_lanes": ["throughput of one SM/u_imad_tp*", "arithmetic pipes/chain*_lop3, *"],
    "sm.shared_interval_cycles": ["throughput of one SM/lds*, stride: 1"],
    "sm.global_interval_cycles": ["throughput of one SM/ldg*, stride: 1"],
    "sm.global_queue": ["loads among arithmetic/column*", "loads among arithmetic/row*"],
    "sm.mufu_lanes": ["throughput of one SM/u_ex2_tp*"],
    "l1.tag_hash": ["throughput of one SM/ldg*"],
    "l1.unified_bytes": ["L1/*"],
    "l2.size_bytes": ["L2/*"],
    "l2.partitions": ["L2/*fabric*"],
    "l2.link_bytes_per_cycle": ["streams/store*", "streams/copy*"],
    "access.ask_along_cycles": ["request merging/loads*"],
    "access.send_along_cycles": ["request merging/stores*"],
    "l2.coalescer_max_merge": ["coalescer/*"],
    "l2.coalescer_window_cycles": ["coalescer/*"],
    "l2.atomic_request_cycles": ["atomics/red_*u32*"],
    "l2.atomic_chain_cycles": ["atomics/red_*f32*"],
    "clock.memory_hz": ["bandwidth/DRAM*", "bandwidth by warps: hbm/*132sm_32warps"],
    "dram.read_bytes_per_s": ["bandwidth/DRAM read"],
    "dram.refresh_interval_s": ["bandwidth/DRAM read"],
    "clock.l2_hz": ["launches/*16896x32", "launches/u_empty*"],
    "throughput.l2_to_sm_bytes_per_cycle": ["bandwidth by warps: l2/*_1sm_32warps"],
    "throughput.l2_read_bytes_per_cycle": ["bandwidth by warps: l2/*_132sm_32warps"],
}
"""Cases (``group/name``, with wildcards) in which each constant decides."""


class Constant(NamedTuple):
    """A number about hardware."""

    name: str
    value: str
    unit: str
    kind: str
    meaning: str
    source: str


def meanings(section: type) -> dict[str, str]:
    """What the docstring of a section says about each of its attributes."""
    found = {}
    for names, text in re.findall(r"^(\w[\w, ]*) : .*\n((?:    .*\n?)*)", inspect.getdoc(section) or "", re.MULTILINE):
        found.update(dict.fromkeys(names.split(", "), " ".join(text.split())))
    return found


def of_generation() -> Iterator[Constant]:
    """What the GPU has in common with its generation, with where each number comes from."""
    common = hardware.architecture(hardware.load(bench.GPU).arch)
    return (constant for constant in _every_one() if constant.name in common)


def of_gpu() -> Iterator[Constant]:
    """What the GPU's specification says beside that."""
    common = hardware.architecture(hardware.load(bench.GPU).arch)
    return (constant for constant in _every_one() if constant.name not in common)


def _every_one() -> Iterator[Constant]:
    for key, entry in hardware.load(bench.GPU).sources:
        section, name = place_of(key)
        meaning = meanings(SECTIONS[section]).get(name, "")
        yield Constant(key, show(entry.value), entry.unit, entry.kind, meaning, entry.source)
