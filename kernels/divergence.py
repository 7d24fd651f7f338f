"""Divergence: lanes of one warp that take different paths wait for each other."""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Textbook, Traffic

STEPS = 64
PATHS = ((1.0001, 0.5), (0.9999, -0.25), (1.0002, 0.125), (0.9998, -0.75))


def chain(v, factor, term):
    """Put ``v`` through ``STEPS`` dependent multiply-adds."""
    for _ in gl.unroll(STEPS):
        v.set(gl.fma(v, factor, term))


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.N, p.B),),
    block=lambda p: (p.B,),
    requires=lambda p: [
        (p.B <= 1024, "B threads must fit a block: 1 <= B <= 1024"),
        (p.w >= 1, "w is a number of paths: 1, 2, 3 or 4"),
        (p.w <= 4, "there are four different paths: w must be 1, 2, 3 or 4"),
    ],
)
def diverge(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "N"],
    w: gl.Scalar[gl.i32],
    B: gl.Tile = 256,
):
    """Send neighbouring lanes along ``w`` different paths, each a chain of multiply-adds as long as the others."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        v = gl.var(gl.f32, x[i])
        path = gl.tid.x % w
        with gl.if_(path == 0):
            chain(v, *PATHS[0])
        with gl.else_():
            with gl.if_(path == 1):
                chain(v, *PATHS[1])
            with gl.else_():
                with gl.if_(path == 2):
                    chain(v, *PATHS[2])
                with gl.else_():
                    chain(v, *PATHS[3])
        y[i] = v


def follow_paths(x, *, N, w, B, **p):
    """Take every element along the path of its lane."""
    factor, term = np.array(PATHS, np.float32)[np.arange(N) % B % w].T
    v = x["x"].astype(np.float64)
    for _ in range(STEPS):
        v = (v * factor + term).astype(np.float32).astype(np.float64)  # one rounding a step: fused
    return {"y": v.astype(np.float32)}


divergence = Algorithm(
    name="divergence",
    family="divergence",
    summary="w paths in every warp, each of 64 multiply-adds",
    kernel=diverge,
    sizes={"N": 1 << 20},
    scalars={"w": 2},
    aliases={"n": ("N",), "block": ("B",), "paths": ("w",)},
    reference=follow_paths,
    io={"x": Traffic("N"), "y": Traffic(stores="N")},
    textbook=Textbook(reads="N", writes="N"),
)
