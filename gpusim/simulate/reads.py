"""Which registers each instruction reads: to which places of operands, or one after another.

A register file has two banks, of even and of odd registers, and a place for the first, second and third source of each
(:mod:`gpusim.engine.core.register_file`).  A register marked for reuse stays in its place until another one is read to
it.  What goes to the load/store pipe or to the special functions has no places: it reads its registers one after
another, what it stores before the address, of which the upper half comes first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpusim.engine.core.fragments import FIELD
from gpusim.engine.core.register_file import ASKS_FIELD, LATE, PLACE_FIELD
from gpusim.engine.state.columns import N_PLACES
from gpusim.isa.instruction import RZ, Instr, Kind
from gpusim.isa.opcode_info import Pipe
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.variants import Flag
from gpusim.isa.widths import address_words, source_words


def reads(program: Program) -> np.ndarray:
    """Places that each instruction reads to, as bits: of the even bank, of the odd one.

    Above these the same bits for when nothing is left of the instructions before it, and above those all places that it
    takes: a register that is read once goes to every place that names it; and ``LATE`` where the upper half of what is
    added comes late.  Of an instruction to the tensor core: how many registers it reads of each bank, and how many when
    nothing is left (:mod:`gpusim.engine.core.fragments`).  Of one to the load/store pipe or the special functions: the
    bank of each register in order, a bit each, and above these their number.

    Parameters
    ----------
    program : Program

    Returns
    -------
    int64 array, shape (n,)
        -1 everywhere in a program that marks no register for reuse: no compiler that looks after banks made it, so
        that its registers are taken not to be in one another's way.
    """
    if not any(i.control.reuse for i in program.instrs):
        return np.full(len(program), -1)
    kept: dict[int, int] = {}
    return np.array([_packed(i, kept) for i in program.instrs], np.int64)


def _packed(instr: Instr, kept: dict[int, int]) -> int:
    if instr.op.info.described:  # its tensor core reads them while it works, and what that takes is not known
        return -1
    if instr.op.info.pipe is Pipe.TENSOR:
        return _fragments(instr, kept) | _fragments(instr, {}) << 2 * FIELD
    if _asks(instr):
        registers = asked(instr)
        return len(registers) << ASKS_FIELD | sum(r % 2 << k for k, r in enumerate(registers))
    late = LATE if instr.op is Op.IMAD_WIDE else 0
    read, afresh, taken = _read(instr, kept), _read(instr, {}), sum(1 << place for place, _ in _places(instr))
    return read | afresh << PLACE_FIELD | taken << 2 * PLACE_FIELD | late


def _asks(instr: Instr) -> bool:
    """Whether an instruction reads its registers one after another."""
    return instr.op.info.pipe in (Pipe.LSU, Pipe.XU) and not instr.flags & Flag.ON_ALU


def reads_late(instr: Instr) -> bool:
    """Whether an access, or what goes to the special functions, reads its registers a cycle later than loads do."""
    return not instr.op.info.reads_memory or instr.op.info.writes_memory


def asked(instr: Instr) -> list[int]:
    """Registers that what goes to the load/store pipe or the special functions reads, in order.

    What is stored comes before the address, of which the upper half comes first.
    """
    values: list[int] = []
    addresses: list[int] = []
    for slot, operand in enumerate(instr.srcs):
        if operand.kind is Kind.REG and operand.index != RZ:
            is_address = bool(address_words(instr, slot))
            found = [operand.index + k for k in range(source_words(instr, slot))]
            (addresses if is_address else values).extend(found[::-1] if is_address else found)
    return values + addresses


def _fragments(instr: Instr, kept: dict[int, int]) -> int:
    """Registers of each bank that an instruction to the tensor core reads, given those kept; notes those it keeps."""
    banks = [0, 0]
    for slot, operand in enumerate(instr.srcs):
        for k in range(source_words(instr, slot) if operand.kind is Kind.REG and operand.index != RZ else 0):
            register = operand.index + k
            place = register % 2 * N_PLACES + slot
            banks[register % 2] += k > 1 or kept.get(place) != register
            if k < 2:
                _keep(kept, place, register, bool(instr.control.reuse >> slot & 1))
    return banks[0] | banks[1] << FIELD


def _read(instr: Instr, kept: dict[int, int]) -> int:
    """Places an instruction reads to, given the register that is ``kept`` in each; notes those it keeps."""
    wanted, read = 0, set()
    for place, register in _places(instr):
        if register not in read and kept.get(place) != register:
            wanted |= 1 << place
        read.add(register)
        _keep(kept, place, register, bool(instr.control.reuse >> place % N_PLACES & 1))
    return wanted


def _keep(kept: dict[int, int], place: int, register: int, reused: bool) -> None:
    """Note what stays in a place."""
    if reused:
        kept[place] = register
    else:
        kept.pop(place, None)


def _places(instr: Instr) -> Iterator[tuple[int, int]]:
    """Every place of an instruction's operands, and the register that goes there."""
    if instr.op.info.pipe is Pipe.CONTROL:
        return
    for slot, operand in enumerate(instr.srcs[:N_PLACES]):
        if operand.kind is Kind.REG and operand.index != RZ:
            for k in range(source_words(instr, slot)):
                register = operand.index + k
                yield register % 2 * N_PLACES + slot + k // 2, register
