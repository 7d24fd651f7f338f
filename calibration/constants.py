"""Every number about hardware that the simulator goes by: what it is, how it came to be known, which cases show it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from calibration import bench
from gpusim import hardware
from gpusim.hardware.format import show
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import place_of
from gpusim.simulate import measured

SHOWN_BY = {
    "LAUNCH_CYCLES": ["launches/e_empty*"],
    "LAUNCH_READ_BYTES": ["launches/HBM reads of *"],
    "CODE_PIECE_BYTES": ["launches/HBM reads of *"],
    "STORES_DONE_CYCLES": ["launches/e_store*", "launches/w_coal*"],
    "WARP_START_CYCLES": ["launches/e_empty() 16896x1024"],
    "WARP_EXIT_CYCLES": ["launches/e_empty() 16896x1024"],
    "FETCH_CYCLES": ["launches/e_empty() 1x*"],
    "FETCH_NEXT_CYCLES": ["instruction fetch/first pass*", "instruction fetch/later pass, KB: 64"],
    "GPC_GIVES_CYCLES": ["instruction fetch/begun*", "instruction fetch/asked*"],
    "CONSTANT_CYCLES": ["constant loads/after*"],
    "CONSTANT_FETCH_CYCLES": ["instruction fetch/asked*"],
    "CONSTANT_SEEK_CYCLES": ["constant loads/new lines*"],
    "NOBODY_CYCLES": ["accesses by no lane/*"],
    "WARP_APART_CYCLES": ["warp drift/*"],
    "SPECIAL_CYCLES": ["special registers/*", "constant loads/apart*", "constant loads/addresses*"],
    "TAKEN_CYCLES": ["arithmetic pipes/loop_*, 1 warps"],
    "BUBBLE_CYCLES": ["arithmetic pipes/loop_*, 32 warps"],
    "WIDE_CYCLES": [
        "instruction sequences/W*",
        "arithmetic pipes/*imad_wide, *",
        "arithmetic pipes/*imad_hi, *",
        "arithmetic pipes/*imad_hi_lop3, *",
    ],
    "FACTOR_CYCLES": [
        "operand reads/*>W*",
        "arithmetic pipes/chain_imad_wide, *",
        "arithmetic pipes/chain_imad_hi, *",
        "arithmetic pipes/chain_imad_hi_lop3, *",
    ],
    "WIDE_FACTOR_CYCLES": ["operand reads/Wep? >>W*"],
    "OPERAND_CYCLES": ["operand reads/*|, 1 warps"],
    "WAVE_APART_CYCLES": ["bank conflicts/*"],
    "DENSE_CYCLES": ["shared loads among FFMAs/same*"],
    "DENSE_WAIT_CYCLES": ["shared loads among FFMAs/same*"],
    "XU_HELD_CYCLES": ["special functions, shuffles, matrix loads/mma*ex2, *"],
    "throughput.mma_16816_cycles": ["tensor cores/t_mma_16, *", "tensor cores/t_mma_8, *"],
    "throughput.mma_1688_cycles": ["tensor cores/t_mma_k8_8, *"],
    "RUN_AHEAD_CYCLES": ["arithmetic pipes/barriers*"],
    "DRAM_HALF_CYCLES": ["latency of loads/lat*32 lanes, cold"],
    "WRITE_BATCH_CYCLES": ["bandwidth/DRAM copy", "bandwidth/DRAM write"],
    "TURNAROUND_CYCLES": ["bandwidth/DRAM copy"],
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
    "ASK_ALONG_CYCLES": ["request merging/loads*"],
    "SEND_ALONG_CYCLES": ["request merging/stores*"],
    "l2.coalescer_max_merge": ["coalescer/*"],
    "l2.coalescer_window_cycles": ["coalescer/*"],
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


def _unit(name: str) -> str:
    """Unit of a constant that has it in its name."""
    units = {"CYCLES": "cycle", "SECONDS": "s", "BYTES": "byte"}
    return next((unit for word, unit in units.items() if word in name.split("_")), "1")


FITTED = {"SLICE_QUEUE_CYCLES"}
"""Those of ``gpusim/simulate/measured.py`` that were chosen so that a microbenchmark comes out."""


def of_time() -> Iterator[Constant]:
    """What ``gpusim/simulate/measured.py`` says, in the words of its docstrings."""
    body = ast.parse(Path(measured.__file__).read_text()).body
    for node, after in pairwise(body):
        if not isinstance(node, ast.Assign) or not isinstance(after, ast.Expr):
            continue
        meaning = " ".join(ast.literal_eval(after.value).split())
        for name in (n.id for n in ast.walk(node.targets[0]) if isinstance(n, ast.Name)):
            kind = "fitted" if name in FITTED else "measured"
            yield Constant(name, show(getattr(measured, name)), _unit(name), kind, meaning, "")


def meanings(section: type) -> dict[str, str]:
    """What the docstring of a section says about each of its attributes."""
    found = {}
    for names, text in re.findall(r"^(\w[\w, ]*) : .*\n((?:    .*\n?)*)", inspect.getdoc(section) or "", re.MULTILINE):
        found.update(dict.fromkeys(names.split(", "), " ".join(text.split())))
    return found


def of_gpu() -> Iterator[Constant]:
    """What the GPU's specification says, with where each number comes from."""
    gpu = hardware.load(bench.GPU)
    for key, entry in gpu.sources:
        section, name = place_of(key)
        meaning = meanings(SECTIONS[section]).get(name, "")
        yield Constant(key, show(entry.value), entry.unit, entry.kind, meaning, entry.source)
