"""The IO of every kernel three ways: the formula beside it, the one counted from its tree, what the engine sees."""

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from gpusim.catalogue.formulas import symbol
from gpusim.frontends.elements import count_elements
from tests.kernels import cases
from tests.kernels.cases import REPRESENTATIVE
from tests.marks import most_by_hand

FLASH = [
    {"B": b, "H": h, "N": n, "d": d, "Br": br, "Bc": bc}
    for b, h, n, d in ((1, 1, 1, 1), (1, 2, 64, 8), (2, 1, 37, 5))
    for br, bc in ((16, 8), (8, 16), (12, 5))
]
FLASH_SPLIT = [{**params, "S": s} for params in FLASH[::2] for s in (1, 3, 7)]
FLASH_COMBINE = [{"B": 2, "H": 1, "N": n, "S": s, "d": 5, "T": 64} for n in (1, 37) for s in (1, 6)]
FLASH_SPARSE = [{**params, "active": active} for params in FLASH[::2] for active in (1, 4)]
DECODE = [
    {"B": 2, "H": 4, "N": n, "d": 64, "G": g, "P": p, "W": 2, "U": u}
    for n in (1, 37)
    for g, p, u in ((1, 8, 2), (4, 4, 1))
]
SPLIT = [{**params, "S": s} for params in DECODE for s in (1, 5)]
COMBINE = [{"B": 2, "H": 3, "S": s, "d": 64, "W": w} for s in (1, 37) for w in (1, 4)]
BACKWARD = [
    {"B": b, "H": h, "N": n, "d": d, "Br": br, "Bc": bc}
    for b, h, n, d in ((1, 1, 1, 4), (1, 2, 64, 8), (2, 1, 37, 12))
    for br, bc in ((16, 8), (8, 16), (12, 4))
]
PREPROCESS = [{"B": b, "H": h, "N": n, "d": d} for b, h, n, d in ((1, 1, 1, 1), (1, 2, 64, 8), (2, 1, 70, 33))]
ELEMENTS = [{"N": n} for n in (1, 255, 256, 257)]
ROWS = [{"M": m, "N": n, "B": b} for m, n in ((1, 1), (3, 256), (2, 700)) for b in (32, 96, 256)]
BATCHED = [
    {"L": z, "M": m, "N": n, "K": k, "T": t} for z, m, n, k in ((1, 1, 1, 1), (2, 33, 20, 70)) for t in (1, 8, 32)
]
GRADIENT = [{"M": 2, "N": n, "threads": t} for n in (1, 256, 700) for t in (32, 256)]
WEIGHTS = [{"M": m, "N": n, "threads": 96} for m, n in ((1, 1), (7, 33), (3, 200))]
PRODUCTS = [{"M": m, "N": n, "K": k, "T": t} for m, n, k in ((1, 1, 1), (33, 20, 70)) for t in (8, 16)]
PATHS = [{"N": n, "w": w} for n in (1, 256, 700) for w in (1, 2, 3, 4)]
TENSOR = [
    {"M": m, "N": n, "K": k, "BM": bm, "BN": bn, "BK": bk, "WM": wm, "WN": wn, "S": s}
    for m, n, k in ((1, 8, 8), (64, 64, 64), (70, 104, 40))
    for bm, bn, bk, wm, wn, s in ((32, 32, 32, 16, 16, 2), (64, 64, 16, 32, 32, 3), (32, 128, 64, 32, 32, 4))
]
TENSOR_PAIRS = [{"L": 2, **sizes} for sizes in TENSOR]
TENSOR_FLASH = [
    {"B": b, "H": h, "N": n, "d": d, "Br": br, "Bc": bc, "W": w}
    for b, h, n, d in ((1, 1, 1, 32), (1, 2, 64, 64), (2, 1, 37, 128))
    for br, bc, w in ((64, 32, 16), (32, 64, 32))
]
IMAGES = [
    {"L": z, "C": c, "K": k, "M": m, "N": n, "R": r, "S": s, "X": 16, "Y": 4}
    for z, c, k, m, n in ((1, 1, 1, 1, 1), (2, 3, 9, 4, 16), (1, 2, 5, 9, 33))
    for r, s in ((1, 1), (3, 3), (2, 5))
]
GRIDS = {
    "vector-add": [{"N": n, "B": b} for n in (1, 31, 256, 1000) for b in (32, 256)],
    "copy": ELEMENTS,
    "copy-f16": ELEMENTS,
    "copy-bf16": ELEMENTS,
    "copy-fp8": ELEMENTS,
    "copy-vec4": [{"N": n, "B": b} for n in (4, 1024, 2052) for b in (32, 256)],
    "copy-vec8-f16": [{"N": n} for n in (8, 2048, 4104)],
    "copy-vec16-fp8": [{"N": n} for n in (16, 4096, 8208)],
    "copy-strided": [{"N": n, "s": s} for n in (1, 100, 300) for s in (1, 2, 7, 32)],
    "copy-offset": [{"N": n, "o": o} for n in (1, 100, 300) for o in (0, 1, 9)],
    "store-strided": [{"N": n, "s": s} for n in (1, 100, 300) for s in (1, 2, 7, 32)],
    "gather": [{"N": n, "w": w} for n in (1, 100, 300) for w in (1, 5, 1000)],
    "transpose-naive": [{"M": m, "N": n, "T": t, "R": r} for m, n in ((1, 1), (33, 70)) for t, r in ((32, 8), (16, 4))],
    "transpose-shared": [{"M": m, "N": n} for m, n in ((1, 1), (32, 64), (33, 70), (100, 5))],
    "transpose-padded": [{"M": m, "N": n} for m, n in ((1, 1), (32, 64), (33, 70), (100, 5))],
    **dict.fromkeys(("divergence", "divergence-predicated", "divergence-selected"), PATHS),
    "divergence-grouped": [{**params, "B": 384} for params in PATHS],
    "reduce-divergent": [{"N": n, "B": b} for n in (1, 256, 700) for b in (1, 32, 256)],
    "reduce-conflicting": [{"N": n, "B": b} for n in (1, 256, 700) for b in (1, 32, 256)],
    "reduce-sequential": [{"N": n, "B": b} for n in (1, 256, 700) for b in (1, 32, 256)],
    "reduce-shuffle": [{"N": n, "B": b} for n in (1, 256, 700) for b in (32, 96, 256)],
    "stencil5": [{"M": m, "N": n} for m, n in ((1, 1), (2, 9), (3, 3), (32, 64), (33, 70), (9, 5))],
    "convolution": IMAGES,
    "convolution-tiled": [{**image, "F": f} for image in IMAGES for f in (1, 4)],
    "matmul-naive": [{"M": m, "N": n, "K": k, "T": t} for m, n, k in ((1, 1, 1), (33, 20, 7)) for t in (8, 32)],
    "matmul-coalesced": [{"M": m, "N": n, "K": k, "T": t} for m, n, k in ((1, 1, 1), (33, 20, 7)) for t in (8, 32)],
    "matmul-tiled": [
        {"M": m, "N": n, "K": k, "T": t} for m, n, k in ((1, 1, 1), (32, 32, 32), (33, 20, 70)) for t in (1, 8, 16, 32)
    ],
    "matmul-tiled-f16": PRODUCTS,
    "matmul-tiled-bf16": PRODUCTS,
    "matmul-tiled-fp8": PRODUCTS,
    "matmul-add": PRODUCTS,
    "matmul-coarsened": [
        {"M": m, "N": n, "K": k, "T": t, "Cf": cf}
        for m, n, k in ((1, 1, 1), (32, 64, 32), (33, 100, 70))
        for t, cf in ((8, 1), (8, 3), (16, 4))
    ],
    "matmul-register-tiled": [
        {"M": m, "N": n, "K": k, "BM": bm, "BN": bn, "BK": bk, "TM": tm, "TN": tn}
        for m, n, k in ((1, 1, 1), (64, 64, 64), (70, 100, 19))
        for bm, bn, bk, tm, tn in ((32, 32, 8, 4, 4), (64, 64, 8, 8, 1), (64, 32, 5, 8, 4), (16, 48, 3, 2, 6))
    ],
    "matmul-register-tiled-vec4": [
        {"M": m, "N": n, "K": k, "BM": bm, "BN": bn, "BK": bk, "TM": tm, "TN": tn}
        for m, n, k in ((1, 4, 4), (64, 64, 64), (70, 100, 20))
        for bm, bn, bk, tm, tn in ((32, 32, 8, 4, 4), (64, 64, 8, 8, 4), (64, 32, 12, 8, 4), (20, 48, 4, 2, 8))
    ],
    **dict.fromkeys(("matmul-tensor", "matmul-tensor-bf16"), TENSOR),
    **dict.fromkeys(("attention-scores-tensor", "matmul-batched-nn-tensor"), TENSOR_PAIRS),
    **dict.fromkeys(("flash-attention-2-tensor", "flash-attention-2-tensor-bf16"), TENSOR_FLASH),
    "flash-attention-split-keys-tensor": [
        {"B": b, "H": h, "N": n, "d": 32, "Br": br, "Bc": 64, "W": w}
        for b, h, n in ((1, 1, 1), (1, 2, 64), (2, 1, 137))
        for br, w in ((64, 16), (32, 32))
    ],
    "flash-attention-1": FLASH,
    "flash-attention-1-f16": FLASH,
    "flash-attention-1-swapped": FLASH,
    "flash-attention-1-swapped-f16": FLASH,
    "flash-attention-2": FLASH,
    "flash-attention-2-f16": FLASH,
    "flash-attention-2-causal": FLASH,
    "flash-attention-2-causal-f16": FLASH,
    **{
        f"{name}{t}": BATCHED
        for name in ("attention-scores", "matmul-batched-nt", "matmul-batched-nn", "matmul-batched-tn")
        for t in ("", "-f16")
    },
    "softmax-backward": GRADIENT,
    "softmax-backward-f16": GRADIENT,
    **dict.fromkeys(("attention-mask", "attention-mask-f16", "attention-dropout", "attention-dropout-f16"), WEIGHTS),
    "flash-attention-2-split-parts": FLASH_SPLIT,
    "flash-attention-2-split-parts-f16": FLASH_SPLIT,
    "flash-attention-2-combine": FLASH_COMBINE,
    "flash-attention-2-combine-f16": FLASH_COMBINE,
    "flash-attention-block-sparse": FLASH_SPARSE,
    "flash-attention-block-sparse-f16": FLASH_SPARSE,
    "attention-decode": DECODE,
    "attention-decode-f16": DECODE,
    "attention-decode-gqa": DECODE,
    "attention-decode-gqa-f16": DECODE,
    "attention-decode-split-parts": SPLIT,
    "attention-decode-split-parts-f16": SPLIT,
    "attention-decode-combine": COMBINE,
    "attention-decode-combine-f16": COMBINE,
    "flash-attention-1-backward": BACKWARD,
    "flash-attention-1-backward-f16": BACKWARD,
    "attention-backward-preprocess": PREPROCESS,
    "attention-backward-preprocess-f16": PREPROCESS,
    "flash-attention-2-backward": BACKWARD,
    "flash-attention-2-backward-f16": BACKWARD,
    "flash-attention-2-backward-causal": BACKWARD,
    "flash-attention-2-backward-causal-f16": BACKWARD,
    "softmax-naive": ROWS,
    "softmax-safe": ROWS,
    "softmax-safe-f16": ROWS,
    "softmax-safe-bf16": ROWS,
    "softmax-online": ROWS,
    "softmax-online-f16": ROWS,
    "softmax-online-bf16": ROWS,
    "softmax-parallel": ROWS,
    "layernorm": ROWS,
    "layernorm-f16": ROWS,
    "rmsnorm": ROWS,
    "rmsnorm-f16": ROWS,
    **dict.fromkeys(("cube", "exp", "tanh"), ELEMENTS),
    **dict.fromkeys(("sigmoid3", "sigmoid3-stored", "sigmoid3-backward", "sigmoid3-backward-recomputed"), ELEMENTS),
    "sin": ELEMENTS,
    "cos": ELEMENTS,
    "square": ELEMENTS,
    "sin2cos2": ELEMENTS,
    "chain3-fused": ELEMENTS,
    "relu": ELEMENTS,
    "relu-f16": ELEMENTS,
    "relu-bf16": ELEMENTS,
    "relu-fp8": ELEMENTS,
    "elu": ELEMENTS,
    "elu-alpha": [{"N": n, "alpha": 2} for n in (1, 256, 257)],
    "gelu": ELEMENTS,
    "dropout": ELEMENTS,
    "dropout-f16": ELEMENTS,
    "dropout-residual": [{"N": n, "p": p} for n in (1, 255, 257) for p in (0, 26, 255)],
    "dropout-residual-f16": [{"N": n, "p": p} for n in (1, 255, 257) for p in (0, 26, 255)],
}
FORMULAS = [algorithm for algorithm in lookup.all() if algorithm.io is not None]
CASES = [(name, params) for name, grid in GRIDS.items() for params in grid]
COUNTED = [case for case in CASES if case[0] in REPRESENTATIVE]


