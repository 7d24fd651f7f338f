"""Causes of time that a launch can be simulated without."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from gpusim.results.touches import Touch


class Cause(StrEnum):
    """What costs a launch time, and may be taken away from it alone.

    ``bank conflicts``: wavefronts of shared memory beyond those that the words need.
    ``excess sectors``: sectors of global accesses beyond those that the words need.
    ``local memory``: traffic of spilled registers and of arrays that are no registers.
    ``divergence``: turns that paths of a warp take one after another.
    ``barriers``: waits of warps of a block for one another.
    ``atomics``: atomics in global memory, and turns of those in shared memory at the same words.
    ``few warps``: an SM holds half as many blocks as it could if a block took less of it.
    ``latency``: a warp has half as many loads under way as it could.
    ``last wave``: SMs without a block while others work on the last ones.
    ``few blocks``: SMs without a block from the start.
    ``short blocks``: threads do so little that handing out blocks, and their first loads, take much of the time.
    ``L2 capacity``: data that HBM sends again because L2 has no room for it.
    ``doubles``: arithmetic in doubles of what comes from floats and goes to floats.
    ``special functions``: MUFU, where the FMA pipe would do the same in as many instructions; at most.
    ``division``: what a division by an integer takes that the compiler does not know.
    ``narrow loads``: bytes and half words loaded one by one.
    ``shared loads``: loads from shared memory that registers could save: each value serves few products.
    ``small tiles``: loads of tiles, half of which tiles twice as wide and high would save.
    ``no tensor cores``: products of matrices on other pipes; at most, with the same tiles.
    ``L1 places``: places in L1 of what is read once, which other data then lacks.
    ``kernels apart``: what one launch writes for another to read.  It is a cause of launches together.
    """

    BANK_CONFLICTS = "bank conflicts"
    EXCESS_SECTORS = "excess sectors"
    SPILLS = "local memory"
    DIVERGENCE = "divergence"
    BARRIERS = "barriers"
    ATOMICS = "atomics"
    FEW_WARPS = "few warps"
    LATENCY = "latency"
    LAST_WAVE = "last wave"
    FEW_BLOCKS = "few blocks"
    SHORT_BLOCKS = "short blocks"
    L2_CAPACITY = "L2 capacity"
    DOUBLES = "doubles"
    SPECIAL = "special functions"
    DIVISION = "division"
    NARROW = "narrow loads"
    REUSE = "shared loads"
    SMALL_TILES = "small tiles"
    NO_TENSOR = "no tensor cores"
    L1_PLACES = "L1 places"
    APART = "kernels apart"


UPPER_LIMITS = frozenset({Cause.SPECIAL, Cause.NO_TENSOR})
"""Causes that no edit takes away as a run goes without them: it gains at most so much."""


class CodeLine(NamedTuple):
    """A line of the source that a cause of code is in.

    Attributes
    ----------
    name : str
        ``"file.cu:41"``.
    text : str
        The line itself, where it is known.
    instructions : int
        Its instructions that have a part in it.
    """

    name: str
    text: str
    instructions: int


class Again(Protocol):
    """A launch as it was predicted, to be predicted again without some causes of its time."""

    @property
    def gpu(self) -> Any:
        """The GPU that it was predicted on."""

    @property
    def source(self) -> str:
        """File of its code; empty where it is not known."""

    @property
    def l2_bytes(self) -> int:
        """Bytes of the L2 of its GPU."""

    def lines(self, cause: Cause) -> Sequence[CodeLine]:
        """Lines of its code that a cause is in; none where it is none of code."""

    def touches(self, block: int = 0, warp: int = 0, progress: Any = None) -> Sequence[Touch]:
        """Find where the lanes of a warp go."""

    def __call__(self, *causes: Cause, free: Sequence[str] = (), once: Sequence[str] = (), progress: Any = None) -> Any:
        """Predict it without some causes, with arrays that cost nothing, or with some of which L1 keeps nothing."""
