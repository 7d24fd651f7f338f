"""Lines of a program's own code: those at which it has called the CUDA runtime."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from gpusim import children

TOOL, SECONDS = "addr2line", 60
"""What reads debug information, of GNU Binutils; after how long it is taken not to end."""

_STUB, _HEADER, _ABOVE = ".stub.c", "cuda_runtime_api.h", 3
"""How a file ends that launches kernels for the compiler; a header of CUDA, in a folder above its others."""


class HostLine(NamedTuple):
    """A line of a program's own code.

    Attributes
    ----------
    file : str
    line : int
    """

    file: str
    line: int


def host_lines(executable: Path, calls: Iterable[Sequence[int]]) -> dict[int, HostLine]:
    """Find the lines that have made calls.

    Parameters
    ----------
    executable : Path
        With debug information; without, nothing is found.
    calls : iterable of sequence of int
        Of each call the addresses of code that lead to it, innermost first.

    Returns
    -------
    dict
        By the innermost address of a call its line, of those that are known: the first one that is not CUDA's own.
    """
    known = [call for call in calls if call]
    places = _places(executable, sorted(set(chain.from_iterable(known))))
    lines = {call[0]: next(_own(chain.from_iterable(places.get(code, ()) for code in call)), None) for call in known}
    return {code: line for code, line in lines.items() if line is not None}


def _own(places: Iterable[HostLine]) -> Iterator[HostLine]:
    """Those of the program itself: no headers of CUDA, and no stub of a kernel, nor the kernel, which calls that."""
    is_stubs = False
    for place in places:
        path, before = Path(place.file), is_stubs
        is_stubs = path.name.endswith(_STUB)
        if not (is_stubs or before or any((above / _HEADER).exists() for above in path.parents[:_ABOVE])):
            yield place


def _places(executable: Path, codes: Sequence[int]) -> dict[int, list[HostLine]]:
    """Lines of each address, that of what was inlined there first.  Source: addr2line of GNU Binutils, ``-a -i``."""
    tool = shutil.which(TOOL)
    if tool is None or not codes:
        return {}
    try:
        ended = children.run([tool, "-a", "-i", "-e", str(executable), *map(hex, codes)], seconds=SECONDS)
    except children.ChildError:
        return {}
    found: dict[int, list[HostLine]] = {}
    here: list[HostLine] = []
    for text in ended.output.decode(errors="replace").splitlines():
        if text.startswith("0x"):
            here = found.setdefault(int(text, 16), [])
        elif match := re.match(r"(.+):(\d+)", text):
            here.append(HostLine(match[1], int(match[2])))
    return {code: [place for place in lines if place.line] for code, lines in found.items()}
