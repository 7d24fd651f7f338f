"""Where memory of the host lies for a kernel: whole allocations at addresses of their own, for as long as they live."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.simulate.launch import ALIGNMENT

FIRST = int(GLOBAL_BASE) + (1 << 20)
"""Address of the first allocation; before it lie the variables of programs."""


class Owner(Protocol):
    """An allocation of the host, which it does not keep alive."""

    @property
    def key(self) -> tuple[str, int]:
        """Tells it from others that live."""

    def bytes(self) -> np.ndarray | None:
        """All of it; None where it lives no more."""


class Places(NamedTuple):
    """Where the arrays of a launch lie.

    Attributes
    ----------
    arguments : sequence of int or None
        Address of each argument that is an array.
    besides : mapping of str to (int, ndarray)
        Address and bytes of what no argument points to.
    """

    arguments: Sequence[int | None]
    besides: Mapping[str, tuple[int, np.ndarray]]

    def by_name(self, names: Iterable[str]) -> dict[str, int]:
        """Bytes from the start of global memory of each array, arguments by these names."""
        known = zip(names, self.arguments, strict=True)
        addresses = {name: address for name, address in known if address is not None}
        addresses |= {name: address for name, (address, _) in self.besides.items()}
        return {name: address - int(GLOBAL_BASE) for name, address in addresses.items()}


class Located(NamedTuple):
    """An array in the host's memory.

    Attributes
    ----------
    owner : Owner
        Of the allocation in which it lies.
    memory : ndarray
        Bytes of all of the allocation.
    offset : int
        Of its first byte there.
    """

    owner: Owner
    memory: np.ndarray
    offset: int


def locate(array: np.ndarray) -> Located:
    """Find an array in the host's memory, with the array that it is a part of.

    Parameters
    ----------
    array : ndarray
    """
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    held = bytes_of(root)
    if not root.flags.writeable or not array.flags.writeable:
        held.flags.writeable = False
    return Located(OfArray(root), held, array.ctypes.data - held.ctypes.data)


class Allocation(NamedTuple):
    """What lies at some addresses.

    Attributes
    ----------
    first : int
        Address.
    nbytes : int
    owner : Owner
    """

    first: int
    nbytes: int
    owner: Owner


class OfArray:
    """The memory behind a NumPy array that owns it, or that nothing else is known to own."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = weakref.ref(array)
        self.key = "numpy", id(array)

    def bytes(self) -> np.ndarray | None:
        """All of it; None where it lives no more."""
        array = self._array()
        return None if array is None else bytes_of(array)


def bytes_of(array: np.ndarray) -> np.ndarray:
    """All that lies between an array's first byte and its last, gaps included."""
    first, end = np.lib.array_utils.byte_bounds(array)
    return raw_bytes(first, end - first, array)


def raw_bytes(address: int, nbytes: int, holder: object, *, writeable: bool = True) -> np.ndarray:
    """Bytes of the host's memory as an array, which keeps alive what holds them."""
    if isinstance(holder, np.ndarray):
        writeable = holder.flags.writeable
    return np.asarray(_Bytes(address, nbytes, holder, writeable))


class _Bytes:
    """Memory as NumPy takes it from others."""

    def __init__(self, address: int, nbytes: int, holder: object, writeable: bool) -> None:
        self.holder = holder
        self.__array_interface__ = {
            "version": 3, "shape": (nbytes,), "typestr": "|u1", "data": (address, not writeable),
        }  # fmt: skip


class Memory:
    """Addresses of allocations, given when they are first asked for and given anew when what had them is gone."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], Allocation] = {}
        self._spare: dict[int, list[int]] = {}
        self._end = FIRST
        self._told: set[tuple[str, int]] = set()

    def place(self, owner: Owner, nbytes: int) -> Allocation:
        """Where an allocation lies, from now on until it is gone.

        Parameters
        ----------
        owner : Owner
        nbytes : int
        """
        found = self._known.get(owner.key)
        if found is not None and found.owner.bytes() is not None and found.nbytes == nbytes:
            return found
        self._forget()
        found = self._known[owner.key] = Allocation(self._vacant(nbytes), nbytes, owner)
        return found

    def known(self, key: tuple[str, int]) -> Allocation:
        """An allocation that was given an address.

        Parameters
        ----------
        key : tuple
            Its owner's.
        """
        return self._known[key]

    def tell(self, owner: Owner, nbytes: int) -> Allocation:
        """The same, of an allocation whose address a program is told, and may hand to kernels in an array."""
        found = self.place(owner, nbytes)
        self._told.add(owner.key)
        return found

    def told(self) -> Iterator[tuple[Allocation, np.ndarray]]:
        """Allocations whose addresses a program was told, and their bytes."""
        for key in sorted(self._told, key=lambda key: self._known[key].first):
            one = self._known[key]
            held = one.owner.bytes()
            if held is not None:
                yield one, held

    def _forget(self) -> None:
        """Take addresses back of what is gone."""
        for key, one in list(self._known.items()):
            if one.owner.bytes() is None:
                del self._known[key]
                self._told.discard(key)
                self._spare.setdefault(_room(one.nbytes), []).append(one.first)

    def _vacant(self, nbytes: int) -> int:
        """Addresses for so many bytes: those last given to as many, or new ones."""
        room = _room(nbytes)
        if spare := self._spare.get(room):
            return spare.pop()
        self._end += room
        return self._end - room


def _room(nbytes: int) -> int:
    """Bytes that an allocation takes: a unit more than it has, so that what is beyond it is nobody's."""
    return (-(-nbytes // ALIGNMENT) + 1) * ALIGNMENT
