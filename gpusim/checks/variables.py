"""Variables of shared memory by name, from the PTX that compilers keep in machine code with line numbers.

Source: PTX ISA 9.0, 5.1.7 "Shared State Space" and 5.4.1 "Variable Declarations".  Machine code says nowhere where a
variable lies: ptxas lays them out in the order of their declarations, each at its alignment.  Where that does not come
to as many bytes as the code takes, nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpusim.checks.whereabouts import Variable, Variables

if TYPE_CHECKING:
    from gpusim.cuda import Kernel

_PTX = ".nv_debug_ptx_txt"
_DECLARED = re.compile(r"^\s*(?:\.visible )?\.shared \.align (\d+) \.b8 (\w+)\[(\d+)\];", re.MULTILINE)
_ENTRY = re.compile(r"\.entry (\w+)\s*\(")
_LOCAL_NAME = re.compile(r"_ZZ.*?E(\d+)(\w+)$")


def variables(source: Any) -> Variables:
    """Give the variables of a kernel, as far as they are known.

    Parameters
    ----------
    source : Kernel or object
        What a launch was made of.
    """
    if not hasattr(source, "cubin") or not hasattr(source, "code"):
        return Variables()
    constants = [Variable(_plain(one.name), one.offset, one.nbytes) for one in source.cubin.constants]
    return Variables(shared_variables(source), constants)


def shared_variables(source: Any) -> list[Variable] | None:
    """Give the variables of a kernel's static shared memory.

    Parameters
    ----------
    source : Kernel or object
        What a launch was made of.

    Returns
    -------
    list of Variable or None
        None where it is no CUDA kernel, or its machine code does not say.
    """
    if not hasattr(source, "cubin") or not hasattr(source, "code"):
        return None
    declared = list(_declared(_ptx(source), source.symbol))
    placed = list(_placed(declared))
    end = max((one.offset + one.nbytes for one in placed), default=0)
    return placed if placed and _padded(end, source.code.shared_alignment) == _own_bytes(source) else None


def _ptx(kernel: Kernel) -> str:
    from gpusim.cuda import elf

    section = elf.read(kernel.cubin.data).section(_PTX)
    return "" if section is None else section.data.decode(errors="replace").replace("\0", "\n")


def _declared(ptx: str, symbol: str) -> Iterator[tuple[str, int, int]]:
    """Name, alignment and bytes of what is declared within a kernel."""
    entries = list(_ENTRY.finditer(ptx))
    for number, entry in enumerate(entries):
        if entry[1] == symbol:
            end = entries[number + 1].start() if number + 1 < len(entries) else len(ptx)
            for align, name, nbytes in _DECLARED.findall(ptx[entry.end() : end]):
                yield _plain(name), int(align), int(nbytes)


def _placed(declared: list[tuple[str, int, int]]) -> Iterator[Variable]:
    at = 0
    for name, align, nbytes in declared:
        at = _padded(at, align)
        yield Variable(name, at, nbytes)
        at += nbytes


def _own_bytes(kernel: Kernel) -> int:
    return _padded(kernel.code.shared_bytes, kernel.code.shared_alignment)


def _plain(name: str) -> str:
    """The variable's own name: of ``_ZZ1kPfiE4tile`` it is ``tile``."""
    found = _LOCAL_NAME.match(name)
    return found[2][: int(found[1])] if found else name


def _padded(nbytes: int, unit: int) -> int:
    return -(-nbytes // unit) * unit
