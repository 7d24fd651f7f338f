"""Which unit of a scheduler each instruction issues to, how long that unit is taken, and when the result is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.hardware.fixed import DATA_STAGE
from gpusim.isa.encode import F, Image
from gpusim.isa.instruction import RZ, Instr, Kind
from gpusim.isa.opcode_info import LOCAL, Pipe
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.variants import Flag, Mma
from gpusim.isa.warpgroup import OWN_ROWS, ROW_BYTES, TILE, WARPS, Product, product_of
from gpusim.simulate.reads import asked, reads, reads_late

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu

_UNITS = {
    Pipe.ALU: S.U_ALU,
    Pipe.FMA: S.U_EITHER,
    Pipe.XU: S.U_XU,
    Pipe.TENSOR: S.U_TENSOR,
    Pipe.FP64: S.U_FP64,
    Pipe.FP16: S.U_FP16,
    Pipe.LSU: S.U_SHARED,
}
_SMALL = {Mma.F16_1688_F32, Mma.F16_1688_F16, Mma.BF16_1688_F32}


def unit_of(instr: Instr) -> int:
    """The unit an instruction needs: one of ``U_*`` in :mod:`gpusim.engine.state.columns`."""
    results = [o for o in (instr.dst, *instr.pdsts[:1]) if o is not None]
    info, pipe = instr.op.info, instr.op.info.pipe
    if pipe not in (Pipe.CONTROL, Pipe.LSU) and any(o.kind in (Kind.UREG, Kind.UPRED) for o in results):
        return S.U_UNIFORM
    if info.described:
        return S.NO_UNIT if instr.dst is None else S.U_PRODUCTS
    if not info.queued:
        return S.NO_UNIT
    if info.may_be_global or info.space == LOCAL:
        return S.U_GLOBAL
    if instr.op is Op.LDC and instr.dst is not None and instr.dst.kind is Kind.UREG:
        return S.U_UNIFORM
    if info.multiplies:
        return S.U_FMA
    if instr.flags & Flag.ON_ALU:
        return S.U_ALU
    return _UNITS.get(pipe, S.NO_UNIT)


def _cycles(lanes: int, schedulers: int) -> int:
    """Cycles a warp takes a unit of which the SM has so many lanes."""
    return max(round(S.LANES * schedulers / lanes), 1) if lanes else 1


def _tensor_cycles(gpu: Gpu, shape: int) -> float:
    """Cycles that an instruction of some shape takes a scheduler's tensor core; 0 where the GPU has none."""
    return (gpu.throughput.mma_1688_cycles if shape in _SMALL else gpu.throughput.mma_16816_cycles) or 0


def _warpgroup_cycles(gpu: Gpu, product: Product) -> float:
    """Cycles that a product by a warpgroup takes each tensor core of an SM; 0 where the GPU has no such products.

    All rows of both matrices that lie in shared memory come through its data stage.
    """
    columns, least = gpu.throughput.wgmma_columns_per_cycle, gpu.throughput.wgmma_least_cycles
    if columns is None or least is None:
        return 0
    n = product.tiles * TILE
    nbytes = ROW_BYTES * (n + product.a_shared * WARPS * OWN_ROWS)
    return max(n / columns, nbytes / DATA_STAGE, least)


