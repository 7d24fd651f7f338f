"""Whose traffic it is: requests, sectors and what they need below L1, by instruction and by array."""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline, spliced
from gpusim.engine.hierarchy.access_patterns import PAT_IDEAL
from gpusim.engine.state import counts as C

LOADS, STORES = 0, C.A_ST_REQ - C.A_LD_REQ
"""Where the columns of an array's loads and of its stores begin; they follow in the same order."""


@spliced
def note_access(m, index, array, p, sectors, nbytes, columns):
    """A request for ``nbytes``, ``sectors``, of an array by an instruction; ``columns``: `LOADS` or `STORES`."""
    a, site = m.arrays[array], m.sites[index]
    a[columns + C.A_LD_REQ] += 1
    a[columns + C.A_LD_SECTORS] += sectors
    a[columns + C.A_LD_IDEAL] += p[PAT_IDEAL]
    a[columns + C.A_LD_BYTES] += nbytes
    site[C.S_REQ] += 1
    site[C.S_SECTORS] += sectors
    site[C.S_IDEAL] += p[PAT_IDEAL]


@inline
def note_fetch(m, index, array, sectors, nbytes):
    """A texture fetch of ``nbytes`` by an instruction; all its sectors are needed."""
    a, site = m.arrays[array], m.sites[index]
    a[C.A_LD_REQ] += 1
    a[C.A_LD_SECTORS] += sectors
    a[C.A_LD_IDEAL] += sectors
    a[C.A_LD_BYTES] += nbytes
    site[C.S_REQ] += 1
    site[C.S_SECTORS] += sectors
    site[C.S_IDEAL] += sectors


@spliced
def note_shared(m, index, waves, ideal):
    """Shared accesses of an instruction."""
    site = m.sites[index]
    site[C.S_WAVES] += waves
    site[C.S_WAVES_IDEAL] += ideal


@inline
def sectors_below(count):
    """Sectors that went to L2, and from HBM, so far."""
    return count[C.L2_READ] + count[C.L2_WRITE] + count[C.L2_ATOM], count[C.DRAM_READ]


@inline
def note_hits(m, index, array, hits):
    """Sectors of an access that L1 has."""
    m.sites[index, C.S_HIT] += hits
    m.arrays[array, C.A_HIT] += hits


@inline
def note_below(m, index, array, before, count):
    """What an access needed of L2 and HBM; ``before``: `sectors_below` when that began."""
    below = sectors_below(count)
    site, a = m.sites[index], m.arrays[array]
    site[C.S_L2] += below[0] - before[0]
    site[C.S_HBM] += below[1] - before[1]
    a[C.A_L2] += below[0] - before[0]
    a[C.A_HBM] += below[1] - before[1]
