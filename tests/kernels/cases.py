"""Parameters to try every kernel with: small sizes, ragged edges, all kinds of tiles."""

from __future__ import annotations

from hypothesis import strategies as st

WARPS = st.integers(1, 8).map(lambda warps: 32 * warps)
POWERS = st.integers(0, 8).map(lambda log: 1 << log)
LENGTH = st.integers(1, 700)
SIDE = st.integers(1, 70)
QUADS = st.integers(1, 18).map(lambda quads: 4 * quads)
SQUARE = st.sampled_from([1, 2, 3, 5, 8, 16, 32])
FEW_SQUARES = st.sampled_from([1, 5, 16])


def vector(**others):
    """A length and a block of any number of threads."""
    return st.fixed_dictionaries({"N": LENGTH, "B": st.integers(1, 300), **others})


@st.composite
def passes(draw):
    """Transposition tiles: R divides T."""
    tile = draw(st.sampled_from([1, 4, 6, 16, 32]))
    rows = draw(st.sampled_from([r for r in (1, 2, 3, 4, 8, 16, 32) if tile % r == 0]))
    return {"M": draw(SIDE), "N": draw(SIDE), "T": tile, "R": rows}


def product(**tiles):
    """A matrix product of any shape."""
    return st.fixed_dictionaries({"M": SIDE, "N": SIDE, "K": SIDE, **tiles})


@st.composite
def register_tiles(draw, quads=False):
    """Five tile sizes; threads need not divide the elements they fetch."""
    step = 4 if quads else 1
    tm, tn = draw(st.sampled_from([1, 2, 3, 8])), step * draw(st.integers(1, 2 if quads else 4))
    bm, bn = tm * draw(st.integers(1, 9)), tn * draw(st.integers(1, 9))
    bk = step * draw(st.integers(1, 3))
    k, n = (QUADS, QUADS) if quads else (SIDE, SIDE)
    sizes = {"M": draw(SIDE), "N": draw(n), "K": draw(k)}
    return {**sizes, "BM": bm, "BN": bn, "BK": bk, "TM": tm, "TN": tn}


@st.composite
def heads(draw, *tiles):
    """Attention of a few heads over a few rows; tiles are few, because every choice of them is lowered anew."""
    sizes = {"B": draw(st.integers(1, 2)), "H": draw(st.integers(1, 2)), "N": draw(st.integers(1, 40))}
    return {**sizes, **dict(zip(("d", "Br", "Bc"), draw(st.sampled_from(tiles)), strict=False))}


FLASH = heads((1, 1, 1), (8, 16, 8), (5, 20, 5), (3, 40, 24))


def rows():
    """A matrix of few rows, of which a block of whole warps takes each."""
    return st.fixed_dictionaries({"M": st.integers(1, 4), "N": LENGTH, "B": WARPS})


REDUCTION = st.fixed_dictionaries({"N": LENGTH, "B": POWERS})
STRIDED = vector(s=st.integers(1, 40))
DROPOUT = vector(p=st.integers(0, 255), seed=st.integers(-(2**31) + 1, 2**31 - 1))

CONVERTS_FP8 = {"relu-fp8", "matmul-tiled-fp8"}
"""What GPUs before Ada have no instructions for."""


def gpus(name, *names):
    """Which of the GPUs of these names run a kernel."""
    return st.sampled_from([gpu for gpu in names if name not in CONVERTS_FP8 or gpu in ("rtx-4090", "h200", "b200")])


CASES = {
    "vector-add": vector(),
    "copy": vector(),
    "copy-f16": vector(),
    "copy-bf16": vector(),
    "copy-fp8": vector(),
    "copy-vec4": st.fixed_dictionaries({"N": LENGTH.map(lambda n: 4 * n), "B": st.integers(1, 300)}),
    "copy-vec8-f16": st.fixed_dictionaries({"N": LENGTH.map(lambda n: 8 * n), "B": st.integers(1, 300)}),
    "copy-vec16-fp8": st.fixed_dictionaries({"N": LENGTH.map(lambda n: 16 * n), "B": st.integers(1, 300)}),
    "copy-strided": STRIDED,
    "copy-offset": vector(o=st.integers(0, 40)),
    "store-strided": STRIDED,
    "gather": vector(w=st.integers(1, 1000)),
    "transpose-naive": passes(),
    "transpose-shared": passes(),
    "transpose-padded": passes(),
    "divergence": vector(w=st.integers(1, 4)),
    "reduce-divergent": REDUCTION,
    "reduce-conflicting": REDUCTION,
    "reduce-sequential": REDUCTION,
    "reduce-shuffle": st.fixed_dictionaries({"N": LENGTH, "B": WARPS}),
    "stencil5": st.fixed_dictionaries({"M": SIDE, "N": SIDE, "X": st.integers(1, 32), "Y": st.integers(1, 8)}),
    "matmul-naive": product(T=SQUARE),
    "matmul-coalesced": product(T=SQUARE),
    "matmul-tiled": product(T=SQUARE),
    "matmul-tiled-f16": product(T=FEW_SQUARES),
    "matmul-tiled-bf16": product(T=FEW_SQUARES),
    "matmul-tiled-fp8": product(T=FEW_SQUARES),
    "matmul-coarsened": product(T=SQUARE, Cf=st.integers(1, 4)),
    "matmul-register-tiled": register_tiles(),
    "matmul-register-tiled-vec4": register_tiles(quads=True),
    "flash-attention-1": FLASH,
    "flash-attention-1-f16": FLASH,
    "flash-attention-1-swapped": FLASH,
    "flash-attention-1-swapped-f16": FLASH,
    "flash-attention-2": FLASH,
    "flash-attention-2-f16": FLASH,
    "flash-attention-2-causal": FLASH,
    "flash-attention-2-causal-f16": FLASH,
    "softmax-naive": rows(),
    "softmax-safe": rows(),
    "softmax-safe-f16": rows(),
    "softmax-safe-bf16": rows(),
    "softmax-online": rows(),
    "softmax-online-f16": rows(),
    "softmax-online-bf16": rows(),
    "softmax-parallel": rows(),
    "layernorm": rows(),
    "layernorm-f16": rows(),
    "rmsnorm": rows(),
    "rmsnorm-f16": rows(),
    "sin": vector(),
    "cos": vector(),
    "square": vector(),
    "sin2cos2": vector(),
    "chain3-fused": vector(),
    "relu": vector(),
    "relu-f16": vector(),
    "relu-bf16": vector(),
    "relu-fp8": vector(),
    "elu": vector(),
    "gelu": vector(),
    "dropout-residual": DROPOUT,
    "dropout-residual-f16": DROPOUT,
    "micro-l2": st.fixed_dictionaries(
        {
            "pieces": st.integers(1, 30),
            "reps": st.integers(1, 3),
            "blocks": st.integers(1, 6),
            "sms": st.just(6),
            "pattern": st.integers(0, 3),
            "W": st.integers(1, 4),
        }
    ),
    "micro-coalescer": st.fixed_dictionaries({"pieces": st.integers(1, 30), "blocks": st.just(6), "sms": st.just(6)}),
    "micro-coalescer-l1": st.fixed_dictionaries(
        {"pieces": st.integers(1, 30), "blocks": st.just(6), "sms": st.just(6)}
    ),
    "micro-l1": st.fixed_dictionaries({"lines": st.integers(1, 70), "reps": st.integers(1, 3)}),
    "micro-l1-store": st.fixed_dictionaries({"lines": st.integers(1, 70), "write": st.integers(0, 1)}),
}
