"""Instructions for pure values, one emitter per operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gpusim.isa.instruction import Half
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import BoolOp, Cmp, Convert, Flag, Mufu, Round, Shift
from gpusim.lang.lower.machine import ALWAYS, ZERO, Condition, Source, VReg, immediate, registers
from gpusim.lang.lower.select_effects import read_special
from gpusim.lang.lower.values import F32, U32, Node

if TYPE_CHECKING:
    from gpusim.lang.lower.instruction_builder import InstructionBuilder

NEVER = Condition(None, True)
AND, OR, XOR = 0xC0, 0xFC, 0x3C  # truth tables of two operands
MINUS_ZERO = ZERO._replace(neg=True)


# ------------------------------------------------------------------ integers


def _add(s: InstructionBuilder, n: Node) -> None:
    child = s.fusion.swallowed.get(n)
    if child is None:
        a, b = s.legal(*map(s.source, _register_first(n.args)))
        s.emit(Op.IADD3, s.define(n), (a, b, ZERO))
        return
    other = n.args[1] if n.args[0] is child else n.args[0]
    if child.op == "mul":
        a, b = map(s.source, _register_first(child.args))
        s.emit(Op.IMAD, s.define(n), s.legal(a, b, s.source(other)))
    elif child.op == "shl":
        shift = int(child.args[1].value)
        s.emit(Op.LEA, s.define(n), s.legal(s.source(child.args[0]), s.source(other)), sub=shift)
    else:
        x, y = map(s.source, child.args)
        y = y._replace(neg=True) if child.op == "sub" and y != ZERO else y
        s.emit(Op.IADD3, s.define(n), s.legal(*_order(x, y, s.source(other))))


def _order(*sources: Source) -> tuple[Source, ...]:
    """Registers first, then the constant in the middle, as the hardware has it."""
    ordered = sorted(sources, key=lambda source: not source.is_reg)
    return ordered[0], ordered[2], ordered[1]


def _register_first(args: tuple[Node, ...]) -> tuple[Node, Node]:
    a, b = args
    return (b, a) if a.is_const or a.op == "param" else (a, b)


def _sub(s: InstructionBuilder, n: Node) -> None:
    child = s.fusion.swallowed.get(n)
    if child is not None:
        minus = immediate(-int(child.args[1].value) & 0xFFFFFFFF)
        s.emit(Op.IMAD, s.define(n), s.legal(s.source(child.args[0]), minus, s.source(n.args[0])))
        return
    a, b = (s.source(x) for x in n.args)
    if not a.is_reg:
        b = s.in_register(b)
        s.emit(Op.IADD3, s.define(n), (b._replace(neg=True), a, ZERO))
    elif a == ZERO:
        s.emit(Op.IADD3, s.define(n), (s.in_register(b)._replace(neg=True), ZERO, ZERO))
    else:
        s.emit(Op.IADD3, s.define(n), (a, b._replace(neg=True), ZERO))


def _mul(s: InstructionBuilder, n: Node) -> None:
    s.emit(Op.IMAD, s.define(n), s.legal(*map(s.source, _register_first(n.args)), ZERO))


def _mulhi(s: InstructionBuilder, n: Node) -> None:
    s.emit(Op.IMAD_HI, s.define(n), s.legal(*map(s.source, n.args), ZERO), flags=Flag.UNSIGNED)


def _shift(kind: Shift) -> Callable[[InstructionBuilder, Node], None]:
    def emit(s: InstructionBuilder, n: Node) -> None:
        s.emit(Op.SHF, s.define(n), (*s.legal(*map(s.source, n.args)), ZERO), sub=kind)

    return emit


def _bitwise(table: int) -> Callable[[InstructionBuilder, Node], None]:
    def emit(s: InstructionBuilder, n: Node) -> None:
        s.emit(Op.LOP3, s.define(n), (*s.legal(*map(s.source, _register_first(n.args))), ZERO), sub=table)

    return emit


def _extreme(op: Op, least: bool) -> Callable[[InstructionBuilder, Node], None]:
    def emit(s: InstructionBuilder, n: Node) -> None:
        read = s.signed if op is Op.FMNMX else s.source
        flags = Flag.UNSIGNED if n.dtype == U32 else 0
        which = ALWAYS if least else NEVER
        s.emit(op, s.define(n), s.legal(*map(read, n.args)), psrcs=(which,), flags=flags)

    return emit


def _unary(op: Op, sub: int = 0) -> Callable[[InstructionBuilder, Node], None]:
    def emit(s: InstructionBuilder, n: Node) -> None:
        s.emit(op, s.define(n), (s.register(n.args[0]),), sub=sub)

    return emit


# ------------------------------------------------------------------ addresses


def _wide(s: InstructionBuilder, n: Node) -> None:
    index, scale, base = n.args
    flags = Flag.UNSIGNED if n.attr else 0
    s.emit(Op.IMAD_WIDE, s.define(n), (s.register(index), s.source(scale), s.pair(base)), flags=flags)


def _move(s: InstructionBuilder, n: Node) -> None:
    low, high = s.regs[n.args[0]]
    carry = VReg(is_pred=True)
    dst = s.define(n)
    s.emit(Op.IADD3, dst[:1], (registers(low), immediate(n.attr & 0xFFFFFFFF), ZERO), pdsts=(carry,))
    above = immediate(0xFFFFFFFF if n.attr < 0 else 0)
    s.emit(Op.IADD3, dst[1:], (registers(high), above, ZERO), psrcs=(Condition(carry),), flags=Flag.X)


def _buffer(s: InstructionBuilder, n: Node) -> None:
    made = s.emit(Op.LDC, s.define(n), (ZERO,))
    made.width, made.offset = 8, n.attr


def _special(s: InstructionBuilder, n: Node) -> None:
    read_special(s, n, n.attr)


# ------------------------------------------------------------------ fp32


def _fadd(s: InstructionBuilder, n: Node) -> None:
    child = s.fusion.swallowed.get(n)
    if child is None:
        a, b = map(s.signed, n.args)
        s.emit(Op.FADD, s.define(n), s.legal(a, b) if a.is_reg else s.legal(b, a))
    else:
        other = n.args[1] if n.args[0] is child else n.args[0]
        _multiply_add(s, n, child.args[0], child.args[1], other)


def _fmul(s: InstructionBuilder, n: Node) -> None:
    s.emit(Op.FMUL, s.define(n), s.legal(*map(s.signed, n.args)))


def _ffma(s: InstructionBuilder, n: Node) -> None:
    a, b, c = n.args
    _multiply_add(s, n, a, b, c)


def _multiply_add(s: InstructionBuilder, n: Node, a: Node, b: Node, c: Node) -> None:
    """D = a * b + c; the product's sign goes to its first factor."""
    x, y, z = map(s.signed, (a, b, c))
    if not x.is_reg:
        x, y = y, x
    neg = x.neg != y.neg
    s.emit(Op.FFMA, s.define(n), s.legal(x._replace(neg=neg), y._replace(neg=False), z))


