"""What a run of a launch counted, and what it leaves in L2."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from gpusim.simulate.printed import NOTHING, Printed

if TYPE_CHECKING:
    import numpy as np

    from gpusim.results.timeline import Timeline
    from gpusim.simulate.clock import Timing
    from gpusim.simulate.scaling import Held


class Moved(NamedTuple):
    """A stretch of device memory that was copied or set between launches.

    Attributes
    ----------
    what : int
        ``READ``, ``WRITTEN``, ``FROM_HOST`` or ``TO_HOST`` (:mod:`gpusim.engine.hierarchy.copies`).
    first, nbytes : int
        Its first address, and bytes.
    """

    what: int
    first: int
    nbytes: int


class CacheState(NamedTuple):
    """What L2 holds when a launch ends, and what has passed it since then.

    Attributes
    ----------
    sets : int64 array, shape (n,)
        Those that hold a line.
    lines : int64 array, shape (n, 4 * ways)
        What these hold.
    stamp : int
        The time by which the age of lines is told.
    held : Held
        Of the lines.
    moved : tuple of Moved
        What was copied and set after that, the earliest first.
    """

    sets: np.ndarray
    lines: np.ndarray
    stamp: int
    held: Held
    moved: tuple[Moved, ...] = ()


@dataclass(frozen=True)
class Counts:
    """What a run counted.

    Attributes
    ----------
    total : float64 array, shape (N_COUNTS,)
        Columns of :mod:`gpusim.engine.state.counts`, for the whole launch.
    arrays : float64 array, shape (arrays, N_ARRAY_COUNTS)
        For each array of the program, for the whole launch.
    sites : float64 array, shape (instructions, N_SITE_COUNTS)
        For each instruction of the program, for the whole launch.
    sampled : bool
        Whether blocks were left out and the rest scaled up.
    blocks_run : int
        Blocks that went through the caches.
    left_dirty : float
        Sectors written that L2 still holds when the launch ends.
    timing : Timing
    warp_instructions : int
        Warp instructions that the blocks run stand for.
    outputs : dict of str to ndarray
        Every buffer after the launch, where values were asked for.
    printed : Printed
        What printf of device code printed, of the blocks that were run.
    quick : bool
        Whether all this is from a few million warp instructions.
    unlike : tuple of int
        Columns that follow from execution, on which blocks tried of one class do not agree: little tells how far off.
    timeline : Timeline or None
        Of one SM, where it was asked for.
    l2 : CacheState or None
        For a launch that follows, where it was asked for.
    """

    total: np.ndarray
    arrays: np.ndarray
    sites: np.ndarray
    sampled: bool
    blocks_run: int
    left_dirty: float
    timing: Timing
    warp_instructions: int
    outputs: dict[str, np.ndarray] = field(default_factory=dict)
    l2: CacheState | None = None
    printed: Printed = NOTHING
    quick: bool = False
    unlike: tuple[int, ...] = ()
    timeline: Timeline | None = None
