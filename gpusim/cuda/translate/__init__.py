"""From machine code to a Program: one instruction to one.

``TABLE`` has a function for every opcode, by family; it takes an instruction's modifiers and operands from a
:class:`~gpusim.cuda.translate.reader.Reader`.  What has no translation becomes ``Op.UNKNOWN``, with its text kept, and
is an error only where it is executed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpusim.cuda.nvdisasm import Line, Place
from gpusim.cuda.translate import (
    asynchronous,
    common_forms,
    control,
    conversion,
    exchange,
    floating,
    integer,
    memory,
    tensor,
    texture,
    warpgroup,
)
from gpusim.cuda.translate.reader import Reader, Unsupported
from gpusim.cuda.translate.uniform import ORDINARY
from gpusim.hardware import of_architecture
from gpusim.hardware.programming import WORD, Abi
from gpusim.isa.encode import is_indexed
from gpusim.isa.instruction import Instr, Kind
from gpusim.isa.opcodes import Op
from gpusim.isa.program import ParamInfo, Program
from gpusim.isa.variants import Arrival, Flag

FAMILIES: tuple[Mapping[str, Callable[[Reader], Instr]], ...] = (
    common_forms.TABLE,
    integer.TABLE,
    floating.TABLE,
    conversion.TABLE,
    memory.TABLE,
    control.TABLE,
    exchange.TABLE,
    tensor.TABLE,
    texture.TABLE,
    warpgroup.TABLE,
    asynchronous.TABLE,
)
TABLE: dict[str, Callable[[Reader], Instr]] = {name: make for family in FAMILIES for name, make in family.items()}
TABLE |= {uniform: TABLE[ordinary] for uniform, ordinary in ORDINARY.items()}


def translate_line(line: Line, number: int = 0) -> Instr:
    """Translate one instruction.

    Parameters
    ----------
    line : Line
    number : int
        Line in the source, 0 if unknown.

    Returns
    -------
    Instr

    Raises
    ------
    Unsupported
        If it, one of its modifiers or one of its operands has no translation.
    """
    make = TABLE.get(line.opcode.partition(".")[0])
    if make is None:
        raise Unsupported("no such opcode is known")
    reader = Reader(line, number)
    instr = make(reader)
    reader.finish()
    return instr


def translate(
    name: str,
    lines: Sequence[Line],
    *,
    registers: int,
    shared_bytes: int,
    local_bytes: int,
    max_threads: int,
    parameters: Iterable[tuple[int, int]] = (),
    arch: str,
    banks: Mapping[int, bytes],
    **more: Any,
) -> Program:
    """Translate a function.

    Parameters
    ----------
    name : str
    lines : sequence of Line
        All instructions of its section, padding and the functions it calls included.
    registers : int
        Registers of a thread.
    shared_bytes, local_bytes : int
        Static shared memory of a block, and local memory of a thread.
    max_threads : int
        Threads that a block may have.
    parameters : iterable of (int, int)
        Offset, counted from where parameters start in constant bank 0, and bytes of each parameter.
    arch : str
        Real architecture, such as ``"sm_90"``: its ABI says what lies where.
    banks : mapping of int to bytes
        Contents of the other constant banks.
    **more
        Further fields of the Program.

    Returns
    -------
    Program
        Whose instruction ``i`` is ``lines[i]``; in ``unknown`` the text of those that have no translation.
    """
    source, abi = _source(lines), of_architecture(arch, Abi)
    instrs, unknown, places = [], {}, {}
    for index, line in enumerate(lines):
        number = _number(line, source)
        if line.line and line.file != source:
            places[index] = (line.file, line.line)
        try:
            instrs.append(_known(translate_line(line, number), abi))
        except Unsupported:
            unknown[index] = line.text
            instrs.append(Reader(line, number).make(Op.UNKNOWN))
    whole = _with_fences(_with_fetches(_with_meetings(instrs, lines)))
    return Program(
        name, whole, registers, shared_bytes, local_bytes, _parameters(parameters, abi.parameters), (),
        source, max_threads, abi.parameters, dict(banks), unknown=unknown, shared_base=abi.shared_base, places=places,
        arch=arch, most_registers=_most_registers(instrs), **more,
    )  # fmt: skip


BETWEEN_BLOCKS = (Op.CLUSTER_ARRIVE, Op.CLUSTER_WAIT, Op.STAS, Op.REDAS)
"""What only blocks of a cluster have to do with one another."""


def _with_fences(instrs: Sequence[Instr]) -> tuple[Instr, ...]:
    """The instructions, where blocks of a cluster have to do with one another; else their fences are as all others."""
    among = any(i.op in BETWEEN_BLOCKS or (i.op is Op.SYNCS_ARRIVE and i.sub & Arrival.REMOTE) for i in instrs)
    return tuple(replace(i, op=Op.MEMBAR) if i.op is Op.CLUSTER_FENCE and not among else i for i in instrs)


def _with_fetches(instrs: Sequence[Instr]) -> Sequence[Instr]:
    """The instructions, where texture fetches and no copies are what waits for scoreboard 0 are for."""
    ops = {instr.op for instr in instrs}
    if Op.TEX not in ops or Op.LDGDEPBAR in ops:
        return instrs
    return [memory.awaiting(i, 0) if i.op is Op.DEPBAR else i for i in instrs]


def _with_meetings(instrs: Sequence[Instr], lines: Sequence[Line]) -> list[Instr]:
    """The instructions; a whole warp whose lanes have come apart meets before a barrier of its block."""
    found, meets = list(instrs), -1
    for index, line in enumerate(lines):
        if line.opcode == "WARPSYNC.COLLECTIVE.ALL":
            meets = index
        elif line.opcode == "ENDCOLLECTIVE":
            meets = -1
        elif meets >= 0 and instrs[index].op is Op.BAR:
            found[meets] = replace(instrs[meets], op=Op.WARPSYNC)
    return found


def _most_registers(instrs: Sequence[Instr]) -> int:
    """Registers that a thread takes of its block's, at most."""
    return max((i.sub for i in instrs if i.op is Op.USETMAXREG and not i.flags & Flag.CLEAR), default=0)


