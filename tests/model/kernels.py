"""Kernels to simulate beside the models."""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm
from tests.kernels.run import mine


@gl.kernel(grid=lambda p: (p.G,), block=lambda p: (64,))
def wait(y: gl.Out[gl.f32, "G * 64"], K: gl.Scalar[gl.i32]):
    """A block waits for K dependent multiply-adds; its 48 KiB of shared memory let four of it onto an SM of an H200."""
    s = gl.shared(gl.f32, 12288)
    s[gl.tid.x] = 1.0
    gl.barrier()
    acc = gl.var(gl.f32, 0.0)
    for _ in gl.range(0, K):
        acc.set(gl.fma(acc, 0.5, s[gl.tid.x]))
    y[gl.ctaid.x * 64 + gl.tid.x] = acc


@gl.kernel(grid=lambda p: (p.G,), block=lambda p: (p.T,))
def chase(x: gl.In[gl.i32, "K * G * T"], y: gl.Out[gl.i32, "G * T"], T: gl.Tile = 32):
    """A warp has one load in flight: each says where the next one goes."""
    K = gl.sizes("K")
    i = gl.ctaid.x * T + gl.tid.x
    at = gl.var(gl.i32, i)
    for _ in gl.range(0, K):
        at.set(x[at])
    y[i] = at


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 256),), block=lambda p: (256,))
def three_stages(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"]):
    """Three pointwise stages in one kernel."""
    N = gl.sizes("N")
    i = gl.ctaid.x * 256 + gl.tid.x
    with gl.if_(i < N):
        y[i] = gl.sqrt(gl.exp(x[i]) + 1.0)


def _next_stretch(rng, shape, p):
    """Lead every thread on to the stretch of `x` that no load has touched yet."""
    length = shape[0]
    return ((np.arange(length) + p["G"] * p["T"]) % length).astype(np.int32)


WAIT = Algorithm(name="wait", summary="", kernel=wait, sizes={"G": 1}, scalars={"K": 300}, reference=lambda **p: {})
CHASE = Algorithm(
    name="chase", summary="", kernel=chase, sizes={"G": 1, "K": 16}, tiles={"T": 32}, draw={"x": _next_stretch},
    reference=lambda **p: {},
)  # fmt: skip
THREE_STAGES = mine(three_stages, N=1 << 16)
