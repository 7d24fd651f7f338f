"""Attention without the N x N matrix: O = softmax(Q K^T / sqrt(d)) V, of B batches and H heads, tile by tile.

Q, K, V and O are [B, H, N, d].  A thread keeps one row: its query and its part of O in registers; the threads of a
block share a tile of Bc keys and values.  What differs is the order of the two loops, and so what goes to HBM:

* FlashAttention-1 (Dao et al. 2022, arXiv 2205.14135, Algorithm 1): keys outside, queries inside; O and its
  statistics l and m are read and written once for every tile of keys.
* the same with the loops swapped: O stays on chip, keys and values are read once for every tile of queries.
* FlashAttention-2 (Dao 2023, arXiv 2307.08691, Algorithm 1): a block for every tile of queries; O is divided once, at
  the end, and of l and m their sum L = m + log l is kept.  Causal: tiles above the diagonal are left out.
* the same in parts, for few heads: a block for every tile of queries and each of S ranges of keys; a second kernel
  merges their O by their L.
* block-sparse (Dao et al. 2022, Algorithm 5, its loops swapped): of the tiles of keys only those that a list names.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic, numpy_dtype
from gpusim.catalogue.chain import Chain, Step
from gpusim.catalogue.element_types import each_type, named

LOWEST = -3.4028234663852886e38  # of fp32: where no key was seen, for -inf would be subtracted from -inf

# ------------------------------------------------------------------ what the kernels share


def tile_rules(p):
    """Limit the threads of a block: one for each row of a tile of queries."""
    return [(p.Br <= 1024, "Br threads, one for each row of a tile of queries, must fit a block of 1024")]


def block_a_head(p):
    """Take a block for every head of every batch."""
    return (p.H, p.B)


def block_a_tile(p):
    """Take a block for every Br queries of a head."""
    return (gl.cdiv(p.N, p.Br), p.H, p.B)


def thread_a_row(p):
    """Take a thread for every row of a tile of queries."""
    return (p.Br,)


def fetch(tile, array, at, first, stop, threads):
    """Copy rows from `first` on to shared memory, as many as the tile has; from `stop` on they are zeros."""
    rows, d = tile.shape
    for o in gl.range(gl.tid.x, rows * d, threads):
        r, e = o // d, o % d
        tile[r, e] = array.load(*at, first + r, e, guard=first + r < stop, other=0.0)


def fetch_clamped(tile, array, at, first, stop, threads):
    """Copy rows from `first` on to shared memory, as many as the tile has; from `stop` on the last one before it."""
    rows, d = tile.shape
    for o in gl.range(gl.tid.x, rows * d, threads):
        r, e = o // d, o % d
        tile[r, e] = array[*at, gl.minimum(first + r, stop - 1), e]


def take_query(q, Q, at, row, d):
    """Load a row of Q, divided by sqrt(d), into registers."""
    scale = gl.rsqrt(gl.cast(gl.f32, d))
    for e in gl.unroll(d):
        q[e] = Q[*at, row, e] * scale


def score(q, sK, sS, keys, d):
    """Put the scores of the first `keys` keys into the thread's column of `sS`, -inf after them; give the largest.

    Keys come by fours, so that four sums are under way at a time.
    """
    top = gl.var(gl.f32, -gl.inf)
    for c in gl.range(0, sK.shape[0], 4):
        s = gl.local(gl.f32, 4)
        for e in gl.unroll(d):
            for i in gl.unroll(4):
                s[i] += q[e] * sK[c + i, e]
        for i in gl.unroll(4):
            seen = gl.select(c + i < keys, s[i], -gl.inf)
            sS[c + i, gl.tid.x] = seen
            top.set(gl.maximum(top, seen))
    return top


def add_values(o, sS, sV, top, d):
    """Add the values of the tile to `o`, each times exp(score - top); give the sum of these weights."""
    total = gl.var(gl.f32, 0.0)
    p = gl.local(gl.f32, 4)
    for c in gl.range(0, sV.shape[0], 4):
        for i in gl.unroll(4):
            p[i] = gl.exp(sS[c + i, gl.tid.x] - top)
            total += p[i]
        for e in gl.unroll(d):
            for i in gl.unroll(4):
                o[e] += p[i] * sV[c + i, e]
    return total


def tiles_on_chip(t, d, Br, Bc):
    """Make room in shared memory for tiles of keys and values of type `t` and for scores: Bc rounded up to fours."""
    rows = gl.cdiv(Bc, 4) * 4
    sK = gl.shared(t, rows, d)
    sV = gl.shared(t, rows, d)
    sS = gl.shared(gl.f32, rows, Br)
    return sK, sV, sS


# ------------------------------------------------------------------ FlashAttention-1: keys outside, queries inside


def flash_1(t):
    """Make the kernel of Algorithm 1 for Q, K, V and O of type `t`."""

    @gl.kernel(grid=block_a_head, block=thread_a_row, requires=tile_rules, name=f"flash_1_{t.value}")
    def kernel(
        Q: gl.In[t, "B", "H", "N", "d"],
        K: gl.In[t, "B", "H", "N", "d"],
        V: gl.In[t, "B", "H", "N", "d"],
        O: gl.InOut[t, "B", "H", "N", "d"],
        l: gl.InOut[gl.f32, "B", "H", "N"],
        m: gl.InOut[gl.f32, "B", "H", "N"],
        d: gl.Tile = 64,
        Br: gl.Tile = 64,
        Bc: gl.Tile = 32,
    ):
        """Bring O up to date with every tile of keys: read, rescale, add, write."""
        N = gl.sizes("N")
        at = gl.ctaid.y, gl.ctaid.x
        sK, sV, sS = tiles_on_chip(t, d, Br, Bc)
        q = gl.local(gl.f32, d)
        for i in gl.range(0, N, Br):
            with gl.if_(i + gl.tid.x < N):
                l[*at, i + gl.tid.x] = 0.0
                m[*at, i + gl.tid.x] = -gl.inf
                for e in gl.unroll(d):
                    O[*at, i + gl.tid.x, e] = 0.0
        for j in gl.range(0, N, Bc):
            stop = gl.minimum(N, j + Bc)
            fetch(sK, K, at, j, stop, Br)
            fetch(sV, V, at, j, stop, Br)
            gl.barrier()
            for i in gl.range(0, N, Br):
                row = i + gl.tid.x
                with gl.if_(row < N):
                    take_query(q, Q, at, row, d)
                    o = gl.local(gl.f32, d)
                    top = score(q, sK, sS, stop - j, d)
                    total = add_values(o, sS, sV, top, d)
                    old = m[*at, row]
                    new = gl.maximum(old, top)
                    before = gl.exp(old - new) * l[*at, row]
                    now = gl.exp(top - new)
                    sum_ = before + now * total
                    share = gl.rcp(sum_)
                    for e in gl.unroll(d):
                        O[*at, row, e] = (before * O[*at, row, e] + now * o[e]) * share
                    m[*at, row] = new
                    l[*at, row] = sum_
            gl.barrier()

    return kernel


# ------------------------------------------------------------------ queries outside, keys inside


def stream(q, K, V, at, row, starts, last, d, Br, Bc, causal=False, copy=fetch):
    """Pass tiles of the keys below `last` by a row's query; give its unnormalised O, the sum l, the maximum m.

    `starts` loops over the first keys of the tiles.  Where `causal`, a row stops at its own key.
    """
    sK, sV, sS = tiles_on_chip(K.dtype, d, Br, Bc)
    o = gl.local(gl.f32, d)
    m = gl.var(gl.f32, LOWEST)
    l = gl.var(gl.f32, 0.0)
    for j in starts:
        stop = gl.minimum(last, j + Bc)
        copy(sK, K, at, j, stop, Br)
        copy(sV, V, at, j, stop, Br)
        gl.barrier()
        seen = gl.minimum(stop, row + 1) if causal else stop
        top = score(q, sK, sS, seen - j, d)
        new = gl.maximum(m, top)
        rescale = gl.exp(m - new)
        for e in gl.unroll(d):
            o[e] *= rescale
        l.set(l * rescale + add_values(o, sS, sV, new, d))
        m.set(new)
        gl.barrier()
    return o, l, m


def finish(O, o, l, at, row, d):
    """Divide the row of O by its sum, and store it."""
    share = gl.rcp(l)
    for e in gl.unroll(d):
        O[*at, row, e] = o[e] * share


def finish_if_any(O, o, l, at, row, d):
    """Do the same, with zeros for a row that saw no key."""
    share = gl.select(l > 0.0, gl.rcp(l), 0.0)
    for e in gl.unroll(d):
        O[*at, row, e] = o[e] * share


def flash_1_swapped(t):
    """Make the kernel with the loops of Algorithm 1 swapped."""

    @gl.kernel(grid=block_a_head, block=thread_a_row, requires=tile_rules, name=f"flash_1_swapped_{t.value}")
    def kernel(
        Q: gl.In[t, "B", "H", "N", "d"],
        K: gl.In[t, "B", "H", "N", "d"],
        V: gl.In[t, "B", "H", "N", "d"],
        O: gl.Out[t, "B", "H", "N", "d"],
        l: gl.Out[gl.f32, "B", "H", "N"],
        m: gl.Out[gl.f32, "B", "H", "N"],
        d: gl.Tile = 64,
        Br: gl.Tile = 64,
        Bc: gl.Tile = 32,
    ):
        """Keep a tile of O on chip while all keys pass by; then the next tile."""
        N = gl.sizes("N")
        at = gl.ctaid.y, gl.ctaid.x
        q = gl.local(gl.f32, d)
        for i in gl.range(0, N, Br):
            row = i + gl.tid.x
            with gl.if_(row < N):
                take_query(q, Q, at, row, d)
            o, sum_, top = stream(q, K, V, at, row, gl.range(0, N, Bc), N, d, Br, Bc)
            with gl.if_(row < N):
                finish(O, o, sum_, at, row, d)
                l[*at, row] = sum_
                m[*at, row] = top

    return kernel


def pass_tile(Q, K, V, batch, head, starts, last, d, Br, Bc, **how):
    """Pass keys by the block's tile of queries; give the thread's row, its unnormalised O, the sum l, the maximum m."""
    at = batch, head
    row = gl.ctaid.x * Br + gl.tid.x
    q = gl.local(gl.f32, d)
    with gl.if_(row < Q.shape[2]):
        take_query(q, Q, at, row, d)
    return row, *stream(q, K, V, at, row, starts, last, d, Br, Bc, **how)


def flash_2(t, causal=False):
    """Make the kernel of FlashAttention-2, causal or not."""
    name = f"flash_2_{'causal_' if causal else ''}{t.value}"

    @gl.kernel(grid=block_a_tile, block=thread_a_row, requires=tile_rules, name=name)
    def kernel(
        Q: gl.In[t, "B", "H", "N", "d"],
        K: gl.In[t, "B", "H", "N", "d"],
        V: gl.In[t, "B", "H", "N", "d"],
        O: gl.Out[t, "B", "H", "N", "d"],
        L: gl.Out[gl.f32, "B", "H", "N"],
        d: gl.Tile = 64,
        Br: gl.Tile = 64,
        Bc: gl.Tile = 32,
    ):
        """Keep a tile of O on chip while the keys pass by, in a block of its own."""
        N = gl.sizes("N")
        at = gl.ctaid.z, gl.ctaid.y
        last = gl.minimum(N, (gl.ctaid.x + 1) * Br) if causal else N
        row, o, sum_, top = pass_tile(Q, K, V, *at, gl.range(0, last, Bc), last, d, Br, Bc, causal=causal)
        with gl.if_(row < N):
            finish(O, o, sum_, at, row, d)
            L[*at, row] = top + gl.log(sum_)

    return kernel


# ------------------------------------------------------------------ FlashAttention-2 in parts


def tiles_of_a_part(part, parts, N, Bc):
    """Loop over the first keys of a part's tiles: of all tiles every part has as many, the last ones what is left."""
    tiles = gl.cdiv(N, Bc)
    first = part * gl.cdiv(tiles, parts)
    for tile in gl.range(gl.minimum(gl.cdiv(tiles, parts), tiles - first)):
        yield (first + tile) * Bc


