"""Gradients of attention, from O = softmax(Q K^T / sqrt(d)) V and dO to dQ, dK and dV, tile by tile.

All are [B, H, N, d].  The N x N matrix of weights P is not stored: it is computed again from Q and K and from what the
forward pass has kept of every row, and so are the derivatives dP = dO V^T and dS = P (dP - D) with D = rowsum(dO O).

* FlashAttention-1 (Dao et al. 2022, arXiv 2205.14135, Algorithm 4): a block for every head, keys outside, queries
  inside; l and m are what is kept; dQ is read and written once for every tile of keys; with dropout of P.
* FlashAttention-2 (Dao 2023, arXiv 2307.08691, Algorithm 2): a block for every tile of keys; L = m + log l is what is
  kept; D comes from a kernel of its own, and blocks add to dQ by atomics.  Causal: queries before a tile are left out.

A thread has 4 x 4 of the Br x Bc weights of a pair of tiles, and as many rows or keys of what is summed over them.
"""

from typing import NamedTuple

import numpy as np

import gpusim.lang as gl
from gpusim.algorithm import Algorithm, Published, Textbook, Traffic
from gpusim.lang.collective import warp_sum
from gpusim.lang.dropout import GOLDEN, PARTS, kept, random_bits

# ------------------------------------------------------------------ shapes


def tile_rules(p):
    """Make sure that tiles are shared out among threads by 4 x 4 weights."""
    return [
        ((p.d % 4).eq(0), "d must be a multiple of 4: elements are multiplied by fours"),
        ((p.Br % 4).eq(0), "Br must be a multiple of 4: a thread has 4 rows of a tile"),
        ((p.Bc % 4).eq(0), "Bc must be a multiple of 4: a thread has 4 keys of a tile"),
        (p.Br * p.Bc <= 16384, "Br*Bc/16 threads must fit a block of 1024"),
    ]


def dropout_rules(p):
    """Limit, besides the tiles, how much is dropped."""
    return [*tile_rules(p), ((p.drop >= 0) & (p.drop < PARTS), "drop of 256 weights are dropped: 0 <= drop <= 255")]


def block_a_head(p):
    """Take a block for every head of every batch."""
    return (p.H, p.B)


def block_a_tile(p):
    """Take a block for every Bc keys of a head."""
    return (gl.cdiv(p.N, p.Bc), p.H, p.B)


