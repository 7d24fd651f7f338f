"""Machines that run launches of the same kernel again, as new each time.

Making one takes ten milliseconds: most of its arrays are large, and a small launch touches little of them.  Here they
lie in a file in memory, mapped so that changes are this mapping's own.  What a launch has changed is let go of page by
page, and then all is as it was.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state.arrays import CACHE_LINE, Machine
from gpusim.isa.opcodes import SYSTEM_CALLS, Op
from gpusim.simulate.build import rebind

if TYPE_CHECKING:
    from gpusim.isa.encode import Image
    from gpusim.simulate.launch import Launch, Layout

MOST_BYTES = 1 << 32
"""Bytes of all machines that are kept; a tenth of them at most is anything but zeros."""
ELSEWHERE = ("code", "data")
"""Arrays that are not the machine's own."""


class Machines:
    """Machines by what they are for, the latest ones."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._seen: dict[Hashable, np.ndarray] = {}
        self._lent: _Kept | None = None

    def machine(
        self,
        what: Hashable,
        launch: Launch,
        layout: Layout,
        image: Image,
        data: np.ndarray,
        make: Callable[[], Machine],
    ) -> Machine:
        """A machine as `make` would make it now.

        The machine given before is no more: nobody may use it, or arrays of it, after that.

        Parameters
        ----------
        what : hashable
            All that a machine depends on but the contents of memory and of constant banks, and where arrays lie; with
            the numbers of objects that ``image.code`` keeps alive.
        launch, layout, image
            What runs, with its constants.
        data : uint32 array
            Global memory.
        make : callable
        """
        if self._lent is not None:
            self._lent.clean()
            self._lent = None
        if not _can_run_again(launch):
            return make()
        if what in self._kept:
            self._kept.move_to_end(what)
            self._lent = self._kept[what]
            return rebind(self._lent.machine, launch, layout, image, data)
        m = make()
        if what in self._seen:
            self._keep(what, m)
        self._seen[what] = image.code
        return m

    def _keep(self, what: Hashable, m: Machine) -> None:
        self._kept[what] = _Kept(m)
        while sum(one.nbytes for one in self._kept.values()) > MOST_BYTES and len(self._kept) > 1:
            self._kept.popitem(last=False)


def _can_run_again(launch: Launch) -> bool:
    """Whether all that differs between two launches is what :func:`~gpusim.simulate.build.rebind` writes."""
    return sys.platform == "linux" and not launch.program.has(*SYSTEM_CALLS, Op.TEX)


class _Kept:
    """A machine as it is before it runs, of whose arrays those pages take room that are not zeros."""

    def __init__(self, m: Machine) -> None:
        own = {name: array for name, array in m._asdict().items() if name not in ELSEWHERE}
        places, end = _places(own)
        self.nbytes = end + mmap.PAGESIZE  # what is read beyond the last array is there
        file = os.memfd_create("gpusim machine")
        try:
            os.ftruncate(file, self.nbytes)
            for name, array in own.items():
                _write(file, places[name], array)
            self._pages = mmap.mmap(file, self.nbytes, flags=mmap.MAP_PRIVATE)
        finally:
            os.close(file)
        held = np.frombuffer(self._pages, np.uint8)
        self.machine = m._replace(
            **{
                name: held[places[name] : places[name] + array.nbytes].view(array.dtype).reshape(array.shape)
                for name, array in own.items()
            }
        )

    def clean(self) -> None:
        """Make all as it was."""
        self._pages.madvise(mmap.MADV_DONTNEED)


def _places(arrays: Mapping[str, np.ndarray]) -> tuple[dict[str, int], int]:
    """Where arrays begin that lie one after another, and where the last one ends; one within another stays there."""
    places: dict[str, int] = {}
    first = end = begins = past = 0  # of the last one that is not within another: its place, and its addresses
    for name, array in sorted(arrays.items(), key=lambda one: (one[1].ctypes.data, -one[1].nbytes)):
        address = array.ctypes.data
        if address >= past:
            first, begins, past = end, address, address + array.nbytes
            end += -(-array.nbytes // CACHE_LINE) * CACHE_LINE
        places[name] = first + address - begins
    return places, end


def _write(file: int, first: int, array: np.ndarray) -> None:
    """Write an array into a file of zeros, those pages of it that are not zeros already."""
    content = array.reshape(-1).view(np.uint8)
    for start in range(0, len(content), mmap.PAGESIZE):
        page = content[start : start + mmap.PAGESIZE]
        if page.any():
            os.pwrite(file, page.tobytes(), first + start)
