"""Normalisation of the rows of an M x N matrix: a block of B threads takes a row, and walks along it side by side.

Threads step by the size of the block as the launch has it, the way CUDA is commonly written, so no compiler can unroll
their loops.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic
from gpusim.catalogue.chain import Chain, Step
from gpusim.lang.collective import block_sum

EPSILON = 1e-5  # added to the mean square, so that a row of equal elements divides by no zero
ERRORS = {gl.f32: 1e-5, gl.f16: 2**-10}  # of f16: a unit in the last place


def whole_warp_rules(p):
    """Check that the block is whole warps, as shuffles need."""
    return [
        (p.B <= 1024, "B threads must fit a block of 1024"),
        (p.B % 32 == 0, "B must be whole warps: a multiple of 32"),
    ]


def described(function):
    """Make a description of a kernel that takes a row a block."""
    return gl.kernel(grid=lambda p: (p.M,), block=lambda p: (p.B,), requires=whole_warp_rules)(function)


def layer(element):
    """Describe the layer normalisation, of matrices of this element type."""

    @described
    def layer(
        x: gl.In[element, "M", "N"],
        g: gl.In[element, "N"],
        b: gl.In[element, "N"],
        y: gl.Out[element, "M", "N"],
        B: gl.Tile = 256,
    ):
        """Read the row for its mean, for the mean square of what differs from it, and to write it."""
        _, N = gl.sizes("M", "N")
        row = gl.ctaid.x
        total = gl.var(gl.f32, 0.0)
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            total += x[row, i]
        mean = block_sum(total, B) / gl.cast(gl.f32, N)
        squares = gl.var(gl.f32, 0.0)
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            distance = x[row, i] - mean
            squares += distance * distance
        scale = gl.rsqrt(block_sum(squares, B) / gl.cast(gl.f32, N) + EPSILON)
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            y[row, i] = (x[row, i] - mean) * scale * g[i] + b[i]

    return layer


def root_mean_square(element):
    """Describe the normalisation by the root of the mean square, of matrices of this element type."""

    @described
    def root_mean_square(
        x: gl.In[element, "M", "N"],
        g: gl.In[element, "N"],
        y: gl.Out[element, "M", "N"],
        B: gl.Tile = 256,
    ):
        """Read the row for its mean square, and to write it."""
        _, N = gl.sizes("M", "N")
        row = gl.ctaid.x
        squares = gl.var(gl.f32, 0.0)
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            v = x[row, i]
            squares += v * v
        scale = gl.rsqrt(block_sum(squares, B) / gl.cast(gl.f32, N) + EPSILON)
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            y[row, i] = x[row, i] * scale * g[i]

    return root_mean_square


# ------------------------------------------------------------------ stages of a layer normalisation that is not fused


@described
def mean_of_rows(
    x: gl.In[gl.f32, "M", "N"],
    y: gl.Out[gl.f32, "M"],
    B: gl.Tile = 256,
):
    """Sum the row side by side; the first thread writes."""
    _, N = gl.sizes("M", "N")
    row = gl.ctaid.x
    total = gl.var(gl.f32, 0.0)
    for i in gl.range(gl.tid.x, N, gl.ntid.x):
        total += x[row, i]
    mean = block_sum(total, B) / gl.cast(gl.f32, N)
    with gl.if_(gl.tid.x == 0):
        y[row] = mean


def by_row(function):
    """Describe y = function(x, r), where r is a number of the row."""

    @gl.kernel(grid=lambda p: (p.M,), block=lambda p: (p.B,), requires=whole_warp_rules, name=function.__name__)
    def kernel(
        x: gl.In[gl.f32, "M", "N"],
        r: gl.In[gl.f32, "M"],
        y: gl.Out[gl.f32, "M", "N"],
        B: gl.Tile = 256,
    ):
        """Take the row's number once a thread that has an element."""
        _, N = gl.sizes("M", "N")
        row = gl.ctaid.x
        of_row = r.load(row, guard=gl.tid.x < N, other=0.0)
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            y[row, i] = function(x[row, i], of_row)

    return kernel


def centred(v, mean):
    """Take the mean away."""
    return v - mean


def scaled(v, mean_square):
    """Divide by the root of the mean square."""
    return v * gl.rsqrt(mean_square + EPSILON)


@described
def gain_and_bias(
    x: gl.In[gl.f32, "M", "N"],
    g: gl.In[gl.f32, "N"],
    b: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "M", "N"],
    B: gl.Tile = 256,
):
    """Multiply every column with its gain, and add its bias."""
    _, N = gl.sizes("M", "N")
    row = gl.ctaid.x
    for i in gl.range(gl.tid.x, N, gl.ntid.x):
        y[row, i] = x[row, i] * g[i] + b[i]


# ------------------------------------------------------------------ references


def normalised(x):
    """Divide every row by the root of its mean square."""
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPSILON)


def layer_reference(x, **p):
    """Normalise to mean 0 and variance 1, in double precision."""
    rows, g, b = (x[name].astype(np.float64) for name in "xgb")
    return {"y": (normalised(rows - rows.mean(axis=1, keepdims=True)) * g + b).astype(x["x"].dtype)}


def root_mean_square_reference(x, **p):
    """Normalise to a mean square of 1, in double precision."""
    rows, g = (x[name].astype(np.float64) for name in "xg")
    return {"y": (normalised(rows) * g).astype(x["x"].dtype)}


