"""Conversions between integers and floats, and between floats.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA*, "cvt", for rounding, clamping and NaN.  The order
of the halves in F2FP to fp8 follows from what the compiler makes of conversions of four values.
"""

from __future__ import annotations

from gpusim.cuda.operands import Form
from gpusim.cuda.translate.floating import ROUNDING
from gpusim.cuda.translate.reader import BYTES, WORDS, ZERO, Reader, Unsupported
from gpusim.isa.instruction import Instr, Operand
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Convert, Flag, Round

INTEGERS = {c.name: c for c in (
    Convert.S8, Convert.U8, Convert.S16, Convert.U16, Convert.S32, Convert.U32, Convert.S64, Convert.U64,
)}  # fmt: skip
FLOATS = {"F32": 0, "F16": Convert.F16, "BF16": Convert.BF16, "F64": Convert.F64}
FP8 = {"E4M3": Convert.E4M3, "E5M2": Convert.E5M2}
TO_INTEGER = {"TRUNC": Round.ZERO, "FLOOR": Round.DOWN, "CEIL": Round.UP, "ROUND": Round.NEAREST}
PARTS = {**WORDS, **BYTES}


def _float_source(r: Reader, kind: int) -> Operand:
    """A source of a float's type."""
    if kind == Convert.F64:
        return r.float64()
    return r.float32() if kind == 0 else r.half(bf16=kind == Convert.BF16)


def i2f(r: Reader) -> Instr:
    """``I2F[.float][.integer][.rnd] d, a``: from S32 to F32 where not said; I2FP on the ALU."""
    to, source = r.pick(FLOATS, 0), r.pick(INTEGERS, Convert.S32)
    sub = source | r.pick(ROUNDING, Round.NEAREST) << 4 | to << 8
    return r.make(Op.I2F, r.dst(), (r.integer(halves=PARTS),), sub=sub)


def i2fp(r: Reader) -> Instr:
    """``I2FP.F32.integer[.rnd] d, a``."""
    if not r.has("F32"):
        raise Unsupported("I2FP to another type")
    sub = r.need(INTEGERS) | r.pick(ROUNDING, Round.NEAREST) << 4
    return r.make(Op.I2F, r.dst(), (r.integer(),), sub=sub, flags=Flag.ON_ALU)


def f2i(r: Reader) -> Instr:
    """``F2I[.FTZ][.integer][.float][.rnd][.NTZ] d, a``; without NTZ a NaN does not give zero."""
    flags = r.flags({"FTZ": Flag.FTZ}) | (0 if r.has("NTZ") else Flag.NAN)
    to, source = r.pick(INTEGERS, Convert.S32), r.pick(FLOATS, 0)
    sub = to | r.pick(TO_INTEGER, Round.NEAREST) << 4 | source << 8
    return r.make(Op.F2I, r.dst(), (_float_source(r, source),), sub=sub, flags=flags)


def f2ip(r: Reader) -> Instr:
    """``F2IP.{S8,U8}.F32[.rnd].NTZ d, a, b, c``."""
    to = r.need({"S8": Convert.S8, "U8": Convert.U8})
    if not r.has("F32") or not r.has("NTZ"):
        raise Unsupported("F2IP of another type")
    sub = to | r.pick(TO_INTEGER, Round.NEAREST) << 4
    return r.make(Op.F2IP, r.dst(), (r.float32(), r.float32(), r.integer()), sub=sub)


def frnd(r: Reader) -> Instr:
    """``FRND[.FTZ][.float][.rnd] d, a``."""
    flags, kind = r.flags({"FTZ": Flag.FTZ}), r.pick(FLOATS, 0)
    sub = r.pick(TO_INTEGER, Round.NEAREST) << 4 | kind << 8
    return r.make(Op.FRND, r.dst(), (_float_source(r, kind),), sub=sub, flags=flags)


def f2f(r: Reader) -> Instr:
    """``F2F[.FTZ].to.from[.rnd] d, a``."""
    flags = r.flags({"FTZ": Flag.FTZ})
    to, source = r.need(FLOATS), r.need(FLOATS)
    sub = _between(to, source) | r.pick(ROUNDING, Round.NEAREST) << 4
    return r.make(Op.F2F, r.dst(), (_float_source(r, source),), sub=sub, flags=flags)


