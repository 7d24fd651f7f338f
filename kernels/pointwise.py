"""Pointwise functions: one thread an element, as single kernels and fused into one.

A chain of kernels writes every intermediate array and reads it again; a fused one keeps it in registers.  Inputs are
called x, outputs y, so that one kernel's y can be the next one's x.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic
from gpusim.catalogue.chain import Chain, Step
from gpusim.lang.dropout import GOLDEN, PARTS, kept

ERRORS = {gl.f32: 1e-5, gl.f16: 2**-10, gl.bf16: 2**-7, gl.e4m3: 2**-3}  # of narrow types: a unit in the last place
SQRT_8_OVER_PI = 1.5957691216057308  # 2 sqrt(2 / pi)
CUBIC = 0.044715


def blocks_of(p):
    """Take one thread for each element."""
    return (gl.cdiv(p.N, p.B),)


def block_of(p):
    """Take B threads a block."""
    return (p.B,)


def block_rule(p):
    """Limit the threads of a block, the only tile here."""
    return [(p.B <= 1024, "B threads must fit a block: 1 <= B <= 1024, best a multiple of 32")]


# ------------------------------------------------------------------ y = f(x)


def mapping(function, element=gl.f32):
    """Describe the kernel that applies `function` to every element, of this type."""

    @gl.kernel(grid=blocks_of, block=block_of, requires=block_rule, name=function.__name__)
    def mapped(
        x: gl.In[element, "N"],
        y: gl.Out[element, "N"],
        B: gl.Tile = 256,
    ):
        N = gl.sizes("N")
        i = gl.ctaid.x * B + gl.tid.x
        with gl.if_(i < N):
            y[i] = function(x[i])

    return mapped


def joining(function):
    """Describe the kernel that applies `function` to the elements of two arrays, pair by pair."""

    @gl.kernel(grid=blocks_of, block=block_of, requires=block_rule, name=function.__name__)
    def joined(
        x: gl.In[gl.f32, "N"],
        r: gl.In[gl.f32, "N"],
        y: gl.Out[gl.f32, "N"],
        B: gl.Tile = 256,
    ):
        N = gl.sizes("N")
        i = gl.ctaid.x * B + gl.tid.x
        with gl.if_(i < N):
            y[i] = function(x[i], r[i])

    return joined


def sine(v):
    """Give the sine, of the multi-function unit."""
    return gl.sin(v)


def cosine(v):
    """Give the cosine, of the multi-function unit."""
    return gl.cos(v)


def squared(v):
    """Give the square."""
    return v * v


def sine_and_cosine_squared(v):
    """Give sin(v)^2 + cos(v)^2, which is 1."""
    return squared(gl.sin(v)) + squared(gl.cos(v))


def three_stages(v):
    """Give cos(sin(v)^2)."""
    return gl.cos(squared(gl.sin(v)))


def cubed(v):
    """Give the cube."""
    return v * v * v


def exponential(v):
    """Give exp(v)."""
    return gl.exp(v)


def hyperbolic_tangent(v):
    """Give tanh(v), as 1 - 2 / (1 + exp(2 v)): the multi-function unit's own is good to 11 bits only."""
    return 1.0 - 2.0 * gl.rcp(1.0 + gl.exp(2.0 * v))


def rectified(v):
    """Give v where it is positive, else 0."""
    return gl.maximum(v, 0.0)


def exponential_linear(v):
    """Give v where it is positive, else exp(v) - 1."""
    return gl.select(v > 0.0, v, gl.exp(v) - 1.0)


def gaussian_linear(v):
    """Give v (1 + tanh(z)) / 2 with z = sqrt(2 / pi) (v + 0.044715 v^3), which is v / (1 + exp(-2 z)).

    The multi-function unit's tanh is good to 11 bits only.
    """
    return v * gl.rcp(1.0 + gl.exp(-SQRT_8_OVER_PI * (v + CUBIC * v * v * v)))


