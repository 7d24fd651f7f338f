"""Descriptions that the tests of this folder trace, print and count."""

import gpusim.lang as gl


@gl.kernel(grid=lambda p: gl.cdiv(p.N, p.B), block=lambda p: p.B)
def vector_add(a: gl.In[gl.f32, "N"], b: gl.In[gl.f32, "N"], c: gl.Out[gl.f32, "N"], B: gl.Tile = 256):
    N = gl.sizes("N")
    i = gl.ctaid.x * gl.ntid.x + gl.tid.x
    with gl.if_(i < N):
        c[i] = a[i] + b[i]


def square(p):
    return [(p.T * p.T <= 1024, "T*T threads must fit a block of 1024")]


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, p.T), gl.cdiv(p.M, p.T)), block=lambda p: (p.T * p.T,), requires=square)
def tiled(
    A: gl.In[gl.f32, "M", "K"],
    B: gl.In[gl.f32, "K", "N"],
    C: gl.Out[gl.f32, "M", "N"],
    T: gl.Tile = 32,
):
    M, N, K = gl.sizes("M", "N", "K")
    sA = gl.shared(gl.f32, T, T)
    sB = gl.shared(gl.f32, T, T)
    r, c = gl.tid.x // T, gl.tid.x % T
    row, col = gl.ctaid.y * T + r, gl.ctaid.x * T + c
    acc = gl.var(gl.f32, 0.0)
    for t in gl.range(0, K, T):
        sA[r, c] = A.load(row, t + c, guard=(row < M) & (t + c < K), other=0.0)
        sB[r, c] = B.load(t + r, col, guard=(t + r < K) & (col < N), other=0.0)
        gl.barrier()
        for i in gl.unroll(T):
            acc += sA[r, i] * sB[i, c]
        gl.barrier()
    with gl.if_((row < M) & (col < N)):
        C[row, col] = acc


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, p.T * p.F), gl.cdiv(p.M, p.T)), block=lambda p: (p.T * p.T,), requires=square)
def coarsened(
    A: gl.In[gl.f16, "M", "K"],
    B: gl.In[gl.f16, "K", "N"],
    C: gl.Out[gl.f32, "M", "N"],
    T: gl.Tile = 16,
    F: gl.Tile = 4,
):
    M, N, K = gl.sizes("M", "N", "K")
    sA, sB = gl.shared(gl.f16, T, T), gl.shared(gl.f16, T, T)
    r, c = gl.tid.x // T, gl.tid.x % T
    row, left = gl.ctaid.y * T + r, gl.ctaid.x * T * F + c
    acc = gl.local(gl.f32, F)
    for t in gl.range(0, K, T):
        sA[r, c] = A.load(row, t + c, guard=(row < M) & (t + c < K), other=0.0)
        for j in gl.unroll(F):
            sB[r, c] = B.load(t + r, left + j * T, guard=(t + r < K) & (left + j * T < N), other=0.0)
            gl.barrier()
            for i in gl.unroll(T):
                acc[j] += sA[r, i] * sB[i, c]
            gl.barrier()
    for j in gl.unroll(F):
        C.store(row, left + j * T, acc[j], guard=(row < M) & (left + j * T < N))


