"""Where an address lies: in which array, or next to which, to the byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gpusim.cuda.symbols import BANK
from gpusim.results.faults import Space
from gpusim.simulate.launch import lay_out
from gpusim.simulate.places import NEAR_NULL, global_place, nearby, shared_place

if TYPE_CHECKING:
    from gpusim.results.faults import Observed
    from gpusim.simulate.launch import Launch


class Freed(NamedTuple):
    """Memory that has been freed: its first byte, its bytes, and what messages call it."""

    first: int
    nbytes: int
    name: str


class Whereabouts(NamedTuple):
    """Where an address lies.

    Attributes
    ----------
    array : str
        The array in which it lies or next to which it does; empty where it is not known.
    place : str
        In words.
    is_null : bool
        Whether it is as from a null pointer.
    """

    array: str
    place: str
    is_null: bool = False


class Variable(NamedTuple):
    """A variable of shared or constant memory: its name, its first byte counted from that of the memory, its bytes."""

    name: str
    offset: int
    nbytes: int


class Variables(NamedTuple):
    """Variables of a kernel, where they are known.

    Attributes
    ----------
    shared : sequence of Variable or None
        None: those that the program knows of.
    constant : sequence of Variable
        ``__constant__`` ones.
    """

    shared: Sequence[Variable] | None = None
    constant: Sequence[Variable] = ()


UNKNOWN = Variables()


def whereabouts(
    found: Observed, launch: Launch, freed: Sequence[Freed] = (), variables: Variables = UNKNOWN
) -> Whereabouts:
    """Find out where the address of a fault lies.

    Parameters
    ----------
    found : Observed
    launch : Launch
    freed : sequence of Freed
        What of global memory has been freed.
    variables : Variables
    """
    if found.space is Space.GLOBAL:
        return _in_global(found.address, launch, freed)
    if found.space is Space.SHARED:
        return _in_shared(found, launch, declared(launch) if variables.shared is None else variables.shared)
    if found.space is Space.LOCAL:
        return Whereabouts("", f"byte {found.address} of the thread's {launch.program.local_bytes} of local memory")
    if found.space is Space.CONSTANT:
        is_users = launch.program.instrs[found.access.index].sub == BANK
        near = _variable(found.address, variables.constant if is_users else (), "constant")
        return near or Whereabouts("", f"byte {found.address} of constant memory")
    return Whereabouts("", "")


def declared(launch: Launch) -> list[Variable]:
    """Variables of shared memory that the program knows of: those of a description."""
    base = launch.program.shared_base
    arrays = (one for one in launch.program.arrays if one.space == "shared")
    return [Variable(one.name, one.offset - base, one.nbytes) for one in arrays]


def _in_global(address: int, launch: Launch, freed: Sequence[Freed]) -> Whereabouts:
    for one in reversed(freed):
        if one.first <= address < one.first + one.nbytes:
            return Whereabouts(one.name, f"byte {address - one.first} of {one.name}, which had {one.nbytes} bytes")
    if abs(address) < NEAR_NULL:
        return Whereabouts("", global_place(address, launch), is_null=True)
    near = nearby(address, lay_out(launch))
    if near is None:
        return Whereabouts("", global_place(address, launch))
    return Whereabouts(near.name, f"{near.where} ({near.nbytes} bytes)")


def _in_shared(found: Observed, launch: Launch, variables: Sequence[Variable]) -> Whereabouts:
    """In a variable, or past the one before; without variables where in all that the block has."""
    if (near := _variable(found.address, variables, "shared")) is not None:
        return near
    if not launch.shared_bytes:
        return Whereabouts("", shared_place(launch, found.address + launch.program.shared_base))
    return Whereabouts("", f"byte {found.address} of the block's {launch.shared_bytes} of shared memory")


def _variable(address: int, variables: Sequence[Variable], kind: str) -> Whereabouts | None:
    """In a variable, or past the one before; None where there is none."""
    before = [one for one in variables if one.offset <= address]
    if not before:
        return None
    one = max(before, key=lambda variable: variable.offset)
    end = one.offset + one.nbytes
    where = f"{address - end} bytes past the end of" if address >= end else f"byte {address - one.offset} of"
    return Whereabouts(one.name, f"{where} {one.name} ({one.nbytes} bytes, {kind})")