def _known(instr: Instr, abi: Abi) -> Instr:
    """The instruction, if gpusim knows what it reads of what the driver puts before a kernel's parameters."""
    for bank, offset, nbytes in constants_read(instr):
        if bank == 0 and offset < abi.parameters and not abi.holds(offset, nbytes):
            raise Unsupported("a number of the driver's that is not known")
    return instr


def constants_read(instr: Instr) -> list[tuple[int, int, int]]:
    """Bank, offset and bytes of each constant that an instruction reads at a place known before it runs."""
    read = [(*o.place, WORD) for o in instr.srcs if o.kind is Kind.CONST]
    if instr.op is Op.LDC and not is_indexed(instr):
        read.append((instr.sub, instr.offset, instr.width))
    return read


def _parameters(parameters: Iterable[tuple[int, int]], base: int) -> tuple[ParamInfo, ...]:
    return tuple(
        ParamInfo(f"p{number}", "raw", base + offset, nbytes) for number, (offset, nbytes) in enumerate(parameters)
    )


def _source(lines: Sequence[Line]) -> str:
    """File of the kernel itself: where most instructions, seen from the outermost function, come from."""
    files = Counter(_outermost(line).file for line in lines if line.line)
    return files.most_common(1)[0][0] if files else ""


def _outermost(line: Line) -> Place:
    return line.callers[-1] if line.callers else Place(line.file, line.line)


def _number(line: Line, source: str) -> int:
    """Line of the source's own file that an instruction comes from, innermost; 0 if none."""
    if line.file == source:
        return line.line
    return next((place.line for place in line.callers if place.file == source), 0)
