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
    Cause.DOUBLES: "Write constants as floats (0.5f) and call the functions of floats (sqrtf, fabsf).",
    Cause.SPECIAL: "Call fewer: share a result, divide by multiplying with a reciprocal, or have the FMA pipe do a part"
    " by a polynomial.",
    Cause.DIVISION: "Make the divisor a constant (a template parameter), best a power of two, or have the host work out"
    " the factor and the shift that divide by it.",
    Cause.NARROW: "Load 16 bytes at once (uint4) and take the values out of them.",
    Cause.REUSE: "Have a thread compute more elements (2 x 2, 4 x 4) from what it loads, and keep that in registers.",
    Cause.SMALL_TILES: "Make tiles larger: twice as wide and high, they are loaded half as often.",
    Cause.NO_TENSOR: "Multiply by tensor cores (mma, wmma, CUTLASS), if TF32, FP16 or BF16 have enough bits.",
    Cause.L1_PLACES: "Mark loads of what is read once (ld.global.L1::no_allocate, __ldcg), so that L1 keeps the rest.",
    Cause.APART: "Make one kernel of them, which keeps what passes between them in registers or shared memory.",
}
"""A sentence for each."""
