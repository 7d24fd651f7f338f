"""Texture fetches (TEX, TLD): which texels a lane reads, their traffic through L1, and what it makes of them.

Source: CUDA C++ Programming Guide 13, "Texture Fetching", for coordinates, addressing and filtering: weights have 8
bits after the point.  Four lanes are a request: an H200 counts eight of a warp, and the sectors of each.  How a CUDA
array lies (:func:`in_tiles`) is as Mesa's documentation of nouveau has it ("GOB").  A request takes a cycle, of however
many lines: so does convolutionTexture of NVIDIA's samples on an H200.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.bits import first_lane, popcount
from gpusim.engine.compiling.jit import cold, jit
from gpusim.engine.hierarchy.access_patterns import gather_lines
from gpusim.engine.hierarchy.l1 import l1_read, l1_row
from gpusim.engine.hierarchy.outbox import asked_so_far, at_instruction, done_at, is_pending
from gpusim.engine.load_store.buffers import find_array, refuse_stray
from gpusim.engine.load_store.pipe import pass_through, take_tags
from gpusim.engine.load_store.traffic import note_fetch, note_hits
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row
from gpusim.engine.state.geometry import ALL_WORDS, bits_of
from gpusim.hardware.fixed import TEXTURE_UNITS, TILE_BYTES, TILE_PIECE, TILE_ROWS

ONE, OUTSIDE = np.uint32(1), np.int64(-1)
GROUP = np.uint32((1 << TEXTURE_UNITS) - 1)
CORNERS, CHANNELS = 4, 4
STEPS = 256.0  # of a weight
FARTHEST = 1e9  # coordinates beyond are as far out as that


@jit
def fetch(m, c, index, w, block, sm, on, t, count):
    """TEX, TLD; returns the tick its data is there, or FAILURE."""
    count[C.INST_TEX] += 1
    if not on:
        return pass_through(m, sm, t, 1)
    base = first_row(m, w)
    if not are_known(m, c, index, w, block, base, on):
        return np.int64(S.FAILURE)
    t = ask_for_texels(m, c, index, w, sm, base, on, t, count)
    for lane in range(S.LANES):
        if not c[I.LIGHT] and (on >> np.uint32(lane)) & ONE and not fetch_values(m, c, w, base, lane):
            return refuse_stray(m, index, on, block, m.scratch[S.ADDRESSES], w)
    return t


@cold
def ask_for_texels(m, c, index, w, sm, base, on, t, count):
    """Ask L1 for what each group of lanes reads; returns the tick all of it is there."""
    handle = np.int64(m.regs[at(c[I.A], base), first_lane(on)])
    array, texel_bytes = array_of(m, handle), m.textures[handle, S.TEXTURE_TEXEL]
    first, done = asked_so_far(m, sm), t
    at_instruction(m, sm, w, index, array)
    for lane in range(0, S.LANES, TEXTURE_UNITS):
        group = on & (GROUP << np.uint32(lane))
        if group:
            n = lines_of_texels(m, c, base, group)
            done = max(done, through_l1(m, index, sm, group, n, array, texel_bytes, t, count))
    return t if m.shape[S.TIMELESS] else done_at(m, sm, first, done)


@jit
def array_of(m, handle):
    """Array that a texture reads, or -1 where it is there no more."""
    return find_array(m.bounds, m.shape[S.N_BUFFERS], m.textures[handle, S.TEXTURE_ADDRESS], np.int64(1))


LINES, SECTORS = 1, 1 + CORNERS
"""Rows of scratch in which the lines of all texels are, and their sectors."""


@cold
def are_known(m, c, index, w, block, base, on):
    """Whether each lane names a texture that there is, of an array that there is."""
    for lane in range(S.LANES):
        handle = np.int64(m.regs[at(c[I.A], base), lane])
        if (on >> np.uint32(lane)) & ONE and not (1 <= handle < len(m.textures) and array_of(m, handle) >= 0):
            return fail(m, E.NO_TEXTURE, index, lane, block, handle, w)
    return True


@cold
def lines_of_texels(m, c, base, on):
    """Distinct lines of what all lanes read, and the sectors of each; how many there are."""
    address, lines, sectors, n = m.scratch[S.ADDRESSES], m.scratch[S.TARGETS], m.scratch[S.ZEROS], np.int64(0)
    for corner in range(CORNERS):
        there = np.uint32(0)
        for lane in range(S.LANES):
            if (on >> np.uint32(lane)) & ONE:
                address[lane], weight = texel(m, c, base, lane, corner, True)
                there |= np.uint32(address[lane] >= 0 and weight > 0.0) << np.uint32(lane)
        found, _ = gather_lines(address, there, lines, sectors)
        for k in range(found):
            n = joined(m.scratch, n, lines[k], sectors[k])
    return n


@cold
def joined(scratch, n, line, sectors):
    """Add the sectors of a line to the ``n`` that are there; returns how many there are."""
    for k in range(n):
        if scratch[LINES + k // S.LANES, k % S.LANES] == line:
            scratch[SECTORS + k // S.LANES, k % S.LANES] |= sectors
            return n
    scratch[LINES + n // S.LANES, n % S.LANES] = line
    scratch[SECTORS + n // S.LANES, n % S.LANES] = sectors
    return n + 1


@cold
def through_l1(m, index, sm, on, n, array, texel_bytes, t, count):
    """Ask L1 for ``n`` lines of a request; returns the tick the last of their data is there."""
    count[C.TEX_REQ] += 1
    n_sectors = np.int64(0)
    for k in range(n):
        n_sectors += popcount(np.uint32(m.scratch[SECTORS + k // S.LANES, k % S.LANES]))
    count[C.TEX_SECTORS] += n_sectors
    count[C.LINES] += n
    note_fetch(m, index, array, n_sectors, popcount(on) * texel_bytes)
    if m.shape[S.TIMELESS]:
        return t
    begin = take_tags(m, sm, t, S.TICKS, S.TICKS)
    done = begin + m.rates[S.L1_HIT]
    for k in range(n):
        line, wanted = m.scratch[LINES + k // S.LANES, k % S.LANES], m.scratch[SECTORS + k // S.LANES, k % S.LANES]
        back, hit = l1_read(m, sm, l1_row(m, sm, line), line, wanted, ALL_WORDS, False, begin + k * S.TICKS, count)
        count[C.TEX_HIT] += hit
        note_hits(m, index, array, hit)
        done = done if is_pending(back) else max(done, back)
    return done + S.TICKS


@cold
def texel(m, c, base, lane, corner, tiled):
    """Address of a texel of the up to four that a lane reads, or OUTSIDE of its texture; and its weight.

    ``tiled``: the address by which caches know a texel of a CUDA array; otherwise the one at which its value lies here.
    """
    one = m.textures[m.regs[at(c[I.A], base), lane]]
    x, weight = along(m, c, base, lane, c[I.B], one, S.TEXTURE_WIDTH, corner & 1)
    y = np.int64(0)
    if one[S.TEXTURE_HEIGHT]:
        y, other = along(m, c, base, lane, c[I.C_], one, S.TEXTURE_HEIGHT, corner >> 1)
        weight *= other
    elif corner >> 1:
        weight = 0.0
    if x < 0 or y < 0:
        return OUTSIDE, weight
    if tiled and one[S.TEXTURE_TILES]:
        return one[S.TEXTURE_ADDRESS] + in_tiles(x * one[S.TEXTURE_TEXEL], y, one[S.TEXTURE_TILES]), weight
    return one[S.TEXTURE_ADDRESS] + y * one[S.TEXTURE_PITCH] + x * one[S.TEXTURE_TEXEL], weight


TILE, HALF, PIECE, ROWS = bits_of(TILE_BYTES), bits_of(TILE_BYTES) - 1, bits_of(TILE_PIECE), bits_of(TILE_ROWS)
"""Powers of two: bytes along a tile of a CUDA array, of half of it, of a piece of a row; and rows of a tile."""
PAIRS = (TILE_ROWS >> 1) - 1
"""Bits of which pair of rows of a tile one is in."""


@cold
def in_tiles(byte, y, pitch):
    """Where a byte of a row of a CUDA array lies: in a tile, whose sectors are pieces of two rows.

    ``pitch``: bytes of a row of tiles.
    """
    tile = (y >> ROWS) * (pitch << ROWS) + ((byte >> TILE) << (TILE + ROWS))
    sector = (byte >> HALF & 1) << (HALF + ROWS) | (y >> 1 & PAIRS) << TILE | (byte >> PIECE & 1) << HALF
    return tile + sector + ((y & 1) << PIECE) + (byte & ((1 << PIECE) - 1))


@cold
def along(m, c, base, lane, row, one, which, second):
    """Place of a texel along one dimension, or OUTSIDE; and its weight among the two that are read there."""
    size, bits = one[which], m.regs[at(row, base), lane]
    mode = one[S.TEXTURE_MODE_X if which == S.TEXTURE_WIDTH else S.TEXTURE_MODE_Y]
    if c[I.SUB] & I.TEXELS:
        place = np.int64(np.int32(bits))
        return place if 0 <= place < size else OUTSIDE, 1.0 if second == 0 else 0.0
    cell = m.bits[0]
    cell[0] = bits
    u = np.float64(cell.view(np.float32)[0])
    if not (-FARTHEST < u < FARTHEST):
        u = FARTHEST if u > 0.0 else -FARTHEST if u < 0.0 else 0.0
    if one[S.TEXTURE_NORMALIZED]:
        u *= size
    if not one[S.TEXTURE_LINEAR]:
        return inside(np.int64(np.floor(u)), size, mode), 1.0 if second == 0 else 0.0
    u -= 0.5
    place = np.int64(np.floor(u))
    share = np.floor((u - place) * STEPS + 0.5) / STEPS
    return inside(place + second, size, mode), share if second else 1.0 - share


@cold
def inside(place, size, mode):
    """A place in a texture of some size as its addressing mode has it, or OUTSIDE."""
    if mode == S.TEXTURE_WRAP:
        return place % size
    if mode == S.TEXTURE_MIRROR:
        place %= 2 * size
        return min(place, 2 * size - 1 - place)
    if mode == S.TEXTURE_BORDER:
        return place if 0 <= place < size else OUTSIDE
    return min(max(place, np.int64(0)), size - 1)


@cold
def fetch_values(m, c, w, base, lane):
    """What one lane reads into its registers; False where the values of the texture are not there."""
    handle = np.int64(m.regs[at(c[I.A], base), lane])
    one = m.textures[handle]
    if not m.bounds[array_of(m, handle), S.HELD]:
        m.scratch[S.ADDRESSES, lane] = one[S.TEXTURE_ADDRESS]
        return False
    places, weights = m.scratch[S.ADDRESSES], m.scratch[S.TURNS].view(np.float64)
    for corner in range(CORNERS):
        places[corner], weights[corner] = texel(m, c, base, lane, corner, False)
    n = 0
    for channel in range(CHANNELS):
        if not (c[I.SUB] >> channel) & 1:
            continue
        row = at(c[I.DST], base) + n if n < 2 else at(c[I.D], base) + n - 2
        m.regs[row, lane] = value(m, one, places, weights, channel)
        n += 1
    return True


@cold
def value(m, one, places, weights, channel):
    """What a channel of a fetch gives, as the bits of a register."""
    cell = m.bits[0]
    if one[S.TEXTURE_KIND] >= S.TEXTURE_S8 and not one[S.TEXTURE_UNIT]:
        return whole(m, one, places[0], channel)
    total = 0.0
    for corner in range(CORNERS):
        if weights[corner] > 0.0:
            total += weights[corner] * real(m, one, places[corner], channel)
    cell.view(np.float32)[0] = np.float32(total)
    return cell[0]


@cold
def whole(m, one, place, channel):
    """A channel of a texel as the bits of an integer; of what is outside, the border's."""
    kind = one[S.TEXTURE_KIND]
    if place < 0 or channel >= one[S.TEXTURE_CHANNELS]:
        return np.uint32(one[S.TEXTURE_COLOR + channel]) if place < 0 else np.uint32(channel == CHANNELS - 1)
    byte = place - S.GLOBAL_BASE + channel * (one[S.TEXTURE_TEXEL] // one[S.TEXTURE_CHANNELS])
    if kind == S.TEXTURE_S8:
        return np.uint32(np.int32(np.int8(m.data.view(np.uint8)[byte])))
    if kind == S.TEXTURE_U8:
        return np.uint32(m.data.view(np.uint8)[byte])
    if kind == S.TEXTURE_S16:
        return np.uint32(np.int32(np.int16(m.data.view(np.uint16)[byte >> 1])))
    if kind == S.TEXTURE_U16 or kind == S.TEXTURE_F16:
        return np.uint32(m.data.view(np.uint16)[byte >> 1])
    return m.data[byte >> 2]


@cold
def real(m, one, place, channel):
    """A channel of a texel as a number."""
    kind, bits, cell = one[S.TEXTURE_KIND], whole(m, one, place, channel), m.bits[0]
    if place < 0 or channel >= one[S.TEXTURE_CHANNELS]:
        cell[0] = bits
        return np.float64(cell.view(np.float32)[0]) if place < 0 else np.float64(bits)
    if kind == S.TEXTURE_F16:
        return from_half(cell, bits)
    if kind == S.TEXTURE_F32:
        cell[0] = bits
        return np.float64(cell.view(np.float32)[0])
    most = 127.0 if kind == S.TEXTURE_S8 else 255.0 if kind == S.TEXTURE_U8 else 32767.0
    if kind == S.TEXTURE_U16:
        most = 65535.0
    signed = np.float64(np.int32(bits))
    return max(signed / most, -1.0)


@cold
def from_half(cell, bits):
    """An fp16 as a number."""
    exponent, fraction = np.int64(bits >> np.uint32(10)) & 31, np.int64(bits) & 1023
    size = fraction * 2.0**-24
    if exponent:
        cell[0] = np.uint32((exponent + (112 if exponent < 31 else 224)) << 23 | fraction << 13)
        size = np.float64(cell.view(np.float32)[0])
    return -size if bits >> np.uint32(15) else size
