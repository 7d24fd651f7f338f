"""Causes of time that a launch can be simulated without."""

from __future__ import annotations

from enum import StrEnum


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
