"""Texture fetches: which registers have the coordinates, the handle and the results.

The handle lies in a uniform register, in a constant bank (``.SCR``), or with the level in registers (``.SCR.B``).
Textures have one level here, so that which one is asked for says nothing.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; where operands lie as in code of NVRTC 13.0 for sm_75 to sm_120.
"""

from __future__ import annotations

from gpusim.cuda.operands import Form, Text, parse
from gpusim.cuda.translate.reader import ZERO, Reader, Unsupported
from gpusim.isa.instruction import Instr, Kind, Operand, const, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import TEXELS, Flag

DIMENSIONS = {"1D": 1, "2D": 2}
ALL_CHANNELS = 15
WORD = 4


def tex(r: Reader) -> Instr:
    """``TEX later, d, a[, level], handle, dimensions[, channels]``: by coordinates."""
    return _fetch(r, 0)


def tld(r: Reader) -> Instr:
    """``TLD``: likewise, by numbers of texels."""
    return _fetch(r, TEXELS)


def _fetch(r: Reader, how: int) -> Instr:
    in_bank, bindless = r.has("SCR"), r.has("B")
    level = r.pick({"LL": True, "LZ": False}, False)
    r.skip("NODEP")
    later, first = r.dst(), r.dst()
    operands, dimensions, mask = _operands(r)
    registers = [text for text in operands if text.form is Form.REG]
    numbers = [text.index for text in operands if text.form is Form.INTEGER]
    if bindless:
        x, y, handle = _beside_handle(registers, dimensions, level)
    else:
        x, y = _coordinates(registers, dimensions, level, apart=in_bank)
        handle = _handle(operands, numbers, in_bank)
    return r.make(Op.TEX, first, (handle, x, y, later), sub=mask | how, flags=Flag.NARROW)


def _operands(r: Reader) -> tuple[list[Text], int, int]:
    """Operands after the results; dimensions of the texture; channels, a bit each."""
    words = r.operands[r.at :]
    place = next((k for k, word in enumerate(words) if word in DIMENSIONS), None)
    if place is None or len(words) > place + 2:
        raise Unsupported("a texture that has not one or two dimensions, or more operands than are known")
    r.at = len(r.operands)
    mask = parse(words[place + 1]).index if len(words) == place + 2 else ALL_CHANNELS
    if not 1 <= mask <= ALL_CHANNELS:
        raise Unsupported("channels that there are not")
    return [parse(word) for word in words[:place]], DIMENSIONS[words[place]], mask


def _coordinates(registers: list[Text], dimensions: int, level: bool, *, apart: bool) -> tuple[Operand, Operand]:
    """Where x and y lie; ``apart``: two numbers are in a register each, of three the first two in a pair."""
    scalars = apart and dimensions + level == 2
    if len(registers) != 1 + (scalars or (level and dimensions == 2)) or (level and dimensions == 1):
        raise Unsupported("operands of a form that is not known")
    if scalars:
        return reg(registers[0].index), reg(registers[1].index)
    return _pair(registers[0], dimensions)


def _beside_handle(registers: list[Text], dimensions: int, level: bool) -> tuple[Operand, Operand, Operand]:
    """Where x, y and the handle lie: the level follows the handle."""
    if len(registers) != 2 or (level and dimensions == 1):
        raise Unsupported("operands of a form that is not known")
    return *_pair(registers[0], dimensions), reg(registers[1].index)


def _pair(first: Text, dimensions: int) -> tuple[Operand, Operand]:
    return reg(first.index), reg(first.index + 1) if dimensions == 2 else ZERO


def _handle(operands: list[Text], numbers: list[int], in_bank: bool) -> Operand:
    """Where the handle lies, which is no register of a thread."""
    if in_bank:
        if len(numbers) != 2:
            raise Unsupported("a handle of a form that is not known")
        return const(numbers[1] * WORD, numbers[0])
    uniform = [text.index for text in operands if text.form is Form.UREG]
    if len(uniform) != 1 or any(numbers):
        raise Unsupported("a handle of a form that is not known")
    return Operand(Kind.UREG, uniform[0])


TABLE = {"TEX": tex, "TLD": tld}