def positive_or_less_one(v, e):
    """Give v where it is positive, else e - 1: the last stage of ELU."""
    return gl.select(v > 0.0, v, e - 1.0)


def inner(v, c):
    """Give sqrt(2 / pi) (v + 0.044715 c): what GELU takes the hyperbolic tangent of."""
    return SQRT_8_OVER_PI / 2 * (v + CUBIC * c)


def half_of_one_more(v, t):
    """Give v (1 + t) / 2: the last stage of GELU."""
    return 0.5 * v * (1.0 + t)


def gaussian_linear_reference(v):
    """Compute the same with a hyperbolic tangent."""
    return v * (1 + np.tanh(SQRT_8_OVER_PI / 2 * (v + CUBIC * v**3))) / 2


# ------------------------------------------------------------------ dropout


def dropout_rules(p):
    """Limit, besides the threads, how much is dropped."""
    return [*block_rule(p), ((p.p >= 0) & (p.p < PARTS), "p is how many of 256 elements are dropped: 0 <= p <= 255")]


def survival(i, p, seed):
    """Say whether the element of number `i` stays, and what those that stay are multiplied with."""
    return kept(gl.cast(gl.u32, seed) * GOLDEN + i, p), PARTS * gl.rcp(gl.cast(gl.f32, PARTS - p))


def dropping(element):
    """Describe dropout, of elements of this type."""

    @gl.kernel(grid=blocks_of, block=block_of, requires=dropout_rules)
    def dropout(
        x: gl.In[element, "N"],
        y: gl.Out[element, "N"],
        p: gl.Scalar[gl.i32],
        seed: gl.Scalar[gl.i32],
        B: gl.Tile = 256,
    ):
        """Derive the mask from the element's number, so that it need not be stored."""
        N = gl.sizes("N")
        i = gl.ctaid.x * B + gl.tid.x
        with gl.if_(i < N):
            stays, scale = survival(i, p, seed)
            y[i] = x[i] * gl.select(stays, scale, 0.0)

    return dropout


def dropping_and_adding(element):
    """Describe dropout and the addition of a residual as one kernel, of elements of this type."""

    @gl.kernel(grid=blocks_of, block=block_of, requires=dropout_rules)
    def dropout_residual(
        x: gl.In[element, "N"],
        r: gl.In[element, "N"],
        y: gl.Out[element, "N"],
        p: gl.Scalar[gl.i32],
        seed: gl.Scalar[gl.i32],
        B: gl.Tile = 256,
    ):
        """Derive the mask in the same way, and add."""
        N = gl.sizes("N")
        i = gl.ctaid.x * B + gl.tid.x
        with gl.if_(i < N):
            stays, scale = survival(i, p, seed)
            y[i] = r[i] + gl.select(stays, x[i] * scale, 0.0)

    return dropout_residual


def dropped(x, N, p, seed):
    """Draw the same mask, and scale in double precision."""
    start = np.uint32(seed * GOLDEN % 2**32)
    stays = kept(start + np.arange(N, dtype=np.uint32), p)
    return np.where(stays, x["x"].astype(np.float64) * PARTS / (PARTS - p), 0)


def dropout_reference(x, *, N, p, seed, **others):
    """Drop some elements."""
    return {"y": dropped(x, N, p, seed).astype(x["x"].dtype)}


def dropout_residual_reference(x, *, N, p, seed, **others):
    """Drop some elements, and add."""
    return {"y": (x["r"] + dropped(x, N, p, seed)).astype(x["x"].dtype)}


# ------------------------------------------------------------------ algorithms

COMMON = {"family": "pointwise", "sizes": {"N": 1 << 20}}
SHORT = {"n": ("N",), "block": ("B",)}


def one_read(function, formula, element=gl.f32):
    """Everything of a function that reads and writes every element once; `formula` computes it in NumPy."""
    return {
        "kernel": mapping(function, element),
        "reference": lambda x, **p: {"y": formula(x["x"].astype(np.float64)).astype(x["x"].dtype)},
        "aliases": SHORT,
        "io": {"x": Traffic("N"), "y": Traffic(stores="N")},
        "textbook": Textbook(reads="N", writes="N", element_bytes=element.nbytes),
        "tolerance": ERRORS[element],
        **COMMON,
    }


