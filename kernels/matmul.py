"""Matrix products C = A B (A is M x K, B is K x N, all row-major), as a ladder of ever more reuse.

From the first kernel to the last, each element fetched is used more often before it is fetched again: by a warp
(coalesced), by a block through shared memory (tiled, coarsened), by a thread through registers (register-tiled).
Sizes are arbitrary: threads outside the matrices fetch zeros and store nothing.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic, numpy_dtype


def square_rule(p):
    """Limit blocks of T x T threads."""
    return [(p.T * p.T <= 1024, "T*T threads must fit a block of 1024: T is at most 32")]


# ------------------------------------------------------------------ one thread an element, straight from global memory


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.M, p.T), gl.cdiv(p.N, p.T)),
    block=lambda p: (p.T, p.T),
    requires=square_rule,
)
def naive(
    A: gl.In[gl.f32, "M", "K"],
    B: gl.In[gl.f32, "K", "N"],
    C: gl.Out[gl.f32, "M", "N"],
    T: gl.Tile = 32,
):
    """Give neighbouring lanes neighbouring rows: each load of A touches as many lines as the warp has rows."""
    M, N, K = gl.sizes("M", "N", "K")
    row = gl.ctaid.x * T + gl.tid.x
    col = gl.ctaid.y * T + gl.tid.y
    with gl.if_((row < M) & (col < N)):
        acc = gl.var(gl.f32, 0.0)
        for k in gl.range(0, K):
            acc += A[row, k] * B[k, col]
        C[row, col] = acc


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.M, p.T), gl.cdiv(p.N, p.T)),
    block=lambda p: (p.T * p.T,),
    requires=square_rule,
)
def coalesced(
    A: gl.In[gl.f32, "M", "K"],
    B: gl.In[gl.f32, "K", "N"],
    C: gl.Out[gl.f32, "M", "N"],
    T: gl.Tile = 32,
):
    """Give neighbouring lanes neighbouring columns: A is one word for the whole warp, B and C are whole lines."""
    M, N, K = gl.sizes("M", "N", "K")
    row = gl.ctaid.x * T + gl.tid.x // T
    col = gl.ctaid.y * T + gl.tid.x % T
    with gl.if_((row < M) & (col < N)):
        acc = gl.var(gl.f32, 0.0)
        for k in gl.range(0, K):
            acc += A[row, k] * B[k, col]
        C[row, col] = acc


# ------------------------------------------------------------------ tiles in shared memory


def tiled(element, result):
    """Describe the product of matrices of one element type as a matrix of another; sums are fp32 whatever they are."""

    @gl.kernel(
        grid=lambda p: (gl.cdiv(p.N, p.T), gl.cdiv(p.M, p.T)),
        block=lambda p: (p.T * p.T,),
        requires=square_rule,
    )
    def tiled(
        A: gl.In[element, "M", "K"],
        B: gl.In[element, "K", "N"],
        C: gl.Out[result, "M", "N"],
        T: gl.Tile = 32,
    ):
        """Walk along K in steps of T, a tile of A and one of B at a time: every element fetched serves T threads."""
        M, N, K = gl.sizes("M", "N", "K")
        sA = gl.shared(element, T, T)
        sB = gl.shared(element, T, T)
        r, c = gl.tid.x // T, gl.tid.x % T
        row, col = gl.ctaid.y * T + r, gl.ctaid.x * T + c
        acc = gl.var(gl.f32, 0.0)
        for t in gl.range(0, K, T):
            sA[r, c] = A.load(row, t + c, guard=(row < M) & (t + c < K), other=0.0)
            sB[r, c] = B.load(t + r, col, guard=(t + r < K) & (col < N), other=0.0)
            gl.barrier()
            for k in gl.unroll(T):
                acc += sA[r, k] * sB[k, c]
            gl.barrier()
        with gl.if_((row < M) & (col < N)):
            C[row, col] = acc

    return tiled


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.N, p.T * p.Cf), gl.cdiv(p.M, p.T)),
    block=lambda p: (p.T * p.T,),
    requires=square_rule,
)
def coarsened(
    A: gl.In[gl.f32, "M", "K"],
    B: gl.In[gl.f32, "K", "N"],
    C: gl.Out[gl.f32, "M", "N"],
    T: gl.Tile = 32,
    Cf: gl.Tile = 4,
):
    """Make Cf tiles of C side by side: a tile of A serves Cf tiles of B, and a thread keeps Cf sums."""
    M, N, K = gl.sizes("M", "N", "K")
    sA = gl.shared(gl.f32, T, T)
    sB = gl.shared(gl.f32, T, T)
    acc = gl.local(gl.f32, Cf)
    r, c = gl.tid.x // T, gl.tid.x % T
    row, first = gl.ctaid.y * T + r, gl.ctaid.x * (T * Cf) + c
    for t in gl.range(0, K, T):
        sA[r, c] = A.load(row, t + c, guard=(row < M) & (t + c < K), other=0.0)
        for j in gl.unroll(Cf):
            col = first + j * T
            sB[r, c] = B.load(t + r, col, guard=(t + r < K) & (col < N), other=0.0)
            gl.barrier()
            for k in gl.unroll(T):
                acc[j] += sA[r, k] * sB[k, c]
            gl.barrier()
    for j in gl.unroll(Cf):
        col = first + j * T
        C.store(row, col, acc[j], guard=(row < M) & (col < N))


# ------------------------------------------------------------------ tiles in registers


def register_grid(p):
    """Take one block for each BM x BN tile of C."""
    return (gl.cdiv(p.N, p.BN), gl.cdiv(p.M, p.BM))


def register_block(p):
    """Take one thread for each TM x TN piece of the block's tile."""
    return (p.BM * p.BN // (p.TM * p.TN),)


def register_rules(p):
    """Check the five tile sizes against one another."""
    return [
        (p.BM % p.TM == 0, "TM must divide BM: a block's rows are shared out among threads of TM rows"),
        (p.BN % p.TN == 0, "TN must divide BN: a block's columns are shared out among threads of TN columns"),
        (
            p.BM * p.BN <= 1024 * p.TM * p.TN,
            "BM*BN/(TM*TN) threads must fit a block of 1024: take a smaller BM or BN, or a larger TM or TN",
        ),
    ]


@gl.kernel(grid=register_grid, block=register_block, requires=register_rules)
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
    """Make TM x TN elements a thread: TM + TN words from shared memory feed TM*TN multiply-adds."""
    M, N, K = gl.sizes("M", "N", "K")
    threads = BM * BN // (TM * TN)
    sA = gl.shared(gl.f32, BM, BK)
    sB = gl.shared(gl.f32, BK, BN)
    acc = gl.local(gl.f32, TM, TN)
    a = gl.local(gl.f32, TM)
    b = gl.local(gl.f32, TN)
    tr, tc = gl.tid.x // (BN // TN), gl.tid.x % (BN // TN)
    top, left = gl.ctaid.y * BM, gl.ctaid.x * BN
    for t in gl.range(0, K, BK):
        for o in gl.range(gl.tid.x, BM * BK, threads):
            r, c = o // BK, o % BK
            sA[r, c] = A.load(top + r, t + c, guard=(top + r < M) & (t + c < K), other=0.0)
        for o in gl.range(gl.tid.x, BK * BN, threads):
            r, c = o // BN, o % BN
            sB[r, c] = B.load(t + r, left + c, guard=(t + r < K) & (left + c < N), other=0.0)
        gl.barrier()
        for k in gl.unroll(BK):
            for i in gl.unroll(TM):
                a[i] = sA[tr * TM + i, k]
            for j in gl.unroll(TN):
                b[j] = sB[k, tc * TN + j]
            for i in gl.unroll(TM):
                for j in gl.unroll(TN):
                    acc[i, j] += a[i] * b[j]
        gl.barrier()
    for i in gl.unroll(TM):
        for j in gl.unroll(TN):
            row, col = top + tr * TM + i, left + tc * TN + j
            C.store(row, col, acc[i, j], guard=(row < M) & (col < N))


def quad_rules(p):
    """Check, besides the register tiles, that whatever a thread moves by four comes in fours."""
    return [
        *register_rules(p),
        (p.BK % 4 == 0, "BK must be a multiple of 4: rows of A's tile are fetched four elements at a time"),
        (p.BN % 4 == 0, "BN must be a multiple of 4: rows of B's tile are fetched four elements at a time"),
        (p.TN % 4 == 0, "TN must be a multiple of 4: C is stored four elements at a time"),
        (p.K % 4 == 0, "K must be a multiple of 4, so that every row of A starts on 16 bytes"),
        (p.N % 4 == 0, "N must be a multiple of 4, so that every row of B and C starts on 16 bytes"),
    ]


@gl.kernel(grid=register_grid, block=register_block, requires=quad_rules)
def register_tiled_quads(
    A: gl.In[gl.f32, "M", "K"],
    B: gl.In[gl.f32, "K", "N"],
    C: gl.Out[gl.f32, "M", "N"],
    BM: gl.Tile = 128,
    BN: gl.Tile = 128,
    BK: gl.Tile = 8,
    TM: gl.Tile = 8,
    TN: gl.Tile = 8,
):
    """Load four elements at a time, and turn A's tile on the way in, so that a thread's TM words lie together."""
    M, N, K = gl.sizes("M", "N", "K")
    threads = BM * BN // (TM * TN)
    sA = gl.shared(gl.f32, BK, BM)
    sB = gl.shared(gl.f32, BK, BN)
    acc = gl.local(gl.f32, TM, TN)
    a = gl.local(gl.f32, TM)
    b = gl.local(gl.f32, TN)
    tr, tc = gl.tid.x // (BN // TN), gl.tid.x % (BN // TN)
    top, left = gl.ctaid.y * BM, gl.ctaid.x * BN
    for t in gl.range(0, K, BK):
        for o in gl.range(gl.tid.x, BM * BK // 4, threads):
            r, c = o // (BK // 4), o % (BK // 4) * 4
            quad = A.load(top + r, t + c, vec=4, guard=(top + r < M) & (t + c < K), other=0.0)
            for e, value in enumerate(quad):
                sA[c + e, r] = value
        for o in gl.range(gl.tid.x, BK * BN // 4, threads):
            r, c = o // (BN // 4), o % (BN // 4) * 4
            quad = B.load(t + r, left + c, vec=4, guard=(t + r < K) & (left + c < N), other=0.0)
            sB.store(r, c, quad)
        gl.barrier()
        for k in gl.unroll(BK):
            for i in gl.unroll(TM):
                a[i] = sA[k, tr * TM + i]
            for j in gl.unroll(TN):
                b[j] = sB[k, tc * TN + j]
            for i in gl.unroll(TM):
                for j in gl.unroll(TN):
                    acc[i, j] += a[i] * b[j]
        gl.barrier()
    for i in gl.unroll(TM):
        for j in gl.unroll(0, TN, 4):
            row, col = top + tr * TM + i, left + tc * TN + j
            quad = (acc[i, j], acc[i, j + 1], acc[i, j + 2], acc[i, j + 3])
            C.store(row, col, quad, guard=(row < M) & (col < N))


# ------------------------------------------------------------------ the ladder


ERRORS = {gl.f32: 0, gl.f16: 2**-10, gl.bf16: 2**-7}  # of halves: a unit in the last place


def product(x, **p):
    """Give C = A B."""
    return {"C": x["A"] @ x["B"]}


COMMON = {
    "family": "matmul",
    "sizes": {"M": 1024, "N": 1024, "K": 1024},
    "reference": product,
    "tolerance": "1e-6*K",
}
SHAPE = {"n": ("M", "N", "K"), "m": ("M",), "k": ("K",)}
SQUARE = {**SHAPE, "tile": ("T",)}
REGISTER = {**SHAPE, "tile": ("BM", "BN")}
UNSHARED = {"A": Traffic("M*N*K"), "B": Traffic("M*N*K"), "C": Traffic(stores="M*N")}
REGISTER_IO = {"A": Traffic("M*K*ceil(N/BN)"), "B": Traffic("K*N*ceil(M/BM)"), "C": Traffic(stores="M*N")}

matmul_naive = Algorithm(
    name="matmul-naive",
    summary="one thread an element, lanes along rows: uncoalesced",
    kernel=naive,
    aliases=SQUARE,
    io=UNSHARED,
    textbook=Textbook(reads="2*M*N*K", writes="M*N"),
    **COMMON,
)

matmul_coalesced = Algorithm(
    name="matmul-coalesced",
    summary="one thread an element, lanes along columns: coalesced",
    kernel=coalesced,
    aliases=SQUARE,
    io=UNSHARED,
    textbook=Textbook(reads="2*M*N*K", writes="M*N"),
    **COMMON,
)


def by_tiles(element, result):
    """Everything of the tiled product that follows from the types of its elements."""

    def reference(x, **p):
        return {"C": (x["A"].astype(np.float64) @ x["B"].astype(np.float64)).astype(numpy_dtype(result.value))}

    return {
        **COMMON,
        "kernel": tiled(element, result),
        "reference": reference,
        "aliases": SQUARE,
        "io": {"A": Traffic("M*K*ceil(N/T)"), "B": Traffic("K*N*ceil(M/T)"), "C": Traffic(stores="M*N")},
        "textbook": Textbook(reads="2*M*N*K/T", writes="M*N", element_bytes=element.nbytes, result_bytes=result.nbytes),
        "tolerance": f"1e-6*K + {ERRORS[result]}",
    }


matmul_tiled = Algorithm(
    name="matmul-tiled",
    also=("matmul",),
    summary="T x T tiles in shared memory: what is fetched is used T times",
    published=Published(
        "2*M*N*K/T",
        "the textbooks' count, such as Kirk and Hwu, Programming Massively Parallel Processors, on tiling",
        stores=False,
        order="M*N*K/T",
        grid={"M": (256, 1024), "N": (256, 1024), "K": (256, 1024), "T": (8, 16, 32)},
        cases=tuple({"n": n, "T": T} for n in (64, 100) for T in (8, 16, 32)),
    ),
    **by_tiles(gl.f32, gl.f32),
)

matmul_tiled_f16 = Algorithm(
    name="matmul-tiled-f16",
    summary="matmul-tiled, elements of f16, summed in fp32",
    **by_tiles(gl.f16, gl.f16),
)

matmul_tiled_bf16 = Algorithm(
    name="matmul-tiled-bf16",
    summary="matmul-tiled, elements of bf16, summed in fp32",
    **by_tiles(gl.bf16, gl.bf16),
)

matmul_tiled_fp8 = Algorithm(
    name="matmul-tiled-fp8",
    summary="matmul-tiled, A and B of fp8 (e4m3), summed in fp32, C of bf16",
    notes="Without scale factors: A and B are what they are stored as.",
    **by_tiles(gl.e4m3, gl.bf16),
)

matmul_coarsened = Algorithm(
    name="matmul-coarsened",
    summary="tiled, with Cf tiles of C a block",
    kernel=coarsened,
    aliases={**SQUARE, "coarsening": ("Cf",)},
    io={"A": Traffic("M*K*ceil(N/(T*Cf))"), "B": Traffic("K*N*ceil(M/T)"), "C": Traffic(stores="M*N")},
    textbook=Textbook(reads="M*N*K/T + M*N*K/(T*Cf)", writes="M*N"),
    **COMMON,
)

matmul_register_tiled = Algorithm(
    name="matmul-register-tiled",
    summary="BM x BN tiles, TM x TN elements a thread in registers",
    kernel=register_tiled,
    aliases=REGISTER,
    io=REGISTER_IO,
    textbook=Textbook(reads="M*N*K/BN + M*N*K/BM", writes="M*N"),
    **COMMON,
)

matmul_register_tiled_vec4 = Algorithm(
    name="matmul-register-tiled-vec4",
    summary="register-tiled, with 16-byte loads and stores",
    kernel=register_tiled_quads,
    aliases=REGISTER,
    io=REGISTER_IO,
    textbook=Textbook(reads="M*N*K/BN + M*N*K/BM", writes="M*N"),
    notes="K and N are multiples of 4.",
    **COMMON,
)
