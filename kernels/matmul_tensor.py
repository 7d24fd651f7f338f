"""C = A B on tensor cores, by description: A is M x K, B is K x N, all row-major, of f16 or bf16; sums are f32.

Of one pair of matrices, or of L pairs at once, as attention has them: C = A B (nn), or A B^T / sqrt(K), B then N x K.

A block makes a BM x BN tile of C, each of its warps a WM x WN part of it, in fragments of 16 x 8.  Tiles of A and B
come by asynchronous copies into a ring of S stages, so that S - 1 of them are under way while one is multiplied.  They
are swizzled: neither copies nor loads of fragments have bank conflicts.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Textbook, Traffic, numpy_dtype
from gpusim.catalogue.element_types import named

PIECE = 8  # elements of 16 bytes, which a thread copies at a time
ERRORS = {gl.f16: 2**-10, gl.bf16: 2**-7}  # a unit in the last place


def grid(p):
    """Take one block for each BM x BN tile of C."""
    return (gl.cdiv(p.N, p.BN), gl.cdiv(p.M, p.BM))


def block(p):
    """Take one warp for each WM x WN part of the tile."""
    return (p.BM // p.WM * (p.BN // p.WN) * 32,)


def rules(p):
    """Check the tiles against one another, and that rows begin on 16 bytes."""
    threads = p.BM // p.WM * (p.BN // p.WN) * 32
    return [
        (p.WM % 16 == 0, "WM must be a multiple of 16, the rows of a fragment"),
        (p.WN % 16 == 0, "WN must be a multiple of 16: B is loaded 16 columns at a time"),
        (p.BK % 16 == 0, "BK must be a multiple of 16, the depth of a product"),
        (p.BM % p.WM == 0, "WM must divide BM: warps share out a block's rows"),
        (p.BN % p.WN == 0, "WN must divide BN: warps share out a block's columns"),
        (threads <= 1024, "32*BM*BN/(WM*WN) threads must fit a block of 1024: take a larger WM or WN"),
        (p.BM * p.BK % (PIECE * threads) == 0, "BM*BK must be a multiple of 8 elements a thread"),
        (p.BK * p.BN % (PIECE * threads) == 0, "BK*BN must be a multiple of 8 elements a thread"),
        (p.S >= 2, "S must be at least 2: a stage is filled while another is read"),
        (p.K % PIECE == 0, "K must be a multiple of 8, so that every row of A starts on 16 bytes"),
        (p.N % PIECE == 0, "N must be a multiple of 8, so that every row of B starts on 16 bytes"),
    ]


def fetch(tile, stage, array, pair, top, left, threads):
    """Ask for a tile of a matrix, from row `top` and column `left` on; what lies outside becomes zeros."""
    rows, columns = tile.shape[1:]
    height, width = array.shape[-2:]
    for i in gl.unroll(rows * columns // (PIECE * threads)):
        piece = gl.tid.x + i * threads
        r, c = piece // (columns // PIECE), piece % (columns // PIECE) * PIECE
        inside = (top + r < height) & (left + c < width)
        gl.copy_async(tile, (stage, r, c), array, (*pair, top + r, left + c), vec=PIECE, guard=inside)


def multiply(t, A, B, C, pair, tiles, transposed=False, factor=None):
    """Multiply a pair of matrices: the oldest stage while the others fill.  `factor` is for every sum."""
    BM, BN, BK, WM, WN, S = tiles
    M, N, K = gl.sizes("M", "N", "K")
    threads = BM // WM * (BN // WN) * 32
    sA = gl.shared(t, S, BM, BK, swizzled=True)
    sB = gl.shared(t, S, *((BN, BK) if transposed else (BK, BN)), swizzled=True)
    acc = gl.accumulator(WM // 16, WN // 8)
    a = gl.fragment_a(t, WM // 16)
    b = gl.fragment_b(t, WN // 8)
    warp = gl.tid.x // 32
    row, col = warp // (BN // WN) * WM, warp % (BN // WN) * WN
    top, left = gl.ctaid.y * BM, gl.ctaid.x * BN

    def ask(stage, k):
        fetch(sA, stage, A, pair, top, k, threads)
        fetch(sB, stage, B, pair, *((left, k) if transposed else (k, left)), threads)
        gl.copy_commit()

    for s in gl.unroll(S - 1):
        ask(s, s * BK)
    full = gl.var(gl.i32, 0)
    free = gl.var(gl.i32, S - 1)
    for k in gl.range(0, K, BK):
        gl.copy_wait(S - 2)
        gl.barrier()
        ask(free, k + (S - 1) * BK)
        for step in gl.unroll(0, BK, 16):
            for i in gl.unroll(WM // 16):
                a.load(i, sA, (full, row + i * 16, step))
            for j in gl.unroll(0, WN // 8, 2):
                at = (col + j * 8, step) if transposed else (step, col + j * 8)
                b.load(j, sB, (full, *at), transposed=transposed)
            for i in gl.unroll(WM // 16):
                for j in gl.unroll(WN // 8):
                    gl.mma(acc[i, j], a[i], b[j])
        free.set(full)
        full.set(gl.select(full + 1 < S, full + 1, 0))
    for i in gl.unroll(WM // 16):
        for j in gl.unroll(WN // 8):
            if factor is not None:
                acc[i, j].map(lambda x, r, c: x * factor)
            at = (*pair, top + row + i * 16, left + col + j * 8)
            acc[i, j].store(C, at, guard=lambda *at: (at[-2] < M) & (at[-1] < N))


def matmul(t):
    """Describe the product for one type of elements."""

    @gl.kernel(grid=grid, block=block, requires=rules, name=f"matmul_tensor_{t.value}")
    def kernel(
        A: gl.In[t, "M", "K"],
        B: gl.In[t, "K", "N"],
        C: gl.Out[t, "M", "N"],
        BM: gl.Tile = 128,
        BN: gl.Tile = 128,
        BK: gl.Tile = 64,
        WM: gl.Tile = 64,
        WN: gl.Tile = 64,
        S: gl.Tile = 3,
    ):
        """Make a tile of C a block."""
        multiply(t, A, B, C, (), (BM, BN, BK, WM, WN, S))

    return kernel


def pairs(t, scores):
    """Describe the products A B of L pairs; where they are `scores` of attention, A B^T / sqrt(K)."""

    @gl.kernel(
        grid=lambda p: (*grid(p), p.L),
        block=block,
        requires=rules,
        name=f"{'scores' if scores else 'matmul_nn'}_tensor_{t.value}",
    )
    def kernel(
        A: gl.In[t, "L", "M", "K"],
        B: gl.In[t, "L", *(("N", "K") if scores else ("K", "N"))],
        C: gl.Out[t, "L", "M", "N"],
        BM: gl.Tile = 128,
        BN: gl.Tile = 128,
        BK: gl.Tile = 64,
        WM: gl.Tile = 64,
        WN: gl.Tile = 64,
        S: gl.Tile = 3,
    ):
        """Make a tile of one of the C a block."""
        K = gl.sizes("K")
        factor = gl.rsqrt(gl.cast(gl.f32, K)) if scores else None
        multiply(t, A, B, C, (gl.ctaid.z,), (BM, BN, BK, WM, WN, S), scores, factor)

    return kernel


def reference(t):
    """Give C = A B, summed in double precision and rounded once."""

    def product(x, **p):
        return {"C": (x["A"].astype(np.float64) @ x["B"].astype(np.float64)).astype(numpy_dtype(t.value))}

    return product


def by_type(t):
    """Make the algorithm for one type of elements."""
    return Algorithm(
        name="matmul-tensor" if t is gl.f16 else named("matmul-tensor", t),
        family="matmul",
        summary=f"tensor cores by mma.sync, tiles by asynchronous copies in S stages ({t.value})",
        kernel=matmul(t),
        sizes={"M": 1024, "N": 1024, "K": 1024},
        aliases={"n": ("M", "N", "K"), "m": ("M",), "k": ("K",), "stages": ("S",)},
        reference=reference(t),
        io={"A": Traffic("M*K*ceil(N/BN)"), "B": Traffic("K*N*ceil(M/BM)"), "C": Traffic(stores="M*N")},
        textbook=Textbook(
            reads="M*N*K/BN + M*N*K/BM", writes="M*N", element_bytes=t.nbytes, result_bytes=t.nbytes,
        ),
        computation="C[m,n] += A[m,k] * B[k,n]",
        tolerance=f"1e-6*K + {ERRORS[t]}",
        notes="K and N are multiples of 8.",
    )  # fmt: skip


def of_pairs(name, family, summary, scores):
    """Make the algorithm of L pairs of matrices of f16."""

    def reference(x, *, K, **p):
        A, B = (x[name].astype(np.float64) for name in "AB")
        C = A @ B.swapaxes(1, 2) / np.sqrt(K) if scores else A @ B
        return {"C": C.astype(np.float16)}

    return Algorithm(
        name=name,
        family=family,
        summary=f"{summary}, of L pairs of matrices, on tensor cores by mma.sync (f16)",
        kernel=pairs(gl.f16, scores),
        sizes={"L": 16, "M": 512, "N": 512, "K": 128},
        aliases={"n": ("M", "N", "K"), "m": ("M",), "k": ("K",), "stages": ("S",)},
        reference=reference,
        io={"A": Traffic("L*M*K*ceil(N/BN)"), "B": Traffic("L*K*N*ceil(M/BM)"), "C": Traffic(stores="L*M*N")},
        textbook=Textbook("L*M*N*K/BN + L*M*N*K/BM", "L*M*N", element_bytes=2, result_bytes=2),
        computation=f"C[l,m,n] += A[l,m,k] * B[l,{'n,k' if scores else 'k,n'}]",
        tolerance=f"1e-6*K + {ERRORS[gl.f16]}",
        notes="K and N are multiples of 8.",
    )


attention_scores = of_pairs("attention-scores-tensor", "attention", "S = Q K^T / sqrt(d): A B^T / sqrt(K)", scores=True)
matmul_batched = of_pairs("matmul-batched-nn-tensor", "matmul", "C = A B", scores=False)
matmul_tensor, matmul_tensor_bf16 = by_type(gl.f16), by_type(gl.bf16)