def flash_2_split(t):
    """Make the kernel of FlashAttention-2 for S ranges of keys."""

    @gl.kernel(
        grid=lambda p: (gl.cdiv(p.N, p.Br), p.H * p.S, p.B),
        block=thread_a_row,
        requires=tile_rules,
        name=f"flash_2_split_{t.value}",
    )
    def kernel(
        Q: gl.In[t, "B", "H", "N", "d"],
        K: gl.In[t, "B", "H", "N", "d"],
        V: gl.In[t, "B", "H", "N", "d"],
        parts_O: gl.Out[gl.f32, "B", "H", "S", "N", "d"],
        parts_L: gl.Out[gl.f32, "B", "H", "S", "N"],
        d: gl.Tile = 64,
        Br: gl.Tile = 64,
        Bc: gl.Tile = 32,
    ):
        """Do what FlashAttention-2 does, with a range of keys; a row of one without keys has O = 0 and L = -inf."""
        N, S = gl.sizes("N", "S")
        head, part = gl.ctaid.y // S, gl.ctaid.y % S
        at = gl.ctaid.z, head
        row, o, sum_, top = pass_tile(Q, K, V, *at, tiles_of_a_part(part, S, N, Bc), N, d, Br, Bc)
        with gl.if_(row < N):
            finish_if_any(parts_O, o, sum_, (*at, part), row, d)
            parts_L[*at, part, row] = top + gl.log(sum_)

    return kernel


