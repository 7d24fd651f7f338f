"""Direct 2-D convolutions of images with channels: every element fetched serves many sums, if it is kept.

L images x of C channels are convolved with K filters w of C x R x S, as neural networks do it (a cross-correlation,
without padding, stride 1): y[l, k, i, j] is the sum over c, r and s of x[l, c, i + r, j + s] * w[k, c, r, s].
A channel of y is M x N, one of x (M + R - 1) x (N + S - 1).  FLOPs: 2 L K M N C R S.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Textbook, Traffic


def block_rule(p):
    """Limit blocks of X x Y threads."""
    return [(p.X * p.Y <= 1024, "X*Y threads must fit a block of 1024")]


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.N, p.X), gl.cdiv(p.M, p.Y), p.L * p.K),
    block=lambda p: (p.X, p.Y),
    requires=block_rule,
)
def direct(
    x: gl.In[gl.f32, "L", "C", "M + R - 1", "N + S - 1"],
    w: gl.In[gl.f32, "K", "C", "R", "S"],
    y: gl.Out[gl.f32, "L", "K", "M", "N"],
    R: gl.Tile = 3,
    S: gl.Tile = 3,
    X: gl.Tile = 32,
    Y: gl.Tile = 8,
):
    """Give a thread one element of y: what its neighbours and other filters read of x too, it reads itself."""
    C, K, M, N = gl.sizes("C", "K", "M", "N")
    col = gl.ctaid.x * X + gl.tid.x
    row = gl.ctaid.y * Y + gl.tid.y
    image, k = gl.ctaid.z // K, gl.ctaid.z % K
    with gl.if_((row < M) & (col < N)):
        acc = gl.var(gl.f32, 0.0)
        for c in gl.range(0, C):
            for r in gl.unroll(R):
                for s in gl.unroll(S):
                    acc += x[image, c, row + r, col + s] * w[k, c, r, s]
        y[image, k, row, col] = acc


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.N, p.X), gl.cdiv(p.M, p.Y), p.L * gl.cdiv(p.K, p.F)),
    block=lambda p: (p.X, p.Y),
    requires=block_rule,
)
def tiled(
    x: gl.In[gl.f32, "L", "C", "M + R - 1", "N + S - 1"],
    w: gl.In[gl.f32, "K", "C", "R", "S"],
    y: gl.Out[gl.f32, "L", "K", "M", "N"],
    R: gl.Tile = 3,
    S: gl.Tile = 3,
    X: gl.Tile = 32,
    Y: gl.Tile = 8,
    F: gl.Tile = 8,
):
    """Keep a patch of x, with its rim, in shared memory: it serves R S taps, and F filters, a sum each."""
    C, K, M, N = gl.sizes("C", "K", "M", "N")
    patch = gl.shared(gl.f32, Y + R - 1, X + S - 1)
    taps = gl.shared(gl.f32, F, R * S)
    acc = gl.local(gl.f32, F)
    lane = gl.tid.y * X + gl.tid.x
    left, top = gl.ctaid.x * X, gl.ctaid.y * Y
    groups = gl.cdiv(K, F)
    image, first = gl.ctaid.z // groups, gl.ctaid.z % groups * F
    for c in gl.range(0, C):
        for o in gl.range(lane, (Y + R - 1) * (X + S - 1), X * Y):
            i, j = o // (X + S - 1), o % (X + S - 1)
            # Beyond the rim the last row or column is read again; no element that is stored needs it.
            patch[i, j] = x[image, c, gl.minimum(top + i, M + R - 2), gl.minimum(left + j, N + S - 2)]
        for o in gl.range(lane, F * (R * S), X * Y):
            f, t = o // (R * S), o % (R * S)
            taps[f, t] = w.load(first + f, c, t // S, t % S, guard=first + f < K, other=0.0)
        gl.barrier()
        for r in gl.unroll(R):
            for s in gl.unroll(S):
                for f in gl.unroll(F):
                    acc[f] += patch[gl.tid.y + r, gl.tid.x + s] * taps[f, r * S + s]
        gl.barrier()
    row, col = top + gl.tid.y, left + gl.tid.x
    for f in gl.unroll(F):
        y.store(image, first + f, row, col, acc[f], guard=(row < M) & (col < N) & (first + f < K))


def convolution_reference(arrays, **p):
    """Sum shifted images, a tap of the filters at a time."""
    x, w = arrays["x"].astype(np.float64), arrays["w"].astype(np.float64)
    high, wide = w.shape[2:]
    rows, columns = x.shape[2] - high + 1, x.shape[3] - wide + 1
    y = np.zeros((x.shape[0], w.shape[0], rows, columns))
    for r in range(high):
        for s in range(wide):
            y += np.einsum("lcij,kc->lkij", x[:, :, r : r + rows, s : s + columns], w[:, :, r, s])
    return {"y": y.astype(np.float32)}


SIZES = {"L": 1, "C": 16, "K": 16, "M": 128, "N": 128}
ALIASES = {"n": ("M", "N"), "m": ("M",)}
COMPUTATION = "y[l,k,m,n] += x[l,c,m+r,n+s] * w[k,c,r,s]"
TEXTBOOK = Textbook(reads="L*C*(M + R - 1)*(N + S - 1) + K*C*R*S", writes="L*K*M*N")

convolution = Algorithm(
    name="convolution",
    also=("conv2d",),
    family="convolution",
    summary="direct 2-D convolution of L images of C channels with K filters of C x R x S, a thread an element",
    kernel=direct,
    sizes=SIZES,
    aliases=ALIASES,
    reference=convolution_reference,
    computation=COMPUTATION,
    io={"x": Traffic("L*K*M*N*C*R*S"), "w": Traffic("L*K*M*N*C*R*S"), "y": Traffic(stores="L*K*M*N")},
    textbook=TEXTBOOK,
)

convolution_tiled = Algorithm(
    name="convolution-tiled",
    family="convolution",
    summary="the same with a patch of the image in shared memory, which serves R*S taps and F filters",
    kernel=tiled,
    sizes=SIZES,
    aliases=ALIASES,
    reference=convolution_reference,
    computation=COMPUTATION,
    io={
        "x": Traffic("L*ceil(K/F)*C*ceil(M/Y)*(Y + R - 1)*ceil(N/X)*(X + S - 1)"),
        "w": Traffic("L*ceil(M/Y)*ceil(N/X)*K*C*R*S"),
        "y": Traffic(stores="L*K*M*N"),
    },
    textbook=TEXTBOOK,
)