def register_rules(p):
    return [(p.BM % p.TM == 0, "TM must divide BM"), (p.BN % p.TN == 0, "TN must divide BN")]


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.N, p.BN), gl.cdiv(p.M, p.BM)),
    block=lambda p: (p.BM // p.TM) * (p.BN // p.TN),
    requires=register_rules,
)
def register_tiled(
    A: gl.In[gl.f32, "M", "K"],
    B: gl.In[gl.f32, "K", "N"],
    C: gl.Out[gl.f32, "M", "N"],
    BM: gl.Tile = 128,
    BN: gl.Tile = 128,
    BK: gl.Tile = 8,
    TM: gl.Tile = 8,
    TN: gl.Tile = 8,
):
    M, N, K = gl.sizes("M", "N", "K")
    threads = (BM // TM) * (BN // TN)
    sA = gl.shared(gl.f32, BM, BK)
    sB = gl.shared(gl.f32, BK, BN)
    acc = gl.local(gl.f32, TM, TN)
    tr, tc = gl.tid.x // (BN // TN), gl.tid.x % (BN // TN)
    top, left = gl.ctaid.y * BM, gl.ctaid.x * BN
    for t in gl.range(0, K, BK):
        for o in gl.range(gl.tid.x, BM * BK, threads):
            row, k = top + o // BK, t + o % BK
            sA[o // BK, o % BK] = A.load(row, k, guard=(row < M) & (k < K), other=0.0)
        for o in gl.range(gl.tid.x, BK * BN, threads):
            k, col = t + o // BN, left + o % BN
            sB[o // BN, o % BN] = B.load(k, col, guard=(k < K) & (col < N), other=0.0)
        gl.barrier()
        for k in gl.unroll(BK):
            for i in gl.unroll(TM):
                for j in gl.unroll(TN):
                    acc[i, j] += sA[tr * TM + i, k] * sB[k, tc * TN + j]
        gl.barrier()
    for i in gl.unroll(TM):
        for j in gl.unroll(TN):
            row, col = top + tr * TM + i, left + tc * TN + j
            with gl.if_((row < M) & (col < N)):
                C[row, col] = acc[i, j]


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.N, p.T), gl.cdiv(p.M, p.T)),
    block=lambda p: (p.T, p.R),
    requires=lambda p: [(p.T % p.R == 0, "R must divide T")],
)
def transpose(x: gl.In[gl.f32, "M", "N"], y: gl.Out[gl.f32, "N", "M"], T: gl.Tile = 32, R: gl.Tile = 8):
    M, N = gl.sizes("M", "N")
    tile = gl.shared(gl.f32, T, T + 1)
    col = gl.ctaid.x * T + gl.tid.x
    for j in gl.range(0, T, R):
        row = gl.ctaid.y * T + gl.tid.y + j
        tile[gl.tid.y + j, gl.tid.x] = x.load(row, col, guard=(row < M) & (col < N), other=0.0)
    gl.barrier()
    out = gl.ctaid.y * T + gl.tid.x
    for j in gl.range(0, T, R):
        row = gl.ctaid.x * T + gl.tid.y + j
        y.store(row, out, tile[gl.tid.x, gl.tid.y + j], guard=(row < N) & (out < M))


@gl.kernel(grid=lambda p: gl.cdiv(p.N, p.B), block=lambda p: p.B)
def reduction(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "cdiv(N, B)"], B: gl.Tile = 256):
    N = gl.sizes("N")
    s = gl.shared(gl.f32, B)
    t = gl.tid.x
    i = gl.ctaid.x * B + t
    s[t] = x.load(i, guard=i < N, other=0.0)
    gl.barrier()
    for k in gl.doubling(1, B):
        with gl.if_((t % (2 * k) == 0) & (t + k < B)):
            s[t] += s[t + k]
        gl.barrier()
    with gl.if_(t == 0):
        y[gl.ctaid.x] = s[0]


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, p.X), gl.cdiv(p.M, p.Y)), block=lambda p: (p.X, p.Y))
def stencil(x: gl.In[gl.f32, "M", "N"], y: gl.Out[gl.f32, "M", "N"], X: gl.Tile = 32, Y: gl.Tile = 8):
    M, N = gl.sizes("M", "N")
    c = gl.ctaid.x * X + gl.tid.x
    r = gl.ctaid.y * Y + gl.tid.y
    with gl.if_((r - 1 >= 0) & (c > 0) & (r + 1 < M) & (c + 1 <= N - 1)):
        y[r, c] = 0.5 * x[r, c] + 0.125 * (x[r - 1, c] + x[r + 1, c] + x[r, c - 1] + x[r, c + 1])


