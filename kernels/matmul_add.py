"""D = A B + C in one kernel: a product of tiles whose last step adds C (A is M x K, B is K x N, all row-major).

The sum is still in a register when C's element comes, so A B never goes through memory.  The chain beside it stores
A B and has a second kernel read it again.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic
from gpusim.catalogue.chain import Chain, Step


@gl.kernel(
    grid=lambda p: (gl.cdiv(p.N, p.T), gl.cdiv(p.M, p.T)),
    block=lambda p: (p.T * p.T,),
    requires=lambda p: [(p.T * p.T <= 1024, "T*T threads must fit a block of 1024: T is at most 32")],
)
def tiled_add(
    A: gl.In[gl.f32, "M", "K"],
    B: gl.In[gl.f32, "K", "N"],
    C: gl.In[gl.f32, "M", "N"],
    D: gl.Out[gl.f32, "M", "N"],
    T: gl.Tile = 32,
):
    """Sum up as the tiled product does, and add the element of C before the only store."""
    M, N, K = gl.sizes("M", "N", "K")
    sA, sB = gl.shared(gl.f32, T, T), gl.shared(gl.f32, T, T)
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
        D[row, col] = acc + C[row, col]


def reference(x, **p):
    """Give D = A B + C, summed in double precision."""
    product = x["A"].astype(np.float64) @ x["B"].astype(np.float64)
    return {"D": (product + x["C"].reshape(product.shape)).astype(np.float32)}


SIZES = {"M": 1024, "N": 1024, "K": 1024}
COMMON = {"family": "matmul", "reference": reference}
SHAPE = {"n": ("M", "N", "K"), "m": ("M",), "k": ("K",), "tile": ("T",)}

matmul_add = Algorithm(
    name="matmul-add",
    summary="D = A B + C in one kernel: T x T tiles, C added before the store",
    kernel=tiled_add,
    sizes=SIZES,
    aliases=SHAPE,
    io={
        "A": Traffic("M*K*ceil(N/T)"), "B": Traffic("K*N*ceil(M/T)"), "C": Traffic("M*N"), "D": Traffic(stores="M*N"),
    },
    textbook=Textbook(reads="2*M*N*K/T + M*N", writes="M*N"),
    tolerance="1e-6*K",
    **COMMON,
)  # fmt: skip

matmul_add_unfused = Chain(
    name="matmul-add-unfused",
    summary="matmul-add as 2 kernels: A B is stored, read again and added to C",
    steps=(
        Step("matmul-tiled", {"C": "P"}),
        Step("vector-add", {"a": "P", "b": "C", "c": "D"}, {"N": "M*N", "B": "256"}),
    ),
    sizes={**SIZES, "T": 32},
    aliases=SHAPE,
    outputs=("D",),
    published=Published(
        "2*M*N*K/T + 4*M*N",
        "counting: the product stores M N elements, the addition reads as many twice and stores as many",
        order="M*N*K/T",
        grid={"M": (256, 1024), "N": (256, 1024), "K": (8192, 65536), "T": (8, 16, 32)},
        cases=tuple({"n": n, "T": T} for n in (64, 100) for T in (16, 32)),
    ),
    tolerance=1e-4,
    **COMMON,
)
