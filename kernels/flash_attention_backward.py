"""Gradients of attention, from O = softmax(Q K^T / sqrt(d)) V and dO to dQ, dK and dV, tile by tile.

All are [B, H, N, d].  The N x N matrix of weights P is not stored: it is computed again from Q and K and from what the
forward pass has kept of every row, and so are the derivatives dP = dO V^T and dS = P (dP - D) with D = rowsum(dO O).

* FlashAttention-1 (Dao et al. 2022, arXiv 2205.14135, Algorithm 4): a block for every head, keys outside, queries
  inside; l and m are what is kept; dQ is read and written once for every tile of keys; with dropout of P.
* FlashAttention-2 (Dao 2023, arXiv 2307.08691, Algorithm 2): a block for every tile of keys; L = m + log l is what is
  kept; D comes from a kernel of its own, and blocks add to dQ by atomics.  Causal: queries before a tile are left out.

A thread has T x T of the Br x Bc weights of a pair of tiles, and T rows or keys of what is summed over them.
"""

from typing import NamedTuple

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic
from gpusim.catalogue.chain import Chain, Step
from gpusim.catalogue.element_types import each_type, named
from gpusim.lang.collective import warp_sum
from gpusim.lang.dropout import GOLDEN, PARTS, factors, kept, random_bits

# ------------------------------------------------------------------ shapes