def _between(to: int, source: int) -> int:
    """Type of a conversion between floats; the one that is not fp32 named first, another in bits 8-11."""
    towards = {Convert.F16: Convert.TO_F16, Convert.BF16: Convert.TO_BF16, Convert.F64: Convert.TO_F64}
    if to == 0 and source:
        return source
    if to in towards and to != source:
        return towards[Convert(to)] | source << 8
    raise Unsupported("a conversion from a type to itself")


def f2fp(r: Reader) -> Instr:
    """``F2FP[.RELU][.F16|.BF16][.F32].PACK_AB d, a, b``, ``.MERGE_C d, b, c``, and the forms for fp8."""
    flags = r.flags({"RELU": Flag.RELU})
    if r.has("UNPACK_B"):
        return _unpack(r)
    if r.has("UNPACK_B_MERGE_C"):
        return _pack_halves(r, flags)
    eight = r.pick(FP8, None)
    if eight is not None:
        return _pack_bytes(r, eight, flags)
    kind = r.pick({"BF16": Convert.BF16, "F16": Convert.F16}, Convert.F16)
    r.skip("F32")
    sub = kind | r.pick(ROUNDING, Round.NEAREST) << 4
    if r.has("MERGE_C"):
        dst, srcs = r.dst(), (ZERO, r.float32(), r.integer(halves=WORDS))
        return r.make(Op.F2FP, dst, srcs, sub=sub, flags=flags | Flag.MERGE)
    if not r.has("PACK_AB"):
        raise Unsupported("F2FP that does not pack two")
    return r.make(Op.F2FP, r.dst(), (r.float32(), r.float32()), sub=sub, flags=flags)


def _pack_bytes(r: Reader, kind: Convert, flags: int) -> Instr:
    """``F2FP.SATFINITE[.RELU].{E4M3,E5M2}.F32.PACK_AB_MERGE_C d, a, b, c``."""
    if not (r.has("SATFINITE") and r.has("F32") and r.has("PACK_AB_MERGE_C")):
        raise Unsupported("a conversion to fp8 of an unknown form")
    dst, srcs = r.dst(), (r.float32(), r.float32(), r.integer(halves=WORDS))
    return r.make(Op.F2FP, dst, srcs, sub=kind, flags=flags | Flag.SAT | Flag.MERGE)


def _pack_halves(r: Reader, flags: int) -> Instr:
    """``F2FP.SATFINITE[.RELU].{E4M3,E5M2}.F16.UNPACK_B_MERGE_C d, a, c``: of a pair of fp16."""
    kind = r.need(FP8)
    if not (r.has("SATFINITE") and r.has("F16")):
        raise Unsupported("a conversion to fp8 of an unknown form")
    dst = r.dst()
    srcs = (r.float32() if _is_literal(r) else r.float16(), ZERO, r.integer(halves=WORDS))
    return r.make(Op.F2FP, dst, srcs, sub=kind, flags=flags | Flag.SAT | Flag.UNPACK | Flag.MERGE)


def _unpack(r: Reader) -> Instr:
    """``F2FP.F16.{E4M3,E5M2}.UNPACK_B d, a``."""
    kind = r.need(FP8)
    if not r.has("F16"):
        raise Unsupported("fp8 to another type than fp16")
    dst = r.dst()
    source = r.float32() if _is_literal(r) else r.integer(halves=WORDS)
    return r.make(Op.F2FP, dst, (source,), sub=kind, flags=Flag.UNPACK)


def _is_literal(r: Reader) -> bool:
    """Whether a literal comes next: of F2FP a word, printed as if it were an fp32."""
    text = r.peek()
    return text is not None and text.form is Form.FLOAT


TABLE = {"I2F": i2f, "I2FP": i2fp, "F2I": f2i, "F2IP": f2ip, "FRND": frnd, "F2F": f2f, "F2FP": f2fp}