def pairs(function, formula):
    """Everything of a function of two arrays; `formula` computes it in NumPy."""
    return {
        "kernel": joining(function),
        "reference": lambda x, **p: {
            "y": formula(x["x"].astype(np.float64), x["r"].astype(np.float64)).astype(np.float32)
        },
        "aliases": SHORT,
        "io": {"x": Traffic("N"), "r": Traffic("N"), "y": Traffic(stores="N")},
        "textbook": Textbook(reads="2*N", writes="N"),
        "hidden": True,
        **COMMON,
    }


NOTES = "p of 256 elements are dropped; the mask is a hash of the element's number and the seed."


def random(element, kernel, reference, reads):
    """Everything of dropout, with a residual or without, that follows from kernel and type; `reads` are its inputs."""
    return {
        "kernel": kernel(element),
        "reference": reference,
        "scalars": {"p": 26, "seed": 0},
        "aliases": SHORT,
        "io": {**{array: Traffic("N") for array in reads}, "y": Traffic(stores="N")},
        "textbook": Textbook(reads="2*N" if len(reads) == 2 else "N", writes="N", element_bytes=element.nbytes),
        "tolerance": ERRORS[element],
        "notes": NOTES,
        **COMMON,
    }


def alone(element):
    """Everything of dropout that follows from the type of its elements."""
    return random(element, dropping, dropout_reference, "x")


def with_residual(element):
    """Everything of dropout with a residual that follows from the type of its elements."""
    return random(element, dropping_and_adding, dropout_residual_reference, "xr")


sin = Algorithm(
    name="sin",
    summary="y = sin(x), of the multi-function unit",
    **one_read(sine, np.sin),
)

cos = Algorithm(
    name="cos",
    summary="y = cos(x), of the multi-function unit",
    **one_read(cosine, np.cos),
)

square = Algorithm(
    name="square",
    summary="y = x^2",
    **one_read(squared, np.square),
)

cube = Algorithm(
    name="cube",
    summary="y = x^3",
    **one_read(cubed, lambda x: x**3),
)

exp = Algorithm(
    name="exp",
    summary="y = exp(x), of the multi-function unit",
    **one_read(exponential, np.exp),
)

tanh = Algorithm(
    name="tanh",
    summary="y = tanh(x), by way of exp",
    **one_read(hyperbolic_tangent, np.tanh),
)

elu_select = Algorithm(
    name="elu-select",
    summary="y = x where positive, else r - 1",
    **pairs(positive_or_less_one, lambda x, r: np.where(x > 0, x, r - 1)),
)

gelu_inner = Algorithm(
    name="gelu-inner",
    summary="y = 0.798 (x + 0.0447 r)",
    **pairs(inner, lambda x, r: SQRT_8_OVER_PI / 2 * (x + CUBIC * r)),
)

gelu_outer = Algorithm(
    name="gelu-outer",
    summary="y = x (1 + r) / 2",
    **pairs(half_of_one_more, lambda x, r: x * (1 + r) / 2),
)

sin2cos2 = Algorithm(
    name="sin2cos2",
    summary="y = sin(x)^2 + cos(x)^2 in one kernel: 2 accesses an element",
    **one_read(sine_and_cosine_squared, np.ones_like),
)

chain3_fused = Algorithm(
    name="chain3-fused",
    summary="y = cos(sin(x)^2) in one kernel: 2 accesses an element",
    **one_read(three_stages, lambda x: np.cos(np.sin(x) ** 2)),
)

relu = Algorithm(
    name="relu",
    summary="y = max(x, 0)",
    **one_read(rectified, lambda x: np.maximum(x, 0)),
)

