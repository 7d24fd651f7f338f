"""Device code in fat binaries, and in the executables, libraries and object files that hold such.

A fat binary is a header and entries, each of them machine code for one architecture or PTX, compressed or not.  A
program has them in its section ``.nv_fatbin``, one after another.

Source: read from what nvcc of CUDA 13.0 writes with each ``--compress-mode``; the layout is not documented.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from gpusim.cuda import elf, toolchain
from gpusim.cuda.cubin import is_cubin
from gpusim.cuda.cuda_errors import CubinError, MissingToolError

MAGIC = bytes.fromhex("50ed55ba")
_HEADER = struct.Struct("<4sHHQ")  # magic, version, bytes of this header, bytes of all entries
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_PTX, _MACHINE_CODE = 1, 2  # kinds of entries
_LZ4, _ZSTD = 0x2000, 0x8000  # flags
_SECTIONS = (".nv_fatbin",)
_MOST_BYTES = 1 << 31  # of an entry, decompressed
_RELOCATABLE = 1  # e_type of an ELF file


@dataclass(frozen=True)
class Entry:
    """Device code for one architecture.

    Attributes
    ----------
    arch : str
        ``"sm_90"``.
    is_ptx : bool
        Whether it is PTX rather than machine code.
    data : bytes
        Text of PTX, or a cubin.
    """

    arch: str
    is_ptx: bool
    data: bytes

    def __str__(self) -> str:
        return f"PTX for {self.arch}" if self.is_ptx else f"machine code for {self.arch}"


def holds(data: bytes) -> bool:
    """Whether a file is a fat binary, or an ELF file of the host's."""
    return data.startswith(MAGIC) or (data.startswith(elf.MAGIC) and not is_cubin(data))


def entries(data: bytes, filename: str) -> list[Entry]:
    """Device code in a fat binary, or in a program of the host's.

    Parameters
    ----------
    data : bytes
        The file.
    filename : str
        What messages call it.

    Raises
    ------
    CubinError
        It is damaged, or has none.
    MissingToolError
        It is compressed, and what decompresses it is not installed.
    """
    try:
        found = [entry for part in _parts(data) for entry in _entries(part)]
    except (struct.error, CubinError) as error:
        raise CubinError(f"{filename}: its device code cannot be read: {error}") from None
    if not found:
        raise CubinError(f"{filename} has no device code: it is a program or library of the host alone")
    return found


def _parts(data: bytes) -> Iterator[bytes]:
    """Stretches of a file that hold fat binaries."""
    if data.startswith(MAGIC):
        yield data
        return
    for section in elf.read(data).sections:
        if section.name in _SECTIONS:
            yield section.data


def _entries(data: bytes) -> Iterator[Entry]:
    """Entries of fat binaries that follow one another, with zeros between them."""
    at = data.find(MAGIC)
    while at >= 0:
        _, _, header, nbytes = _HEADER.unpack_from(data, at)
        place, end = at + header, at + header + nbytes
        if header < _HEADER.size or end > len(data):
            raise CubinError("it ends within a fat binary")
        while place < end:
            kind, _, header, padded, packed, _, _, _, arch, _, _, flags, _, whole = _ENTRY.unpack_from(data, place)
            first = place + header
            place = first + padded
            if header < _ENTRY.size or place > end:
                raise CubinError("it ends within an entry")
            stored = data[first : first + (packed or padded)]
            if kind in (_PTX, _MACHINE_CODE):
                yield from _entry(kind == _PTX, f"sm_{arch}", _plain(stored, flags, whole))
        at = data.find(MAGIC, end)


def _entry(is_ptx: bool, arch: str, data: bytes) -> Iterator[Entry]:
    """The entry; one that is not linked yet is no machine code to run, what it was linked to stands beside it."""
    if is_ptx:
        yield Entry(arch, True, data.rstrip(b"\0"))
    elif is_cubin(data) and int.from_bytes(data[16:18], "little") != _RELOCATABLE:
        yield Entry(arch, False, data)


def _plain(stored: bytes, flags: int, nbytes: int) -> bytes:
    """Contents of an entry, decompressed."""
    if not flags & (_LZ4 | _ZSTD):
        return stored
    if not 0 < nbytes <= _MOST_BYTES:
        raise CubinError(f"an entry of {nbytes} bytes")
    try:
        return _from_zstd(stored, nbytes) if flags & _ZSTD else _from_lz4(stored, nbytes)
    except ImportError as error:
        raise MissingToolError(
            f"{error.name}, which decompresses device code, is not installed: {toolchain.INSTALL}"
        ) from None


def _from_zstd(stored: bytes, nbytes: int) -> bytes:
    import zstandard

    try:
        found: bytes = zstandard.ZstdDecompressor().decompress(stored, max_output_size=nbytes)
    except zstandard.ZstdError as error:
        raise CubinError(f"an entry is not compressed as it says: {error}") from None
    return found


def _from_lz4(stored: bytes, nbytes: int) -> bytes:
    import lz4.block

    try:
        found: bytes = lz4.block.decompress(stored, uncompressed_size=nbytes)
    except lz4.block.LZ4BlockError as error:
        raise CubinError(f"an entry is not compressed as it says: {error}") from None
    return found