def _fneg(s: InstructionBuilder, n: Node) -> None:
    s.emit(Op.FADD, s.define(n), (s.register(n.args[0])._replace(neg=True), MINUS_ZERO))


def _fabs(s: InstructionBuilder, n: Node) -> None:
    s.emit(Op.FADD, s.define(n), (s.register(n.args[0])._replace(abs=True), MINUS_ZERO))


def _mufu(s: InstructionBuilder, n: Node) -> None:
    s.emit(Op.MUFU, s.define(n), s.legal(s.signed(n.args[0])), sub=Mufu[n.attr.upper()])


# ------------------------------------------------------------------ conversions


def _halves(s: InstructionBuilder, n: Node) -> None:
    low, high = (*map(s.source, n.args), ZERO)[:2]
    s.emit(Op.F2FP, s.define(n), s.legal(high, low), sub=Convert[n.attr.upper()])


def _octets(s: InstructionBuilder, n: Node) -> None:
    low, high, above = (*map(s.source, n.args), ZERO, ZERO)[:3]
    s.emit(Op.F2FP, s.define(n), s.legal(high, low, above), sub=Convert[n.attr.upper()], flags=Flag.SAT)


def _unpack(s: InstructionBuilder, n: Node) -> None:
    fmt, half = n.attr
    bits = s.register(n.args[0])._replace(half=Half.HIGH if half else Half.BOTH)
    s.emit(Op.F2FP, s.define(n), (bits,), sub=Convert[fmt.upper()], flags=Flag.UNPACK)


def _upper(s: InstructionBuilder, n: Node) -> None:
    s.emit(Op.SHF, s.define(n), (s.register(n.args[0]), immediate(16), ZERO), sub=Shift.R_U32)


def _widen(s: InstructionBuilder, n: Node) -> None:
    fmt, half = n.attr
    word = n.args[0]
    if word.op == "upper":
        word, half = word.args[0], 1
    bits, dst = s.register(word), s.define(n)
    if fmt == "f16":
        s.emit(Op.HADD2, dst, (MINUS_ZERO, bits._replace(half=Half.HIGH if half else Half.LOW)), flags=Flag.F32)
    elif half:
        s.emit(Op.LOP3, dst, (bits, immediate(0xFFFF0000), ZERO), sub=AND)
    else:
        s.emit(Op.SHF, dst, (bits, immediate(16), ZERO), sub=Shift.L)