def add_units(image: Image, program: Program, gpu: Gpu) -> Image:
    """Fill in the columns UNIT, BUSY, LATENCY, HOLD and READS of an image."""
    sm, lat = gpu.sm, gpu.latency
    schedulers = sm.schedulers * sm.issue_per_scheduler
    cycles = {
        S.NO_UNIT: 0,
        S.U_ALU: _cycles(sm.int32_lanes, schedulers),
        S.U_FMA: _cycles(sm.int32_lanes, schedulers),
        S.U_EITHER: _cycles(min(sm.fp32_lanes, sm.int32_lanes), schedulers),
        S.U_XU: _cycles(sm.mufu_lanes, schedulers),
        S.U_FP64: _cycles(sm.fp64_lanes, schedulers),
        S.U_TENSOR: 0,
        S.U_FP16: _cycles(sm.fp16_lanes // 2, schedulers),
        S.U_UNIFORM: gpu.issue.uniform_cycles,
        S.U_PRODUCTS: 0,
        S.U_SHARED: sm.shared_interval_cycles,
        S.U_GLOBAL: sm.global_interval_cycles,
    }
    busy = {unit: round(x * S.TICKS) for unit, x in cycles.items()}
    latency = {S.U_XU: lat.mufu_cycles, S.U_FP64: lat.fp64_cycles, S.U_TENSOR: lat.mma_cycles or 0}
    code = image.code.copy()
    for row, instr in zip(code, (program.instrs[k] for k in image.code[:, F.INDEX]), strict=True):
        unit = unit_of(instr)
        row[F.UNIT], row[F.BUSY], row[F.LATENCY] = unit, busy[unit], round(latency.get(unit, lat.fma_cycles))
        if unit == S.U_TENSOR:
            row[F.BUSY] = round(_tensor_cycles(gpu, instr.sub) * S.TICKS)
        if instr.op.info.described:
            takes = _warpgroup_cycles(gpu, product_of(instr.sub)) if instr.dst is not None else 0
            row[F.BUSY], row[F.LATENCY] = round(takes * S.TICKS), 0
        if unit >= S.U_SHARED:
            row[F.LATENCY] = 0
            row[F.BUSY] = max(busy[unit], len(asked(instr)) * gpu.issue.operand_cycles * S.TICKS)
        if unit >= S.U_SHARED or unit == S.U_XU:
            row[F.LATER] = reads_late(instr) * gpu.issue.late_operand_cycles
        if instr.op is Op.S2R:
            uniform = instr.dst is not None and instr.dst.kind is Kind.UREG
            row[F.LATENCY] = gpu.fetch.uniform_special_cycles if uniform else 0
        if instr.op.info.adds_pair:
            row[F.BUSY], row[F.HOLD] = gpu.issue.wide_turns * busy[unit], gpu.issue.wide_cycles
        if instr.op is Op.BAR:
            row[F.LATENCY] = _run_ahead(program, row[F.INDEX], gpu.issue.run_ahead_cycles)
    code[:, F.READS] = reads(program)[image.code[:, F.INDEX]]
    _wait_for_factors(code, gpu, [program.instrs[k] for k in image.code[:, F.INDEX]])
    return image._replace(code=code)


def on_fma_pipe(code: np.ndarray, chosen: np.ndarray, gpu: Gpu) -> None:
    """Have instructions of an image take what a multiply-add of floats takes.

    Parameters
    ----------
    code : int32 array
        Changed.
    chosen : bool array
        Of each row whether it is one of them.
    gpu : Gpu
    """
    sm = gpu.sm
    cycles = _cycles(min(sm.fp32_lanes, sm.int32_lanes), sm.schedulers * sm.issue_per_scheduler)
    code[chosen, F.READS] = np.where(code[chosen, F.UNIT] == S.U_XU, -1, code[chosen, F.READS])
    code[chosen, F.UNIT], code[chosen, F.BUSY] = S.U_EITHER, round(cycles * S.TICKS)
    code[chosen, F.LATENCY], code[chosen, F.LATER] = round(gpu.latency.fma_cycles), 0


def _wait_for_factors(code: np.ndarray, gpu: Gpu, instrs: list[Instr]) -> None:
    """Lengthen the stall count before each wide multiplication that comes too soon after what it multiplies."""
    for k, instr in enumerate(instrs):
        if k and instr.op.info.adds_pair:
            code[k - 1, F.STALL] += _missing(code, gpu, instrs, k)


def _missing(code: np.ndarray, gpu: Gpu, instrs: list[Instr], k: int) -> int:
    """Cycles that the factors of the ``k``-th instruction take longer than the stall counts before it."""
    factors = {o.index for o in instrs[k].srcs[:2] if o.kind is Kind.REG and o.index != RZ}
    since = missing = 0
    for row, instr in zip(code[k - 1 :: -1], instrs[k - 1 :: -1], strict=False):
        since += max(int(row[F.STALL]), 1) + int(row[F.HOLD])
        if since >= gpu.issue.wide_factor_cycles or not factors:
            break
        if instr.dst is not None and instr.dst.kind is Kind.REG and not instr.op.info.variable_latency:
            upper = instr.op is Op.IMAD_WIDE and instr.dst.index + 1 in factors
            if upper or instr.dst.index in factors:
                missing = max(missing, (gpu.issue.wide_factor_cycles if upper else gpu.issue.factor_cycles) - since)
            factors -= {instr.dst.index, instr.dst.index + upper}
    return missing


def _run_ahead(program: Program, index: int, most: int) -> int:
    """Cycles of the instructions after a barrier that a warp issues before it must have passed it."""
    cycles = 0
    for instr in program.instrs[index + 1 :]:
        if cycles >= most or unit_of(instr) in (S.NO_UNIT, S.U_SHARED, S.U_GLOBAL):
            break
        cycles += instr.control.stall
    return min(cycles, most)
