"""Where arrays that share memory lie: as far apart in a launch as they are in NumPy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from gpusim.errors import ParameterError
from gpusim.simulate.launch import place


class _Stretch(NamedTuple):
    """Neighbouring bytes of the host's memory, and the arrays in them."""

    names: tuple[str, ...]
    first: int
    end: int


def shared_places(buffers: Mapping[str, np.ndarray], start: int) -> dict[str, int]:
    """Places of buffers of which some share memory.

    Parameters
    ----------
    buffers : mapping of str to ndarray
    start : int
        Bytes at the start of global memory that are taken.

    Returns
    -------
    dict of str to int
        Bytes from the start of global memory; empty where no two share any.

    Raises
    ------
    ParameterError
        If an array shares memory with another one and has gaps: what a kernel gets of it is a copy without them.
    """
    arrays = {name: value for name, value in buffers.items() if value.nbytes}
    _refuse_gaps(arrays)
    of = {name: stretch for stretch in _stretches(arrays) for name in stretch.names}
    if all(len(stretch.names) == 1 for stretch in of.values()):
        return {}
    alone = {name: _Stretch((name,), 0, value.nbytes) for name, value in buffers.items() if name not in of}
    of |= alone
    in_order = {of[name].names[0]: of[name].end - of[name].first for name in buffers}
    at = place(in_order)
    return {
        name: start + at[of[name].names[0]] + (0 if name in alone else arrays[name].ctypes.data - of[name].first)
        for name in buffers
    }


def _stretches(arrays: Mapping[str, np.ndarray]) -> Iterable[_Stretch]:
    """Arrays without gaps, those that overlap together."""
    found: list[_Stretch] = []
    dense = [(array.ctypes.data, name) for name, array in arrays.items() if array.flags.c_contiguous]
    for first, name in sorted(dense):
        end = first + arrays[name].nbytes
        if found and first < found[-1].end:
            names, start, last = found.pop()
            found.append(_Stretch((*names, name), start, max(end, last)))
        else:
            found.append(_Stretch((name,), first, end))
    return found


def _refuse_gaps(arrays: Mapping[str, np.ndarray]) -> None:
    """Arrays that overlap others must have no gaps."""
    for name, array in arrays.items():
        if array.flags.c_contiguous:
            continue
        for other, value in arrays.items():
            if other != name and np.shares_memory(array, value):
                raise ParameterError(
                    f"arguments {name} and {other} share memory, and {name} is not contiguous: pass a copy of it, "
                    "or both without gaps"
                )
