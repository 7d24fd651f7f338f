"""Numbers about hardware that the engine is compiled with: a GPU that differs is refused.

They are sizes of arrays, shifts and masks.  What each means is said at the field it bounds
(:mod:`.sections`, :mod:`.generation`); value, unit, kind and source are in the files of the GPUs and their generations.
"""

from __future__ import annotations

WARP = 32
"""Lanes of a warp."""
LINE, SECTOR = 128, 32
"""Bytes of a line and of a sector, in L1 and in L2."""
DATA_STAGE = 128
"""Bytes that shared memory and L1 give a cycle: its banks have a word each."""
PRODUCTS_QUEUED = 6
"""Products by warpgroups that wait for a scheduler's tensor core."""
TAG_SETS, L1_WAYS = 4, 4
"""Sets of the tag stage, and ways of a set of L1."""
REQUEST_LINES, REQUEST_SECTORS = 5, 16
"""Lines, and sectors of them, of what a scheduler asks L2 for at once."""
CODE_LINE, CONSTANT_LINE = 128, 64
"""Bytes of a line of code, and of one of constants."""
HALF_STRETCH, CHANNEL_STRETCH, DRAM_PAGE = 1 << 12, 1 << 10, 1 << 21
"""Bytes that belong to one half of L2, to one channel of DRAM, and that are translated as one."""
TEXTURE_UNITS = 4
"""Of an SM: each gives a texel a cycle, filtered or not.  Source: NVIDIA's white papers on P100 to H100 and on Ada."""
TILE_BYTES, TILE_ROWS, TILE_PIECE = 64, 8, 16
"""Of a CUDA array: bytes along a tile, its rows, and bytes of a row that lie together, above those of the next row."""
TPC_SMS = 2
"""SMs of a TPC."""
MOST_ISSUED, MOST_WARPS, MOST_QUEUED = 4, 16, 15
"""Instructions that an SM issues a cycle, warps for each of them, and instructions in a queue to the load/store pipe:
what there is room for in the engine's tables."""
MOST_SMS, MOST_RESIDENT_WARPS = 1024, MOST_ISSUED * MOST_WARPS
"""SMs of a GPU, and warps of an SM."""
MOST_IN_CLUSTER = 16
"""Blocks of a cluster."""
REGISTER_BANKS, REGISTER_STAGES = 2, 3
"""Banks of a register file, and stages in which an instruction reads them."""
TENSOR_BITS = 25
"""Bits of a product of matrices, below the first one of the largest."""
TENSOR_OCTET_BITS = 13
"""The same of 8-bit floats that a warpgroup multiplies, and bits of the fraction of their sums."""