def flash_2_combine(t):
    """Make the kernel that merges the parts of O, a thread an element."""

    @gl.kernel(
        grid=lambda p: (gl.cdiv(p.N * p.d, p.T), p.H, p.B),
        block=lambda p: (p.T,),
        requires=lambda p: [(p.T <= 1024, "T threads must fit a block of 1024")],
        name=f"flash_2_combine_{t.value}",
    )
    def kernel(
        parts_O: gl.In[gl.f32, "B", "H", "S", "N", "d"],
        parts_L: gl.In[gl.f32, "B", "H", "S", "N"],
        O: gl.Out[t, "B", "H", "N", "d"],
        L: gl.Out[gl.f32, "B", "H", "N"],
        d: gl.Tile = 64,
        T: gl.Tile = 256,
    ):
        """Weigh every part by exp(L)."""
        N, S = gl.sizes("N", "S")
        at = gl.ctaid.z, gl.ctaid.y
        i = gl.ctaid.x * T + gl.tid.x
        row, e = i // d, i % d
        with gl.if_(i < N * d):
            top = gl.var(gl.f32, LOWEST)
            for s in gl.range(S):
                top.set(gl.maximum(top, parts_L[*at, s, row]))
            total = gl.var(gl.f32, 0.0)
            o = gl.var(gl.f32, 0.0)
            for s in gl.range(S):
                weight = gl.exp(parts_L[*at, s, row] - top)
                total += weight
                o += weight * parts_O[*at, s, row, e]
            O[*at, row, e] = o / total
            with gl.if_(e == 0):
                L[*at, row] = top + gl.log(total)

    return kernel


