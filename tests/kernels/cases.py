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
def grouped(draw):
    """Blocks of which each path has whole warps."""
    w = draw(st.integers(1, 4))
    return {"N": draw(LENGTH), "w": w, "B": 32 * w * draw(st.integers(1, 4))}


@st.composite
def passes(draw):
    """Transposition tiles: R divides T."""
    tile = draw(st.sampled_from([1, 4, 6, 16, 32]))
    rows = draw(st.sampled_from([r for r in (1, 2, 3, 4, 8, 16, 32) if tile % r == 0]))
    return {"M": draw(SIDE), "N": draw(SIDE), "T": tile, "R": rows}


def product(**tiles):
    """A matrix product of any shape."""
    return st.fixed_dictionaries({"M": SIDE, "N": SIDE, "K": SIDE, **tiles})


def products():
    """Products of a few pairs of matrices."""
    return product(L=st.integers(1, 2), T=st.sampled_from([1, 8, 32]))


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
def heads(draw, *tiles, **others):
    """Attention of a few heads over a few rows; tiles are few, because every choice of them is lowered anew."""
    sizes = {"B": draw(st.integers(1, 2)), "H": draw(st.integers(1, 2)), "N": draw(st.integers(1, 40))}
    chosen = dict(zip(("d", "Br", "Bc", "T"), draw(st.sampled_from(tiles)), strict=False))
    return {**sizes, **chosen, **{name: draw(values) for name, values in others.items()}}


@st.composite
def convolutions(draw):
    """A few small images and filters; tiles are few, because every choice of them is lowered anew."""
    sizes = {"L": draw(st.integers(1, 2)), "C": draw(st.integers(1, 3)), "K": draw(st.integers(1, 9))}
    tiles = draw(st.sampled_from([(1, 1, 32, 8), (3, 3, 16, 4), (2, 5, 7, 3)]))
    return {**sizes, "M": draw(st.integers(1, 20)), "N": draw(SIDE), **dict(zip("RSXY", tiles, strict=True))}


CONVOLUTION = convolutions()
FLASH = heads((1, 1, 1), (8, 16, 8), (5, 20, 5), (3, 40, 24))
FLASH_SPLIT = heads((8, 16, 8), (5, 20, 5), S=st.integers(1, 7))
FLASH_COMBINE = heads((8,), (5,), S=st.integers(1, 7), T=st.just(64))
FLASH_SPARSE = heads((8, 8, 16), (5, 20, 5), active=st.integers(1, 7))


@st.composite
def decoding(draw, *tiles, **sizes):
    """Decoding with few heads, of which four can form a group, over a few dozen keys."""
    drawn = {"B": draw(st.integers(1, 2)), "H": draw(st.sampled_from([4, 8])), "N": draw(st.integers(1, 90))}
    chosen = dict(zip("GdPWU", draw(st.sampled_from(tiles)), strict=True))
    return {**drawn, **chosen, **{name: draw(values) for name, values in sizes.items()}}


ALONE = decoding((1, 8, 1, 1, 1), (1, 64, 8, 2, 2))
GROUPED = decoding((4, 32, 4, 1, 2), (2, 8, 1, 2, 1))
SPLIT = decoding((1, 64, 8, 2, 2), (2, 8, 1, 1, 1), S=st.integers(1, 9))
COMBINE = st.fixed_dictionaries(
    {**{size: st.integers(1, 3) for size in "BH"}, "S": st.integers(1, 40), "d": st.just(64), "W": st.integers(1, 2)}
)
BACKWARD = ((4, 3, 2, 1), (12, 8, 16, 2), (20, 32, 32, 4))
SEED = st.integers(-(2**31) + 1, 2**31 - 1)
DROPPING = heads(*BACKWARD, drop=st.sampled_from([0, 26, 255]), seed=SEED)
PREPROCESS = heads((1, 1), (40, 20))


def rows():
    """A matrix of few rows, of which a block of whole warps takes each."""
    return st.fixed_dictionaries({"M": st.integers(1, 4), "N": LENGTH, "B": WARPS})


WEIGHTS = st.fixed_dictionaries({"M": st.integers(1, 9), "N": st.integers(1, 90), "threads": st.sampled_from([32, 96])})
DROPPED_WEIGHTS = st.builds(lambda sizes, **others: {**sizes, **others}, WEIGHTS, drop=st.integers(0, 255), seed=SEED)
STAGE = st.fixed_dictionaries({"M": st.integers(1, 4), "N": LENGTH, "B": st.sampled_from([32, 96])})
GRADIENT = st.fixed_dictionaries({"M": st.integers(1, 4), "N": LENGTH, "d": st.integers(1, 128), "threads": WARPS})
REDUCTION = st.fixed_dictionaries({"N": LENGTH, "B": POWERS})
STRIDED = vector(s=st.integers(1, 40))
DROPOUT = vector(p=st.integers(0, 255), seed=SEED)


