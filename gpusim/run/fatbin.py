"""Fat binaries: what nvcc puts into a program, machine code for one or more architectures.

Each begins with a header; entries follow, each with a header of its own, that names its kind and architecture.

Source: ``fatbinary_section.h`` of CUDA 13.0, and what ``fatbinary`` makes of cubins whose places and sizes are known.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from gpusim.run.run_errors import ProgramError

_MAGIC = 0xBA55ED50
_HEAD = struct.Struct("<IHHQ")  # magic, version, bytes of this header, bytes of all entries
_ENTRY = struct.Struct("<HHIQ12xI8xQ")  # kind, version, bytes of this header, of what follows; architecture, flags
_CUBIN = 2
_COMPRESSED = 0x2000 | 0x8000  # by LZ4, by Zstandard


class Entry(NamedTuple):
    """Code for one architecture: ``number`` is 90 for ``sm_90``."""

    is_cubin: bool
    number: int
    is_compressed: bool
    data: bytes


def entries(fatbin: bytes) -> Iterator[Entry]:
    """What a fat binary holds.

    Parameters
    ----------
    fatbin : bytes

    Raises
    ------
    ProgramError
        It is none.
    """
    if len(fatbin) < _HEAD.size or _HEAD.unpack_from(fatbin)[0] != _MAGIC:
        raise ProgramError("the program's device code is in no format that gpusim knows")
    _, _, at, nbytes = _HEAD.unpack_from(fatbin)
    end = at + nbytes
    while at + _ENTRY.size <= end:
        kind, _, head, size, number, flags = _ENTRY.unpack_from(fatbin, at)
        yield Entry(kind == _CUBIN, number, bool(flags & _COMPRESSED), fatbin[at + head : at + head + size])
        at += head + size


def cubin_for(fatbin: bytes, arch: str, gpu: str) -> bytes:
    """The cubin for an architecture.

    Parameters
    ----------
    fatbin : bytes
    arch : str
        Such as ``"sm_90"``.
    gpu : str
        Name of the GPU, for messages.

    Returns
    -------
    bytes

    Raises
    ------
    ProgramError
        There is none, or it is compressed.
    """
    found = list(entries(fatbin))
    number = int(arch.removeprefix("sm_").rstrip("af"))
    own = [entry for entry in found if entry.is_cubin and entry.number == number]
    if not own:
        there = ", ".join(sorted({f"{'sm' if one.is_cubin else 'PTX for compute'}_{one.number}" for one in found}))
        raise ProgramError(
            f"the program has no machine code for {arch}, which {gpu} runs, but {there or 'none at all'}: "
            f"compile it with nvcc -arch={arch}"
        )
    if own[0].is_compressed:
        raise ProgramError("the program's device code is compressed: link it with nvcc -no-compress")
    return own[0].data
