"""Attributes of kernels: the entries of a cubin's ``.nv.info`` sections.

Source: what ``cuobjdump -elf`` of CUDA 12.9 to 13.5 prints of the same bytes (CUDA Binary Utilities,
https://docs.nvidia.com/cuda/cuda-binary-utilities/; the numbers themselves are not documented).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

from gpusim.cuda.cuda_errors import CubinError


class Attribute(IntEnum):
    """The attributes that are read (``EIATTR_...``)."""

    MAX_THREADS = 0x05
    PARAM_CBANK = 0x0A
    REQNTID = 0x10
    FRAME_SIZE = 0x11
    MIN_STACK_SIZE = 0x12
    KPARAM_INFO = 0x17
    CBANK_PARAM_SIZE = 0x19
    COOP_GROUP_INSTR_OFFSETS = 0x28
    COOP_GROUP_MASK_REGIDS = 0x29
    REGCOUNT = 0x2F
    CTA_PER_CLUSTER = 0x3D
    MAX_CLUSTER_RANK = 0x3F
    KPARAM_INFO_V2 = 0x45
    NUM_BARRIERS = 0x4C
    BLOCKS_ARE_CLUSTERS = 0x5B


class Entry(NamedTuple):
    """One attribute: a number, or the bytes of a longer value."""

    attribute: int
    number: int
    value: bytes


class Parameter(NamedTuple):
    """Where a kernel's parameter lies.

    Attributes
    ----------
    offset : int
        Bytes from the first parameter.
    nbytes : int
    """

    offset: int
    nbytes: int


_NO_VALUE, _BYTE, _HALF, _SIZED = 1, 2, 3, 4  # EIFMT_NVAL, BVAL, HVAL, SVAL


def entries(data: bytes) -> Iterator[Entry]:
    """Take a section of attributes apart.

    Parameters
    ----------
    data : bytes
        An ``.nv.info`` section.

    Yields
    ------
    Entry

    Raises
    ------
    CubinError
        Where it is damaged.
    """
    at = 0
    while at + 4 <= len(data):
        layout, attribute, number = struct.unpack_from("<BBH", data, at)
        at += 4
        if layout not in (_NO_VALUE, _BYTE, _HALF, _SIZED):
            raise CubinError(f"an attribute of its kernels has the unknown format {layout}")
        size = number if layout == _SIZED else 0
        if at + size > len(data):
            raise CubinError("an attribute of its kernels is cut short")
        yield Entry(attribute, number, data[at : at + size])
        at += size


def words(entry: Entry, count: int) -> tuple[int, ...]:
    """The first 32-bit words of a value."""
    if len(entry.value) < 4 * count:
        raise CubinError(f"attribute {entry.attribute:#x} of its kernels is cut short")
    return struct.unpack_from(f"<{count}I", entry.value)


def all_words(entries: Iterable[Entry], attribute: Attribute) -> tuple[int, ...]:
    """All 32-bit words of the values of an attribute, one value after another."""
    return tuple(
        word
        for entry in entries
        if entry.attribute == attribute
        for (word,) in struct.iter_unpack("<I", entry.value[: len(entry.value) // 4 * 4])
    )


def parameter(entry: Entry) -> tuple[int, Parameter]:
    """Position and place of a parameter.

    Two layouts: position and offset are 16 bits each in the second word; the size is in the upper 14 bits of
    the third, or (``KPARAM_INFO_V2``, where some parameter is large) in its lower 16.
    """
    _, place, rest = words(entry, 3)
    nbytes = rest & 0xFFFF if entry.attribute == Attribute.KPARAM_INFO_V2 else rest >> 18
    return place & 0xFFFF, Parameter(place >> 16, nbytes)