@gl.kernel(
    grid=lambda p: gl.cdiv(p.N, p.B),
    block=lambda p: p.B,
    requires=lambda p: [(p.w >= 1, "at least one path")],
)
def divergence(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"], w: gl.Scalar[gl.i32], B: gl.Tile = 128):
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        path = gl.tid.x % w
        with gl.if_(path == 0):
            y[i] = x[i] * 2.0
        with gl.else_():
            with gl.if_((path == 1) | (path == 3)):
                y[i] = x[i] + 1.0
            with gl.else_():
                y[i] = 0.0


@gl.kernel(grid=lambda p: p.blocks, block=lambda p: p.B)
def grid_stride(x: gl.In[gl.f32, "N"], y: gl.InOut[gl.f32, 1], B: gl.Tile = 64):
    N, _ = gl.sizes("N", "blocks")
    total = gl.var(gl.f32, 0.0)
    for i in gl.range(gl.ctaid.x * gl.ntid.x + gl.tid.x, N, gl.ntid.x * gl.nctaid.x):
        total += x[i]
    gl.atomic_add(y, 0, total)


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.N, p.R), p.H),
    block=lambda p: p.R,
    requires=lambda p: [(p.D % 4 == 0, "rows of four elements")],
)
def causal(
    Q: gl.In[gl.bf16, "H", "N", "D"],
    K: gl.In[gl.bf16, "H", "N", "D"],
    O: gl.Out[gl.f32, "H", "N"],  # noqa: E741
    R: gl.Tile = 8,
    C: gl.Tile = 4,
    D: gl.Tile = 8,
):
    N = gl.sizes("N")
    sK = gl.shared(gl.bf16, C, D)
    row, head = gl.ctaid.x * R + gl.tid.x, gl.ctaid.y
    most = gl.var(gl.f32, -gl.inf)
    for j in gl.range(0, gl.minimum(N, (gl.ctaid.x + 1) * R), C):
        for e in gl.range(gl.tid.x * 4, C * D, R * 4):
            k = j + e // D
            quad = K.load(head, k, e % D, vec=4, guard=k < N, other=0.0)
            sK.store(e // D, e % D, quad)
        gl.barrier()
        for c in gl.range(C):
            with gl.if_((j + c <= row) & (row < N)):
                for d in gl.unroll(D):
                    most.set(gl.maximum(most, Q[head, row, d] * sK[c, d]))
        gl.barrier()
    with gl.if_(row < N):
        O[head, row] = gl.exp(most)


@gl.kernel(grid=lambda p: gl.cdiv(p.N, p.B), block=lambda p: p.B)
def suffixes(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"], B: gl.Tile = 64):
    """Every block walks from its own first element to the end."""
    N = gl.sizes("N")
    first = gl.ctaid.x * B
    total = gl.var(gl.f32, 0.0)
    for i in gl.range(0, N - first, B):
        total += x.load(first + i + gl.tid.x, guard=first + i + gl.tid.x < N, other=0.0)
    y.store(first + gl.tid.x, total, guard=first + gl.tid.x < N)


@gl.kernel(grid=lambda p: (p.G,), block=lambda p: (p.X, p.Y))
def warps(x: gl.In[gl.f32, "G", "N"], y: gl.Out[gl.f32, "G"], X: gl.Tile = 16, Y: gl.Tile = 8):
    """Each warp takes every 7th element of its slice; lanes of an odd warp skip; var-driven halving."""
    N = gl.sizes("N")
    v = gl.var(gl.f32, 0.0)
    for i in gl.range(gl.warpid, N, 7):
        with gl.if_((gl.laneid < 20) & ~((gl.warpid % 2 == 1) | (i > 30))):
            v += x[gl.ctaid.x, i]
    step = gl.var(gl.i32, 8)
    for _ in gl.range(4):
        with gl.if_(gl.tid.x < step):
            v += x[gl.ctaid.x, 0]
        step.set(step // 2)
    with gl.if_((gl.tid.x == 0) & (gl.tid.y != 1)):
        y[gl.ctaid.x] = v


ALL = (
    vector_add,
    tiled,
    coarsened,
    register_tiled,
    transpose,
    reduction,
    stencil,
    divergence,
    grid_stride,
    causal,
    suffixes,
    warps,
)
