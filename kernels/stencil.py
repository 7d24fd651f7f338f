"""Stencils: every point from its neighbours, which neighbouring threads read too."""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Textbook, Traffic


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.N, p.X), gl.cdiv(p.M, p.Y)),
    block=lambda p: (p.X, p.Y),
    requires=lambda p: [(p.X * p.Y <= 1024, "X*Y threads must fit a block of 1024")],
)
def five_point(
    x: gl.In[gl.f32, "M", "N"],
    y: gl.Out[gl.f32, "M", "N"],
    X: gl.Tile = 32,
    Y: gl.Tile = 8,
):
    """Take half of the point and an eighth of each neighbour; leave the rim alone."""
    M, N = gl.sizes("M", "N")
    c = gl.ctaid.x * X + gl.tid.x
    r = gl.ctaid.y * Y + gl.tid.y
    with gl.if_((r > 0) & (c > 0) & (r < M - 1) & (c < N - 1)):
        around = x[r - 1, c] + x[r + 1, c] + x[r, c - 1] + x[r, c + 1]
        y[r, c] = 0.5 * x[r, c] + 0.125 * around


def five_point_reference(x, **p):
    """Compute the interior by slices; the rim stays zero, as the buffer starts."""
    x = x["x"]
    y = np.zeros_like(x)
    around = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
    y[1:-1, 1:-1] = np.float32(0.5) * x[1:-1, 1:-1] + np.float32(0.125) * around
    return {"y": y}


stencil5 = Algorithm(
    name="stencil5",
    also=("stencil",),
    family="stencil",
    summary="five-point stencil on an M x N grid",
    kernel=five_point,
    sizes={"M": 1024, "N": 1024},
    aliases={"n": ("M", "N"), "m": ("M",)},
    reference=five_point_reference,
    computation="y[m,n] = x[m-1,n] + x[m+1,n] + x[m,n-1] + x[m,n+1] + x[m,n]",
    touched={"x": "max(M*N - 4, 0)*min(max(M - 2, 0), 1)*min(max(N - 2, 0), 1)", "y": "max(M - 2, 0)*max(N - 2, 0)"},
    io={"x": Traffic("5*max(M - 2, 0)*max(N - 2, 0)"), "y": Traffic(stores="max(M - 2, 0)*max(N - 2, 0)")},
    textbook=Textbook(reads="M*N", writes="M*N"),
)