def tile_rules(p):
    """Make sure that tiles are shared out among threads by T x T weights, and rows of d elements by fours."""
    return [
        (p.d % 4 == 0, "d must be a multiple of 4: elements are fetched and multiplied by fours"),
        (p.Br % p.T == 0, "T must divide Br: a thread has T rows of a tile"),
        (p.Bc % p.T == 0, "T must divide Bc: a thread has T keys of a tile"),
        (p.Br * p.Bc <= 1024 * p.T * p.T, "Br*Bc/T^2 threads must fit a block of 1024"),
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
    """Take a thread for every T x T weights."""
    return (p.Br // p.T * (p.Bc // p.T),)


# ------------------------------------------------------------------ what the kernels share


class Tiles(NamedTuple):
    """Shared memory of a block: keys and values, a tile of queries and of dO, and weights by key and row."""

    K: object
    V: object
    Q: object
    dO: object
    S: object


class Patch(NamedTuple):
    """A thread's part of a tile: of Br rows x + across*i, of Bc keys y + down*k, for i and k below T."""

    x: object
    y: object
    across: object
    down: object
    T: object

    def row(self, i):
        """Give the number, in its tile, of the i-th row."""
        return self.x + self.across * i

    def key(self, k):
        """Give the number, in its tile, of the k-th key."""
        return self.y + self.down * k

    def all(self):
        """Walk over the thread's keys and rows."""
        return ((k, i) for k in gl.unroll(self.T) for i in gl.unroll(self.T))

    @property
    def threads(self):
        """The threads of the block."""
        return self.across * self.down


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


def patch_of(Br, Bc, T):
    """Give the thread its part: neighbouring threads have neighbouring rows."""
    across, down = Br // T, Bc // T
    return Patch(gl.tid.x % across, gl.tid.x // across, across, down, T)


def fetch(tiles, arrays, at, first, N, d, threads):
    """Copy rows from `first` on of all arrays to shared memory, as many as tiles have; from row N on they are zeros."""
    for o in gl.range(gl.tid.x, tiles[0].shape[0] * (d // 4), threads):
        r, e = o // (d // 4), o % (d // 4) * 4
        for tile, array in zip(tiles, arrays, strict=True):
            tile.store(r, e, array.load(*at, first + r, e, vec=4, guard=first + r < N, other=0.0))


def products(rows, keys, patch, d):
    """Multiply the thread's rows with its keys: T x T sums over d elements, by key and row."""
    sums = gl.local(gl.f32, patch.T, patch.T)
    a = gl.local(gl.f32, patch.T)
    for e in gl.range(0, d, 4):
        for q in gl.unroll(4):
            for i in gl.unroll(patch.T):
                a[i] = rows[patch.row(i), e + q]
            for k in gl.unroll(patch.T):
                b = keys[patch.key(k), e + q]
                for i in gl.unroll(patch.T):
                    sums[k, i] += a[i] * b
    return sums


def weigh(scores, weight, keys, patch, causal=False):
    """Make weights of the thread's scores: `weight(score, row)` for as many keys of the tile, else 0.

    Where `causal`, that is what the first row sees, and every further row sees one more.
    """
    for k, i in patch.all():
        seen = keys + patch.row(i) if causal else keys
        scores[k, i] = gl.select(patch.key(k) < seen, weight(scores[k, i], patch.row(i)), 0.0)


def put(S, values, patch):
    """Put the thread's T x T numbers where the block can read them."""
    for k, i in patch.all():
        S[patch.key(k), patch.row(i)] = values[k, i]


def replace(S, values, patch):
    """Put other numbers there, once all threads have read those that are there."""
    gl.barrier()
    put(S, values, patch)
    gl.barrier()


def add_over_rows(sums, S, tile, patch, d):
    """Add to each of the thread's keys the rows of `tile`, each times its number in `S`: elements x, x + across, ..."""
    s = gl.local(gl.f32, patch.T, patch.T)
    for r in gl.range(0, tile.shape[0], patch.T):
        for k, q in patch.all():
            s[k, q] = S[patch.key(k), r + q]
        for q in gl.unroll(patch.T):
            for j in gl.unroll(gl.cdiv(d, patch.across)):
                b = tile[r + q, gl.minimum(patch.x + patch.across * j, d - 1)]
                for k in gl.unroll(patch.T):
                    sums[k, j] += s[k, q] * b


def add_over_keys(sums, S, K, patch, d):
    """Add to each of the thread's rows of dQ the keys, each times its number in `S`."""
    s = gl.local(gl.f32, patch.T)
    row, e = my_queries(patch)
    for c in gl.range(0, K.shape[0], patch.T):
        for q in gl.unroll(patch.T):
            for i in gl.unroll(patch.T):
                s[i] = S[c + q, row + i]
            for j in gl.unroll(gl.cdiv(d, patch.down)):
                b = K[c + q, gl.minimum(e + patch.down * j, d - 1)]
                for i in gl.unroll(patch.T):
                    sums[i, j] += s[i] * b


def my_queries(patch):
    """Give the first of the thread's T rows of a tile of dQ, and the first of its elements e, e + down, ... of them.

    Neighbouring threads have neighbouring elements.
    """
    return gl.tid.x // patch.down * patch.T, gl.tid.x % patch.down


def each_query(patch, d, first, N):
    """Walk over the thread's part of a tile of dQ: place in the part, place in dQ, whether dQ has such a place."""
    row, e = my_queries(patch)
    for i in gl.unroll(patch.T):
        for j in gl.unroll(gl.cdiv(d, patch.down)):
            q, element = first + row + i, e + patch.down * j
            yield (i, j), (q, element), (q < N) & (element < d)


def differentiate(p, dp, D, scale, patch):
    """Make dS / sqrt(d) of dP and of the block's D / sqrt(d): one multiply-add and one product."""
    for k, i in patch.all():
        dp[k, i] = p[k, i] * (dp[k, i] * scale - D[patch.row(i)])


def store_keys(array, sums, at, first, N, patch, d):
    """Write the thread's part of dK or dV."""
    for k in gl.unroll(patch.T):
        key = first + patch.key(k)
        for j in gl.unroll(gl.cdiv(d, patch.across)):
            e = patch.x + patch.across * j
            array.store(*at, key, e, sums[k, j], guard=(key < N) & (e < d))


# ------------------------------------------------------------------ FlashAttention-1: keys outside, queries inside


def clear(dQ, at, N, Br, patch, d):
    """Set dQ to zero; every thread those elements that it adds to later."""
    for i in gl.range(0, N, Br):
        for _, place, there in each_query(patch, d, i, N):
            dQ.store(*at, *place, 0.0, guard=there)


def fetch_statistics(share, top, l, m, at, first, N, threads):
    """Copy 1 / l and m of rows from `first` on to shared memory; rows from N on get what does no harm."""
    for r in gl.range(gl.tid.x, share.shape[0], threads):
        share[r] = gl.rcp(l.load(*at, first + r, guard=first + r < N, other=1.0))
        top[r] = m.load(*at, first + r, guard=first + r < N, other=0.0)


def drop_out(p, dp, at, first, keys, patch, drop, seed):
    """Derive the mask Z of the thread's weights; give P Z, and make dP Z of dP.

    The counters of a row begin at a place that its number and the seed are hashed to; then they follow the keys.
    """
    H, N = gl.sizes("H", "N")
    scale = PARTS * gl.rcp(gl.cast(gl.f32, PARTS - drop))
    dropped = gl.local(gl.f32, patch.T, patch.T)
    for i in gl.unroll(patch.T):
        row = (at[0] * H + at[1]) * N + first + patch.row(i)
        start = random_bits(gl.cast(gl.u32, seed) * GOLDEN + row)
        for k in gl.unroll(patch.T):
            z = gl.select(kept(start + (keys + patch.key(k)), drop), scale, 0.0)
            dropped[k, i] = p[k, i] * z
            dp[k, i] *= z
    return dropped


def sum_rows(D, dO, O, scale, d, threads):
    """Set D = scale rowsum(dO O), a thread a row."""
    for r in gl.range(gl.tid.x, D.shape[0], threads):
        total = gl.var(gl.f32, 0.0)
        for e in gl.unroll(d):
            total += dO[r, e] * O[r, e]
        D[r] = total * scale


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
        T: gl.Tile = 4,
    ):
        """Let every tile of queries pass by a tile of keys, whose gradients stay in registers."""
        N = gl.sizes("N")
        at, scale = (gl.ctaid.y, gl.ctaid.x), gl.rsqrt(gl.cast(gl.f32, d))
        tiles, patch = tiles_on_chip(t, d, Br, Bc), patch_of(Br, Bc, T)
        sO = gl.shared(t, Br, apart(t, d))
        share = gl.shared(gl.f32, Br)
        top = gl.shared(gl.f32, Br)
        sD = gl.shared(gl.f32, Br)
        clear(dQ, at, N, Br, patch, d)
        for j in gl.range(0, N, Bc):
            fetch((tiles.K, tiles.V), (K, V), at, j, N, d, patch.threads)
            dk = gl.local(gl.f32, T, gl.cdiv(d, patch.across))
            dv = gl.local(gl.f32, T, gl.cdiv(d, patch.across))
            for i in gl.range(0, N, Br):
                fetch((tiles.Q, tiles.dO, sO), (Q, dO, O), at, i, N, d, patch.threads)
                fetch_statistics(share, top, l, m, at, i, N, patch.threads)
                gl.barrier()
                p = products(tiles.Q, tiles.K, patch, d)
                weigh(p, lambda s, r: gl.exp(s * scale - top[r]) * share[r], N - j, patch)
                dp = products(tiles.dO, tiles.V, patch, d)
                put(tiles.S, drop_out(p, dp, at, i, j, patch, drop, seed), patch)
                sum_rows(sD, tiles.dO, sO, scale, d, patch.threads)
                gl.barrier()
                add_over_rows(dv, tiles.S, tiles.dO, patch, d)
                differentiate(p, dp, sD, scale, patch)
                dq = gl.local(gl.f32, T, gl.cdiv(d, patch.down))
                for mine, place, there in each_query(patch, d, i, N):
                    dq[mine] = dQ.load(*at, *place, guard=there, other=0.0)
                replace(tiles.S, dp, patch)
                add_over_rows(dk, tiles.S, tiles.Q, patch, d)
                add_over_keys(dq, tiles.S, tiles.K, patch, d)
                for mine, place, there in each_query(patch, d, i, N):
                    dQ.store(*at, *place, dq[mine], guard=there)
                gl.barrier()
            store_keys(dK, dk, at, j, N, patch, d)
            store_keys(dV, dv, at, j, N, patch, d)

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
                with gl.if_(lane == 0):
                    D[*at, row] = total

    return kernel


def gather(dQ, sums, at, first, N, patch, d):
    """Add the thread's part to dQ, to which other blocks add as well."""
    row, e = my_queries(patch)
    for i in gl.unroll(patch.T):
        with gl.if_(first + row + i < N):
            for j in gl.unroll(gl.cdiv(d, patch.down)):
                with gl.if_(e + patch.down * j < d):
                    gl.atomic_add(dQ, *at, first + row + i, e + patch.down * j, sums[i, j])


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
        T: gl.Tile = 4,
    ):
        """Let the queries that see a tile of keys pass by it, in a block of its own."""
        N = gl.sizes("N")
        at, scale = (gl.ctaid.z, gl.ctaid.y), gl.rsqrt(gl.cast(gl.f32, d))
        tiles, patch = tiles_on_chip(t, d, Br, Bc), patch_of(Br, Bc, T)
        sL = gl.shared(gl.f32, Br)
        sD = gl.shared(gl.f32, Br)
        j = gl.ctaid.x * Bc
        fetch((tiles.K, tiles.V), (K, V), at, j, N, d, patch.threads)
        dk = gl.local(gl.f32, T, gl.cdiv(d, patch.across))
        dv = gl.local(gl.f32, T, gl.cdiv(d, patch.across))
        first = j if causal else 0
        for o in gl.range(0, N - first, Br):
            i = first + o
            fetch((tiles.Q, tiles.dO), (Q, dO), at, i, N, d, patch.threads)
            for r in gl.range(gl.tid.x, Br, patch.threads):
                sL[r] = L.load(*at, i + r, guard=i + r < N, other=0.0)
                sD[r] = D.load(*at, i + r, guard=i + r < N, other=0.0) * scale
            gl.barrier()
            p = products(tiles.Q, tiles.K, patch, d)
            weigh(p, lambda s, r: gl.exp(s * scale - sL[r]), o + 1 if causal else N - j, patch, causal)
            put(tiles.S, p, patch)
            dp = products(tiles.dO, tiles.V, patch, d)
            differentiate(p, dp, sD, scale, patch)
            gl.barrier()
            add_over_rows(dv, tiles.S, tiles.dO, patch, d)
            replace(tiles.S, dp, patch)
            add_over_rows(dk, tiles.S, tiles.Q, patch, d)
            dq = gl.local(gl.f32, T, gl.cdiv(d, patch.down))
            add_over_keys(dq, tiles.S, tiles.K, patch, d)
            gather(dQ, dq, at, i, N, patch, d)
            gl.barrier()
        store_keys(dK, dk, at, j, N, patch, d)
        store_keys(dV, dv, at, j, N, patch, d)

    return kernel


# ------------------------------------------------------------------ references


def mask(drop, seed, B, H, N):
    """Give the factors of dropout: 0, or the inverse of the probability that a weight stays."""
    return factors(B * H * N, N, drop, seed).reshape(B, H, N, N)


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
GRADIENT = (
    "dQ[b,h,i,(d)], dK[b,h,j,(d)], dV[b,h,j,(d)]"
    " += dO[b,h,i,(d)] * Q[b,h,i,(d)] * K[b,h,j,(d)] * V[b,h,j,(d)] for i < N, j < N"
)
"""Every query with every key: five products of rows that are needed whole, three of them sums."""
ROUNDED = 4e-3  # of fp16: O is rounded to 11 bits, and D is a sum of it over d


def first(t):
    """Make the backward pass of FlashAttention-1."""
    return Algorithm(
        name=named("flash-attention-1-backward", t),
        summary=f"Algorithm 4 of FlashAttention: gradients, keys outside, with dropout ({t.value})",
        kernel=flash_1_backward(t),
        reference=first_reference,
        derive=first_kept,
        scalars={"drop": 0, "seed": 0},
        tiles={"T": 2},
        io={
            **dict.fromkeys(("Q", "O", "dO"), A_TILE),
            **dict.fromkeys(("K", "V"), ALL),
            **dict.fromkeys(("l", "m"), ROWS_A_TILE),
            "dQ": Traffic("B*H*N*d*ceil(N/Bc)", "B*H*N*d*(ceil(N/Bc) + 1)"),
            **dict.fromkeys(("dK", "dV"), ALL_STORED),
        },
        textbook=Textbook("B*H*(2*N*d + 4*N**2*d/Bc + 2*N**2/Bc)", "B*H*(3*N*d + N**2*d/Bc)", t.nbytes),
        computation=GRADIENT,
        touched={"dQ": "0"},
        tolerance=f"{2e-5 if t is gl.f32 else ROUNDED}*{PARTS}/({PARTS} - drop)",
        notes="drop of 256 weights are dropped; the mask is a hash of row, key and seed. The kernel sets dQ.",
        rules={"M": {"Bc": "ceil(M/(4*d))", "Br": "min(ceil(M/(4*d)), d)"}},
        published=Published(
            "20*N**2*d**2/M + 8*N**2*d/M + 7*N*d",
            "Algorithm 4 of Dao et al. 2022 counted line by line; their Theorem 5 has its order",
            where={"M": "4*d*Bc"},
            times="B*H",
            departs=(("-2*B*H*N*d", "dK = dV = 0 is not written before the loop (line 5): nothing reads it"),),
            order="N**2*d**2/M",
            grid={"N": (4096, 16384, 65536), "d": (32, 64, 128), "M": (4096, 8192, 16384)},
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
        **{**COMMON, "aliases": COMMON["aliases"] | {"tile": ("Br",)}},
    )


def second(t, causal=False):
    """Make the backward pass of FlashAttention-2, causal or not."""
    rows = SEEN if causal else "B*H*N*ceil(N/Bc)"
    seen, share = ("no tiles above the diagonal", "/2") if causal else ("a block for every tile of keys", "")
    return Algorithm(
        name=named(f"flash-attention-2-backward{'-causal' if causal else ''}", t),
        summary=f"gradients by FlashAttention-2, {seen} ({t.value})",
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
        computation=f"{GRADIENT}, j <= i" if causal else GRADIENT,
        tolerance=2e-5,
        notes="Blocks add to what dQ holds: it must be zeros. An atomic counts as one load and one store.",
        **COMMON,
    )


flash_attention_1_backward = each_type(first)
attention_backward_preprocess = each_type(preprocess)
flash_attention_2_backward = each_type(second)
flash_attention_2_backward_causal = each_type(lambda t: second(t, causal=True))


def second_whole(t, causal=False):
    """Make the two kernels of the backward pass of FlashAttention-2 one after the other."""
    name = f"flash-attention-2-backward{'-causal' if causal else ''}"

    def kept_by_forward(x, **p):
        P, l, m = weights(x, causal)
        return {"O": (P @ x["V"].astype(np.float64)).astype(x["Q"].dtype), **single({"L": m + np.log(l)})}

    return Chain(
        name=named(f"{name}-whole", t),
        summary=f"D = rowsum(dO O), then the gradients: two kernels ({t.value})",
        steps=(Step(named("attention-backward-preprocess", t), params={"Br": "64"}), Step(named(name, t))),
        reference=second_reference(causal),
        derive=kept_by_forward,
        sizes={**COMMON["sizes"], "d": 64, "Br": 32, "Bc": 32, "T": 4},
        aliases=COMMON["aliases"],
        outputs=("dQ", "dK", "dV"),
        tolerance=2e-5 if t is gl.f32 else 2e-3,
        family="attention",
    )


flash_attention_2_backward_whole = each_type(second_whole)
flash_attention_2_backward_causal_whole = each_type(lambda t: second_whole(t, causal=True))
