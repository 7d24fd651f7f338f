"""Addresses that a cubin leaves open: where they go.

Source: names and numbers of the kinds as ``cuobjdump -elf`` of CUDA 13.0 prints them; a name such as
``ABS32_LO_32`` reads: the lower 32 bits of the address, written at bit 32 of the instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gpusim.cuda.cuda_errors import CubinError

if TYPE_CHECKING:
    from gpusim.cuda.elf import Elf, Patch, Section


class Field(NamedTuple):
    """Where in the bytes at an offset an address goes: `nbytes` from `start`, of the address shifted right."""

    start: int
    nbytes: int
    shift: int = 0

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + self.nbytes


FIELDS = {
    1: Field(0, 4),  # R_CUDA_32
    2: Field(0, 8),  # R_CUDA_64
    3: Field(0, 4),  # R_CUDA_G32
    4: Field(0, 8),  # R_CUDA_G64
    34: Field(0, 4),  # R_CUDA_FUNC_DESC_32
    35: Field(0, 8),  # R_CUDA_FUNC_DESC_64
    55: Field(4, 4),  # R_CUDA_ABS32_32
    56: Field(4, 4),  # R_CUDA_ABS32_LO_32
    57: Field(4, 4, 32),  # R_CUDA_ABS32_HI_32
    70: Field(0, 4),  # R_CUDA_32_LO
    71: Field(0, 4, 32),  # R_CUDA_32_HI
}


class Relocation(NamedTuple):
    """A place that holds the address of a symbol.

    Attributes
    ----------
    section : str
        ``"code"``, ``"bank4"`` (any number) or ``"variable"``.
    offset : int
        Bytes from its start.
    symbol : str
        Whose address: a variable, a function, or one of the system's such as ``vprintf``.
    kind : int
        How it is written there, a key of `FIELDS` where that is known.
    addend : int
        Added to the address.
    """

    section: str
    offset: int
    symbol: str
    kind: int
    addend: int


def relocation(file: Elf, section: Section, patch: Patch, place: str) -> Relocation:
    """Name the symbol of a place, and read what is added where the place itself holds it.

    Raises
    ------
    CubinError
        Where place or symbol lie outside of the file.
    """
    field = FIELDS.get(patch.kind, Field(0, 4))
    begin = patch.offset + field.start
    if patch.symbol >= len(file.symbols) or begin + field.nbytes > section.size:
        raise CubinError(f"a relocation of its section {section.name} is damaged")
    held = int.from_bytes(section.data[begin : begin + field.nbytes], "little") << field.shift
    addend = held if patch.addend is None else patch.addend
    return Relocation(place, patch.offset, file.symbols[patch.symbol].name, patch.kind, addend)
