"""Launches of a benchmark, computed when it has ended, if anybody can see what they compute.

A benchmark calls a function for its time.  Its results are mostly gone when it has ended, and computing those of large
launches takes long.  So a launch is put off with its inputs, which it keeps, and its outputs, which it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpusim.frontends.addresses import Memory, OfArray
from gpusim.isa.array_use import arrays_written
from gpusim.triton.arguments import Passed

if TYPE_CHECKING:
    from gpusim.frontends.addresses import Allocation
    from gpusim.isa.program import Program


@dataclass(frozen=True)
class Output:
    """An argument that a launch writes to, which is not kept alive.

    Attributes
    ----------
    name : str
    allocation : Allocation
    offset : int
        Of the argument in it.
    """

    name: str
    allocation: Allocation
    offset: int

    @property
    def is_gone(self) -> bool:
        """Whether nobody can see it any more."""
        return self.allocation.owner.bytes() is None

    def passed(self, memory: Memory) -> Passed:
        """The argument again; other memory in its place where it is gone."""
        held, first = self.allocation.owner.bytes(), self.allocation.first
        owner = self.allocation.owner
        if held is None:
            held = np.zeros(self.allocation.nbytes, np.uint8)
            owner = OfArray(held)
            first = memory.place(owner, len(held)).first
        before = held[: self.offset] if self.offset else None
        return Passed(self.name, held[self.offset :], first + self.offset, owner.key, before)


def put_off(parameters: Sequence[Passed], program: Program, memory: Memory) -> list[Passed | Output] | None:
    """The arguments of a launch to be computed later; None where it must be computed at once.

    Parameters
    ----------
    parameters : sequence of Passed
    program : Program
    memory : Memory
    """
    arrays = [one for one in parameters if isinstance(one.value, np.ndarray)]
    if any(one.owner is None or one.owner[0] == "numpy" for one in arrays) or any(memory.told()):
        return None  # a program may look at NumPy's arrays unseen, and kernels at what it was told
    written = arrays_written(program, [one.name for one in arrays])
    if written is None:
        return None
    owners = {one.owner for one in arrays if one.name in written}
    found: list[Passed | Output] = []
    for one in parameters:
        if one.owner is None or one.owner not in owners or one.address is None:
            found.append(one)
        else:
            allocation = memory.known(one.owner)
            found.append(Output(one.name, allocation, one.address - allocation.first))
    return found
