"""Matrices of a product by a warpgroup, HGMMA, QGMMA and IGMMA: found in shared memory, and handed to what multiplies.

A warp multiplies its own 16 rows of a with all of b, so its values need no other warp.  They are there at once; what
is late is the tick at which a wait for them ends.  A program that reads them before it has waited is not found out, nor
one that writes to matrices before they are read.

A matrix consists of pieces of 16 bytes, eight of which lie together in a core.  A descriptor says where the first core
begins, how far apart cores are in one direction and in the other, and how many bits of the number of a row of 128 bytes
swizzle the pieces.  Where the matrix is not transposed a piece is half of a row of a, or of a column of b; else it is
eight neighbours of one place in those.

Source: NVIDIA, *PTX ISA*, "wgmma", "Matrix Descriptor Format" and "Strides"; CUTLASS, ``mma_sm90_desc.hpp``, the
layouts that descriptors describe.  Assumed: a base offset is taken away from the number of a row that swizzles.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.alu.routines import call
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lane_moves import pointer_as
from gpusim.engine.compiling.lanes import U32, load, pointer, store
from gpusim.engine.load_store.shared_memory import check_shared
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row
from gpusim.isa import warpgroup as G

PIECE, CORE_ROWS = 16, 8  # bytes; pieces of a core
ROW_BITS = 7  # of an address, below the number of a row that swizzles
IN_ROW = (1 << ROW_BITS) - 1
DEEPEST = 15  # of the elements of a transposed matrix of halves
PLACE, SWIZZLE_AT, OFFSET_AT = 0x3FFF, 30, 17  # of a descriptor's upper word the latter two
ONE, HALF_OF_16 = np.uint32(1), np.uint32(0xFFFF)


@jit
def multiply(m, c, index, w, block, on):
    """A product's values; False where a matrix does not lie in the block's shared memory."""
    base, scratch, sub = first_row(m, w), pointer(m.scratch[S.PRODUCTS]), np.int64(c[I.SUB])
    place, own = np.int64(at(c[I.A], base)), G.OWN_ROWS * (w % m.shape[S.WARPS] % G.WARPS)
    if sub & G.A_SHARED:
        if not stage(m, index, w, block, place, own, G.OWN_ROWS, sub, False):
            return False
        place += G.DESCRIPTOR_WORDS
    else:
        take_registers(m, np.int64(at(c[I.B], base)), scratch, signs_of(sub, False))
    tiles = sub >> G.N_TILES & G.TILE_MASK
    for tile in range(tiles):
        if tile % S.STAGED_TILES == 0:
            rows = G.TILE * min(tiles - tile, S.STAGED_TILES)
            if not stage(m, index, w, block, place, G.TILE * tile, rows, sub, True):
                return False
        scratch[S.TILE] = tile
        call(m.routines[c[0]], pointer(c), pointer(m.regs), np.int64(base), pointer(m.preds[w]), scratch, on)
    return True


@inline
def signs_of(sub, is_b):
    """Sign bits of a word of elements, where a matrix is negated; else 0."""
    kind = sub & G.TYPE_MASK
    if not sub & (G.B_NEGATED if is_b else G.A_NEGATED):
        return np.uint32(0)
    if kind == G.TF32:
        return np.uint32(0x80000000)
    return np.uint32(0x80808080) if kind >= G.E4M3 else np.uint32(0x80008000)


@jit
def take_registers(m, row, scratch, sign):
    """Put the registers of a where those of a matrix in shared memory would be."""
    staged, u = pointer_as(scratch, U32), pointer(m.regs)
    for r in range(4):
        store(staged, np.int64(S.STAGED_A + S.LANES * r), load(u, (row + r) * S.LANES, U32) ^ sign)


@jit
def stage(m, index, w, block, place, first, rows, sub, is_b):
    """Put up to 16 rows of a or columns of b, from ``first`` on, where registers of fragments are expected.

    Parameters
    ----------
    place : int
        Row of the register file with the lower word of the matrix's descriptor.

    Returns
    -------
    bool
        False where it does not lie in the block's shared memory.
    """
    address, turned, sign = m.scratch[S.ADDRESSES], is_turned(sub, is_b), signs_of(sub, is_b)
    lanes = pieces(m, place, first, rows, turned)
    if not fits(m, address, lanes) and not check_shared(m, index, w, block, address, lanes, PIECE, False, False):
        return False
    to = S.STAGED_B if is_b else S.STAGED_A
    for lane in range(S.LANES):
        if (lanes >> np.uint32(lane)) & ONE:
            row, second = lane & 15, lane >> 4
            if turned:
                scatter(m, block, address[lane], to + register(row, second, is_b), row & 7, sign)
            else:
                move(m, block, address[lane], to + register(CORE_ROWS * second, row >> 3, is_b), row & 7, sign)
    return True


@jit
def lie_within(m, c, index, w, block):
    """Whether the matrices of a product lie in the block's shared memory, where nobody needs their values."""
    base, sub = first_row(m, w), np.int64(c[I.SUB])
    place, own = np.int64(at(c[I.A], base)), G.OWN_ROWS * (w % m.shape[S.WARPS] % G.WARPS)
    if sub & G.A_SHARED:
        if not lies_within(m, index, w, block, place, own, own + G.OWN_ROWS, is_turned(sub, False)):
            return False
        place += G.DESCRIPTOR_WORDS
    return lies_within(m, index, w, block, place, 0, G.TILE * (sub >> G.N_TILES & G.TILE_MASK), is_turned(sub, True))


