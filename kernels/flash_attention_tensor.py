"""FlashAttention-2 forward on tensor cores, by description: O = softmax(Q K^T / sqrt(d)) V, and L = m + log l.

Q, K, V and O are [B, H, N, d] of f16 or bf16; all between is f32 (Dao 2023, arXiv 2307.08691, Algorithm 1).  A block
has Br queries, each of its warps W of them.  A tile of K and one of V are in shared memory.  The next K comes while V
is multiplied, the next V while K is.  Scores stay in the accumulators of the first product, which become the left
operand of the second one.  Causal: tiles above the diagonal are left out, and blocks with the most tiles go first.

Beside it the same with keys shared out among the warps instead, as FlashAttention-1 has it ("split-K", section 3.3 of
the same paper): a warp has all queries of the block and W of each tile's keys.  For every tile the warps then agree on
the largest scores, and add up their parts of O, through shared memory.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Textbook, Traffic

PIECE = 8  # elements of 16 bytes, which a thread copies at a time
LOG2_E = 1.4426950408889634
LOG_2 = 0.6931471805599453
LOWEST = -3.4028234663852886e38  # of fp32: where no key was seen, for -inf would be subtracted from -inf


def grid(p):
    """Take a block for every Br queries of a head."""
    return (gl.cdiv(p.N, p.Br), p.H, p.B)


def block(p):
    """Take a warp for every W queries of a block."""
    return (p.Br // p.W * 32,)


def rules(p):
    """Check the tiles against one another."""
    threads = p.Br // p.W * 32
    return [
        (p.W % 16 == 0, "W must be a multiple of 16, the rows of a fragment"),
        (p.Br % p.W == 0, "W must divide Br: warps share out a block's queries"),
        (threads <= 1024, "32*Br/W threads must fit a block of 1024: take a larger W"),
        (p.Bc % 16 == 0, "Bc must be a multiple of 16: keys are loaded 16 at a time"),
        (p.d % 16 == 0, "d must be a multiple of 16, the depth of a product"),
        ((p.d == 16) | (p.d == 32) | (p.d % 64 == 0), "d must be 16, 32 or a multiple of 64, as swizzled rows are"),
        (p.Br * p.d % (PIECE * threads) == 0, "Br*d must be a multiple of 8 elements a thread"),
        (p.Bc * p.d % (PIECE * threads) == 0, "Bc*d must be a multiple of 8 elements a thread"),
    ]


def fetch(tile, array, at, first, stop, threads):
    """Ask for rows from `first` on, as many as the tile has; from `stop` on they are zeros."""
    rows, d = tile.shape
    for i in gl.unroll(rows * d // (PIECE * threads)):
        piece = gl.tid.x + i * threads
        r, c = piece // (d // PIECE), piece % (d // PIECE) * PIECE
        gl.copy_async(tile, (r, c), array, (*at, first + r, c), vec=PIECE, guard=first + r < stop)


def scores(S, a, b, sQ, sK, row, Bc, d, key=None):
    """Put Q K^T into S: a row for each query of the warp, a column for each of Bc keys, from `key` on."""
    for i in gl.unroll(S.shape[0]):
        for j in gl.unroll(Bc // 8):
            S[i, j].map(lambda s, r, c: 0.0)
    for step in gl.unroll(0, d, 16):
        for i in gl.unroll(S.shape[0]):
            a.load(i, sQ, (row + i * 16, step))
        for j in gl.unroll(0, Bc // 8, 2):
            b.load(j, sK, (j * 8 if key is None else key + j * 8, step), transposed=True)
        for i in gl.unroll(S.shape[0]):
            for j in gl.unroll(Bc // 8):
                gl.mma(S[i, j], a[i], b[j])


def hide(S, Bc, first, query, stop, causal):
    """Give keys from `stop` on, and those after a query if it is causal, a score of -inf."""
    for i in gl.unroll(S.shape[0]):
        for j in gl.unroll(Bc // 8):

            def seen(s, r, c, i=i, j=j):
                key = first + j * 8 + c
                last = gl.minimum(stop, query + i * 16 + r + 1) if causal else stop
                return gl.select(key < last, s, -gl.inf)

            S[i, j].map(seen)


def weigh(S, O, m, l, top, scale, Bc, d):
    """Make weights exp(score - m) of scores, with m and l brought up to date, and O rescaled to them.

    m and top are in units of scores times `scale`, so that a weight is one multiply-add and a power of two.
    """
    for i in gl.unroll(S.shape[0]):
        top[i].map(lambda t: -gl.inf)
        for j in gl.unroll(Bc // 8):
            top[i].fold(gl.maximum, S[i, j])
        top[i].across(gl.maximum)
        top[i].map(lambda t, old: gl.maximum(t * scale, old), m[i])
        m[i].map(lambda old, new: gl.exp2(old - new), top[i])
        l[i].map(lambda sum_, shrunk: sum_ * shrunk, m[i])
        for j in gl.unroll(d // 8):
            O[i, j].map(lambda o, r, c, shrunk: o * shrunk, rows=m[i])
        m[i].map(lambda shrunk, new: new, top[i])
        for j in gl.unroll(Bc // 8):
            S[i, j].map(lambda s, r, c, new: gl.exp2(gl.fma(s, scale, -new)), rows=m[i])
            l[i].fold(lambda sum_, p: sum_ + p, S[i, j])


def add_values(O, S, a, b, sV, Bc, d, key=None):
    """Add the values of Bc keys from `key` on, weighted, to O."""
    for step in gl.unroll(0, Bc, 16):
        for i in gl.unroll(S.shape[0]):
            a[i].take(S[i, step // 8], S[i, step // 8 + 1])
        for j in gl.unroll(0, d // 8, 2):
            b.load(j, sV, (step if key is None else key + step, j * 8))
        for i in gl.unroll(S.shape[0]):
            for j in gl.unroll(d // 8):
                gl.mma(O[i, j], a[i], b[j])


def finish(O, L, o, l, m, at, query, N, d):
    """Divide O by l, and store it and L = m + log l of the queries there are."""
    for i in gl.unroll(o.shape[0]):
        l[i].across(lambda x, y: x + y)
        m[i].map(lambda top, sum_: top * LOG_2 + gl.log(sum_), l[i])
        m[i].store(L, (*at, query + i * 16), guard=lambda row: row < N)
        l[i].map(gl.rcp)
        for j in gl.unroll(d // 8):
            o[i, j].map(lambda x, r, c, part: x * part, rows=l[i])
            o[i, j].store(O, (*at, query + i * 16, j * 8), guard=lambda row, col: row < N)


def attention(t, causal=False):
    """Describe the kernel for one type of elements, causal or not."""
    name = f"flash_2_tensor_{'causal_' if causal else ''}{t.value}"

    @gl.kernel(grid=grid, block=block, requires=rules, name=name)
    def kernel(
        Q: gl.In[t, "B", "H", "N", "d"],
        K: gl.In[t, "B", "H", "N", "d"],
        V: gl.In[t, "B", "H", "N", "d"],
        O: gl.Out[t, "B", "H", "N", "d"],
        L: gl.Out[gl.f32, "B", "H", "N"],
        d: gl.Tile = 128,
        Br: gl.Tile = 128,
        Bc: gl.Tile = 64,
        W: gl.Tile = 32,
    ):
        """Keep a tile of O in registers while the keys pass by."""
        N = gl.sizes("N")
        threads = Br // W * 32
        sQ = gl.shared(t, Br, d, swizzled=True)
        sK = gl.shared(t, Bc, d, swizzled=True)
        sV = gl.shared(t, Bc, d, swizzled=True)
        o = gl.accumulator(W // 16, d // 8)
        s = gl.accumulator(W // 16, Bc // 8)
        m = gl.row_values(W // 16, init=-gl.inf)
        l = gl.row_values(W // 16)
        top = gl.row_values(W // 16)
        a = gl.fragment_a(t, W // 16)
        keys = gl.fragment_b(t, Bc // 8)
        values = gl.fragment_b(t, d // 8)
        at = gl.ctaid.z, gl.ctaid.y
        tile = gl.nctaid.x - 1 - gl.ctaid.x if causal else gl.ctaid.x
        row = gl.tid.x // 32 * W
        query = tile * Br + row
        last = gl.minimum(N, (tile + 1) * Br) if causal else N
        scale = gl.rsqrt(gl.cast(gl.f32, d)) * LOG2_E
        fetch(sQ, Q, at, tile * Br, N, threads)
        fetch(sK, K, at, 0, last, threads)
        gl.copy_commit()
        for key in gl.range(0, last, Bc):
            gl.copy_wait(0)
            gl.barrier()
            fetch(sV, V, at, key, last, threads)
            gl.copy_commit()
            scores(s, a, keys, sQ, sK, row, Bc, d)
            with gl.if_(key + Bc > (tile * Br if causal else N)):
                hide(s, Bc, key, query, last, causal)
            weigh(s, o, m, l, top, scale, Bc, d)
            gl.copy_wait(0)
            gl.barrier()
            fetch(sK, K, at, key + Bc, last, threads)
            gl.copy_commit()
            add_values(o, s, a, values, sV, Bc, d)
        finish(O, L, o, l, m, at, query, N, d)

    return kernel


# ------------------------------------------------------------------ keys shared out among warps


def split_block(p):
    """Take a warp for every W keys of a tile."""
    return (p.Bc // p.W * 32,)


def split_rules(p):
    """Check the tiles against one another."""
    threads = p.Bc // p.W * 32
    return [
        (p.Br % 16 == 0, "Br must be a multiple of 16, the rows of a fragment"),
        (p.W % 16 == 0, "W must be a multiple of 16, the depth of a product"),
        (p.Bc % p.W == 0, "W must divide Bc: warps share out a tile's keys"),
        (threads <= 1024, "32*Bc/W threads must fit a block of 1024: take a larger W"),
        (p.Br <= threads, "Br must be at most the block's threads: each looks after one query at most"),
        (p.d % 16 == 0, "d must be a multiple of 16, the depth of a product"),
        ((p.d == 16) | (p.d == 32) | (p.d % 64 == 0), "d must be 16, 32 or a multiple of 64, as swizzled rows are"),
        (p.Br * p.d % (PIECE * threads) == 0, "Br*d must be a multiple of 8 elements a thread"),
        (p.Bc * p.d % (PIECE * threads) == 0, "Bc*d must be a multiple of 8 elements a thread"),
    ]


def largest(S, top, sTop, warp, Bc):
    """Tell the other warps the largest score of each query among this warp's keys."""
    for i in gl.unroll(S.shape[0]):
        top[i].map(lambda t: -gl.inf)
        for j in gl.unroll(Bc // 8):
            top[i].fold(gl.maximum, S[i, j])
        top[i].across(gl.maximum)
        top[i].store(sTop, (warp, i * 16))


def weigh_together(S, total, sM, sTotal, warp, scale, Bc):
    """Make weights exp(score - m) of scores, with the m of all warps; tell the others their sum over its keys."""
    for i in gl.unroll(S.shape[0]):
        total[i].map(lambda t: 0.0)
        for j in gl.unroll(Bc // 8):
            S[i, j].map(lambda s, r, c, i=i: gl.exp2(gl.fma(s, scale, -sM[i * 16 + r])))
            total[i].fold(lambda sum_, p: sum_ + p, S[i, j])
        total[i].across(lambda x, y: x + y)
        total[i].store(sTotal, (warp, i * 16))


def agree(sTop, sM, sShrink, scale, Br):
    """Bring the largest score of each query up to date, of all warps, and say by how much what was before shrinks."""
    with gl.if_(gl.tid.x < Br):
        old = gl.var(gl.f32, sM[gl.tid.x])
        new = gl.var(gl.f32, old)
        for w in gl.unroll(sTop.shape[0]):
            new.set(gl.maximum(new, sTop[w, gl.tid.x] * scale))
        sM[gl.tid.x] = new
        sShrink[gl.tid.x] = gl.exp2(old - new)


def add_up(o, l, sO, sTotal, sShrink, Br, d, threads):
    """Add the parts of O of all warps, each thread for elements of its own, and the sums of weights."""
    for k in gl.unroll(Br * d // threads):
        i = gl.tid.x + k * threads
        o[k] *= sShrink[i // d]
        for w in gl.unroll(sO.shape[0]):
            o[k] += sO[w, i // d, i % d]
    with gl.if_(gl.tid.x < Br):
        l.set(l * sShrink[gl.tid.x])
        for w in gl.unroll(sTotal.shape[0]):
            l += sTotal[w, gl.tid.x]


def divide(O, L, o, l, sM, sTop, at, first, N, Br, d, threads):
    """Divide O by the sums of weights, and store it and L of the queries there are."""
    for r in gl.range(gl.tid.x, Br, threads):  # once at most
        sTop[0, r] = l  # nobody reads what was there any more
        L.store(*at, first + r, sM[r] * LOG_2 + gl.log(l), guard=first + r < N)
    gl.barrier()
    for k in gl.unroll(Br * d // threads):
        i = gl.tid.x + k * threads
        O.store(*at, first + i // d, i % d, o[k] * gl.rcp(sTop[0, i // d]), guard=first + i // d < N)


def attention_split(t):
    """Describe the kernel whose warps share out the keys, for one type of elements."""

    @gl.kernel(grid=grid, block=split_block, requires=split_rules, name=f"flash_split_keys_tensor_{t.value}")
    def kernel(
        Q: gl.In[t, "B", "H", "N", "d"],
        K: gl.In[t, "B", "H", "N", "d"],
        V: gl.In[t, "B", "H", "N", "d"],
        O: gl.Out[t, "B", "H", "N", "d"],
        L: gl.Out[gl.f32, "B", "H", "N"],
        d: gl.Tile = 64,
        Br: gl.Tile = 64,
        Bc: gl.Tile = 64,
        W: gl.Tile = 16,
    ):
        """Have every warp work on keys of its own, and join what the warps found after every tile."""
        N = gl.sizes("N")
        warps = Bc // W
        threads = warps * 32
        sQ, sK, sV = (gl.shared(t, rows, d, swizzled=True) for rows in (Br, Bc, Bc))
        sO = gl.shared(gl.f32, warps, Br, d + 8)  # padded: four rows of a store lie in banks of their own
        sTop, sTotal = gl.shared(gl.f32, warps, Br), gl.shared(gl.f32, warps, Br)
        sM, sShrink = gl.shared(gl.f32, Br), gl.shared(gl.f32, Br)
        s, part = gl.accumulator(Br // 16, W // 8), gl.accumulator(Br // 16, d // 8)
        top, total = gl.row_values(Br // 16), gl.row_values(Br // 16)
        a, keys, values = gl.fragment_a(t, Br // 16), gl.fragment_b(t, W // 8), gl.fragment_b(t, d // 8)
        o, l = gl.local(gl.f32, Br * d // threads), gl.var(gl.f32, 0.0)
        at, first, warp = (gl.ctaid.z, gl.ctaid.y), gl.ctaid.x * Br, gl.tid.x // 32
        scale = gl.rsqrt(gl.cast(gl.f32, d)) * LOG2_E
        with gl.if_(gl.tid.x < Br):
            sM[gl.tid.x] = LOWEST
        fetch(sQ, Q, at, first, N, threads)
        fetch(sK, K, at, 0, N, threads)
        gl.copy_commit()
        for key in gl.range(0, N, Bc):
            gl.copy_wait(0)
            gl.barrier()
            fetch(sV, V, at, key, N, threads)
            gl.copy_commit()
            scores(s, a, keys, sQ, sK, 0, W, d, warp * W)
            with gl.if_(key + Bc > N):
                hide(s, W, key + warp * W, 0, N, causal=False)
            largest(s, top, sTop, warp, W)
            gl.barrier()
            agree(sTop, sM, sShrink, scale, Br)
            gl.copy_wait(0)
            gl.barrier()
            fetch(sK, K, at, key + Bc, N, threads)
            gl.copy_commit()
            weigh_together(s, total, sM, sTotal, warp, scale, W)
            for i in gl.unroll(Br // 16):
                for j in gl.unroll(d // 8):
                    part[i, j].map(lambda x, r, c: 0.0)
            add_values(part, s, a, values, sV, W, d, warp * W)
            for i in gl.unroll(Br // 16):
                for j in gl.unroll(d // 8):
                    part[i, j].store(sO, (warp, i * 16, j * 8))
            gl.barrier()
            add_up(o, l, sO, sTotal, sShrink, Br, d, threads)
        divide(O, L, o, l, sM, sTop, at, first, N, Br, d, threads)

    return kernel


def reference(causal):
    """Make the reference, in double precision: O rounded once, and L."""

    def outputs(x, *, N, **p):
        Q, K, V = (x[name].astype(np.float64) for name in "QKV")
        S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
        S = np.where(np.tri(N, dtype=bool), S, -np.inf) if causal else S
        m = S.max(axis=-1)
        P = np.exp(S - m[..., None])
        l = P.sum(axis=-1)
        return {"O": ((P @ V) / l[..., None]).astype(x["Q"].dtype), "L": (m + np.log(l)).astype(np.float32)}

    return outputs


ALL, ALL_STORED, ROWS_STORED = Traffic("B*H*N*d"), Traffic(stores="B*H*N*d"), Traffic(stores="B*H*N")
A_TILE = Traffic("B*H*N*d*ceil(N/Br)")
WEIGHTED = "O[b,h,i,(d)] += Q[b,h,i,(d)] * K[b,h,j,(d)] * V[b,h,j,(d)] for i < N, j < N"
IO = {"Q": ALL, "K": A_TILE, "V": A_TILE, "O": ALL_STORED, "L": ROWS_STORED}
TOLERANCE = {gl.f16: 4e-3, gl.bf16: 3e-2}  # weights are rounded to the type of the elements, as O is


def by_type(t, causal):
    """Make the algorithm for one type of elements, causal or not."""
    kind = "" if t is gl.f16 else f"-{t.value}"
    return Algorithm(
        name=f"flash-attention-2-tensor{'-causal' if causal else ''}{kind}",
        family="attention",
        summary=f"FlashAttention-2 on tensor cores by mma.sync{', causal' if causal else ''} ({t.value})",
        kernel=attention(t, causal),
        sizes={"B": 1, "H": 16, "N": 1024},
        aliases={"n": ("N",), "seqlen": ("N",), "batch": ("B",), "heads": ("H",), "head-dim": ("d",)},
        reference=reference(causal),
        io=None if causal else IO,  # causal: what comes of K is counted launch by launch
        textbook=Textbook(f"B*H*(N*d + {1 if causal else 2}*N**2*d/Br)", "B*H*(N*d + N)", t.nbytes),
        computation=f"{WEIGHTED}, j <= i" if causal else WEIGHTED,
        tolerance=TOLERANCE[t],
    )


flash_2_tensor, flash_2_tensor_bf16 = by_type(gl.f16, False), by_type(gl.bf16, False)
flash_2_tensor_causal, flash_2_tensor_causal_bf16 = by_type(gl.f16, True), by_type(gl.bf16, True)

flash_split_keys = Algorithm(
    name="flash-attention-split-keys-tensor",
    family="attention",
    summary="FlashAttention on tensor cores, keys shared out among a block's warps (f16)",
    kernel=attention_split(gl.f16),
    sizes={"B": 1, "H": 16, "N": 1024},
    aliases={"n": ("N",), "seqlen": ("N",), "batch": ("B",), "heads": ("H",), "head-dim": ("d",)},
    reference=reference(False),
    io=IO,
    textbook=Textbook("B*H*(N*d + 2*N**2*d/Br)", "B*H*(N*d + N)", 2),
    computation=WEIGHTED,
    tolerance=TOLERANCE[gl.f16],
)
