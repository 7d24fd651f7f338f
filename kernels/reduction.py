"""Sums: every block of B threads adds B elements to one partial sum, by four trees that differ in who adds what."""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Textbook, Traffic


def blocks_of(p):
    """Take one thread for each element."""
    return (gl.cdiv(p.N, p.B),)


def block_of(p):
    """Take B threads a block."""
    return (p.B,)


def halving_rules(p):
    """Check that the block can be halved until one thread is left."""
    return [
        (p.B <= 1024, "B threads must fit a block of 1024"),
        ((p.B & (p.B - 1)) == 0, "B must be a power of two: 32, 64, 128, 256, 512 or 1024"),
    ]


def whole_warp_rules(p):
    """Check that the block is whole warps, as shuffles need, and at most 32 of them, whose sums one warp can add."""
    return [
        (p.B <= 1024, "B threads must fit a block of 1024"),
        (p.B % 32 == 0, "B must be whole warps: a multiple of 32"),
    ]


def fill(x, N, B):
    """Copy the block's elements to shared memory, zeros past the end of ``x``."""
    s = gl.shared(gl.f32, B)
    i = gl.ctaid.x * B + gl.tid.x
    s[gl.tid.x] = x.load(i, guard=i < N, other=0.0)
    gl.barrier()
    return s


def finish(s, y):
    """Let the first thread write the block's sum."""
    with gl.if_(gl.tid.x == 0):
        y[gl.ctaid.x] = s[0]


@gl.kernel(grid=blocks_of, block=block_of, requires=halving_rules)
def divergent(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "cdiv(N, B)"],
    B: gl.Tile = 256,
):
    """Let every 2k-th thread add its neighbour at distance k: all warps stay busy, with ever fewer lanes."""
    N = gl.sizes("N")
    s = fill(x, N, B)
    t = gl.tid.x
    for k in gl.doubling(1, B):
        with gl.if_(t % (2 * k) == 0):
            s[t] += s[t + k]
        gl.barrier()
    finish(s, y)


@gl.kernel(grid=blocks_of, block=block_of, requires=halving_rules)
def conflicting(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "cdiv(N, B)"],
    B: gl.Tile = 256,
):
    """Give the same sums to the first threads: warps retire, but lanes at stride 2k meet in the same banks."""
    N = gl.sizes("N")
    s = fill(x, N, B)
    for k in gl.doubling(1, B):
        i = 2 * k * gl.tid.x
        with gl.if_(i < B):
            s[i] += s[i + k]
        gl.barrier()
    finish(s, y)


@gl.kernel(grid=blocks_of, block=block_of, requires=halving_rules)
def sequential(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "cdiv(N, B)"],
    B: gl.Tile = 256,
):
    """Add the back half to the front half: neighbouring lanes at neighbouring words, and warps retire."""
    N = gl.sizes("N")
    s = fill(x, N, B)
    t = gl.tid.x
    half = gl.var(gl.i32, B // 2)
    for _ in gl.doubling(1, B):
        with gl.if_(t < half):
            s[t] += s[t + half]
        half.set(half >> 1)
        gl.barrier()
    finish(s, y)


def warp_sum(v):
    """Add the 32 lanes' ``v`` into lane 0 by shuffles, without shared memory."""
    for j in gl.unroll(5):
        v += gl.shfl_down(v, 16 >> j)


@gl.kernel(grid=blocks_of, block=block_of, requires=whole_warp_rules)
def shuffle(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "cdiv(N, B)"],
    B: gl.Tile = 256,
):
    """Add the lanes of every warp in registers, then the warps' sums in the first warp."""
    N = gl.sizes("N")
    sums = gl.shared(gl.f32, 32)
    warp, lane = gl.tid.x // 32, gl.tid.x % 32
    i = gl.ctaid.x * B + gl.tid.x
    v = gl.var(gl.f32, x.load(i, guard=i < N, other=0.0))
    warp_sum(v)
    with gl.if_(lane == 0):
        sums[warp] = v
    gl.barrier()
    with gl.if_(warp == 0):
        v.set(sums.load(lane, guard=lane < B // 32, other=0.0))
        warp_sum(v)
        with gl.if_(lane == 0):
            y[gl.ctaid.x] = v


def partial_sums(x, *, N, B, **p):
    """Add every block's elements in double precision."""
    padded = np.zeros(-(-N // B) * B)
    padded[:N] = x["x"]
    return {"y": padded.reshape(-1, B).sum(axis=1).astype(np.float32)}


COMMON = {
    "family": "reduction",
    "sizes": {"N": 1 << 22},
    "aliases": {"n": ("N",), "block": ("B",)},
    "reference": partial_sums,
    "io": {"x": Traffic("N"), "y": Traffic(stores="ceil(N/B)")},
    "textbook": Textbook(reads="N", writes="N/B"),
    "tolerance": 1e-4,
}

reduce_divergent = Algorithm(
    name="reduce-divergent",
    also=("reduction", "reduce"),
    summary="block sums; every 2k-th thread adds: warps diverge",
    kernel=divergent,
    **COMMON,
)

reduce_conflicting = Algorithm(
    name="reduce-conflicting",
    summary="block sums; threads add at stride 2k: banks conflict",
    kernel=conflicting,
    **COMMON,
)

reduce_sequential = Algorithm(
    name="reduce-sequential",
    summary="block sums; the back half is added to the front half",
    kernel=sequential,
    **COMMON,
)

reduce_shuffle = Algorithm(
    name="reduce-shuffle",
    summary="block sums by warp shuffles",
    kernel=shuffle,
    **COMMON,
)
