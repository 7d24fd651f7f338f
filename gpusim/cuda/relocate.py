"""Filling in the addresses that a cubin leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from gpusim.cuda.cuda_errors import CubinError
from gpusim.cuda.relocations import FIELDS, Relocation

if TYPE_CHECKING:
    from gpusim.cuda.cubin import KernelCode, Variable


def relocate(kernel: KernelCode, address_of: Callable[[str], int]) -> KernelCode:
    """Fill in the addresses that a kernel's code and banks hold.

    Parameters
    ----------
    kernel : KernelCode
    address_of : callable
        Address of a symbol.

    Returns
    -------
    KernelCode
        Without relocations.

    Raises
    ------
    CubinError
        Where an address is of an unknown kind.
    """
    banks = {
        number: _filled(data, _within(kernel.relocations, f"bank{number}"), address_of)
        for number, data in kernel.banks.items()
    }
    code = _filled(kernel.code, _within(kernel.relocations, "code"), address_of)
    return replace(kernel, code=code, banks=banks, relocations=())


def initial(variable: Variable, address_of: Callable[[str], int]) -> bytes:
    """What a variable holds at first, addresses filled in.

    Parameters
    ----------
    variable : Variable
    address_of : callable
        Address of a symbol.

    Returns
    -------
    bytes
    """
    return _filled(variable.data or bytes(variable.nbytes), variable.relocations, address_of)


def _within(relocations: Iterable[Relocation], section: str) -> list[Relocation]:
    return [one for one in relocations if one.section == section]


def _filled(data: bytes, relocations: Iterable[Relocation], address_of: Callable[[str], int]) -> bytes:
    filled = bytearray(data)
    for one in relocations:
        field = FIELDS.get(one.kind)
        if field is None:
            raise CubinError(
                f"the address of {one.symbol} is of a kind ({one.kind}) that is not known; debug builds (-G) have such"
            )
        value = (address_of(one.symbol) + one.addend) >> field.shift
        start = one.offset + field.start
        filled[start : start + field.nbytes] = (value & (1 << 8 * field.nbytes) - 1).to_bytes(field.nbytes, "little")
    return bytes(filled)
