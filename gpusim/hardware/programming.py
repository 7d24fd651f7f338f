"""What an architecture promises programs: its ABI, the limits of a launch, the classes of instructions that it has.

Code is compiled for an architecture.  So these sections stand in the file of an architecture, and no GPU changes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from gpusim.hardware.fixed import MOST_IN_CLUSTER
from gpusim.hardware.quantities import quantity

WORD = 4
"""Bytes of a word of a constant bank."""

NOWHERE = -1
"""Offset of what an architecture does not have."""

CLUSTER_WORDS = 10
"""Words that say what clusters a launch has (see :attr:`Abi.cluster`)."""

LAST_OFFSET = (1 << 16) - 1
"""Largest offset in a constant bank: instructions encode it in 16 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abi:
    """Where machine code finds what the driver prepares: byte offsets in constant bank 0, if nothing else is said.

    Attributes
    ----------
    parameters : int
        First byte of a kernel's parameters.
    block : int
        Threads of a block along x, y, z: three words.
    grid : int
        Blocks of the grid along x, y, z: three words.
    stack : int
        First byte after a thread's local memory.
    local_window : int
        Address at which local memory appears in the generic space, 8 bytes.
    dynamic_shared : int
        Bytes of a block's dynamic shared memory.
    reserved_shared : int
        Bytes of a block's shared memory that are the system's; none in a simulation.
    descriptor : int
        How global memory is reached, 8 bytes; nothing in a simulation depends on it.
    grid_workspace : int
        Address of memory by which blocks of a cooperative launch wait for one another: 8 bytes, the upper word first.
        -1 where nobody said where it is.
    shared_base : int
        Address in shared memory of the first byte of a block's own.  The system keeps those before it, and a cubin
        counts them.
    compiler_registers : int
        Registers of a thread that ptxas counts beside those that its code names.
    parameter_address : int
        Address at which a kernel's parameters appear in the generic space, 8 bytes; -1 where no code asks for it.
    cluster : int
        Of clusters: whether the launch has any, a word; blocks of one along x, y, z, three words; one over each of
        these, three fp32; clusters of the grid along x, y, z, three words.  -1: nobody said where these are.
    cluster_blocks : int
        Blocks of a cluster, a word; -1 likewise.
    shared_window : int or None
        Address at which shared memory appears in the generic space, 8 bytes; None where a special register has it.
    """

    parameters: int = quantity("byte", low=0, high=LAST_OFFSET)
    block: int = quantity("byte", low=0, high=LAST_OFFSET)
    grid: int = quantity("byte", low=0, high=LAST_OFFSET)
    stack: int = quantity("byte", low=0, high=LAST_OFFSET)
    local_window: int = quantity("byte", low=0, high=LAST_OFFSET)
    dynamic_shared: int = quantity("byte", low=0, high=LAST_OFFSET)
    reserved_shared: int = quantity("byte", low=0, high=LAST_OFFSET)
    descriptor: int = quantity("byte", low=0, high=LAST_OFFSET)
    grid_workspace: int = quantity("byte", low=NOWHERE, high=LAST_OFFSET)
    shared_base: int = quantity("byte", low=0, high=LAST_OFFSET)
    compiler_registers: int = quantity("1", low=0, high=15)
    parameter_address: int = quantity("byte", low=NOWHERE, high=LAST_OFFSET)
    cluster: int = quantity("byte", low=NOWHERE, high=LAST_OFFSET)
    cluster_blocks: int = quantity("byte", low=NOWHERE, high=LAST_OFFSET)
    shared_window: int | None = quantity("byte", low=0, high=LAST_OFFSET, optional=True)

    def is_grid_workspace(self, offset: int) -> bool:
        """Whether a word of constant bank 0 is of the address of the grid's workspace."""
        return self.grid_workspace != NOWHERE and self.grid_workspace <= offset < self.grid_workspace + 2 * WORD

    def holds(self, offset: int, nbytes: int = WORD) -> bool:
        """Whether every word of these bytes of constant bank 0 is one of those that are listed here.

        Examples
        --------
        >>> from gpusim.hardware import of_architecture
        >>> abi = of_architecture("sm_90", Abi)
        >>> abi.holds(0x28, 8), abi.holds(0x10C)
        (True, False)
        """
        return _words(self).issuperset(range(offset // WORD, -(-(offset + nbytes) // WORD)))


@cache
def _words(abi: Abi) -> frozenset[int]:
    """Words of constant bank 0 that an ABI says something of, but for the parameters."""
    sizes = {
        abi.block: 3, abi.grid: 3, abi.stack: 1, abi.local_window: 2, abi.shared_window: 2, abi.dynamic_shared: 1,
        abi.reserved_shared: 1, abi.descriptor: 2, abi.parameter_address: 2, abi.cluster: CLUSTER_WORDS,
        abi.cluster_blocks: 1, abi.grid_workspace: 2,
    }  # fmt: skip
    there = {first: count for first, count in sizes.items() if first is not None and first != NOWHERE}
    return frozenset(first // WORD + k for first, count in there.items() for k in range(count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a launch may ask for.  How many threads a block may have in all is ``sm.max_threads_per_block``.

    Attributes
    ----------
    grid : tuple of int
        Blocks of a grid along x, y, z.
    block : tuple of int
        Threads of a block along x, y, z.
    cluster : int
        Blocks of a cluster; 1: there are no clusters.
    local_bytes : int
        Local memory of a thread.
    fewest_registers : int
        Registers that a thread is given at least.
    """

    grid: tuple[int, ...] = quantity("1", high=2**31 - 1)
    block: tuple[int, ...] = quantity("1", high=1024)
    cluster: int = quantity("1", high=MOST_IN_CLUSTER)
    local_bytes: int = quantity("byte", low=0, high=1 << 24)
    fewest_registers: int = quantity("1", high=255)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """Instructions that not every architecture has.

    Attributes
    ----------
    classes : tuple of str
        Names of classes of instructions, as in ``gpusim/isa/classes.py``.
    targets : tuple of str or None
        Names under which compilers make code for it that has instructions of no later architecture, such as
        ``"sm_90a"``, the one with all of them first.  None: there are no such instructions.  Those of a base are not
        its own.
    own_products : tuple of str or None
        Types of elements that a warp multiplies by instructions which the engine does not know.  None: there are none.
    """

    classes: tuple[str, ...] = quantity("name", low=None)
    targets: tuple[str, ...] | None = quantity("name", low=None, optional=True)
    own_products: tuple[str, ...] | None = quantity("name", low=None, optional=True)


ARCHITECTURE_SECTIONS: dict[str, type] = {"abi": Abi, "limits": Limits, "instructions": Instructions}
"""Sections that only the file of an architecture has."""