def thread_a_patch(p):
    """Take a thread for every 4 x 4 weights."""
    return (p.Br * p.Bc // 16,)


# ------------------------------------------------------------------ what the kernels share


class Tiles(NamedTuple):
    """Shared memory of a block: keys and values, a tile of queries and of dO, and weights by key and row."""

    K: object
    V: object
    Q: object
    dO: object
    S: object


class Patch(NamedTuple):
    """A thread's part of a tile: of Br rows x + across*i, of Bc keys y + down*k, for i and k below 4."""

    x: object
    y: object
    across: object
    down: object

    def row(self, i):
        """Give the number, in its tile, of the i-th row."""
        return self.x + self.across * i

    def key(self, k):
        """Give the number, in its tile, of the k-th key."""
        return self.y + self.down * k


def apart(t, d):
    """Give the distance of rows in shared memory: 16 bytes more than d elements, to differ in banks."""
    return d + 16 // t.nbytes


def tiles_on_chip(t, d, Br, Bc):
    """Make room in shared memory; of weights, lanes that have 8 rows and 4 keys fill all banks."""
    sK = gl.shared(t, Bc, apart(t, d))
    sV = gl.shared(t, Bc, apart(t, d))
    sQ = gl.shared(t, Br, apart(t, d))
    sdO = gl.shared(t, Br, apart(t, d))
    sS = gl.shared(gl.f32, Bc, Br + 8)
    return Tiles(sK, sV, sQ, sdO, sS)


def patch_of(Br, Bc):
    """Give the thread its part: neighbouring threads have neighbouring rows."""
    across, down = Br // 4, Bc // 4
    return Patch(gl.tid.x % across, gl.tid.x // across, across, down)


def fetch(tile, array, at, first, N, d, threads):
    """Copy rows from `first` on to shared memory, as many as the tile has; from row N on they are zeros."""
    for o in gl.range(gl.tid.x, tile.shape[0] * d, threads):
        r, e = o // d, o % d
        tile[r, e] = array.load(*at, first + r, e, guard=first + r < N, other=0.0)


def products(rows, keys, patch, d):
    """Multiply the thread's rows with its keys: 4 x 4 sums over d elements, by key and row."""
    sums = gl.local(gl.f32, 4, 4)
    a = gl.local(gl.f32, 4)
    for e in gl.range(0, d, 4):
        for q in gl.unroll(4):
            for i in gl.unroll(4):
                a[i] = rows[patch.row(i), e + q]
            for k in gl.unroll(4):
                b = keys[patch.key(k), e + q]
                for i in gl.unroll(4):
                    sums[k, i] += a[i] * b
    return sums


def weigh(scores, weight, keys, patch, causal=False):
    """Make weights of the thread's scores: `weight(score, row)` for as many keys of the tile, else 0.

    Where `causal`, that is what the first row sees, and every further row sees one more.
    """
    for k in gl.unroll(4):
        for i in gl.unroll(4):
            seen = keys + patch.row(i) if causal else keys
            scores[k, i] = gl.select(patch.key(k) < seen, weight(scores[k, i], patch.row(i)), 0.0)


def put(S, values, patch):
    """Put the thread's 4 x 4 numbers where the block can read them."""
    for k in gl.unroll(4):
        for i in gl.unroll(4):
            S[patch.key(k), patch.row(i)] = values[k, i]


def add_over_rows(sums, S, tile, patch, d):
    """Add to each of the thread's keys the rows of `tile`, each times its number in `S`: elements x, x + across, ..."""
    s = gl.local(gl.f32, 4, 4)
    for r in gl.range(0, tile.shape[0], 4):
        for k in gl.unroll(4):
            for q in gl.unroll(4):
                s[k, q] = S[patch.key(k), r + q]
        for q in gl.unroll(4):
            for j in gl.unroll(gl.cdiv(d, patch.across)):
                b = tile[r + q, gl.minimum(patch.x + patch.across * j, d - 1)]
                for k in gl.unroll(4):
                    sums[k, j] += s[k, q] * b


def add_over_keys(S, K, d, down):
    """Sum the keys for four rows, each key times its number in `S`; the thread has elements e, e + down, ...

    Neighbouring threads have neighbouring elements.
    """
    sums = gl.local(gl.f32, 4, gl.cdiv(d, down))
    s = gl.local(gl.f32, 4)
    e, r = gl.tid.x % down, gl.tid.x // down * 4
    for c in gl.range(0, K.shape[0], 4):
        for q in gl.unroll(4):
            for i in gl.unroll(4):
                s[i] = S[c + q, r + i]
            for j in gl.unroll(gl.cdiv(d, down)):
                b = K[c + q, gl.minimum(e + down * j, d - 1)]
                for i in gl.unroll(4):
                    sums[i, j] += s[i] * b
    return sums


def gradients_of(tiles, dk, dv, p, dropped, dp, D, patch, d):
    """Add what a tile of queries gives to the thread's dK and dV; give the thread's part of what it adds to dQ.

    Weights and the derivatives of scores take turns in one array.
    """
    put(tiles.S, dropped, patch)
    gl.barrier()
    add_over_rows(dv, tiles.S, tiles.dO, patch, d)
    gl.barrier()
    for k in gl.unroll(4):
        for i in gl.unroll(4):
            dp[k, i] = p[k, i] * (dp[k, i] - D[patch.row(i)])
    put(tiles.S, dp, patch)
    gl.barrier()
    add_over_rows(dk, tiles.S, tiles.Q, patch, d)
    return add_over_keys(tiles.S, tiles.K, d, patch.down)


def store_keys(array, sums, scale, at, first, N, patch, d):
    """Write the thread's part of dK or dV."""
    for k in gl.unroll(4):
        key = first + patch.key(k)
        for j in gl.unroll(gl.cdiv(d, patch.across)):
            e = patch.x + patch.across * j
            array.store(*at, key, e, sums[k, j] * scale, guard=(key < N) & (e < d))


# ------------------------------------------------------------------ FlashAttention-1: keys outside, queries inside


def clear(dQ, at, N, d, Br, down):
    """Set dQ to zero; every thread those elements that it adds to later."""
    e, r = gl.tid.x % down, gl.tid.x // down * 4
    for first in gl.range(0, N, Br):
        for i in gl.unroll(4):
            row = first + r + i
            for j in gl.unroll(gl.cdiv(d, down)):
                dQ.store(*at, row, e + down * j, 0.0, guard=(row < N) & (e + down * j < d))


def add_to_queries(dQ, sums, scale, at, first, N, d, down):
    """Read the thread's part of dQ, add, write."""
    e, r = gl.tid.x % down, gl.tid.x // down * 4
    for i in gl.unroll(4):
        row = first + r + i
        for j in gl.unroll(gl.cdiv(d, down)):
            mine = (row < N) & (e + down * j < d)
            before = dQ.load(*at, row, e + down * j, guard=mine)
            dQ.store(*at, row, e + down * j, before + sums[i, j] * scale, guard=mine)


def drop_out(p, dp, at, first, keys, patch, drop, seed):
    """Derive the mask Z of the thread's weights; give P Z, and make dP Z of dP.

    The counters of a row begin at a place that its number and the seed are hashed to; then they follow the keys.
    """
    H, N = gl.sizes("H", "N")
    scale = PARTS * gl.rcp(gl.cast(gl.f32, PARTS - drop))
    dropped = gl.local(gl.f32, 4, 4)
    for i in gl.unroll(4):
        row = (at[0] * H + at[1]) * N + first + patch.row(i)
        start = random_bits(gl.cast(gl.u32, seed) * GOLDEN + row)
        for k in gl.unroll(4):
            z = gl.select(kept(start + (keys + patch.key(k)), drop), scale, 0.0)
            dropped[k, i] = p[k, i] * z
            dp[k, i] *= z
    return dropped


def sum_rows(D, dO, O, d, threads):
    """Set D = rowsum(dO O), a thread a row."""
    for r in gl.range(gl.tid.x, D.shape[0], threads):
        total = gl.var(gl.f32, 0.0)
        for e in gl.unroll(d):
            total += dO[r, e] * O[r, e]
        D[r] = total


def flash_1_backward(t):
    """Make the kernel of Algorithm 4 for Q, K, V, O and dO of type `t`."""

    @gl.kernel(grid=block_a_head, block=thread_a_patch, requires=dropout_rules, name=f"flash_1_backward_{t.value}")
    def kernel(
        Q: gl.In[t, "B", "H", "N", "d"],
        K: gl.In[t, "B", "H", "N", "d"],
        V: gl.In[t, "B", "H", "N", "d"],
        O: gl.In[t, "B", "H", "N", "d"],
        dO: gl.In[t, "B", "H", "N", "d"],
        l: gl.In[gl.f32, "B", "H", "N"],
        m: gl.In[gl.f32, "B", "H", "N"],
        dQ: gl.InOut[gl.f32, "B", "H", "N", "d"],
        dK: gl.Out[gl.f32, "B", "H", "N", "d"],
        dV: gl.Out[gl.f32, "B", "H", "N", "d"],
        drop: gl.Scalar[gl.i32],
        seed: gl.Scalar[gl.i32],
        d: gl.Tile = 64,
        Br: gl.Tile = 32,
        Bc: gl.Tile = 32,
    ):
        """Let every tile of queries pass by a tile of keys, whose gradients stay in registers."""
        N = gl.sizes("N")
        at, threads, scale = (gl.ctaid.y, gl.ctaid.x), Br * Bc // 16, gl.rsqrt(gl.cast(gl.f32, d))
        tiles, patch = tiles_on_chip(t, d, Br, Bc), patch_of(Br, Bc)
        sO = gl.shared(t, Br, apart(t, d))
        share = gl.shared(gl.f32, Br)
        top = gl.shared(gl.f32, Br)
        sD = gl.shared(gl.f32, Br)
        clear(dQ, at, N, d, Br, patch.down)
        for j in gl.range(0, N, Bc):
            fetch(tiles.K, K, at, j, N, d, threads)
            fetch(tiles.V, V, at, j, N, d, threads)
            dk = gl.local(gl.f32, 4, gl.cdiv(d, patch.across))
            dv = gl.local(gl.f32, 4, gl.cdiv(d, patch.across))
            for i in gl.range(0, N, Br):
                fetch(tiles.Q, Q, at, i, N, d, threads)
                fetch(sO, O, at, i, N, d, threads)
                fetch(tiles.dO, dO, at, i, N, d, threads)
                for r in gl.range(gl.tid.x, Br, threads):
                    share[r] = gl.rcp(l.load(*at, i + r, guard=i + r < N, other=1.0))
                    top[r] = m.load(*at, i + r, guard=i + r < N, other=0.0)
                gl.barrier()
                p = products(tiles.Q, tiles.K, patch, d)
                weigh(p, lambda s, r: gl.exp(s * scale - top[r]) * share[r], N - j, patch)
                dp = products(tiles.dO, tiles.V, patch, d)
                dropped = drop_out(p, dp, at, i, j, patch, drop, seed)
                sum_rows(sD, tiles.dO, sO, d, threads)
                more = gradients_of(tiles, dk, dv, p, dropped, dp, sD, patch, d)
                add_to_queries(dQ, more, scale, at, i, N, d, patch.down)
                gl.barrier()
            store_keys(dK, dk, scale, at, j, N, patch, d)
            store_keys(dV, dv, 1.0, at, j, N, patch, d)

    return kernel


# ------------------------------------------------------------------ FlashAttention-2: a block a tile of keys


WARPS = 8
"""Warps of a block of the preprocessing kernel."""


def row_sums(t):
    """Make the kernel that finds D = rowsum(dO O), of dO and O of type `t`."""

    @gl.kernel(
        grid=lambda p: (gl.cdiv(p.N, p.Br), p.H, p.B),
        block=lambda p: (32, WARPS),
        name=f"row_sums_{t.value}",
    )
    def kernel(
        O: gl.In[t, "B", "H", "N", "d"],
        dO: gl.In[t, "B", "H", "N", "d"],
        D: gl.Out[gl.f32, "B", "H", "N"],
        d: gl.Tile = 64,
        Br: gl.Tile = 64,
    ):
        """Let every warp take one row after the other."""
        N = gl.sizes("N")
        at, lane = (gl.ctaid.z, gl.ctaid.y), gl.tid.x
        for r in gl.range(gl.tid.y, Br, WARPS):
            row = gl.ctaid.x * Br + r
            with gl.if_(row < N):
                part = gl.var(gl.f32, 0.0)
                for e in gl.range(lane, d, 32):
                    part += dO[*at, row, e] * O[*at, row, e]
                total = warp_sum(part)
                with gl.if_(lane.eq(0)):
                    D[*at, row] = total

    return kernel


def flash_2_backward(t, causal=False):
    """Make the kernel of Algorithm 2, causal or not, for Q, K, V and dO of type `t`."""
    name = f"flash_2_backward_{'causal_' if causal else ''}{t.value}"

    @gl.kernel(grid=block_a_tile, block=thread_a_patch, requires=tile_rules, name=name)
    def kernel(
        Q: gl.In[t, "B", "H", "N", "d"],
        K: gl.In[t, "B", "H", "N", "d"],
        V: gl.In[t, "B", "H", "N", "d"],
        dO: gl.In[t, "B", "H", "N", "d"],
        L: gl.In[gl.f32, "B", "H", "N"],
        D: gl.In[gl.f32, "B", "H", "N"],
        dQ: gl.InOut[gl.f32, "B", "H", "N", "d"],
        dK: gl.Out[gl.f32, "B", "H", "N", "d"],
        dV: gl.Out[gl.f32, "B", "H", "N", "d"],
        d: gl.Tile = 64,
        Br: gl.Tile = 32,
        Bc: gl.Tile = 32,
    ):
        """Let the queries that see a tile of keys pass by it, in a block of its own."""
        N = gl.sizes("N")
        at, threads, scale = (gl.ctaid.z, gl.ctaid.y), Br * Bc // 16, gl.rsqrt(gl.cast(gl.f32, d))
        tiles, patch = tiles_on_chip(t, d, Br, Bc), patch_of(Br, Bc)
        sL = gl.shared(gl.f32, Br)
        sD = gl.shared(gl.f32, Br)
        j = gl.ctaid.x * Bc
        fetch(tiles.K, K, at, j, N, d, threads)
        fetch(tiles.V, V, at, j, N, d, threads)
        dk = gl.local(gl.f32, 4, gl.cdiv(d, patch.across))
        dv = gl.local(gl.f32, 4, gl.cdiv(d, patch.across))
        first = j if causal else 0
        for o in gl.range(0, N - first, Br):
            i = first + o
            fetch(tiles.Q, Q, at, i, N, d, threads)
            fetch(tiles.dO, dO, at, i, N, d, threads)
            for r in gl.range(gl.tid.x, Br, threads):
                sL[r] = L.load(*at, i + r, guard=i + r < N, other=0.0)
                sD[r] = D.load(*at, i + r, guard=i + r < N, other=0.0)
            gl.barrier()
            p = products(tiles.Q, tiles.K, patch, d)
            weigh(p, lambda s, r: gl.exp(s * scale - sL[r]), o + 1 if causal else N - j, patch, causal)
            dp = products(tiles.dO, tiles.V, patch, d)
            more = gradients_of(tiles, dk, dv, p, p, dp, sD, patch, d)
            gather(dQ, more, scale, at, i, N, d, patch.down)
            gl.barrier()
        store_keys(dK, dk, scale, at, j, N, patch, d)
        store_keys(dV, dv, 1.0, at, j, N, patch, d)

    return kernel


def gather(dQ, sums, scale, at, first, N, d, down):
    """Add the thread's part to dQ, to which other blocks add as well."""
    e, r = gl.tid.x % down, gl.tid.x // down * 4
    for i in gl.unroll(4):
        row = first + r + i
        with gl.if_(row < N):
            for j in gl.unroll(gl.cdiv(d, down)):
                with gl.if_(e + down * j < d):
                    gl.atomic_add(dQ, *at, row, e + down * j, sums[i, j] * scale)


# ------------------------------------------------------------------ references


def mask(drop, seed, B, H, N):
    """Give the factors of dropout: 0, or the inverse of the probability that a weight stays."""
    start = np.uint32(seed * GOLDEN % 2**32)
    rows = random_bits(start + np.arange(B * H * N, dtype=np.uint32))
    stays = kept(rows[:, None] + np.arange(N, dtype=np.uint32), drop)
    return np.where(stays, PARTS / (PARTS - drop), 0.0).reshape(B, H, N, N)


def weights(x, causal=False):
    """Give P, and of every row the sum l of exp(score - m) and the largest score m, in double precision."""
    Q, K = x["Q"].astype(np.float64), x["K"].astype(np.float64)
    N, d = Q.shape[-2:]
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(d)
    if causal:
        S = np.where(np.tri(N, dtype=bool), S, -np.inf)
    m = S.max(axis=-1)
    P = np.exp(S - m[..., None])
    l = P.sum(axis=-1)
    return P / l[..., None], l, m


def gradients(x, causal=False, Z=1.0):
    """Give dQ, dK and dV in double precision, of P with the factors Z of dropout."""
    Q, K, V, dO = (x[name].astype(np.float64) for name in ("Q", "K", "V", "dO"))
    P, _, _ = weights(x, causal)
    dP = dO @ V.swapaxes(-1, -2) * Z
    dS = P * (dP - (P * dP).sum(axis=-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return {"dQ": dS @ K, "dK": dS.swapaxes(-1, -2) @ Q, "dV": (P * Z).swapaxes(-1, -2) @ dO}


def single(arrays):
    """Round to fp32."""
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def first_reference(x, *, B, H, N, drop, seed, **p):
    """Give the gradients with dropout."""
    return single(gradients(x, Z=mask(drop, seed, B, H, N)))


def first_kept(x, *, B, H, N, drop, seed, **p):
    """Give what FlashAttention-1 has stored: O, l and m."""
    P, l, m = weights(x)
    O = (P * mask(drop, seed, B, H, N)) @ x["V"].astype(np.float64)
    return {"O": O.astype(x["Q"].dtype), **single({"l": l, "m": m})}


def second_reference(causal):
    """Make the reference that adds to what dQ holds."""

    def reference(x, **p):
        found = gradients(x, causal)
        return single(found | {"dQ": x["dQ"] + found["dQ"]})

    return reference


def second_kept(causal):
    """Make the function that gives L, which FlashAttention-2 has stored, and D."""

    def derive(x, **p):
        P, l, m = weights(x, causal)
        O = P @ x["V"].astype(np.float64)
        return single({"L": m + np.log(l), "D": (O * x["dO"]).sum(axis=-1)})

    return derive


def row_sums_reference(x, **p):
    """Give D in double precision."""
    return single({"D": (x["O"].astype(np.float64) * x["dO"]).sum(axis=-1)})


# ------------------------------------------------------------------ the algorithms

COMMON = {
    "family": "attention",
    "sizes": {"B": 1, "H": 16, "N": 512},
    "aliases": {
        "n": ("N",),
        "seqlen": ("N",),
        "batch": ("B",),
        "heads": ("H",),
        "head-dim": ("d",),
        "tile": ("Br", "Bc"),
    },
}
ALL = Traffic("B*H*N*d")
ALL_STORED = Traffic(stores="B*H*N*d")
A_TILE = Traffic("B*H*N*d*ceil(N/Bc)")
ROWS_A_TILE = Traffic("B*H*N*ceil(N/Bc)")
SEEN = "B*H*(N*ceil(N/Bc) - Bc*ceil(N/Bc)*(ceil(N/Bc) - 1)/2)"
ROUNDED = 4e-3  # of fp16: O is rounded to 11 bits, and D is a sum of it over d


def named(base, t):
    """Append the type to an algorithm's name, unless it is fp32."""
    return base if t is gl.f32 else f"{base}-{t.value}"


def first(t):
    """Make the backward pass of FlashAttention-1."""
    return Algorithm(
        name=named("flash-attention-1-backward", t),
        summary=f"Algorithm 4 of FlashAttention: gradients, keys outside, queries inside, dropout ({t.value})",
        kernel=flash_1_backward(t),
        reference=first_reference,
        derive=first_kept,
        scalars={"drop": 0, "seed": 0},
        io={
            **dict.fromkeys(("Q", "O", "dO"), A_TILE),
            **dict.fromkeys(("K", "V"), ALL),
            **dict.fromkeys(("l", "m"), ROWS_A_TILE),
            "dQ": Traffic("B*H*N*d*ceil(N/Bc)", "B*H*N*d*(ceil(N/Bc) + 1)"),
            **dict.fromkeys(("dK", "dV"), ALL_STORED),
        },
        textbook=Textbook("B*H*(2*N*d + 4*N**2*d/Bc + 2*N**2/Bc)", "B*H*(3*N*d + N**2*d/Bc)", t.nbytes),
        tolerance=f"{2e-5 if t is gl.f32 else ROUNDED}*{PARTS}/({PARTS} - drop)",
        notes="drop of 256 weights are dropped; the mask is a hash of row, key and seed. The kernel sets dQ.",
        rules={"M": {"Bc": "ceil(M/(4*d))", "Br": "min(ceil(M/(4*d)), d)"}},
        published=Published(
            "20*N**2*d**2/M + 8*N**2*d/M + 7*N*d",
            "Algorithm 4 of Dao et al. 2022 counted line by line; their Theorem 5 has its order",
            where={"M": "4*d*Bc"},
            times="B*H",
            departs=(
                ("-2*B*H*N*d", "dK = dV = 0 is not written before the loop (line 5): they are on chip until line 24"),
            ),
            order="N**2*d**2/M",
            grid={"N": (4096, 16384, 65536), "d": (32, 64, 128), "M": (16384, 32768, 65536)},
            cases=tuple(
                {"B": 1, "H": 1, "N": N, "d": d, "M": M}
                for N in (64, 100, 256)
                for d, M in ((16, 512), (16, 1024), (32, 1024))
            ),
        ),
        **COMMON,
    )


def preprocess(t):
    """Make what comes before the backward pass of FlashAttention-2."""
    return Algorithm(
        name=named("attention-backward-preprocess", t),
        summary=f"D = rowsum(dO O), which the backward pass of FlashAttention-2 needs ({t.value})",
        kernel=row_sums(t),
        reference=row_sums_reference,
        io={"O": ALL, "dO": ALL, "D": Traffic(stores="B*H*N")},
        textbook=Textbook("2*B*H*N*d", "B*H*N", t.nbytes),
        tolerance=2e-5,
        **COMMON,
    )


def second(t, causal=False):
    """Make the backward pass of FlashAttention-2, causal or not."""
    rows = SEEN if causal else "B*H*N*ceil(N/Bc)"
    seen, share = ("no tiles above the diagonal", "/2") if causal else ("a block for every tile of keys", "")
    return Algorithm(
        name=named(f"flash-attention-2-backward{'-causal' if causal else ''}", t),
        summary=f"Algorithm 2 of FlashAttention-2: gradients, {seen} ({t.value})",
        kernel=flash_2_backward(t, causal),
        reference=second_reference(causal),
        derive=second_kept(causal),
        draw={"dQ": lambda rng, shape, p: np.zeros(shape, np.float32)},
        io={
            **dict.fromkeys(("Q", "dO"), Traffic(f"d*{rows}")),
            **dict.fromkeys(("K", "V"), ALL),
            **dict.fromkeys(("L", "D"), Traffic(rows)),
            "dQ": Traffic(f"d*{rows}", f"d*{rows}"),
            **dict.fromkeys(("dK", "dV"), ALL_STORED),
        },
        textbook=Textbook(f"B*H*(2*N*d + (3*d + 2)*N**2/Bc{share})", f"B*H*(2*N*d + d*N**2/Bc{share})", t.nbytes),
        tolerance=2e-5,
        notes="Blocks add to what dQ holds: it must be zeros. An atomic counts as one load and one store.",
        **COMMON,
    )


flash_attention_1_backward = first(gl.f32)
flash_attention_1_backward_f16 = first(gl.f16)
attention_backward_preprocess = preprocess(gl.f32)
attention_backward_preprocess_f16 = preprocess(gl.f16)
flash_attention_2_backward = second(gl.f32)
flash_attention_2_backward_f16 = second(gl.f16)
flash_attention_2_backward_causal = second(gl.f32, causal=True)
flash_attention_2_backward_causal_f16 = second(gl.f16, causal=True)
