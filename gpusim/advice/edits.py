"""What takes each cause away."""

from __future__ import annotations

from gpusim.results.causes import Cause

EDITS = {
    Cause.BANK_CONFLICTS: "Pad rows of the shared array by a word, or swizzle its columns.",
    Cause.EXCESS_SECTORS: "Have neighbouring threads touch neighbouring words: swap the indices, stage a tile in shared"
    " memory, keep fields in arrays of their own, or begin rows at multiples of 32 bytes.",
    Cause.SPILLS: "Allow more registers (__launch_bounds__, -maxrregcount), or unroll loops that index small arrays.",
    Cause.DIVERGENCE: "Sort or regroup work so that threads of a warp go the same way for as long.",
    Cause.BARRIERS: "Use fewer barriers: __syncwarp where only a warp shares data, buffers in turn, smaller blocks.",
    Cause.ATOMICS: "Sum up in registers, by shuffles or in shared memory first; then one atomic a block.",
    Cause.FEW_WARPS: "Have a block take less: registers (__launch_bounds__), shared memory, or fewer, larger blocks.",
    Cause.LATENCY: "Have more loads under way: unroll, load ahead of use, cp.async, or more elements a thread.",
    Cause.LAST_WAVE: "Make the grid a whole number of waves, or blocks smaller.",
    Cause.FEW_BLOCKS: "Split the work among more blocks.",
    Cause.SHORT_BLOCKS: "Give a thread more to do: several elements at once (float4), or a loop over the grid.",
    Cause.L2_CAPACITY: "Order the work so that what is read again is read soon: smaller parts, or blocks by tiles.",
    Cause.APART: "Make one kernel of them, which keeps what passes between them in registers or shared memory.",
}
"""A sentence for each."""