relu_f16 = Algorithm(
    name="relu-f16",
    summary="relu, elements of f16",
    **one_read(rectified, lambda x: np.maximum(x, 0), gl.f16),
)

relu_bf16 = Algorithm(
    name="relu-bf16",
    summary="relu, elements of bf16",
    **one_read(rectified, lambda x: np.maximum(x, 0), gl.bf16),
)

relu_fp8 = Algorithm(
    name="relu-fp8",
    summary="relu, elements of fp8 (e4m3)",
    **one_read(rectified, lambda x: np.maximum(x, 0), gl.e4m3),
)

elu = Algorithm(
    name="elu",
    summary="y = x where positive, else exp(x) - 1",
    **one_read(exponential_linear, lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))),
)

gelu = Algorithm(
    name="gelu",
    summary="y = x (1 + tanh(0.798 (x + 0.0447 x^3))) / 2",
    **one_read(gaussian_linear, gaussian_linear_reference),
)

dropout = Algorithm(
    name="dropout",
    summary="y = dropout(x): p of 256 elements dropped, the mask made from their numbers",
    **alone(gl.f32),
)

dropout_f16 = Algorithm(
    name="dropout-f16",
    summary="dropout, elements of f16",
    **alone(gl.f16),
)

dropout_residual = Algorithm(
    name="dropout-residual",
    summary="y = r + dropout(x): p of 256 elements dropped, the mask made from their numbers",
    **with_residual(gl.f32),
)

dropout_residual_f16 = Algorithm(
    name="dropout-residual-f16",
    summary="dropout-residual, elements of f16",
    **with_residual(gl.f16),
)

# ------------------------------------------------------------------ the fused ones, kernel by kernel

BLOCK = {"B": "block"}


def stage(kernel, to, **arrays):
    """Make a step that writes the array `to` and reads those named, x unless it is."""
    return Step(kernel, {**arrays, "y": to}, BLOCK)


def unfused(fused, accesses, why, *steps):
    """Make the chain of kernels that a fused one stands for."""
    return Chain(
        name=f"{fused.name}-unfused".replace("-fused-unfused", "-unfused"),
        summary=f"{fused.name} as {len(steps)} kernels: {accesses} accesses an element",
        steps=steps,
        reference=fused.reference,
        sizes={"N": 1 << 20, "block": 256},
        scalars=fused.scalars,
        aliases={"n": ("N",)},
        outputs=("y",),
        published=Published(
            f"{accesses}*N",
            why,
            order="N",
            grid={"N": (1 << 16, 1 << 24)},
            cases=({"N": 1000}, {"N": 4096}),
        ),
        tolerance=fused.tolerance,
        family="pointwise",
    )


CHAIN = "n stages on end move 2nN elements, fused 2N: what n - 1 of them write and the next read is saved"
GRAPH = "every stage writes an array and reads one or two; fused, the inputs are read and the output is written once"

chain3_unfused = unfused(
    chain3_fused, 6, CHAIN,
    stage(sin, "a"), stage(square, "b", x="a"), stage(cos, "y", x="b"),
)  # fmt: skip

sin2cos2_unfused = unfused(
    sin2cos2, 11, GRAPH,
    stage(sin, "a"), stage(square, "b", x="a"), stage(cos, "c"), stage(square, "d", x="c"),
    Step("vector-add", {"a": "b", "b": "d", "c": "y"}, BLOCK),
)  # fmt: skip

elu_unfused = unfused(elu, 5, GRAPH, stage(exp, "a"), stage(elu_select, "y", r="a"))

gelu_unfused = unfused(
    gelu, 10, GRAPH,
    stage(cube, "a"), stage(gelu_inner, "b", r="a"), stage(tanh, "c", x="b"), stage(gelu_outer, "y", r="c"),
)  # fmt: skip

dropout_residual_unfused = unfused(
    dropout_residual, 5, GRAPH,
    stage(dropout, "a"), Step("vector-add", {"a": "a", "b": "r", "c": "y"}, BLOCK),
)  # fmt: skip
