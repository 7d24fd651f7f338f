"""Machine code as text: run NVIDIA's disassembler on a cubin and read what it prints.

The listing (``-c -gi -hex``) is asked for, not the JSON: only the listing has the encodings, in
which the scheduling information lies, and the chain of calls that inlining has dissolved.

Source: NVIDIA, *CUDA Binary Utilities*, "nvdisasm".  The scheduling bits are those of Jia, Maggioni,
Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (2018),
section 2.1; they have stayed the same since.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import NamedTuple

from gpusim import children
from gpusim.errors import GpusimError
from gpusim.isa.instruction import INSTRUCTION_BYTES, Control

TIMEOUT_S, MEMORY_BYTES = 120, 8 << 30
"""What nvdisasm may take; there are damaged files on which it would go on for ever."""

_SECTION = re.compile(r"\s*\.section\s+(\S+?),")
_FIRST = re.compile(
    r"\s*/\*([0-9a-f]+)\*/\s+(?:@(!?U?P[0-6T])\s+)?([A-Z][\w.]*)\s*(.*?)\s*;\s*/\* 0x([0-9a-f]{16}) \*/\s*$"
)
_SECOND = re.compile(r"\s*/\* 0x([0-9a-f]{16}) \*/\s*$")
_LABEL = re.compile(r"(\S+):$")
_REFERENCE = re.compile(r"`\(([^)]*)\)")
_PLACE = re.compile(r'\s*//## File "(.*?)", line (\d+)')
_NOTE = re.compile(r"\s*\(\*.*\*\)")  # (*"BRANCH_TARGETS ..."*), which says what the constant bank says


class DisassemblyError(GpusimError):
    """A cubin that nvdisasm does not read, or a listing that is not as expected."""


class Place(NamedTuple):
    """A line of a source file; 0 if unknown."""

    file: str
    line: int


NOWHERE = Place("", 0)


class Line(NamedTuple):
    """One instruction of a listing.

    Attributes
    ----------
    address : int
        Byte address in its section.
    guard : str
        ``"P0"``, ``"!UP1"``, ... or ``""``.
    opcode : str
        With its modifiers, e.g. ``"LDG.E.128"``.
    operands : tuple of str
        As printed; a label is ```0x260``, its address, or ```(name)`` where it lies in another section.
    low, high : int
        The two 64-bit words of the encoding.
    file, line : str, int
        Where in the source it comes from, innermost of the functions inlined; ``""`` and 0 if unknown.
    callers : tuple of Place
        Where those functions were called, outermost last.
    """

    address: int
    guard: str
    opcode: str
    operands: tuple[str, ...]
    low: int
    high: int
    file: str = ""
    line: int = 0
    callers: tuple[Place, ...] = ()

    @property
    def text(self) -> str:
        """The instruction as nvdisasm words it."""
        guard = f"@{self.guard} " if self.guard else ""
        return f"{guard}{self.opcode} {', '.join(self.operands)}".rstrip()


def disassemble(cubin: bytes, nvdisasm: Path) -> dict[str, list[Line]]:
    """Disassemble a cubin.

    Parameters
    ----------
    cubin : bytes
        An ELF image for one architecture.
    nvdisasm : Path
        The program.

    Returns
    -------
    dict of str to list of Line
        By function: each code section, which holds a kernel and the functions that it calls.

    Raises
    ------
    DisassemblyError
        If nvdisasm fails, or prints what cannot be read.
    """
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "kernels.cubin"
        image.write_bytes(cubin)
        return parse(_listing(image, nvdisasm))


def _listing(image: Path, nvdisasm: Path) -> str:
    command = [str(nvdisasm), "-c", "-gi", "-hex", str(image)]
    try:
        done = children.run(command, seconds=TIMEOUT_S, memory=MEMORY_BYTES)
    except children.ChildError as error:
        raise DisassemblyError(f"nvdisasm {error}") from None
    output, errors = (text.decode(errors="replace") for text in (done.output, done.errors))
    if done.status:
        said = (errors or output).strip().splitlines() or [f"it ends with status {done.status}"]
        raise DisassemblyError(f"nvdisasm fails: {said[-1].replace(str(image), 'the cubin')}")
    return output


def parse(listing: str) -> dict[str, list[Line]]:
    """Read a listing made with ``-c -hex``, with or without line information.

    Parameters
    ----------
    listing : str

    Returns
    -------
    dict of str to list of Line
        By function, in the order of the listing.

    Raises
    ------
    DisassemblyError
        Naming the line that is not as expected.
    """
    reader = _Listing()
    for number, text in enumerate(listing.splitlines(), 1):
        reader.read(text, number)
    return {name: section.finish() for name, section in reader.sections.items() if section.lines or section.half}


class _Section:
    """Instructions and labels of one code section."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[Line] = []
        self.labels: dict[str, int] = {}
        self.half: Line | None = None  # the instruction whose second word is still to come

    def finish(self) -> list[Line]:
        if self.half is not None:
            raise DisassemblyError(f"{self.name}: the listing ends within the instruction {self.half.text!r}")
        return [self._resolved(line) for line in self.lines]

    def _resolved(self, line: Line) -> Line:
        """Labels of this section as addresses."""
        if not any("`" in text for text in line.operands):
            return line

        def address(found: re.Match[str]) -> str:
            at = self.labels.get(found[1])
            return found[0] if at is None else f"`{at:#x}"

        return line._replace(operands=tuple(_REFERENCE.sub(address, text) for text in line.operands))


