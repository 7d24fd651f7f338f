"""Tensor cores, and moving matrices to them.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA*, "Matrix Multiply-Accumulate Operation Using mma
Instruction", for shapes, types and fragments: one instruction of machine code has the shape its name says.
"""

from __future__ import annotations

from gpusim.cuda.operands import Form
from gpusim.cuda.translate.memory import address
from gpusim.cuda.translate.reader import KINDS, ZERO, Reader, Unsupported
from gpusim.isa.instruction import Instr, Operand
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Flag, Mma

HALVES = {  # shape, accumulator, inputs
    ("16816", "F32", "F16"): Mma.F16_16816_F32,
    ("16816", "F16", "F16"): Mma.F16_16816_F16,
    ("1688", "F32", "F16"): Mma.F16_1688_F32,
    ("1688", "F16", "F16"): Mma.F16_1688_F16,
    ("16816", "F32", "BF16"): Mma.BF16_16816_F32,
    ("1688", "F32", "BF16"): Mma.BF16_1688_F32,
    ("1684", "F32", "TF32"): Mma.TF32_1684_F32,
    ("1688", "F32", "TF32"): Mma.TF32_1688_F32,
}
BYTES = {  # shape, inputs
    ("16816", "S8"): Mma.S8_16816,
    ("16832", "S8"): Mma.S8_16832,
    ("16816", "U8"): Mma.U8_16816,
    ("16832", "U8"): Mma.U8_16832,
    ("8816", "S8"): Mma.S8_8816,
    ("8816", "U8"): Mma.U8_8816,
}
DOUBLES = {
    "884": Mma.F64_884,
    "8x8x4": Mma.F64_884,
    "16x8x4": Mma.F64_1684,
    "16x8x8": Mma.F64_1688,
    "16x8x16": Mma.F64_16816,
}
SHAPES = {s: s for s in ("16816", "1688", "1684", "16832", "8816")}


def _fragment(r: Reader, suffix: str = "") -> Operand:
    """First register of a fragment, which may say how it lies."""
    text = r.next()
    if text.form is not Form.REG or text[2:5] != (False, False, False) or text.suffixes not in ((), (suffix,)):
        raise Unsupported("a fragment is no plain register")
    return Operand(KINDS[text.form], text.index)


def hmma(r: Reader) -> Instr:
    """``HMMA.shape.accumulator[.inputs] d, a, b, c``: fp16 where not said."""
    shape, accumulator = r.need(SHAPES), r.need({"F32": "F32", "F16": "F16"})
    inputs = r.pick({"BF16": "BF16", "TF32": "TF32"}, "F16")
    sub = HALVES.get((shape, accumulator, inputs))
    if sub is None:
        raise Unsupported("HMMA of a shape that is not known")
    return r.make(Op.HMMA, r.dst(), (_fragment(r), _fragment(r), _fragment(r)), sub=sub)


def imma(r: Reader) -> Instr:
    """``IMMA.shape.type.type[.SAT] d, a.ROW, b.COL, c``."""
    types = {"S8": "S8", "U8": "U8"}
    shape, first, second = r.need(SHAPES), r.need(types), r.need(types)
    flags = r.flags({"SAT": Flag.SAT})
    sub = BYTES.get((shape, first)) if first == second else None
    if sub is None:
        raise Unsupported("IMMA of a shape or of types that are not known")
    return r.make(Op.IMMA, r.dst(), (_fragment(r, "ROW"), _fragment(r, "COL"), _fragment(r)), sub=sub, flags=flags)


def dmma(r: Reader) -> Instr:
    """``DMMA.884 d, a, b, c``, from sm_90 on ``DMMA.8x8x4`` and ``DMMA.16x8x16``."""
    sub = r.need(DOUBLES)
    return r.make(Op.DMMA, r.dst(), (_fragment(r), _fragment(r), _fragment(r)), sub=sub)


def _matrices(r: Reader) -> tuple[int, int]:
    """How many matrices, and the flag that transposes them."""
    if not r.has("16"):
        raise Unsupported("matrices of other than 16-bit elements")
    flags = r.need({"M88": 0, "MT88": Flag.TRANSPOSE})
    return r.pick({"2": 2, "4": 4}, 1), flags


def ldsm(r: Reader) -> Instr:
    """``LDSM.16.{M88,MT88}[.count] d, [address]``."""
    count, flags = _matrices(r)
    dst, place = r.dst(), address(r, wide=False)
    if place.shift:
        raise Unsupported("matrices at a scaled address")
    srcs = (place.base,) if place.uniform is None else (place.base, ZERO, place.uniform)
    return r.make(Op.LDSM, dst, srcs, sub=count, offset=place.offset, flags=flags)


def stsm(r: Reader) -> Instr:
    """``STSM.16.{M88,MT88}[.count] [address], b``."""
    count, flags = _matrices(r)
    place, value = address(r, wide=False), r.dst()
    if place.shift:
        raise Unsupported("matrices at a scaled address")
    srcs = (place.base, value) if place.uniform is None else (place.base, value, place.uniform)
    return r.make(Op.STSM, None, srcs, sub=count, offset=place.offset, flags=flags)


def movm(r: Reader) -> Instr:
    """``MOVM.16.MT88 d, a``."""
    count, flags = _matrices(r)
    if count != 1 or not flags:
        raise Unsupported("MOVM that does not transpose one matrix")
    return r.make(Op.MOVM, r.dst(), (r.integer(),))


TABLE = {"HMMA": hmma, "IMMA": imma, "DMMA": dmma, "LDSM": ldsm, "STSM": stsm, "MOVM": movm}
