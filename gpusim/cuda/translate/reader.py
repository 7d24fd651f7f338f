"""Reading one instruction: its modifiers and operands, each of which must be consumed.

A family's function takes what it knows from a :class:`Reader`; whatever is left when it returns makes
the instruction :class:`Unsupported`.  So a modifier nobody thought of is an error, not a guess.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from gpusim.cuda.nvdisasm import Line, control
from gpusim.cuda.operands import Form, OperandError, Text, parse
from gpusim.isa.instruction import PT, RZ, TRUE, URZ, Half, Instr, Kind, Operand, const, imm, pred, reg
from gpusim.isa.opcodes import Op

T = TypeVar("T")
KINDS = {Form.REG: Kind.REG, Form.UREG: Kind.UREG, Form.PRED: Kind.PRED, Form.UPRED: Kind.UPRED}
ZERO, FALSE = reg(RZ), pred(PT, neg=True)
HALVES = {
    (): Half.BOTH,
    ("H0_H0",): Half.LOW,
    ("H1_H1",): Half.HIGH,
    ("H0_NH1",): Half.TURNED,
    ("F32",): Half.WORD,
}
BYTES = {(): Half.BOTH, ("B0",): Half.BOTH, ("B1",): Half.BYTE_1, ("B2",): Half.BYTE_2, ("B3",): Half.BYTE_3}
WORDS = {(): Half.BOTH, ("H0",): Half.BOTH, ("H0_H0",): Half.BOTH, ("H1",): Half.HIGH, ("H1_H1",): Half.HIGH}


class Unsupported(Exception):
    """An instruction, modifier or operand that has no translation."""


class Reader:
    """Modifiers and operands of one instruction, taken one after another.

    Parameters
    ----------
    line : Line
        The instruction.
    number : int
        Line in the source, 0 if unknown.
    """

    __slots__ = ("at", "line", "modifiers", "number", "operands")

    def __init__(self, line: Line, number: int = 0) -> None:
        self.line = line
        self.number = number
        self.modifiers = line.opcode.split(".")[1:]
        self.operands = line.operands
        self.at = 0

    # ------------------------------------------------------------------ modifiers

    def has(self, word: str) -> bool:
        """Take a modifier if it is there."""
        if word in self.modifiers:
            self.modifiers.remove(word)
            return True
        return False

    def pick(self, table: Mapping[str, T], default: T) -> T:
        """Take the first modifier that a table lists, and give what it stands for."""
        for word in self.modifiers:
            if word in table:
                self.modifiers.remove(word)
                return table[word]
        return default

    def need(self, table: Mapping[str, T]) -> T:
        """Take the modifier that a table must list."""
        for word in self.modifiers:
            if word in table:
                self.modifiers.remove(word)
                return table[word]
        raise Unsupported("a modifier is missing")

    def flags(self, table: Mapping[str, int]) -> int:
        """Take every modifier that a table lists; what they stand for, together."""
        found = 0
        for word in tuple(self.modifiers):
            if word in table:
                self.modifiers.remove(word)
                found |= table[word]
        return found

    def skip(self, *words: str) -> None:
        """Take modifiers that change neither what is computed nor what is counted."""
        for word in words:
            self.has(word)

    # ------------------------------------------------------------------ operands

    def more(self) -> bool:
        """Whether operands are left."""
        return self.at < len(self.operands)

    def peek(self) -> Text | None:
        """Operand that comes next."""
        if self.at >= len(self.operands):
            return None
        try:
            return parse(self.operands[self.at])
        except OperandError as error:
            raise Unsupported(str(error)) from None

    def next(self) -> Text:
        """Take an operand."""
        text = self.peek()
        if text is None:
            raise Unsupported("an operand is missing")
        self.at += 1
        return text

    def dst(self) -> Operand:
        """Take a destination register; one that swallows what is written is ``RZ``."""
        text = self.next()
        if text.form not in (Form.REG, Form.UREG) or text[2:6] != (False, False, False, ()):
            raise Unsupported("a destination is no plain register")
        return _register(text)

    def pred(self) -> Operand:
        """Take a predicate."""
        text = self.next()
        if text.form not in (Form.PRED, Form.UPRED) or text.neg or text.absolute or text.suffixes:
            raise Unsupported("an operand is no predicate")
        return Operand(KINDS[text.form], text.index, text.invert)

    def preds(self) -> tuple[Operand, ...]:
        """Take the predicates that come next, if any."""
        found = []
        while (text := self.peek()) is not None and text.form in (Form.PRED, Form.UPRED):
            found.append(self.pred())
        return tuple(found)

    def literal(self) -> int:
        """Take an integer that is part of the instruction."""
        text = self.next()
        if text.form is not Form.INTEGER:
            raise Unsupported("an operand is no number")
        return text.index

    def integer(
        self, *, invert: bool = False, halves: Mapping[tuple[str, ...], Half] | None = None, wide: bool = False
    ) -> Operand:
        """Take an integer source.

        Parameters
        ----------
        invert : bool
            Negated sources are inverted (``~``) rather than ``-``.
        halves : mapping, optional
            Suffixes that pick a part of the register.
        wide : bool
            Of 64 bits.
        """
        text = self.next()
        if text.form is Form.INTEGER:
            return imm(text.index, wide=wide)
        wrong = text.neg if invert else text.invert
        return self._place(text, wrong, text.invert if invert else text.neg, halves)

    def float32(self) -> Operand:
        """Take an fp32 source."""
        text = self.next()
        if text.form is Form.FLOAT:
            return imm(self._bits(text, _float32))
        return self._place(text, text.invert, text.neg)

    def float64(self) -> Operand:
        """Take an fp64 source; an immediate is the upper word."""
        text = self.next()
        if text.form is Form.FLOAT:
            return imm(self._bits(text, _float64_upper))
        return self._place(text, text.invert, text.neg)

    def float16(self, *, bf16: bool = False) -> Operand:
        """Take a pair of 16-bit floats; an immediate is written as two numbers, the upper one first."""
        text = self.next()
        if text.form is Form.FLOAT:
            low = self.next()
            if low.form is not Form.FLOAT:
                raise Unsupported("half of an immediate is missing")
            if math.isnan(text.value) or math.isnan(low.value):
                return imm(self.line.low >> 32)
            bits = _bfloat16 if bf16 else _float16
            return imm(self._bits(text, bits) << 16 | self._bits(low, bits))
        if text.absolute and HALVES.get(text.suffixes) is Half.TURNED:
            raise Unsupported("magnitudes of a pair that is turned")
        return self._place(text, text.invert, text.neg, HALVES)

    def half(self, *, bf16: bool = False) -> Operand:
        """Take one 16-bit float."""
        text = self.next()
        if text.form is Form.FLOAT:
            return imm(self._bits(text, _bfloat16 if bf16 else _float16))
        return self._place(text, text.invert, text.neg, WORDS)

    def _place(
        self, text: Text, wrong: bool, neg: bool, halves: Mapping[tuple[str, ...], Half] | None = None
    ) -> Operand:
        """Operand for a register or a word of a constant bank."""
        if wrong:
            raise Unsupported("a sign that this instruction is not known to have")
        half = Half.BOTH if halves is None else halves.get(text.suffixes)
        if half is None or (halves is None and text.suffixes):
            raise Unsupported("a part of a register that this instruction is not known to take")
        if text.form in (Form.REG, Form.UREG):
            return _register(text)._replace(neg=neg, abs=text.absolute, half=int(half))
        if text.form is Form.CONST and not text.terms:
            return const(text.offset, text.index, neg=neg)._replace(abs=text.absolute, half=int(half))
        raise Unsupported("an operand of an unexpected kind")

    def _bits(self, text: Text, bits: Any) -> int:
        """Bits of an immediate; those of a NaN are in the encoding, where immediates of 32 bits lie in bits 32-63."""
        if math.isnan(text.value):
            return self.line.low >> 32
        try:
            return int(bits(text.value))
        except OverflowError:
            raise Unsupported("an immediate that its type cannot hold") from None

    # ------------------------------------------------------------------ the result

    def finish(self) -> None:
        """Make sure that nothing is left.

        Raises
        ------
        Unsupported
        """
        if self.modifiers:
            raise Unsupported(f"modifier {self.modifiers[0]}")
        if self.more():
            raise Unsupported(f"operand {self.operands[self.at]}")

    def make(self, op: Op, dst: Operand | None = None, srcs: tuple[Operand, ...] = (), **fields: Any) -> Instr:
        """The instruction: what is given, with the guard, the control information and the line."""
        line = self.line
        guard = _guard(line.guard)
        return Instr(op, dst, srcs, guard, control=control(line.high), line=self.number, **fields)


@lru_cache(maxsize=256)
def _guard(text: str) -> Operand:
    if not text:
        return TRUE
    found = parse(text)
    return Operand(KINDS[found.form], found.index, found.invert)


def _register(text: Text) -> Operand:
    """A register; both zero registers are ``RZ``, so that a uniform one needs no zero of its own."""
    if text.form is Form.UREG and text.index == URZ:
        return ZERO
    return Operand(KINDS[text.form], text.index)


def _float32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def _float64_upper(value: float) -> int:
    bits = int(struct.unpack("<Q", struct.pack("<d", value))[0])
    if bits & 0xFFFFFFFF:
        raise Unsupported("an immediate of more than 32 bits")
    return bits >> 32


def _float16(value: float) -> int:
    return int(struct.unpack("<H", struct.pack("<e", value))[0])


def _bfloat16(value: float) -> int:
    return _float32(value) >> 16