@st.composite
def tensor_tiles(draw, pairs=False):
    """Tiles of a product on tensor cores; its sizes need not be multiples of them."""
    bm, bn, bk, wm, wn = draw(
        st.sampled_from([(32, 32, 32, 16, 16), (64, 64, 16, 32, 32), (32, 128, 64, 32, 32), (128, 128, 32, 64, 64)])
    )
    sizes = {"M": draw(SIDE), "N": 8 * draw(st.integers(1, 9)), "K": 8 * draw(st.integers(1, 12))}
    sizes |= {"L": draw(st.integers(1, 3))} if pairs else {}
    return {**sizes, "BM": bm, "BN": bn, "BK": bk, "WM": wm, "WN": wn, "S": draw(st.integers(2, 4))}


TENSOR_FLASH = heads(
    (16, 32, 32), (64, 64, 32), (128, 64, 32), (32, 128, 64), W=st.sampled_from([16, 32]),
)  # fmt: skip

TENSOR_SPLIT = heads((16, 32, 32), (64, 32, 64), (32, 64, 64), (128, 16, 64), W=st.sampled_from([16, 32]))

TENSOR_PRODUCTS = ("matmul-tensor", "matmul-tensor-bf16")
TENSOR_PAIRS = ("attention-scores-tensor", "matmul-batched-nn-tensor")
TENSOR_ATTENTION = tuple(f"flash-attention-2-tensor{causal}{t}" for causal in ("", "-causal") for t in ("", "-bf16"))
TENSOR_KERNELS = (*TENSOR_PRODUCTS, *TENSOR_PAIRS, *TENSOR_ATTENTION, "flash-attention-split-keys-tensor")
SINCE_ADA, SINCE_AMPERE = ("rtx-4090", "h200", "b200"), ("a100-40gb", "rtx-4090", "h200", "b200")
OF_LATER_GPUS = {
    **dict.fromkeys(("relu-fp8", "matmul-tiled-fp8"), SINCE_ADA),
    **dict.fromkeys(TENSOR_KERNELS, SINCE_AMPERE),
}
"""Kernels for which earlier GPUs have no instructions, and the GPUs that have them."""


def gpus(name, *names):
    """Which of the GPUs of these names run a kernel."""
    return st.sampled_from([gpu for gpu in names if gpu in OF_LATER_GPUS.get(name, names)])


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
    **dict.fromkeys(("divergence", "divergence-predicated", "divergence-selected"), vector(w=st.integers(1, 4))),
    "divergence-grouped": grouped(),
    "reduce-divergent": REDUCTION,
    "reduce-conflicting": REDUCTION,
    "reduce-sequential": REDUCTION,
    "reduce-shuffle": st.fixed_dictionaries({"N": LENGTH, "B": WARPS}),
    "stencil5": st.fixed_dictionaries({"M": SIDE, "N": SIDE, "X": st.integers(1, 32), "Y": st.integers(1, 8)}),
    "convolution": CONVOLUTION,
    "convolution-tiled": st.builds(lambda sizes, f: {**sizes, "F": f}, CONVOLUTION, st.sampled_from([1, 3, 8])),
    "matmul-naive": product(T=SQUARE),
    "matmul-coalesced": product(T=SQUARE),
    "matmul-tiled": product(T=SQUARE),
    "matmul-tiled-f16": product(T=FEW_SQUARES),
    "matmul-tiled-bf16": product(T=FEW_SQUARES),
    "matmul-tiled-fp8": product(T=FEW_SQUARES),
    "matmul-add": product(T=FEW_SQUARES),
    "matmul-coarsened": product(T=SQUARE, Cf=st.integers(1, 4)),
    "matmul-register-tiled": register_tiles(),
    "matmul-register-tiled-vec4": register_tiles(quads=True),
    **dict.fromkeys(TENSOR_PRODUCTS, tensor_tiles()),
    **dict.fromkeys(TENSOR_PAIRS, tensor_tiles(pairs=True)),
    **dict.fromkeys(TENSOR_ATTENTION, TENSOR_FLASH),
    "flash-attention-split-keys-tensor": TENSOR_SPLIT,
    "flash-attention-1": FLASH,
    "flash-attention-1-f16": FLASH,
    "flash-attention-1-swapped": FLASH,
    "flash-attention-1-swapped-f16": FLASH,
    "flash-attention-2": FLASH,
    "flash-attention-2-f16": FLASH,
    "flash-attention-2-causal": FLASH,
    "flash-attention-2-causal-f16": FLASH,
    **{
        f"{name}{t}": products()
        for name in ("attention-scores", "matmul-batched-nt", "matmul-batched-nn", "matmul-batched-tn")
        for t in ("", "-f16")
    },
    "softmax-backward": GRADIENT,
    "softmax-backward-f16": GRADIENT,
    **dict.fromkeys(("attention-mask", "attention-mask-f16"), WEIGHTS),
    **dict.fromkeys(("attention-dropout", "attention-dropout-f16"), DROPPED_WEIGHTS),
    "flash-attention-2-split-parts": FLASH_SPLIT,
    "flash-attention-2-split-parts-f16": FLASH_SPLIT,
    "flash-attention-2-combine": FLASH_COMBINE,
    "flash-attention-2-combine-f16": FLASH_COMBINE,
    "flash-attention-block-sparse": FLASH_SPARSE,
    "flash-attention-block-sparse-f16": FLASH_SPARSE,
    "attention-decode": ALONE,
    "attention-decode-f16": ALONE,
    "attention-decode-gqa": GROUPED,
    "attention-decode-gqa-f16": GROUPED,
    "attention-decode-split-parts": SPLIT,
    "attention-decode-split-parts-f16": SPLIT,
    "attention-decode-combine": COMBINE,
    "attention-decode-combine-f16": COMBINE,
    "flash-attention-1-backward": DROPPING,
    "flash-attention-1-backward-f16": DROPPING,
    "attention-backward-preprocess": PREPROCESS,
    "attention-backward-preprocess-f16": PREPROCESS,
    "flash-attention-2-backward": heads(*BACKWARD),
    "flash-attention-2-backward-f16": heads(*BACKWARD),
    "flash-attention-2-backward-causal": heads(*BACKWARD),
    "flash-attention-2-backward-causal-f16": heads(*BACKWARD),
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
    **dict.fromkeys(("row-mean", "row-centre", "row-scale", "gain-bias"), STAGE),
    **dict.fromkeys(("cube", "exp", "tanh", "elu-select", "gelu-inner", "gelu-outer"), vector()),
    **dict.fromkeys(("sigmoid3", "sigmoid3-stored", "sigmoid3-backward", "sigmoid3-backward-recomputed"), vector()),
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
    **dict.fromkeys(("elu-alpha", "elu-times-alpha"), vector(alpha=st.integers(-3, 3))),
    **dict.fromkeys(("elu-minus-one", "elu-where"), vector()),
    "gelu": vector(),
    "dropout": DROPOUT,
    "dropout-f16": DROPOUT,
    "dropout-residual": DROPOUT,
    "dropout-residual-f16": DROPOUT,
}

