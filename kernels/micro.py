"""Microbenchmarks of the memory hierarchy itself: what validates the model of it, not what anyone wants computed.

They repeat what `hardware/l2map.cu`, `lrc.cu` and `limits.cu` ran on an H200, and stay out of the plain listing.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.algorithm import Algorithm

UNLIKELY = 0x12345
PIECE = 128  # words: 512 bytes, 16 bytes a lane of one warp


def one_grid(p):
    """Take as many blocks as asked for."""
    return (p.blocks,)


def one_block(p):
    """Take W warps a block."""
    return (32 * p.W,)


def warps_rule(p):
    """Limit the warps of a block."""
    return [(p.W <= 32, "W warps must fit a block of 1024 threads: W is at most 32")]


def mix(quad):
    """Make one word of four, so that no load is idle."""
    a, b, c, d = quad
    return a ^ b ^ c ^ d


@gl.kernel(
    grid=one_grid,
    block=one_block,
    requires=lambda p: [*warps_rule(p), ((p.pattern >= 0) & (p.pattern <= 3), "pattern is 0, 1, 2 or 3")],
)
def read_l2(
    g: gl.In[gl.i32, "pieces * 128"],
    half: gl.In[gl.i32, "sms"],
    sink: gl.Out[gl.i32, 1],
    pattern: gl.Scalar[gl.i32],
    W: gl.Tile = 32,
):
    """Read a footprint `reps` times past L1; `pattern` says who reads what.

    0: a piece is always read by the same SM; 1: by another SM in each repetition; 2: all of it by every SM of half 0;
    3: all of it by every SM.
    """
    pieces, reps, blocks, sms = gl.sizes("pieces", "reps", "blocks", "sms")
    own, lane = gl.tid.x // 32, gl.tid.x % 32
    warp, warps = gl.ctaid.x * W + own, blocks * W
    shift = gl.select(pattern.eq(1), warps // sms * 17 + W, 0)
    step = gl.select(pattern <= 1, warps, W)
    acc = gl.var(gl.i32, 0)
    with gl.if_(pattern.ne(2) | half[gl.smid].eq(0)):
        for r in gl.range(0, reps):
            first = gl.select(pattern <= 1, (warp + r * shift) % warps, own)
            for i in gl.range(first, pieces, step):
                acc += mix(g.load(i * PIECE + lane * 4, vec=4, cache="cg"))
    with gl.if_(acc.eq(UNLIKELY)):
        sink[0] = acc


@gl.kernel(grid=one_grid, block=one_block, requires=warps_rule)
def read_together_cg(
    g: gl.In[gl.i32, "pieces * 128"],
    pick: gl.In[gl.i32, "sms"],
    sink: gl.Out[gl.i32, 1],
    W: gl.Tile = 32,
):
    """Read the same data on chosen SMs at about the same time, past L1."""
    read_together(g, pick, sink, W, "cg")


@gl.kernel(grid=one_grid, block=one_block, requires=warps_rule)
def read_together_ca(
    g: gl.In[gl.i32, "pieces * 128"],
    pick: gl.In[gl.i32, "sms"],
    sink: gl.Out[gl.i32, 1],
    W: gl.Tile = 32,
):
    """Read the same data on chosen SMs at about the same time, through L1."""
    read_together(g, pick, sink, W, "ca")


def read_together(g, pick, sink, W, cache):
    """Stride through all pieces `reps` times, in blocks on SMs that `pick` marks."""
    pieces, reps, _, _ = gl.sizes("pieces", "reps", "blocks", "sms")
    acc = gl.var(gl.i32, 0)
    with gl.if_(pick[gl.smid].ne(0)):
        for _ in gl.range(0, reps):
            for i in gl.range(gl.tid.x // 32, pieces, W):
                acc += mix(g.load(i * PIECE + gl.tid.x % 32 * 4, vec=4, cache=cache))
    with gl.if_(acc.eq(UNLIKELY)):
        sink[0] = acc


@gl.kernel(grid=one_grid, block=one_block, requires=warps_rule)
def keep_l1(
    g: gl.In[gl.i32, "lines * 32"],
    sink: gl.Out[gl.i32, 1],
    W: gl.Tile = 32,
    S: gl.Tile = 1,
):
    """Read a footprint of `lines` lines `reps` times; S words of shared memory take their share of L1."""
    lines, reps, _ = gl.sizes("lines", "reps", "blocks")
    taken = gl.shared(gl.i32, S)
    acc = gl.var(gl.i32, 0)
    for _ in gl.range(0, reps):
        for i in gl.range(gl.tid.x, lines * 32, 32 * W):
            acc += g[i]
    with gl.if_(acc.eq(UNLIKELY)):
        sink[0] = acc
        taken[0] = acc


@gl.kernel(grid=one_grid, block=one_block, requires=warps_rule)
def store_l1(
    g: gl.InOut[gl.i32, "lines * 32"],
    sink: gl.Out[gl.i32, 1],
    write: gl.Scalar[gl.i32],
    W: gl.Tile = 32,
):
    """Read a footprint, store to it where `write` is 1, read it again: a store leaves its line in L1."""
    lines, _ = gl.sizes("lines", "blocks")
    acc = gl.var(gl.i32, 0)
    for i in gl.range(gl.tid.x, lines * 32, 32 * W):
        acc += g[i]
    gl.barrier()
    with gl.if_(write.ne(0)):
        for i in gl.range(gl.tid.x, lines * 32, 32 * W):
            g[i] = i
    gl.barrier()
    for i in gl.range(gl.tid.x, lines * 32, 32 * W):
        acc += g[i]
    with gl.if_(acc.eq(UNLIKELY)):
        sink[0] = acc


def nothing(x, **p):
    """Leave the sink zero: a sum meets its one value by accident only."""
    return {"sink": np.zeros(1, np.int32)}


def overwritten(x, *, write, **p):
    """Put its indices into the footprint if it was written."""
    g = np.arange(x["g"].size, dtype=np.int32) if write else x["g"].copy()
    return {"g": g, "sink": np.zeros(1, np.int32)}


def zeros(rng, shape, p):
    """Draw data of no interest, of which no sum is the unlikely one."""
    return np.zeros(shape, np.int32)


def first_half(rng, shape, p):
    """Mark the SMs of the second half with 1: by default the upper half of the numbers."""
    return (np.arange(p["sms"]) >= p["sms"] // 2).astype(np.int32)


def all_marked(rng, shape, p):
    """Mark every SM with 1."""
    return np.ones(shape, np.int32)


COMMON = {"family": "micro", "hidden": True, "reference": nothing}
READERS = {"pieces": 2048, "reps": 4, "blocks": 132, "sms": 132}

micro_l2 = Algorithm(
    name="micro-l2",
    summary="what the halves of L2 keep: 512-byte pieces read past L1, again and again, by four patterns",
    kernel=read_l2,
    sizes=READERS,
    scalars={"pattern": 0},
    draw={"g": zeros, "half": first_half},
    **COMMON,
)

micro_coalescer = Algorithm(
    name="micro-coalescer",
    summary="which SMs' requests meet before L2: marked SMs read the same data past L1",
    kernel=read_together_cg,
    sizes=READERS,
    draw={"g": zeros, "pick": all_marked},
    **COMMON,
)

micro_coalescer_l1 = Algorithm(
    name="micro-coalescer-l1",
    summary="which SMs' requests meet before L2: marked SMs read the same data through L1",
    kernel=read_together_ca,
    sizes=READERS,
    draw={"g": zeros, "pick": all_marked},
    **COMMON,
)

micro_l1 = Algorithm(
    name="micro-l1",
    summary="what L1 keeps beside S words of shared memory: a footprint read again and again",
    kernel=keep_l1,
    sizes={"lines": 512, "reps": 3, "blocks": 1},
    draw={"g": zeros},
    **COMMON,
)

micro_l1_store = Algorithm(
    name="micro-l1-store",
    summary="whether a store leaves the line it hits in L1",
    kernel=store_l1,
    sizes={"lines": 512, "blocks": 1},
    scalars={"write": 1},
    draw={"g": zeros},
    **{**COMMON, "reference": overwritten},
)
