"""ELF files: sections, symbols, relocations.  64 bits, little-endian, as all cubins are.

Source: System V ABI, chapters 4 and 5 (``Elf64_Ehdr``, ``Elf64_Shdr``, ``Elf64_Sym``, ``Elf64_Rela``).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

from gpusim.cuda.cuda_errors import CubinError

MAGIC = b"\x7fELF"
_CLASS_64, _LITTLE_ENDIAN = 2, 1
_SYMBOLS, _RELA, _NOBITS, _REL = 2, 4, 8, 9  # sh_type
_FUNCTION, _SECTION = 2, 3  # symbol types

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QIIq")
_RELOCATION_HERE = struct.Struct("<QII")


class Symbol(NamedTuple):
    """One symbol; `section` is the index of the section it lies in, 0 where it is undefined."""

    name: str
    value: int
    size: int
    kind: int
    other: int
    section: int

    @property
    def is_function(self) -> bool:
        """Whether it names code."""
        return self.kind == _FUNCTION

    @property
    def is_section(self) -> bool:
        """Whether it names a section."""
        return self.kind == _SECTION


class Patch(NamedTuple):
    """A place in a section that holds the address of a symbol.

    Attributes
    ----------
    offset : int
        Where, in bytes from the section's start.
    kind : int
        How the address is written there (``R_CUDA_...``).
    symbol : int
        Index of the symbol.
    addend : int or None
        Added to the address; None where the place itself holds it.
    """

    offset: int
    kind: int
    symbol: int
    addend: int | None


@dataclass(frozen=True)
class Section:
    """One section; `data` is empty where the file holds none (``.nv.global``, ``.nv.shared``)."""

    name: str
    kind: int
    flags: int
    size: int
    link: int
    info: int
    alignment: int
    data: bytes


@dataclass(frozen=True)
class Elf:
    """A whole file.

    Attributes
    ----------
    kind, os_abi, abi_version, machine, flags : int
    sections : tuple of Section
    symbols : tuple of Symbol
    """

    kind: int
    os_abi: int
    abi_version: int
    machine: int
    flags: int
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]

    def section(self, name: str) -> Section | None:
        """First section of this name."""
        return next((section for section in self.sections if section.name == name), None)

    def patches(self, name: str) -> list[Patch]:
        """What must be filled in of the section of this name."""
        return [
            patch
            for section in self.sections
            if section.kind in (_REL, _RELA) and section.name in (f".rel{name}", f".rela{name}")
            for patch in _patches(section)
        ]


def read(data: bytes) -> Elf:
    """Take a file apart.

    Parameters
    ----------
    data : bytes
        The file.

    Returns
    -------
    Elf

    Raises
    ------
    CubinError
        Where it is no such file, or cut short.
    """
    if not data.startswith(MAGIC):
        raise CubinError("it is no ELF file")
    if len(data) < _HEADER.size:
        raise CubinError("it ends within its header")
    ident, kind, machine, _, _, _, table, flags, _, _, _, entry, count, names = _HEADER.unpack_from(data)
    if (ident[4], ident[5]) != (_CLASS_64, _LITTLE_ENDIAN):
        raise CubinError("it is an ELF file, but not of 64 bits in little-endian order")
    if entry != _SECTION_HEADER.size or table + entry * count > len(data):
        raise CubinError("its table of sections lies beyond its end")
    headers = [_SECTION_HEADER.unpack_from(data, table + entry * index) for index in range(count)]
    sections = _sections(data, headers, names)
    return Elf(kind, ident[7], ident[8], machine, flags, sections, _symbols(sections))


def _sections(data: bytes, headers: list[tuple[int, ...]], names: int) -> tuple[Section, ...]:
    """Every section, named."""
    if names >= len(headers):
        raise CubinError("it does not name its sections")
    texts = _content(data, headers[names])
    return tuple(
        Section(
            name=_string(texts, header[0]),
            kind=header[1],
            flags=header[2],
            size=header[5],
            link=header[6],
            info=header[7],
            alignment=header[8],
            data=_content(data, header),
        )
        for header in headers
    )


def _content(data: bytes, header: tuple[int, ...]) -> bytes:
    """Bytes of a section."""
    kind, offset, size = header[1], header[4], header[5]
    if kind in (0, _NOBITS):
        return b""
    if offset + size > len(data):
        raise CubinError("one of its sections lies beyond its end")
    return data[offset : offset + size]


def _symbols(sections: tuple[Section, ...]) -> tuple[Symbol, ...]:
    """Every symbol of the first table of symbols, by index."""
    table = next((section for section in sections if section.kind == _SYMBOLS), None)
    if table is None:
        return ()
    if table.link >= len(sections) or table.size % _SYMBOL.size:
        raise CubinError("its table of symbols is damaged")
    names = sections[table.link].data
    return tuple(
        Symbol(_string(names, name), value, size, info & 0xF, other, section)
        for name, info, other, section, value, size in _SYMBOL.iter_unpack(table.data)
    )


def _patches(section: Section) -> list[Patch]:
    """Entries of a section of relocations."""
    explicit = section.kind == _RELA
    entry = _RELOCATION if explicit else _RELOCATION_HERE
    if len(section.data) % entry.size:
        raise CubinError(f"its section {section.name} is damaged")
    rows = entry.iter_unpack(section.data)
    return [Patch(row[0], row[1], row[2], row[3] if explicit else None) for row in rows]


def _string(texts: bytes, start: int) -> str:
    """NUL-terminated text at an offset."""
    end = texts.find(b"\0", start)
    if start >= len(texts) or end < 0:
        raise CubinError("one of its names lies beyond its end")
    return texts[start:end].decode(errors="replace")