# ------------------------------------------------------------------ block-sparse


def listed(columns, tile, Bc):
    """Loop over the first keys of the tiles that the list names for a tile of queries."""
    for a in gl.range(columns.shape[1]):
        yield columns[tile, a] * Bc


def flash_2_sparse(t):
    """Make the kernel of block-sparse attention, queries outside."""

    @gl.kernel(grid=block_a_tile, block=thread_a_row, requires=tile_rules, name=f"flash_2_sparse_{t.value}")
    def kernel(
        columns: gl.In[gl.i32, "cdiv(N, Br)", "active"],
        Q: gl.In[t, "B", "H", "N", "d"],
        K: gl.In[t, "B", "H", "N", "d"],
        V: gl.In[t, "B", "H", "N", "d"],
        O: gl.Out[t, "B", "H", "N", "d"],
        L: gl.Out[gl.f32, "B", "H", "N"],
        d: gl.Tile = 64,
        Br: gl.Tile = 64,
        Bc: gl.Tile = 32,
    ):
        """Do what FlashAttention-2 does, with the tiles of keys that are listed; others are not even loaded."""
        N = gl.sizes("N")
        at = gl.ctaid.z, gl.ctaid.y
        starts = listed(columns, gl.ctaid.x, Bc)
        row, o, sum_, top = pass_tile(Q, K, V, *at, starts, N, d, Br, Bc, copy=fetch_clamped)
        with gl.if_(row < N):
            finish_if_any(O, o, sum_, at, row, d)
            L[*at, row] = top + gl.log(sum_)

    return kernel