COMMON = {
    "family": "normalisation",
    "sizes": {"M": 1024, "N": 1024},
    "aliases": {"n": ("M", "N"), "m": ("M",), "block": ("B",)},
}


def of_layers(element):
    """Everything of a layer normalisation that follows from the type of its elements."""
    return {
        "kernel": layer(element),
        "reference": layer_reference,
        "io": {"x": Traffic("3*M*N"), "g": Traffic("M*N"), "b": Traffic("M*N"), "y": Traffic(stores="M*N")},
        "computation": "total[m] += x[m,n]; y[m,n] = (x[m,n] - total[m]) * g[n] + b[n]",
        "textbook": Textbook(reads="3*M*N + 2*N", writes="M*N", element_bytes=element.nbytes),
        "tolerance": ERRORS[element],
        **COMMON,
    }


def of_squares(element):
    """Everything of a normalisation by the mean square that follows from the type of its elements."""
    return {
        "kernel": root_mean_square(element),
        "reference": root_mean_square_reference,
        "io": {"x": Traffic("2*M*N"), "g": Traffic("M*N"), "y": Traffic(stores="M*N")},
        "computation": "total[m] += x[m,n]; y[m,n] = x[m,n] / total[m] * g[n]",
        "textbook": Textbook(reads="2*M*N + N", writes="M*N", element_bytes=element.nbytes),
        "tolerance": ERRORS[element],
        **COMMON,
    }


layernorm = Algorithm(
    name="layernorm",
    summary="rows to mean 0 and variance 1, times a gain, plus a bias: three passes",
    **of_layers(gl.f32),
)

layernorm_f16 = Algorithm(
    name="layernorm-f16",
    summary="layernorm, elements of f16",
    **of_layers(gl.f16),
)

rmsnorm = Algorithm(
    name="rmsnorm",
    summary="rows divided by the root of their mean square, times a gain: two passes",
    **of_squares(gl.f32),
)

rmsnorm_f16 = Algorithm(
    name="rmsnorm-f16",
    summary="rmsnorm, elements of f16",
    **of_squares(gl.f16),
)

# ------------------------------------------------------------------ the layer normalisation kernel by kernel


def in_double(formula):
    """Make a reference that computes y of the inputs in double precision."""
    return lambda x, **p: {"y": formula(**{name: values.astype(np.float64) for name, values in x.items()}).astype("f4")}


HIDDEN = {**COMMON, "hidden": True}
ROW_BY_ROW = {"x": Traffic("M*N"), "r": Traffic("M*min(B, N)"), "y": Traffic(stores="M*N")}

row_mean = Algorithm(
    name="row-mean",
    summary="y = mean of a row of x",
    kernel=mean_of_rows,
    reference=in_double(lambda x: x.mean(axis=1)),
    io={"x": Traffic("M*N"), "y": Traffic(stores="M")},
    textbook=Textbook(reads="M*N", writes="M"),
    **HIDDEN,
)

row_centre = Algorithm(
    name="row-centre",
    summary="y = x - r, with r a number a row",
    kernel=by_row(centred),
    reference=in_double(lambda x, r: x - r[:, None]),
    io=ROW_BY_ROW,
    textbook=Textbook(reads="M*N + M", writes="M*N"),
    **HIDDEN,
)

row_scale = Algorithm(
    name="row-scale",
    summary="y = x / sqrt(r + 1e-5), with r a number a row",
    kernel=by_row(scaled),
    reference=in_double(lambda x, r: x / np.sqrt(r[:, None] + EPSILON)),
    draw={"r": lambda rng, shape, p: rng.uniform(0.5, 2.0, shape).astype(np.float32)},
    io=ROW_BY_ROW,
    textbook=Textbook(reads="M*N + M", writes="M*N"),
    **HIDDEN,
)

gain_bias = Algorithm(
    name="gain-bias",
    summary="y = x g + b, with g and b a number a column",
    kernel=gain_and_bias,
    reference=in_double(lambda x, g, b: x * g + b),
    io={"x": Traffic("M*N"), "g": Traffic("M*N"), "b": Traffic("M*N"), "y": Traffic(stores="M*N")},
    textbook=Textbook(reads="M*N + 2*N", writes="M*N"),
    **HIDDEN,
)

layernorm_unfused = Chain(
    name="layernorm-unfused",
    summary="layernorm as 6 kernels: 10 accesses an element",
    steps=(
        Step(row_mean, {"y": "mean"}),
        Step(row_centre, {"r": "mean", "y": "c"}),
        Step("square", {"x": "c", "y": "c2"}, {"N": "M*N"}),
        Step(row_mean, {"x": "c2", "y": "v"}),
        Step(row_scale, {"x": "c", "r": "v", "y": "z"}),
        Step(gain_bias, {"x": "z"}),
    ),
    reference=layer_reference,
    sizes={**COMMON["sizes"], "B": 256},
    aliases=COMMON["aliases"],
    outputs=("y",),
    published=Published(
        "10*M*N + 4*M + 2*N",
        "every stage reads its arrays once and writes one: fused, x is read and y is written once, 2*M*N + 2*N",
        departs=(
            ("2*M*min(B, N) - 2*M", "mean and mean square of a row are loaded by each of the threads that take it"),
            ("2*M*N - 2*N", "g and b are loaded by each of the M blocks"),
        ),
        order="M*N",
        grid={"M": (1024, 16384), "N": (4096, 65536)},
        cases=({"M": 3, "N": 100, "B": 64}, {"M": 4, "N": 700, "B": 128}),
    ),
    family="normalisation",
)
