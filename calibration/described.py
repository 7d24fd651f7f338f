"""Launches whose hardware counters are known, as this catalog names them: id to kernel and parameters.

The ids are those of the H200 measurements (``launches.json``); grids and blocks are what was launched there.
"""

from __future__ import annotations

from typing import NamedTuple


class Measured(NamedTuple):
    """A launch that was measured, and the description that covers it."""

    kernel: str
    params: dict[str, int]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]


def square(kernel: str, n: int, grid: tuple[int, int], block: tuple[int, ...], **tiles: int) -> Measured:
    """A product of square matrices."""
    across, down = (*block, 1)[:2]
    return Measured(kernel, {"M": n, "N": n, "K": n, **tiles}, (*grid, 1), (across, down, 1))


def vector(kernel: str, n: int, *, per_thread: int = 1, **others: int) -> Measured:
    """A vector of length n in blocks of 256 threads."""
    return Measured(kernel, {"N": n, **others}, (n // (256 * per_thread), 1, 1), (256, 1, 1))


def field(kernel: str, n: int, rows: int) -> Measured:
    """An n x n array in blocks of 32 x 8 threads, `rows` rows a block."""
    return Measured(kernel, {"M": n, "N": n}, (n // 32, n // rows, 1), (32, 8, 1))


def rows(kernel: str, m: int, n: int) -> Measured:
    """An m x n matrix, a block of 256 threads a row."""
    return Measured(kernel, {"M": m, "N": n}, (m, 1, 1), (256, 1, 1))


MM_512, MM_1024 = "512x512x512", "1024x1024x1024"
REGISTER, QUADS = "matmul-register-tiled", "matmul-register-tiled-vec4"
TALL = {"BM": 64, "BN": 64, "BK": 8, "TM": 8, "TN": 1}
WIDE = {"BM": 128, "BN": 128, "BK": 8, "TM": 8, "TN": 8}
SMALL = {"BM": 64, "BN": 64, "BK": 8, "TM": 4, "TN": 4}

MEASURED = {
    "mm_naive_uncoalesced_256x256x256": square("matmul-naive", 256, (8, 8), (32, 32), T=32),
    f"mm_naive_uncoalesced_{MM_512}": square("matmul-naive", 512, (16, 16), (32, 32), T=32),
    f"mm_naive_uncoalesced_{MM_1024}": square("matmul-naive", 1024, (32, 32), (32, 32), T=32),
    "mm_coalesced32_256x256x256": square("matmul-coalesced", 256, (8, 8), (1024,), T=32),
    f"mm_coalesced32_{MM_512}": square("matmul-coalesced", 512, (16, 16), (1024,), T=32),
    f"mm_coalesced32_{MM_1024}": square("matmul-coalesced", 1024, (32, 32), (1024,), T=32),
    f"mm_tiled8_{MM_512}": square("matmul-tiled", 512, (64, 64), (64,), T=8),
    f"mm_tiled8_{MM_1024}": square("matmul-tiled", 1024, (128, 128), (64,), T=8),
    f"mm_tiled16_{MM_512}": square("matmul-tiled", 512, (32, 32), (256,), T=16),
    f"mm_tiled16_{MM_1024}": square("matmul-tiled", 1024, (64, 64), (256,), T=16),
    f"mm_tiled32_{MM_512}": square("matmul-tiled", 512, (16, 16), (1024,), T=32),
    f"mm_tiled32_{MM_1024}": square("matmul-tiled", 1024, (32, 32), (1024,), T=32),
    f"mm_coarse32x4_{MM_512}": square("matmul-coarsened", 512, (4, 16), (1024,), T=32, Cf=4),
    f"mm_coarse16x8_{MM_512}": square("matmul-coarsened", 512, (4, 32), (256,), T=16, Cf=8),
    f"mm_1d64_{MM_512}": square(REGISTER, 512, (8, 8), (512,), **TALL),
    f"mm_1d64_{MM_1024}": square(REGISTER, 1024, (16, 16), (512,), **TALL),
    f"mm_2d128_{MM_512}": square(REGISTER, 512, (4, 4), (256,), **WIDE),
    f"mm_2d128_{MM_1024}": square(REGISTER, 1024, (8, 8), (256,), **WIDE),
    f"mm_2d64_{MM_512}": square(REGISTER, 512, (8, 8), (256,), **SMALL),
    f"mm_2d64_{MM_1024}": square(REGISTER, 1024, (16, 16), (256,), **SMALL),
    f"mm_vec128_{MM_1024}": square(QUADS, 1024, (8, 8), (256,), **WIDE),
    "copy_1048576": vector("copy", 1 << 20),
    "copy_16777216": vector("copy", 1 << 24),
    "copy4_262144": vector("copy-vec4", 1 << 20, per_thread=4),
    "copy4_4194304": vector("copy-vec4", 1 << 24, per_thread=4),
    "vadd_1048576": vector("vector-add", 1 << 20),
    "vadd_16777216": vector("vector-add", 1 << 24),
    **{f"strided_s{s}_1048576": vector("copy-strided", 1 << 20, s=s) for s in (1, 2, 4, 8, 32)},
    "offset_o1_4194304": vector("copy-offset", 1 << 22, o=1),
    "strided_store_s2_1048576": vector("store-strided", 1 << 20, s=2),
    "gather_w262144_4194304": vector("gather", 1 << 22, w=1 << 18),
    "transpose_naive_1024": field("transpose-naive", 1024, 32),
    "transpose_smem_1024": field("transpose-shared", 1024, 32),
    "reduce_divergent_4M": vector("reduce-divergent", 1 << 22, B=256),
    "diverge_w1_1048576": vector("divergence", 1 << 20, w=1),
    "diverge_w2_1048576": vector("divergence", 1 << 20, w=2),
    "stencil5_1024": field("stencil5", 1024, 8),
    "sin_16777216": vector("sin", 1 << 24),
    **{f"softmax_{how}_4096x1024": rows(f"softmax-{how}", 4096, 1024) for how in ("naive", "safe", "online")},
    "attn_softmax_bh16_n512": rows("softmax-safe", 8192, 512),
    "attn_qk32_bh16_n512_d64": Measured(
        "attention-scores", {"L": 16, "M": 512, "N": 512, "K": 64}, (16, 16, 16), (1024, 1, 1)
    ),
    "attn_pv32_bh16_n512_d64": Measured(
        "matmul-batched-nn", {"L": 16, "M": 512, "N": 64, "K": 512}, (2, 16, 16), (1024, 1, 1)
    ),
    "layernorm_4096x1024": rows("layernorm", 4096, 1024),
}
