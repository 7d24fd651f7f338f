"""Matrix transposition: a row read is a column written, so one side walks the wrong way unless shared memory helps.

A block of T x R threads moves a T x T tile in T/R passes of R rows.
"""

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Textbook, Traffic


def tiles_of(p):
    """Take one block for each T x T tile of the input."""
    return (gl.cdiv(p.N, p.T), gl.cdiv(p.M, p.T))


def tile_rules(p):
    """Check that a block moves its tile in whole passes."""
    return [
        (p.T * p.R <= 1024, "T*R threads must fit a block of 1024"),
        (p.T % p.R == 0, "R must divide T: a block moves its tile in T/R passes of R rows"),
    ]


def block_of(p):
    """Take T columns by R rows of threads."""
    return (p.T, p.R)


@gl.kernel(grid=tiles_of, block=block_of, requires=tile_rules)
def naive(
    x: gl.In[gl.f32, "M", "N"],
    y: gl.Out[gl.f32, "N", "M"],
    T: gl.Tile = 32,
    R: gl.Tile = 8,
):
    """Read along rows, write down columns: a warp's store spreads over 32 lines."""
    M, N = gl.sizes("M", "N")
    col = gl.ctaid.x * T + gl.tid.x
    row = gl.ctaid.y * T + gl.tid.y
    for j in gl.unroll(0, T, R):
        with gl.if_((row + j < M) & (col < N)):
            y[col, row + j] = x[row + j, col]


@gl.kernel(grid=tiles_of, block=block_of, requires=tile_rules)
def shared(
    x: gl.In[gl.f32, "M", "N"],
    y: gl.Out[gl.f32, "N", "M"],
    T: gl.Tile = 32,
    R: gl.Tile = 8,
):
    """Turn the tile in shared memory: global memory sees rows only, but a column of the tile lies in one bank."""
    M, N = gl.sizes("M", "N")
    tile = gl.shared(gl.f32, T, T)
    turn(x, y, tile, M, N, T, R)


@gl.kernel(grid=tiles_of, block=block_of, requires=tile_rules)
def padded(
    x: gl.In[gl.f32, "M", "N"],
    y: gl.Out[gl.f32, "N", "M"],
    T: gl.Tile = 32,
    R: gl.Tile = 8,
):
    """Make the tile's rows one word longer, so that a column of it lies in T different banks."""
    M, N = gl.sizes("M", "N")
    tile = gl.shared(gl.f32, T, T + 1)
    turn(x, y, tile, M, N, T, R)


def turn(x, y, tile, M, N, T, R):
    """Pass the block's tile through shared memory: in by rows, out by columns."""
    across, down = gl.ctaid.x * T, gl.ctaid.y * T
    for j in gl.unroll(0, T, R):
        row, col = down + gl.tid.y + j, across + gl.tid.x
        with gl.if_((row < M) & (col < N)):
            tile[gl.tid.y + j, gl.tid.x] = x[row, col]
    gl.barrier()
    for j in gl.unroll(0, T, R):
        row, col = across + gl.tid.y + j, down + gl.tid.x
        with gl.if_((row < N) & (col < M)):
            y[row, col] = tile[gl.tid.x, gl.tid.y + j]


COMMON = {
    "family": "transpose",
    "sizes": {"M": 1024, "N": 1024},
    "aliases": {"n": ("M", "N"), "m": ("M",), "tile": ("T",)},
    "reference": lambda x, **p: {"y": x["x"].T.copy()},
    "io": {"x": Traffic("M*N"), "y": Traffic(stores="M*N")},
    "computation": "y[n,m] = x[m,n]",
    "textbook": Textbook(reads="M*N", writes="M*N"),
}

transpose_naive = Algorithm(
    name="transpose-naive",
    also=("transpose",),
    summary="y = x^T, written down columns: uncoalesced",
    kernel=naive,
    **COMMON,
)

transpose_shared = Algorithm(
    name="transpose-shared",
    summary="y = x^T through shared memory, with bank conflicts",
    kernel=shared,
    **COMMON,
)

transpose_padded = Algorithm(
    name="transpose-padded",
    summary="y = x^T through padded shared memory, without conflicts",
    kernel=padded,
    **COMMON,
)
