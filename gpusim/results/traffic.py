"""What a line of the source or an array costs, and what a closed form says of the whole."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpusim.results.metric import Value


@dataclass(frozen=True, slots=True)
class Formula:
    """What a closed form gives for one quantity of a profile.

    Parameters
    ----------
    name : str
        What it counts, in words: ``"global reads"``, ...
    text : str
        The form as it is to be shown, such as ``"2MNK/T"``.
    nbytes : int or float
        Its value in bytes for the profile's parameters.
    """

    name: str
    text: str
    nbytes: Value


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one line of the source, or one array, costs.

    Parameters
    ----------
    name : str
        ``"file.cu:41"``, or the array's name.
    text : str
        The line itself, where it is known; of an array its element type.
    requests : int or float
        Global requests: warp instructions that load, store or update.
    sectors : int or float
        Sectors of 32 bytes those touch.
    ideal_sectors : int or float
        Sectors that would do for the words touched.
    l1_hits : int or float
        Sectors of loads found in L1.
    l2_bytes : int or float
        Asked of L2, or written to it.
    dram_bytes : int or float
        Read from device memory for it (writes happen later, on no line's account).
    wavefronts : int or float
        Of shared memory.
    ideal_wavefronts : int or float
        What they would be without bank conflicts.
    load_sectors : int or float
        Those of the sectors that loads touch.
    """

    name: str
    text: str = ""
    requests: Value = 0
    sectors: Value = 0
    ideal_sectors: Value = 0
    l1_hits: Value = 0
    l2_bytes: Value = 0
    dram_bytes: Value = 0
    wavefronts: Value = 0
    ideal_wavefronts: Value = 0
    load_sectors: Value = 0

    @property
    def l1_hit_rate(self) -> float:
        """Sectors of loads that L1 held, over all of them (0 to 1); NaN where nothing is loaded."""
        return ratio(self.l1_hits, self.load_sectors)

    @property
    def excess_sectors(self) -> Value:
        """Sectors more than would do."""
        return self.sectors - self.ideal_sectors

    @property
    def conflicts(self) -> Value:
        """Wavefronts of shared memory that bank conflicts cost."""
        return self.wavefronts - self.ideal_wavefronts


def ratio(part: Value, whole: Value) -> float:
    """``part / whole``, NaN where there is nothing to divide by."""
    return part / whole if whole else math.nan