@jit
def lies_within(m, index, w, block, place, first, end, turned):
    """The same of rows of a or columns of b from ``first`` to ``end``: by the furthest of them, or piece by piece."""
    least, most = m.shape[S.SHARED_BASE], m.shape[S.SHARED_BASE] + m.shape[S.SHARED_BYTES]
    low, high = np.int64(m.regs[place, 0]), np.int64(m.regs[place + 1, 0])
    if (low & PLACE) * PIECE & ~IN_ROW >= least and furthest(low, high, end, turned) | IN_ROW < most:
        return True
    for row in range(first, end, G.OWN_ROWS):
        lanes = pieces(m, place, row, min(end - row, G.OWN_ROWS), turned)
        if not check_shared(m, index, w, block, m.scratch[S.ADDRESSES], lanes, PIECE, False, False):
            return False
    return True


@inline
def furthest(low, high, end, turned):
    """Address of the piece that lies furthest, among those of 128 bytes, of rows or columns up to ``end``."""
    if not turned:
        return along(low, high, end - 1, 1)
    last = end // CORE_ROWS - 1
    before = max((last & ~((1 << swizzle_bits(high)) - 1)) - 1, 0)
    return max(across(low, high, DEEPEST, last) | IN_ROW, across(low, high, DEEPEST, before) | IN_ROW)


@inline
def is_turned(sub, is_b):
    """Whether a matrix is transposed."""
    return sub & (G.B_TRANSPOSED if is_b else G.A_TRANSPOSED) != 0


@inline
def pieces(m, place, first, rows, turned):
    """Put addresses of the pieces of up to 16 rows of a or columns of b where those of lanes are; returns which."""
    address, low, high = m.scratch[S.ADDRESSES], np.int64(m.regs[place, 0]), np.int64(m.regs[place + 1, 0])
    if turned:
        return pieces_across(address, low, high, first // CORE_ROWS, rows)
    return pieces_along(address, low, high, first, rows)


@inline
def pieces_along(address, low, high, first, rows):
    """Addresses of the pieces of a matrix that is not transposed: lane 16 h + r has half h of a row; returns which."""
    lanes = np.uint32(0)
    for lane in range(S.LANES):
        if lane & 15 < rows:
            address[lane] = along(low, high, first + (lane & 15), lane >> 4)
            lanes |= ONE << np.uint32(lane)
    return lanes


@inline
def pieces_across(address, low, high, first, rows):
    """The same of one that is: lane 16 e + k has the e-th eight rows, ``k`` elements deep."""
    lanes = np.uint32(0)
    for lane in range(S.LANES):
        if CORE_ROWS * (lane >> 4) < rows:
            address[lane] = across(low, high, lane & 15, first + (lane >> 4))
            lanes |= ONE << np.uint32(lane)
    return lanes


@inline
def fits(m, address, lanes):
    """Whether all pieces lie in the block's shared memory, where nothing else of them is watched."""
    least, most = m.shape[S.SHARED_BASE], m.shape[S.SHARED_BASE] + m.shape[S.SHARED_BYTES] - PIECE
    inside = not m.shape[S.CHECKED]
    for lane in range(S.LANES):
        inside = inside and (not (lanes >> np.uint32(lane)) & ONE or least <= address[lane] <= most)
    return inside


@inline
def register(deep, eight, is_b):
    """Where a register of a fragment begins that has elements ``deep`` in a row, of the first or second eight."""
    half = deep >> 3
    return S.LANES * (2 * eight + half if is_b else eight + 2 * half)


@inline
def swizzled(a, high, bits):
    """An address, its bits of the piece changed by those of the row."""
    row = (a >> ROW_BITS) - (high >> OFFSET_AT & 7)
    return a ^ (row & (1 << bits) - 1) * PIECE


@inline
def swizzle_bits(high):
    """How many bits are swizzled: 0 to 3, of 16, 32, 64 and 128 bytes."""
    return -(high >> SWIZZLE_AT) & 3


@inline
def along(low, high, row, half):
    """Address of half of a row of a matrix that is not transposed."""
    bits = swizzle_bits(high)
    pitch, stride, leading = PIECE << bits, (high & PLACE) * PIECE, (low >> 16 & PLACE) * PIECE
    a = (low & PLACE) * PIECE + (row & 7) * pitch + (row >> 3) * stride + half * (PIECE if bits else leading)
    return swizzled(a, high, bits)


@inline
def across(low, high, deep, eight):
    """Address of eight neighbouring rows' elements of a matrix that is transposed, ``deep`` in their rows."""
    bits = swizzle_bits(high)
    pitch, stride, leading = PIECE << bits, (high & PLACE) * PIECE, (low >> 16 & PLACE) * PIECE
    a = (low & PLACE) * PIECE + (deep & 7) * pitch
    if bits:
        a += (eight & (1 << bits) - 1) * PIECE + (eight >> bits) * leading + (deep >> 3) * stride
    else:
        a += eight * stride + (deep >> 3) * leading
    return swizzled(a, high, bits)


@inline
def move(m, block, address, to, row, sign):
    """A piece, which is four lanes of a register."""
    staged, shared = pointer_as(pointer(m.scratch[S.PRODUCTS]), U32), m.shared[block]
    for k in range(PIECE >> 2):
        staged[to + 4 * row + k] = shared[(address >> 2) + k] ^ sign


@inline
def scatter(m, block, address, to, deep, sign):
    """A piece of eight halves, each of another row, ``deep`` in it."""
    staged, shared = pointer_as(pointer(m.scratch[S.PRODUCTS]), U32), m.shared[block]
    up = np.uint32(16 * (deep & 1))
    for k in range(CORE_ROWS):
        half = ((shared[(address >> 2) + (k >> 1)] ^ sign) >> np.uint32(16 * (k & 1))) & HALF_OF_16
        lane = to + 4 * k + (deep >> 1)
        staged[lane] = (staged[lane] & (HALF_OF_16 << (np.uint32(16) - up))) | (half << up)
