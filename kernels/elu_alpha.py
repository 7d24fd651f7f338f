"""ELU with alpha: y = x where positive, else alpha (exp(x) - 1).  In one kernel, and as a framework runs it eagerly.

Eagerly every operation is a kernel of its own, and what is between goes through memory: exp(x), less 1, times alpha,
and a choice that takes x where it is positive.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic
from gpusim.catalogue.chain import Chain, Step


def blocks_of(p):
    """Take one thread for each element."""
    return (gl.cdiv(p.N, p.B),)


def block_rule(p):
    """Limit the threads of a block, the only tile here."""
    return [(p.B <= 1024, "B threads must fit a block: 1 <= B <= 1024, best a multiple of 32")]


one_thread_an_element = gl.kernel(grid=blocks_of, block=lambda p: (p.B,), requires=block_rule)


@one_thread_an_element
def elu_alpha(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "N"],
    alpha: gl.Scalar[gl.f32],
    B: gl.Tile = 256,
):
    """Choose between x and the exponential in registers."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        v = gl.var(gl.f32, x[i])
        y[i] = gl.select(v > 0.0, v, alpha * (gl.exp(v) - 1.0))


@one_thread_an_element
def less_one(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"], B: gl.Tile = 256):
    """Subtract 1 from every element."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        y[i] = x[i] - 1.0


@one_thread_an_element
def scaled(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"], alpha: gl.Scalar[gl.f32], B: gl.Tile = 256):
    """Multiply every element by alpha."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        y[i] = alpha * x[i]


@one_thread_an_element
def positive_or(x: gl.In[gl.f32, "N"], r: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"], B: gl.Tile = 256):
    """Choose x where it is positive, else r."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        v = gl.var(gl.f32, x[i])
        y[i] = gl.select(v > 0.0, v, r[i])


def reference(x, *, alpha, **p):
    """Compute in double precision, by expm1, which loses nothing near 0."""
    v = x["x"].astype(np.float64)
    return {"y": np.where(v > 0, v, alpha * np.expm1(np.minimum(v, 0))).astype(np.float32)}


COMMON = {"family": "pointwise", "sizes": {"N": 1 << 20}}
SHORT = {"n": ("N",), "block": ("B",)}
ONE_READ = {"io": {"x": Traffic("N"), "y": Traffic(stores="N")}, "textbook": Textbook(reads="N", writes="N")}

elu = Algorithm(
    name="elu-alpha",
    summary="y = x where positive, else alpha (exp(x) - 1)",
    kernel=elu_alpha,
    scalars={"alpha": 1},
    aliases=SHORT,
    reference=reference,
    notes="alpha is a whole number here; the kernel itself takes any.",
    **ONE_READ,
    **COMMON,
)

minus_one = Algorithm(
    name="elu-minus-one",
    summary="y = x - 1",
    kernel=less_one,
    aliases=SHORT,
    reference=lambda x, **p: {"y": x["x"] - np.float32(1)},
    hidden=True,
    **ONE_READ,
    **COMMON,
)

times_alpha = Algorithm(
    name="elu-times-alpha",
    summary="y = alpha x",
    kernel=scaled,
    scalars={"alpha": 1},
    aliases=SHORT,
    reference=lambda x, *, alpha, **p: {"y": np.float32(alpha) * x["x"]},
    hidden=True,
    **ONE_READ,
    **COMMON,
)

where_positive = Algorithm(
    name="elu-where",
    summary="y = x where positive, else r",
    kernel=positive_or,
    aliases=SHORT,
    reference=lambda x, **p: {"y": np.where(x["x"] > 0, x["x"], x["r"])},
    io={"x": Traffic("N"), "r": Traffic("N"), "y": Traffic(stores="N")},
    textbook=Textbook(reads="2*N", writes="N"),
    hidden=True,
    **COMMON,
)

BLOCK = {"B": "block"}

eager = Chain(
    name="elu-alpha-unfused",
    summary="elu-alpha as 4 kernels, as a framework runs it eagerly: 9 accesses an element",
    steps=(
        Step("exp", {"y": "a"}, BLOCK),
        Step("elu-minus-one", {"x": "a", "y": "b"}, BLOCK),
        Step("elu-times-alpha", {"x": "b", "y": "c"}, BLOCK),
        Step("elu-where", {"r": "c"}, BLOCK),
    ),
    reference=reference,
    sizes={"N": 1 << 20, "block": 256},
    scalars={"alpha": 1},
    aliases={"n": ("N",)},
    outputs=("y",),
    published=Published(
        "9*N",
        "every stage writes an array and reads one or two; fused, the input is read and the output is written once",
        order="N",
        grid={"N": (1 << 16, 1 << 24)},
        cases=({"N": 1000}, {"N": 4096}),
    ),
    family="pointwise",
)