# ------------------------------------------------------------------ conditions


UNORDERED = 8  # bit of FSETP's `sub`: NaN differs from everything


def _compare(s: InstructionBuilder, n: Node, dst: VReg, how: BoolOp, other: Condition) -> None:
    relation, kind = n.attr
    sub = Cmp[relation.upper()] | how << 4
    if kind == "f" and relation == "ne":
        sub |= UNORDERED
    read = s.signed if kind == "f" else s.source
    a, b = s.legal(*map(read, n.args))
    op, flags = (Op.FSETP, 0) if kind == "f" else (Op.ISETP, Flag.UNSIGNED if kind == "u" else 0)
    s.emit(op, srcs=(a, b), pdsts=(dst,), psrcs=(other,), sub=sub, flags=flags)


def _cmp(s: InstructionBuilder, n: Node) -> None:
    _compare(s, n, s.define(n)[0], BoolOp.AND, ALWAYS)


def _logical(how: BoolOp, table: int) -> Callable[[InstructionBuilder, Node], None]:
    def emit(s: InstructionBuilder, n: Node) -> None:
        child = s.fusion.swallowed.get(n)
        if child is not None:
            other = n.args[1] if n.args[0] is child else n.args[0]
            _compare(s, child, s.define(n)[0], how, s.condition(other))
        else:
            s.emit(Op.PLOP3, pdsts=s.define(n), psrcs=tuple(map(s.condition, n.args)), sub=table)

    return emit


def _select(s: InstructionBuilder, n: Node) -> None:
    which, a, b = n.args
    if n in s.fusion.swallowed:
        _predicated(s, n, a, b, s.condition(which))
        return
    op, read = (Op.FSEL, s.signed) if n.dtype == F32 else (Op.SEL, s.source)
    x, y, c = read(a), read(b), s.condition(which)
    if not x.is_reg:
        x, y, c = y, x, Condition(c.reg, not c.neg)
    s.emit(op, s.define(n), s.legal(x, y), psrcs=(c,))


def _predicated(s: InstructionBuilder, n: Node, changed: Node, kept: Node, when: Condition) -> None:
    """``when ? kept op x : kept`` in place: a copy, which mostly goes away, and a guarded instruction."""
    (dst,) = s.define(n)
    s.emit(Op.MOV, (dst,), (s.source(kept),))
    here = registers(dst)
    read = s.signed if changed.op == "fadd" else s.source
    x, y = (here if arg is kept else read(arg) for arg in changed.args)
    y = y._replace(neg=True) if changed.op == "sub" else y
    if changed.op == "fadd":
        made = s.emit(Op.FADD, (dst,), s.legal(*_register_operands(x, y)))
    else:
        made = s.emit(Op.IADD3, (dst,), (*s.legal(*_register_operands(x, y)), ZERO))
    made.guard = when


def _register_operands(x: Source, y: Source) -> tuple[Source, Source]:
    return (x, y) if x.is_reg else (y, x)


EMIT: dict[str, Callable[[InstructionBuilder, Node], None]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "mulhi_u": _mulhi,
    "shl": _shift(Shift.L),
    "shr_u": _shift(Shift.R_U32),
    "shr_s": _shift(Shift.R_S32),
    "and": _bitwise(AND),
    "or": _bitwise(OR),
    "xor": _bitwise(XOR),
    "min": _extreme(Op.IMNMX, True),
    "max": _extreme(Op.IMNMX, False),
    "iabs": _unary(Op.IABS),
    "wide": _wide,
    "move": _move,
    "buffer": _buffer,
    "special": _special,
    "fadd": _fadd,
    "fmul": _fmul,
    "ffma": _ffma,
    "fneg": _fneg,
    "fabs": _fabs,
    "fmin": _extreme(Op.FMNMX, True),
    "fmax": _extreme(Op.FMNMX, False),
    "mufu": _mufu,
    "i2f": _unary(Op.I2F, Convert.S32),
    "u2f": _unary(Op.I2F, Convert.U32),
    "u2f_up": _unary(Op.I2F, Convert.U32 | Round.UP << 4),
    "f2i": _unary(Op.F2I, Convert.S32 | Round.ZERO << 4),
    "f2u": _unary(Op.F2I, Convert.U32 | Round.ZERO << 4),
    "halves": _halves,
    "octets": _octets,
    "unpack": _unpack,
    "upper": _upper,
    "widen": _widen,
    "cmp": _cmp,
    "pand": _logical(BoolOp.AND, AND),
    "por": _logical(BoolOp.OR, OR),
    "pxor": _logical(BoolOp.XOR, XOR),
    "select": _select,
}