# ------------------------------------------------------------------ references


def attention(Q, K, V, seen=True):
    """Give O, and of every row the sum l of exp(score - m) and the largest score m, in double precision.

    A row counts the keys that are `seen`; of one that sees none O and l are 0, and m is -inf.
    """
    Q, K, V = (array.astype(np.float64) for array in (Q, K, V))
    S = np.where(seen, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -np.inf)
    m = S.max(axis=-1, initial=-np.inf)
    P = np.exp(S - np.where(np.isfinite(m), m, 0.0)[..., None])
    l = P.sum(axis=-1)
    return (P @ V) / np.where(l > 0, l, 1.0)[..., None], l, m


def logsumexp(l, m):
    """Give L = m + log l, -inf where nothing was seen."""
    with np.errstate(divide="ignore"):
        return (m + np.log(l)).astype(np.float32)


def with_statistics(x, **p):
    """Give O, l and m."""
    O, l, m = attention(x["Q"], x["K"], x["V"])
    return {"O": O.astype(x["Q"].dtype), "l": l.astype(np.float32), "m": m.astype(np.float32)}


def with_logsumexp(causal):
    """Make the reference that gives O and L = m + log l."""

    def reference(x, *, N, **p):
        O, l, m = attention(x["Q"], x["K"], x["V"], np.tri(N, dtype=bool) if causal else True)
        return {"O": O.astype(x["Q"].dtype), "L": logsumexp(l, m)}

    return reference