class _Listing:
    """Reads a listing line by line."""

    def __init__(self) -> None:
        self.sections: dict[str, _Section] = {}
        self.section: _Section | None = None
        self.places: list[Place] = []
        self.fresh = True  # the next place starts a new chain

    def read(self, text: str, number: int) -> None:
        if not text or text.isspace():
            return
        if (found := _SECTION.match(text)) is not None:
            self._enter(found[1])
        elif self.section is None:
            return
        elif (found := _FIRST.match(text)) is not None:
            self._first(self.section, found, number)
        elif (found := _SECOND.match(text)) is not None:
            self._second(self.section, int(found[1], 16), number)
        elif (found := _PLACE.match(text)) is not None:
            self._place(found)
        elif (found := _LABEL.match(text)) is not None:
            self.section.labels[found[1]] = len(self.section.lines) * INSTRUCTION_BYTES
        elif text.lstrip().startswith("/*"):
            raise DisassemblyError(f"line {number} of the listing is no instruction that can be read: {text.strip()!r}")

    def _enter(self, name: str) -> None:
        self.section = None
        self.places = []
        if name.startswith(".text."):
            kernel = name.removeprefix(".text.")
            self.section = self.sections.setdefault(kernel, _Section(kernel))

    def _place(self, found: re.Match[str]) -> None:
        if self.fresh:
            self.places, self.fresh = [], False
        self.places.append(Place(found[1], int(found[2])))

    def _first(self, section: _Section, found: re.Match[str], number: int) -> None:
        address, guard, opcode, operands, low = found.groups()
        if section.half is not None or int(address, 16) != len(section.lines) * INSTRUCTION_BYTES:
            raise DisassemblyError(
                f"line {number} of the listing: an instruction is missing before {found[0].strip()!r}"
            )
        self.fresh = True
        (file, line), *callers = self.places or [NOWHERE]
        section.half = Line(
            int(address, 16), guard or "", opcode, _split(operands), int(low, 16), 0, file, line, tuple(callers)
        )

    def _second(self, section: _Section, high: int, number: int) -> None:
        if section.half is None:
            raise DisassemblyError(f"line {number} of the listing: an encoding without an instruction")
        section.lines.append(section.half._replace(high=high))
        section.half = None


def _split(operands: str) -> tuple[str, ...]:
    """Operands, which commas part."""
    if not operands:
        return ()
    return tuple(part.strip() for part in _NOTE.sub("", operands).split(","))


def control(high: int) -> Control:
    """Scheduling information of an instruction.

    Parameters
    ----------
    high : int
        Upper 64-bit word of its encoding.

    Returns
    -------
    Control
        From bits 41-44 (stall cycles), 46-48 and 49-51 (scoreboards released by the write and by the
        reads, 7 for none), 52-57 (scoreboards waited for).  Bit 45 (a hint to yield) and 58-61
        (operands kept for the next instruction) change no count.
    """
    return Control(high >> 41 & 15, high >> 46 & 7, high >> 49 & 7, high >> 52 & 63, high >> 58 & 15)
