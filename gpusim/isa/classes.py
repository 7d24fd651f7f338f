"""Classes of instructions that not every architecture has, by name; which class an instruction belongs to.

Which architecture has which is data: ``[instructions]`` of ``gpusim/hardware/architectures``.

Source: NVIDIA, *PTX ISA* 9.0, "Target ISA Notes" of the instructions named here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpusim.isa.instruction import Instr, Kind
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Convert, Flag, Mma, Mufu, Special

FP8 = (Convert.E4M3, Convert.E5M2)
CLUSTER_REGISTERS = (Special.CLUSTER_RANK, Special.CLUSTER_SIZE)
IN_CLUSTERS = (Op.CLUSTER_ARRIVE, Op.CLUSTER_WAIT, Op.CLUSTER_FENCE, Op.STAS, Op.REDAS)
HALF_ARITHMETIC = (Op.HADD2, Op.HMUL2, Op.HFMA2)

Belongs = Callable[[Instr], bool]


def _of(*ops: Op) -> Belongs:
    return lambda i: i.op in ops


def _product(*kinds: Mma) -> Belongs:
    return lambda i: i.op in (Op.HMMA, Op.IMMA, Op.DMMA) and i.sub in kinds


def _with_flag(flag: Flag, *ops: Op) -> Belongs:
    return lambda i: i.op in ops and bool(i.flags & flag)


def _is_uniform(i: Instr) -> bool:
    operands = (*i.srcs, *i.psrcs, *i.pdsts, i.guard, *(() if i.dst is None else (i.dst,)))
    return any(operand.kind in (Kind.UREG, Kind.UPRED) for operand in operands)


CLASSES: dict[str, Belongs] = {
    "tensor_f16": _product(Mma.F16_1688_F32, Mma.F16_1688_F16),
    "tensor_f16_k16": _product(Mma.F16_16816_F32, Mma.F16_16816_F16),
    "tensor_bf16": _product(Mma.BF16_16816_F32, Mma.BF16_1688_F32),
    "tensor_tf32": _product(Mma.TF32_1684_F32, Mma.TF32_1688_F32),
    "tensor_int8": _product(Mma.S8_8816, Mma.U8_8816),
    "tensor_int8_m16": _product(Mma.S8_16816, Mma.S8_16832, Mma.U8_16816, Mma.U8_16832),
    "tensor_f64": _product(Mma.F64_884),
    "tensor_f64_m16": _product(Mma.F64_1684, Mma.F64_1688, Mma.F64_16816),
    "matrix_load": _of(Op.LDSM),
    "warpgroup_tensor": _of(Op.HGMMA, Op.QGMMA, Op.IGMMA, Op.WARPGROUP_ARRIVE, Op.WARPGROUP_DEPBAR),
    "register_reallocation": _of(Op.USETMAXREG),
    "election": _of(Op.ELECT),
    "matrix_store": _of(Op.STSM),
    "async_copy": _of(Op.LDGSTS),
    "warp_reduction": _of(Op.REDUX),
    "uniform_datapath": _is_uniform,
    "tanh": lambda i: i.op is Op.MUFU and i.sub == Mufu.TANH,
    "half_extremes": _of(Op.HMNMX2),
    "bf16_arithmetic": _with_flag(Flag.BF16, *HALF_ARITHMETIC),
    "vector_atomics": _with_flag(Flag.VECTOR, Op.ATOMG, Op.RED),
    "fp8_conversion": lambda i: i.op is Op.F2FP and i.sub & 15 in FP8,
    "mbarriers": _of(Op.SYNCS_EXCH, Op.SYNCS_ARRIVE, Op.SYNCS_PHASECHK, Op.SYNCS_CCTL, Op.ARRIVES),
    "bulk_copies": _of(Op.UBLKCP_S_G, Op.UBLKCP_G_S, Op.UBLKCP_S_S, Op.UBLKRED_G_S, Op.UBLKRED_S_S, Op.UBLKPF),
    "tensor_copies": _of(Op.UTMALDG, Op.UTMASTG, Op.UTMAREDG, Op.UTMAPF),
    "clusters": lambda i: i.op in IN_CLUSTERS or (i.op in (Op.S2R, Op.CS2R) and i.sub in CLUSTER_REGISTERS),
}
"""Whether an instruction belongs to a class."""


def needed(instrs: Sequence[Instr]) -> set[str]:
    """Classes that instructions belong to.

    Examples
    --------
    >>> from gpusim.isa.instruction import reg
    >>> needed([Instr(Op.LDSM, reg(0), (reg(4),), sub=1), Instr(Op.EXIT)])
    {'matrix_load'}
    """
    return {name for name, belongs in CLASSES.items() if any(belongs(i) for i in instrs)}