def in_parts(x, *, N, S, Bc, **p):
    """Give O and L of S ranges of keys, each of as many tiles of Bc."""
    tiles = -(-N // Bc)
    keys = -(-tiles // S) * Bc
    ranges = [slice(first, first + keys) for first in range(0, S * keys, keys)]
    found = [attention(x["Q"], x["K"][:, :, keys], x["V"][:, :, keys]) for keys in ranges]
    return {
        "parts_O": np.stack([O for O, _, _ in found], axis=2).astype(np.float32),
        "parts_L": np.stack([logsumexp(l, m) for _, l, m in found], axis=2),
    }


def merged(t):
    """Make the reference that weighs parts by exp(L)."""

    def reference(x, **p):
        O, L = (x[name].astype(np.float64) for name in ("parts_O", "parts_L"))
        whole = np.logaddexp.reduce(L, axis=2)
        O = (O * np.exp(L - whole[:, :, None])[..., None]).sum(axis=2)
        return {"O": O.astype(numpy_dtype(t.value)), "L": whole.astype(np.float32)}

    return reference


def of_listed_tiles(x, *, N, Br, Bc, **p):
    """Give O and L where of every tile of queries only the listed tiles of keys are seen."""
    columns = x["columns"]
    mask = np.zeros((len(columns), max(-(-N // Bc), columns.max()) + 1), bool)
    np.put_along_axis(mask, columns, True, axis=1)
    seen = mask.repeat(Br, axis=0)[:N].repeat(Bc, axis=1)[:, :N]
    O, l, m = attention(x["Q"], x["K"], x["V"], seen)
    return {"O": O.astype(x["Q"].dtype), "L": logsumexp(l, m)}


def draw_columns(rng, shape, p):
    """Choose for every tile of queries the tile of keys on the diagonal and others at random, in ascending order.

    Where there are fewer than asked for, the list ends with the number of tiles, which names none.
    """
    tiles = -(-p["N"] // p["Bc"])
    columns = np.full(shape, tiles, np.int32)
    for i, row in enumerate(columns):
        diagonal = i * p["Br"] // p["Bc"]
        others = rng.permutation(np.delete(np.arange(tiles), diagonal))[: len(row) - 1]
        row[: len(others) + 1] = np.sort([diagonal, *others])
    return columns


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
ROWS_STORED = Traffic(stores="B*H*N")
A_TILE = Traffic("B*H*N*d*ceil(N/Br)")
BELOW = Traffic("B*H*d*(N + Br*ceil(N/Br)*(ceil(N/Br) - 1)/2)")
STATISTICS = Traffic("B*H*N*ceil(N/Bc)", "B*H*N*(ceil(N/Bc) + 1)")
WEIGHTED = "O[b,h,i,(d)] += Q[b,h,i,(d)] * K[b,h,j,(d)] * V[b,h,j,(d)] for i < N, j < N"
"""Every query with every key: the rows of both, of the value and of the result are needed whole."""
ROUNDED = 2e-3  # of fp16 results: half a unit in the last place is 2^-11, of values near 1 up to 4 of which are added


def tolerance(t):
    """Limit how far results of a type may be off."""
    return 2e-5 if t is gl.f32 else ROUNDED


SRAM = {"Bc": "ceil(M/(4*d))", "Br": "min(ceil(M/(4*d)), d)"}
"""Tiles of Algorithm 1 for M elements of on-chip memory (line 1)."""
SWAPPED = {"Br": "ceil(M/(4*d))", "Bc": "min(ceil(M/(4*d)), d)"}
"""The same where queries are the outer loop: they are what fills the memory."""
SIZES = {"B": 1, "H": 1}
CASES = tuple({**SIZES, "N": N, "d": d, "M": M} for N in (64, 100, 256) for d, M in ((16, 512), (16, 1024), (32, 1024)))
GRID = {"N": (4096, 16384, 65536), "d": (32, 64, 128), "M": (16384, 32768, 65536)}


def first(t):
    """Make FlashAttention-1 for a type of elements; O is rounded to it once for every tile of keys."""
    zeros = {"O": numpy_dtype(t.value), "l": np.float32, "m": np.float32}
    return Algorithm(
        name=named("flash-attention-1", t),
        summary=f"Algorithm 1 of FlashAttention: keys outside, queries inside ({t.value})",
        kernel=flash_1(t),
        reference=with_statistics,
        draw={name: lambda rng, shape, p, dtype=dtype: np.zeros(shape, dtype) for name, dtype in zeros.items()},
        io={
            "Q": Traffic("B*H*N*d*ceil(N/Bc)"),
            "K": ALL,
            "V": ALL,
            "O": Traffic("B*H*N*d*ceil(N/Bc)", "B*H*N*d*(ceil(N/Bc) + 1)"),
            "l": STATISTICS,
            "m": STATISTICS,
        },
        textbook=Textbook("B*H*(2*N*d + 2*N**2*d/Bc + 2*N**2/Bc)", "B*H*(N*d + N**2*d/Bc + 2*N**2/Bc)", t.nbytes),
        computation=WEIGHTED,
        touched=dict.fromkeys("Olm", "0"),
        tolerance=2e-5 if t is gl.f32 else f"{ROUNDED}*(1 + N/Bc)",
        notes="What O, l and m hold before does not matter: the kernel sets them.",
        rules={"M": SRAM},
        published=Published(
            "12*N**2*d**2/M + 16*N**2*d/M + 3*N*d",
            "Algorithm 1 of Dao et al. 2022 counted line by line; their Theorem 2 has its order",
            where={"M": "4*d*Bc"},
            times="B*H",
            departs=(
                ("2*B*H*N", "l = 0 and m = -inf are written before the loop (line 2), as O = 0 is, which 3Nd has"),
            ),
            order="N**2*d**2/M",
            grid=GRID,
            cases=CASES,
        ),
        **COMMON,
    )


def swapped(t):
    """Make FlashAttention-1 with its loops swapped."""
    return Algorithm(
        name=named("flash-attention-1-swapped", t),
        summary=f"FlashAttention with queries outside, keys inside: O stays on chip ({t.value})",
        kernel=flash_1_swapped(t),
        reference=with_statistics,
        io={"Q": ALL, "K": A_TILE, "V": A_TILE, "O": ALL_STORED, "l": ROWS_STORED, "m": ROWS_STORED},
        textbook=Textbook("B*H*(N*d + 2*N**2*d/Br)", "B*H*(N*d + 2*N)", t.nbytes),
        computation=WEIGHTED,
        rules={"M": SWAPPED},
        published=Published(
            "8*N**2*d**2/M + 3*N*d + 2*N",
            "the same count with the loops swapped",
            where={"M": "4*d*Br"},
            times="B*H",
            departs=(("-B*H*N*d", "Q is read and O written once, 2Nd: O is on chip and need not be set to 0 in HBM"),),
            order="N**2*d**2/M",
            grid=GRID,
            cases=CASES,
        ),
        tolerance=tolerance(t),
        **COMMON,
    )


def second(t):
    """Make FlashAttention-2."""
    return Algorithm(
        name=named("flash-attention-2", t),
        also=("flash-attention", "attention") if t is gl.f32 else (),
        summary=f"FlashAttention-2: a block for every tile of queries ({t.value})",
        kernel=flash_2(t),
        reference=with_logsumexp(causal=False),
        io={"Q": ALL, "K": A_TILE, "V": A_TILE, "O": ALL_STORED, "L": ROWS_STORED},
        textbook=Textbook("B*H*(N*d + 2*N**2*d/Br)", "B*H*(N*d + N)", t.nbytes),
        computation=WEIGHTED,
        tolerance=tolerance(t),
        **COMMON,
    )


def second_causal(t):
    """Make causal FlashAttention-2."""
    return Algorithm(
        name=named("flash-attention-2-causal", t),
        summary=f"FlashAttention-2 without the tiles above the diagonal ({t.value})",
        kernel=flash_2(t, causal=True),
        reference=with_logsumexp(causal=True),
        io={"Q": ALL, "K": BELOW, "V": BELOW, "O": ALL_STORED, "L": ROWS_STORED},
        textbook=Textbook("B*H*(N*d + N**2*d/Br)", "B*H*(N*d + N)", t.nbytes),
        computation=f"{WEIGHTED}, j <= i",
        tolerance=tolerance(t),
        **COMMON,
    )


def second_in_parts(t):
    """Make FlashAttention-2 for ranges of keys, which another kernel merges."""
    words = 4 // t.nbytes
    return Algorithm(
        name=named("flash-attention-2-split-parts", t),
        summary=f"FlashAttention-2 for few heads: O and L of S ranges of keys, a block each ({t.value})",
        kernel=flash_2_split(t),
        reference=in_parts,
        io={
            "Q": Traffic("B*H*S*N*d"),
            "K": A_TILE,
            "V": A_TILE,
            "parts_O": Traffic(stores="B*H*S*N*d"),
            "parts_L": Traffic(stores="B*H*S*N"),
        },
        textbook=Textbook("B*H*(S*N*d + 2*N**2*d/Br)", f"{words}*B*H*S*(N*d + N)", t.nbytes),
        computation=f"parts_{WEIGHTED}",
        tolerance=2e-5,
        notes="A range is ceil(ceil(N/Bc)/S) tiles of keys, the last one what is left; a row of one without keys has "
        "O = 0 and L = -inf. flash-attention-2-combine merges them.",
        **{**COMMON, "sizes": {**COMMON["sizes"], "S": 4}},
    )


def second_combining(t):
    """Make the kernel that merges them."""
    words = 4 // t.nbytes
    return Algorithm(
        name=named("flash-attention-2-combine", t),
        summary=f"merge S parts of O, each weighed by exp(L) ({t.value})",
        kernel=flash_2_combine(t),
        reference=merged(t),
        io={
            "parts_O": Traffic("B*H*S*N*d"),
            "parts_L": Traffic("2*B*H*S*N*d"),
            "O": ALL_STORED,
            "L": ROWS_STORED,
        },
        textbook=Textbook("B*H*S*(N*d + N)", f"B*H*(N*d/{words} + N)"),
        tolerance=tolerance(t),
        notes="parts_O and parts_L are those of flash-attention-2-split-parts; L = -inf weighs nothing, but not all "
        "parts of a row may have it.",
        family=COMMON["family"],
        sizes={**COMMON["sizes"], "S": 4},
        aliases={word: names for word, names in COMMON["aliases"].items() if word != "tile"},
    )


def sparse(t):
    """Make block-sparse attention."""
    tiles = Traffic("4*ceil(Bc/4)*B*H*d*active*ceil(N/Br)")
    return Algorithm(
        name=named("flash-attention-block-sparse", t),
        summary=f"FlashAttention-2 with a list of active tiles of keys for every tile of queries ({t.value})",
        kernel=flash_2_sparse(t),
        reference=of_listed_tiles,
        draw={"columns": draw_columns},
        io={
            "columns": Traffic("B*H*active*Br*ceil(N/Br)"),
            "Q": ALL,
            "K": tiles,
            "V": tiles,
            "O": ALL_STORED,
            "L": ROWS_STORED,
        },
        textbook=Textbook("B*H*(N*d + 2*N*d*active*Bc/Br)", "B*H*(N*d + N)", t.nbytes),
        touched=dict.fromkeys("KV", "0"),
        rules={"M": SWAPPED, "sparsity": {"active": "ceil(N/(Bc*sparsity))"}},
        published=Published(
            "8*N**2*d**2*s/M + 3*N*d",
            "Proposition 4 of Dao et al. 2022: what tiles cost, here with the loops swapped, times s",
            where={"M": "4*d*Br", "s": "active*Bc/N"},
            times="B*H",
            departs=(
                ("-B*H*N*d", "Q is read and O written once, 2Nd: O is on chip and need not be set to 0 in HBM"),
                ("B*H*N", "L is written"),
                ("B*H*N*active", "every thread reads the list; its warp does so in one sector"),
            ),
            order="N**2*d**2/(M*sparsity)",
            grid={"N": (65536, 262144, 1048576), "d": (64, 128), "M": (16384, 32768, 65536), "sparsity": (2, 4, 8)},
            cases=tuple({**case, "sparsity": 4} for case in CASES if case["N"] != 64),
        ),
        tolerance=tolerance(t),
        notes="A fraction s = active*Bc/N of the tiles is computed; --sparsity 4 makes it a quarter. Lists of one "
        "length (block-CSR with rows as long as each other) stand for a mask of ones and zeros, so that traffic is a "
        "formula, whatever they hold: those drawn have the diagonal and others at random, and ceil(N/Bc) names no "
        "tile. In a tile that N cuts off, the last key is loaded for the missing ones, and weighs nothing.",
        **{**COMMON, "sizes": {**COMMON["sizes"], "active": 4}},
    )


flash_attention_1 = each_type(first)
flash_attention_1_swapped = each_type(swapped)
flash_attention_2 = each_type(second)
flash_attention_2_causal = each_type(second_causal)
flash_attention_2_split_parts = each_type(second_in_parts)
flash_attention_2_combine = each_type(second_combining)
flash_attention_block_sparse = each_type(sparse)


def second_split(t):
    """Make the two kernels of FlashAttention-2 over ranges of keys one after the other."""
    return Chain(
        name=named("flash-attention-2-split", t),
        summary=f"FlashAttention-2 for few heads: S ranges of keys, then their merger: two kernels ({t.value})",
        steps=(Step(named("flash-attention-2-split-parts", t)), Step(named("flash-attention-2-combine", t))),
        reference=with_logsumexp(causal=False),
        sizes={"B": 1, "H": 2, "N": 2048, "S": 4, "d": 64, "Br": 64, "Bc": 32},
        aliases=COMMON["aliases"],
        outputs=("O", "L"),
        tolerance=tolerance(t),
        family="attention",
    )


flash_attention_2_split = each_type(second_split)
