"""What a whole launch counts, from a little of it: probes, stretches on a GPC, the beginning on the whole GPU.

Probes tell what blocks execute.  What probes of a class do not agree on, such as how rows of odd length lie on sectors,
comes from the stretches where these have seen more of it.  So does what L1 and the coalescer make of accesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.engine.state import counts as C
from gpusim.results.figures import SECTOR_BYTES
from gpusim.simulate.launch import arrays_of

if TYPE_CHECKING:
    from gpusim.simulate.driving import Place

Columns = tuple[int, ...]
ACCESSES = C.LD_REQ, C.ST_REQ, C.ATOM_REQ, C.RED_REQ, C.LOCAL_LD_REQ, C.LOCAL_ST_REQ
OF_REQUESTS: Mapping[Columns, Columns] = {
    (C.LD_REQ,): (C.LD_SECTORS, C.LD_TAGS),
    (C.ST_REQ,): (C.ST_SECTORS, C.ST_TAGS, C.ST_WAVES),
    (C.ATOM_REQ,): (C.ATOM_SECTORS,),
    (C.RED_REQ,): (C.RED_SECTORS,),
    (C.ATOM_REQ, C.RED_REQ): (C.ATOM_WAVES,),
    (C.LOCAL_LD_REQ,): (C.LOCAL_LD_SECTORS,),
    (C.LOCAL_ST_REQ,): (C.LOCAL_ST_SECTORS,),
    ACCESSES: (C.LINES,),
    (C.INST_LDS,): (C.SH_LD_WAVES, C.SH_LD_IDEAL),
    (C.INST_STS,): (C.SH_ST_WAVES, C.SH_ST_IDEAL),
    (C.INST_ATOMS,): (C.SH_ATOM_WAVES,),
    (C.INST_LDGSTS,): (C.SH_ASYNC_WAVES, C.SH_ASYNC_IDEAL),
}
"""What addresses decide of accesses, by the accesses that it is in proportion to."""
OF_GPCS: Mapping[Columns, Columns] = {
    (C.LD_SECTORS, C.LOCAL_LD_SECTORS, C.ATOM_SECTORS): (
        C.LD_HIT, C.LOCAL_LD_HIT, C.LD_WAVES, C.PENDING, C.MERGED, C.L2_READ_REQ, C.L2_READ,
    ),
    (C.ST_SECTORS, C.LOCAL_ST_SECTORS): (C.L2_WRITE_REQ, C.L2_WRITE),
    (C.ATOM_SECTORS, C.RED_SECTORS): (C.L2_ATOM_REQ, C.L2_ATOM),
}  # fmt: skip
"""What L1 and the coalescer of a GPC make of accesses, by what it is in proportion to."""
WRITTEN = C.L2_WRITE, C.L2_ATOM
BROUGHT = C.L2_READ, C.MERGED
"""Sectors that SMs ask L2 for: how many of them join others on the way decides nothing of device memory."""


class Seen(NamedTuple):
    """What was run of a launch.

    Attributes
    ----------
    probed : float64 array, shape (probes, N_COUNTS)
        What each probe counted.
    agreed : bool array, shape (N_COUNTS,)
        Whether the probes of every class agree.
    stretches : float64 array, shape (N_COUNTS,)
        What the stretches counted.
    average : float64 array, shape (N_COUNTS,)
        What an average block counts, in stretches that stand for as many blocks as their rounds have.
    cold : float64 array, shape (N_COUNTS,)
        What the first of the stretches counted, which found L2 empty.
    begun : float64 array, shape (N_COUNTS,)
        What the beginning on the whole GPU counted.
    alone : float64 array, shape (N_COUNTS,)
        What one block counted, with empty caches.
    dirtied : float
        Sectors that it makes dirty in L2, of each that it writes there.
    shares : bool
        Whether blocks read what others of the wave before or after read.
    arrays : int64 array, shape (arrays, N_ARRAY_COUNTS)
        The same block, by array.
    """

    probed: np.ndarray
    agreed: np.ndarray
    stretches: np.ndarray
    average: np.ndarray
    cold: np.ndarray
    begun: np.ndarray
    alone: np.ndarray
    dirtied: float
    shares: bool
    arrays: np.ndarray


def whole_launch(place: Place, executed: np.ndarray, seen: Seen) -> tuple[np.ndarray, float]:
    """Counts of the whole launch, and the sectors that L2 still holds dirty at its end.

    Parameters
    ----------
    place : Place
    executed : float64 array, shape (N_COUNTS,)
        What all blocks execute, if blocks of a class do what its probes do on average.
    seen : Seen
    """
    total = executed.copy()
    for asked, columns in OF_REQUESTS.items():
        if _seen(seen.stretches, asked) > _seen(seen.probed.sum(axis=0), asked):
            _grow(total, seen.average, asked, [column for column in columns if not seen.agreed[column]])
    for asked, columns in OF_GPCS.items():
        _grow(total, seen.average if _seen(seen.stretches, asked) else seen.alone, asked, columns)
    _below(place, total, seen)
    total[C.DRAM_WRITE], kept = _written_back(place, total, seen)
    return total, kept


def _seen(counts: np.ndarray, columns: Sequence[int]) -> float:
    return float(counts[list(columns)].sum())


def _grow(total: np.ndarray, counts: np.ndarray, asked: Sequence[int], columns: Sequence[int]) -> None:
    """Put columns into a total, in proportion to what was asked."""
    total[list(columns)] = counts[list(columns)] * (_seen(total, asked) / (_seen(counts, asked) or 1))


# ------------------------------------------------------------------ L2 and device memory


def _below(place: Place, total: np.ndarray, seen: Seen) -> None:
    """Put what L2 makes of reads into a total: all its misses are as many as device memory reads allow.

    A write crosses to the other half of L2 if that is its home: one in two, of two halves.
    """
    of = seen.begun if seen.begun[C.L2_READ] else seen.average
    reads = min(_in_proportion(of, total), _in_proportion(seen.cold, total))
    total[C.DRAM_READ] = _kept_between(place, reads, seen)
    share = total[C.DRAM_READ] / (of[C.DRAM_READ] or 1)
    away = 1 - 1 / place.gpu.l2.partitions
    total[[C.L2_MISS, C.L2_READ_MISS]] = of[[C.L2_MISS, C.L2_READ_MISS]] * share
    total[C.L2_READ_HIT] = total[C.L2_READ] - (of[C.L2_READ] - of[C.L2_READ_HIT]) * share
    crossed = max(of[C.FABRIC] - away * _seen(of, WRITTEN), 0.0)
    total[C.FABRIC] = crossed * share + away * _seen(total, WRITTEN)


def _in_proportion(of: np.ndarray, total: np.ndarray) -> float:
    """Sectors that the launch reads from device memory, if L2 holds as much of it as of a part of it.

    Too many: L2 was empty when the part began.  On one GPC it has read what others would have read for it, too.
    """
    brought = _seen(of, BROUGHT)
    return float(of[C.DRAM_READ] / brought * _seen(total, BROUGHT)) if brought else np.inf


def _kept_between(place: Place, reads: float, seen: Seen) -> float:
    """Of so many sectors read if L2 kept nothing from one wave of blocks to the next, those read as it does.

    Each sector of arrays that L2 holds is read once, and so is each of those that it holds a wave's part of, where
    waves share nothing.  Of larger arrays the more are read again the larger they are, up to all of them where they are
    twice as large as L2.
    """
    once = _asked(place, seen.arrays[:, C.A_LD_REQ])
    wave = place.gpu.sm_count * place.held.blocks_per_sm / place.launch.blocks
    if not seen.shares and once * wave <= _room(place):
        return min(reads, once)
    again = min(max(once / _room(place) - 1, 0.0), 1.0)
    return min(reads, once + again * max(reads - once, 0.0))


def _room(place: Place) -> float:
    """Sectors for which L2 has room."""
    return place.gpu.l2.size_bytes / SECTOR_BYTES


def _asked(place: Place, requests: np.ndarray) -> float:
    """Sectors of the arrays that are asked for."""
    names = [array.name for array, n in zip(arrays_of(place.launch), requests, strict=False) if n]
    return sum(place.layout.nbytes.get(name, 0) for name in names) / SECTOR_BYTES


def _written_back(place: Place, total: np.ndarray, seen: Seen) -> tuple[float, float]:
    """Sectors written to device memory, and those that L2 still holds dirty at the end."""
    dirtied, room = _seen(total, WRITTEN) * seen.dirtied, _room(place)
    if (most := _asked(place, seen.arrays[:, C.A_ST_REQ])) <= room:
        dirtied = min(dirtied, most)
    kept = dirtied * min(room / max(total[C.DRAM_READ] + dirtied, 1), 1)
    return dirtied - kept, kept
