"""Pointwise functions: one thread an element, as single kernels and fused into one.

A chain of kernels writes every intermediate array and reads it again; a fused one keeps it in registers.  Inputs are
called x, outputs y, so that one kernel's y can be the next one's x.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.algorithm import Algorithm, Textbook, Traffic

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


def gaussian_linear_reference(v):
    """Compute the same with a hyperbolic tangent."""
    return v * (1 + np.tanh(SQRT_8_OVER_PI / 2 * (v + CUBIC * v**3))) / 2


# ------------------------------------------------------------------ dropout

GOLDEN = 0x9E3779B9  # 2^32 over the golden ratio: sets the streams of neighbouring seeds apart
FIRST, SECOND = 0x7FEB352D, 0x846CA68B  # multipliers of "lowbias32", C. Wellons, hash-prospector, 2018
PARTS = 256  # of which p are dropped


def random_bits(counter):
    """Turn a counter into 32 random bits; for traced and for NumPy's unsigned numbers alike."""
    h = counter ^ (counter >> 16)
    h = h * FIRST
    h = h ^ (h >> 15)
    h = h * SECOND
    return h ^ (h >> 16)


def dropping(element):
    """Describe dropout and the addition of a residual as one kernel, of elements of this type."""

    @gl.kernel(
        grid=blocks_of,
        block=block_of,
        requires=lambda p: [
            *block_rule(p),
            ((p.p >= 0) & (p.p < PARTS), "p is how many of 256 elements are dropped: 0 <= p <= 255"),
        ],
    )
    def dropout_residual(
        x: gl.In[element, "N"],
        r: gl.In[element, "N"],
        y: gl.Out[element, "N"],
        p: gl.Scalar[gl.i32],
        seed: gl.Scalar[gl.i32],
        B: gl.Tile = 256,
    ):
        """Derive the mask from the element's number, so that it need not be stored."""
        N = gl.sizes("N")
        i = gl.ctaid.x * B + gl.tid.x
        with gl.if_(i < N):
            kept = (random_bits(gl.cast(gl.u32, seed) * GOLDEN + i) >> 24) >= p
            scale = PARTS * gl.rcp(gl.cast(gl.f32, PARTS - p))
            y[i] = r[i] + gl.select(kept, x[i] * scale, 0.0)

    return dropout_residual


def dropout_reference(x, *, N, p, seed, **others):
    """Draw the same mask, and add in double precision."""
    start = np.uint32(seed * GOLDEN % 2**32)
    kept = random_bits(start + np.arange(N, dtype=np.uint32)) >> 24 >= p
    scaled = np.where(kept, x["x"].astype(np.float64) * PARTS / (PARTS - p), 0)
    return {"y": (x["r"] + scaled).astype(x["x"].dtype)}


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


def two_reads(element):
    """Everything of dropout with a residual that follows from the type of its elements."""
    return {
        "kernel": dropping(element),
        "reference": dropout_reference,
        "scalars": {"p": 26, "seed": 0},
        "aliases": SHORT,
        "io": {"x": Traffic("N"), "r": Traffic("N"), "y": Traffic(stores="N")},
        "textbook": Textbook(reads="2*N", writes="N", element_bytes=element.nbytes),
        "tolerance": ERRORS[element],
        "notes": "p of 256 elements are dropped; the mask is a hash of the element's number and the seed.",
        **COMMON,
    }


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

sin2cos2 = Algorithm(
    name="sin2cos2",
    summary="y = sin(x)^2 + cos(x)^2 in one kernel: 2 accesses an element",
    notes="As five kernels (sin, square, cos, square, vector-add) it takes 11 accesses an element.",
    **one_read(sine_and_cosine_squared, np.ones_like),
)

chain3_fused = Algorithm(
    name="chain3-fused",
    summary="y = cos(sin(x)^2) in one kernel: 2 accesses an element",
    notes="As three kernels (sin, square, cos) it takes 6 accesses an element.",
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

dropout_residual = Algorithm(
    name="dropout-residual",
    summary="y = r + dropout(x): p of 256 elements dropped, the mask made from their numbers",
    **two_reads(gl.f32),
)

dropout_residual_f16 = Algorithm(
    name="dropout-residual-f16",
    summary="dropout-residual, elements of f16",
    **two_reads(gl.f16),
)
