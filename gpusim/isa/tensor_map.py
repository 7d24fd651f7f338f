"""Where the bits of a tensor map lie, the 128 bytes that describe a tensor and a box of it to a GPU of sm_90 or later.

Source: the code that NVRTC 13 makes of ``tensormap.replace`` (PTX ISA 9.0) for sm_90a, which writes one field each.
Bits of which it says nothing are zero here: whether they are what the driver writes has not been looked at.
"""

from __future__ import annotations

NBYTES, ALIGNMENT = 128, 64

UNIT = 16
"""Bytes that swizzling keeps together, and that rows of a box, strides, addresses and bulk copies are multiples of."""
UNITS = 0xFFFF
"""Bits of a bulk copy's operand that say how many of them it has."""
BOX_ALIGNED = 128
"""Bytes that a box in shared memory is aligned to."""
SWIZZLES = {None: 0, 32: 1, 64: 2, 128: 3}
"""Address bits that are mixed, by the bytes within which pieces are."""
PROMOTIONS = (0, 64, 128, 256)
"""Bytes that L2 can be told to fetch at once."""
MOST_DIMENSIONS, MOST_BOX, MOST_STEP, MOST_SIZE, MOST_STRIDE = 5, 256, 8, 1 << 32, 1 << 40
"""The most that there may be (CUDA Driver API, ``cuTensorMapEncodeTiled``); a stride is below the last."""
NAN_WORD, NAN_HALF, ALL_ONES = 0x7FFFFFFF, 0x7FFF, 0xFFFFFFFF
"""What fills where zeros do not; of 8 bytes the lower word is all ones.  Assumed: the NaN that arithmetic makes."""

TYPE_WORD = 2
RANK_AT, RANK_BITS = 4, 3  # one less
TYPE_AT, TYPE_BITS = 7, 4
INTERLEAVE_AT, INTERLEAVE_BITS = 11, 2
SWIZZLE_AT, SWIZZLE_BITS = 13, 2  # address bits that are mixed
FILL_AT = 15  # NaN, not zeros
TF32_AT = 16

STRIDE_WORD, STRIDE_SHIFT = 3, 4  # of the dimensions from the second on, each a word, and ...
HIGH_WORD, HIGH_BITS = 7, 4  # ... in this one the bits of each above 32
SIZE_WORD = 8  # of the tensor, five words; one less
STEP_WORD, STEP_BITS = 13, 3  # element strides; one less
BOX_WORD, BOX_AT, BOX_BITS = 13, 24, 8  # from this bit of that word on; one less

NAMES = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32.ftz", "f64", "bf16")
"""Types of elements, as they are numbered; tf32 is f32 with a bit set."""
KINDS = ("u", "u", "u", "i", "u", "i", "h", "f", "z", "f", "b")
"""What arithmetic each has: of integers without and with a sign, of fp32 and fp64, of fp32 that flushes, of halves."""
SIZES = (1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2)
"""Bytes of an element of each."""