REPRESENTATIVE = [
    "vector-add", "copy-vec16-fp8", "copy-strided", "gather", "store-strided", "divergence", "dropout-residual",
    "gelu", "relu-fp8", "transpose-padded", "stencil5", "reduce-conflicting", "reduce-shuffle",
    "matmul-tiled-bf16", "matmul-tensor", "matmul-coarsened", "matmul-register-tiled-vec4", "matmul-batched-tn",
    "softmax-online-f16", "softmax-parallel", "layernorm", "attention-mask",
    "attention-decode-combine", "flash-attention-1-swapped", "flash-attention-2-combine",
    "flash-attention-2-backward", "flash-attention-2-tensor-causal", "convolution-tiled",
]  # fmt: skip
"""One of each way to access memory, to branch and to share; most tests try these alone each time."""

TILES = st.sampled_from([{"d": 16, "T": 16}, {"d": 5, "T": 8}])
STANDARD = st.builds(
    lambda sizes, tiles: {**sizes, **tiles},
    st.fixed_dictionaries({"B": st.integers(1, 2), "H": st.integers(1, 2), "N": st.integers(1, 40)}),
    TILES,
)
OCTETS = st.integers(1, 20).map(lambda n: 8 * n)
STANDARD_TENSOR = st.fixed_dictionaries(
    {
        "B": st.integers(1, 2),
        "H": st.integers(1, 2),
        "N": st.integers(1, 20).map(lambda n: 8 * n),
        "d": st.sampled_from([8, 24, 128]),
    }
)
CACHED = st.fixed_dictionaries(
    {"B": st.just(1), "H": st.sampled_from([4, 8]), "N": st.integers(1, 90), "S": st.integers(1, 5), "d": st.just(128)}
)
MASKED = st.builds(lambda sizes, drop, seed: {**sizes, "drop": drop, "seed": seed}, STANDARD, st.integers(0, 26), SEED)
POINTWISE = st.fixed_dictionaries({"N": LENGTH, "block": st.integers(1, 300)})
CHAINS = {
    **dict.fromkeys(("attention-decode-split", "attention-decode-split-f16"), CACHED),
    **dict.fromkeys(("flash-attention-2-split", "flash-attention-2-split-f16"), FLASH_SPLIT),
    **{
        f"flash-attention-2-backward{causal}-whole{t}": heads(*BACKWARD)
        for causal in ("", "-causal")
        for t in ("", "-f16")
    },
    **dict.fromkeys(("sin2cos2-unfused", "chain3-unfused", "elu-unfused", "gelu-unfused"), POINTWISE),
    "elu-alpha-unfused": POINTWISE,
    **dict.fromkeys(("activations-stored", "activations-recomputed"), POINTWISE),
    "matmul-add-unfused": product(T=FEW_SQUARES),
    "attention-standard": STANDARD,
    "attention-standard-f16": STANDARD,
    "attention-standard-tensor": STANDARD_TENSOR,
    "attention-standard-backward": STANDARD,
    "attention-standard-backward-f16": STANDARD,
    **{f"attention-standard-masked-dropout{way}{t}": MASKED for way in ("", "-backward") for t in ("", "-f16")},
    "dropout-residual-unfused": st.fixed_dictionaries({"N": LENGTH, "block": st.integers(1, 300), "seed": SEED}),
    "layernorm-unfused": STAGE,
}
"""Parameters to try every chain of kernels with."""
