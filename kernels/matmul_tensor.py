"""C = A B on tensor cores, by description: A is M x K, B is K x N, all row-major, of f16 or bf16; sums are f32.

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


def fetch(tile, stage, array, top, left, threads):
    """Ask for a tile of a matrix, from row `top` and column `left` on; what lies outside becomes zeros."""
    rows, columns = tile.shape[1:]
    for i in gl.unroll(rows * columns // (PIECE * threads)):
        piece = gl.tid.x + i * threads
        r, c = piece // (columns // PIECE), piece % (columns // PIECE) * PIECE
        inside = (top + r < array.shape[0]) & (left + c < array.shape[1])
        gl.copy_async(tile, (stage, r, c), array, (top + r, left + c), vec=PIECE, guard=inside)


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
        """Multiply the oldest stage while the others fill."""
        M, N, K = gl.sizes("M", "N", "K")
        threads = BM // WM * (BN // WN) * 32
        sA = gl.shared(t, S, BM, BK, swizzled=True)
        sB = gl.shared(t, S, BK, BN, swizzled=True)
        acc = gl.accumulator(WM // 16, WN // 8)
        a = gl.fragment_a(t, WM // 16)
        b = gl.fragment_b(t, WN // 8)
        warp = gl.tid.x // 32
        row, col = warp // (BN // WN) * WM, warp % (BN // WN) * WN
        top, left = gl.ctaid.y * BM, gl.ctaid.x * BN
        for s in gl.unroll(S - 1):
            fetch(sA, s, A, top, s * BK, threads)
            fetch(sB, s, B, s * BK, left, threads)
            gl.copy_commit()
        full = gl.var(gl.i32, 0)
        free = gl.var(gl.i32, S - 1)
        for k in gl.range(0, K, BK):
            gl.copy_wait(S - 2)
            gl.barrier()
            fetch(sA, free, A, top, k + (S - 1) * BK, threads)
            fetch(sB, free, B, k + (S - 1) * BK, left, threads)
            gl.copy_commit()
            for step in gl.unroll(0, BK, 16):
                for i in gl.unroll(WM // 16):
                    a.load(i, sA, (full, row + i * 16, step))
                for j in gl.unroll(0, WN // 8, 2):
                    b.load(j, sB, (full, step, col + j * 8))
                for i in gl.unroll(WM // 16):
                    for j in gl.unroll(WN // 8):
                        gl.mma(acc[i, j], a[i], b[j])
            free.set(full)
            full.set(gl.select(full + 1 < S, full + 1, 0))
        for i in gl.unroll(WM // 16):
            for j in gl.unroll(WN // 8):
                acc[i, j].store(C, (top + row + i * 16, left + col + j * 8), guard=lambda r, c: (r < M) & (c < N))

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
        tolerance=f"1e-6*K + {ERRORS[t]}",
        notes="K and N are multiples of 8.",
    )  # fmt: skip


matmul_tensor, matmul_tensor_bf16 = by_type(gl.f16), by_type(gl.bf16)