def test_every_kernel_with_a_formula_is_tried():
    assert {algorithm.name for algorithm in FORMULAS} == set(GRIDS)


def label(part):
    return part if isinstance(part, str) else "-".join(f"{name}{value}" for name, value in part.items())


@pytest.mark.parametrize(("name", "params"), COUNTED, ids=label)
def test_the_closed_form_is_what_the_engine_counts(name, params):
    algorithm = lookup.get(name)
    assert algorithm.elements(**params) == count_elements(algorithm, **params)


@pytest.mark.parametrize("name", most_by_hand(GRIDS, REPRESENTATIVE))
@settings(max_examples=3)
@given(data=st.data())
def test_the_closed_form_holds_for_any_parameters(name, data):
    algorithm, params = lookup.get(name), data.draw(cases.CASES[name])
    gpu = data.draw(cases.gpus(name, "p100", "v100", "rtx-4090", "b200"))
    assert algorithm.elements(**params) == count_elements(algorithm, gpu, **params)


@pytest.mark.parametrize(("name", "params"), CASES, ids=label)
def test_the_closed_form_is_what_the_tree_counts(name, params):
    algorithm = lookup.get(name)
    assert algorithm.elements(**params) == algorithm.kernel.io().evaluate(**algorithm.bind(**params))


def by_name(expression):
    """The same with symbols of which nothing is known but the name, so that two derivations can be compared."""
    return expression.subs({old: symbol(old.name) for old in expression.free_symbols})


@pytest.mark.parametrize("algorithm", FORMULAS, ids=lambda algorithm: algorithm.name)
def test_the_formulas_are_the_same_in_symbols(algorithm):
    counted = algorithm.kernel.io()
    for array, written in algorithm.closed_form().items():
        assert sympy.simplify(by_name(counted[array].loaded) - written.loads) == 0
        assert sympy.simplify(by_name(counted[array].stored) - written.stores) == 0
