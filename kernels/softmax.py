"""Softmax of the rows of an M x N matrix, by four ways that differ in how often they read a row.

A block of B threads takes a row: its threads walk along it side by side, and what they have found is combined through
shuffles and shared memory.  They step by the size of the block as the launch has it, the way CUDA is commonly written,
so no compiler can unroll their loops.  Scores may be -inf; a row of nothing else has no softmax, and becomes NaN.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic
from gpusim.lang.collective import block_max, block_sum

LOWEST = -3.4028234663852886e38  # of fp32: where nothing was seen yet, for -inf would be subtracted from -inf
ERRORS = {gl.f32: 1e-5, gl.f16: 2**-10, gl.bf16: 2**-7}  # of halves: a unit in the last place


def rows_of(p):
    """Take one block for each row."""
    return (p.M,)


def block_of(p):
    """Take B threads a block."""
    return (p.B,)


def whole_warp_rules(p):
    """Check that the block is whole warps, as shuffles need."""
    return [
        (p.B <= 1024, "B threads must fit a block of 1024"),
        (p.B % 32 == 0, "B must be whole warps: a multiple of 32"),
    ]


def described(function):
    """Make a description of a kernel that takes a row a block."""
    return gl.kernel(grid=rows_of, block=block_of, requires=whole_warp_rules)(function)


# ------------------------------------------------------------------ two and three passes


@described
def naive(
    x: gl.In[gl.f32, "M", "N"],
    y: gl.Out[gl.f32, "M", "N"],
    B: gl.Tile = 256,
):
    """Divide exp(x) by its sum: right as long as nothing overflows."""
    _, N = gl.sizes("M", "N")
    row = gl.ctaid.x
    d = gl.var(gl.f32, 0.0)
    for i in gl.range(gl.tid.x, N, gl.ntid.x):
        d += gl.exp(x[row, i])
    total = block_sum(d, B)
    for i in gl.range(gl.tid.x, N, gl.ntid.x):
        y[row, i] = gl.exp(x[row, i]) / total


def safe(element):
    """Describe the softmax in three passes, of matrices of this element type."""

    @described
    def safe(
        x: gl.In[element, "M", "N"],
        y: gl.Out[element, "M", "N"],
        B: gl.Tile = 256,
    ):
        """Look for the maximum first, so that no exponential exceeds 1."""
        _, N = gl.sizes("M", "N")
        row = gl.ctaid.x
        m = gl.var(gl.f32, -gl.inf)
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            m.set(gl.maximum(m, x[row, i]))
        top = block_max(m, B)
        d = gl.var(gl.f32, 0.0)
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            d += gl.exp(x[row, i] - top)
        total = block_sum(d, B)
        divide(x, y, row, N, top, total)

    return safe


def divide(x, y, row, N, top, total):
    """Write the row: exp(x - top) / total."""
    for i in gl.range(gl.tid.x, N, gl.ntid.x):
        y[row, i] = gl.exp(x[row, i] - top) / total


# ------------------------------------------------------------------ maximum and sum in one pass


def online(element):
    """Describe the softmax in two passes, of matrices of this element type."""

    @described
    def online(
        x: gl.In[element, "M", "N"],
        y: gl.Out[element, "M", "N"],
        B: gl.Tile = 256,
    ):
        """Rescale the sum whenever the maximum grows; at the end every thread's sum goes to the block's maximum."""
        _, N = gl.sizes("M", "N")
        row = gl.ctaid.x
        m, d = running(x, row, N)
        top = block_max(m, B)
        total = block_sum(d * gl.exp(m - top), B)
        divide(x, y, row, N, top, total)

    return online


def running(x, row, N):
    """Read the thread's part of the row once: its largest score, and the sum of exponentials relative to that."""
    m = gl.var(gl.f32, LOWEST)
    d = gl.var(gl.f32, 0.0)
    for i in gl.range(gl.tid.x, N, gl.ntid.x):
        score = x[row, i]
        top = gl.maximum(m, score)
        d.set(d * gl.exp(m - top) + gl.exp(score - top))
        m.set(top)
    return m, d


@described
def parallel(
    x: gl.In[gl.f32, "M", "N"],
    y: gl.Out[gl.f32, "M", "N"],
    B: gl.Tile = 256,
):
    """Combine the threads' pairs of maximum and sum, rather than maxima first and then sums."""
    _, N = gl.sizes("M", "N")
    row = gl.ctaid.x
    lane = gl.tid.x % 32
    maxima, sums = gl.shared(gl.f32, 32), gl.shared(gl.f32, 32)
    m, d = over_warp(running(x, row, N))
    with gl.if_(lane == 0):
        maxima[gl.tid.x // 32] = m
        sums[gl.tid.x // 32] = d
    gl.barrier()
    there = lane < B // 32
    top, total = over_warp((maxima.load(lane, guard=there, other=LOWEST), sums.load(lane, guard=there, other=0.0)))
    divide(x, y, row, N, top, total)


def over_warp(pair):
    """Join the 32 lanes' pairs; every lane gets the whole."""
    m, d = pair
    for distance in (16, 8, 4, 2, 1):
        other, more = gl.shfl_xor(m, distance), gl.shfl_xor(d, distance)
        top = gl.maximum(m, other)
        m, d = top, d * gl.exp(m - top) + more * gl.exp(other - top)
    return m, d


def merge(a, b):
    """Join what is known of two parts of a row: associative, commutative, and (-inf, 0) changes nothing.

    Parameters
    ----------
    a, b : tuple of array_like
        ``(m, d)``: the part's largest score, and the sum of exp(score - m) over the part.

    Returns
    -------
    m, d : numpy.ndarray
        The same of both parts together.
    """
    (m, d), (other, more) = a, b
    top = np.maximum(m, other)
    return top, d * shrinking(m, top) + more * shrinking(other, top)


def shrinking(m, top):
    """Give exp(m - top), and 1 where both are -inf."""
    same = np.equal(m, top)
    return np.where(same, 1.0, np.exp(np.subtract(m, top, out=np.zeros(np.shape(top)), where=~same)))


# ------------------------------------------------------------------ algorithms


def softmax(x, **p):
    """Give the softmax of every row, in double precision."""
    scores = x["x"].astype(np.float64)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return {"y": (powers / powers.sum(axis=1, keepdims=True)).astype(x["x"].dtype)}


def passes(reads, element=gl.f32):
    """Everything that follows from how often a row is read, and from the type of its elements."""
    return {
        "family": "softmax",
        "sizes": {"M": 1024, "N": 1024},
        "aliases": {"n": ("M", "N"), "m": ("M",), "block": ("B",)},
        "reference": softmax,
        "io": {"x": Traffic(f"{reads}*M*N"), "y": Traffic(stores="M*N")},
        "computation": "total[m] += x[m,n]; y[m,n] = x[m,n] / total[m]",
        "textbook": Textbook(reads=f"{reads}*M*N", writes="M*N", element_bytes=element.nbytes),
        "published": Published(
            f"{reads + 1}*M*N",
            "Milakov and Gimelshein 2018, arXiv 1805.02867: accesses an element of Algorithms 1 to 3",
            order="M*N",
            grid={"M": (64, 1024), "N": (64, 1024)},
            cases=({"M": 3, "N": 100}, {"M": 3, "N": 1000}),
        ),
        "tolerance": ERRORS[element],
    }


softmax_naive = Algorithm(
    name="softmax-naive",
    summary="exp(x) / sum exp(x): 3 accesses an element, but large scores overflow",
    kernel=naive,
    notes="A score above 88 overflows, and its row is lost; softmax-safe and softmax-online take any.",
    **passes(2),
)

softmax_safe = Algorithm(
    name="softmax-safe",
    also=("softmax",),
    summary="the maximum first: 4 accesses an element",
    kernel=safe(gl.f32),
    **passes(3),
)

softmax_safe_f16 = Algorithm(
    name="softmax-safe-f16",
    summary="the maximum first, elements of f16",
    kernel=safe(gl.f16),
    **passes(3, gl.f16),
)

softmax_safe_bf16 = Algorithm(
    name="softmax-safe-bf16",
    summary="the maximum first, elements of bf16",
    kernel=safe(gl.bf16),
    **passes(3, gl.bf16),
)

softmax_online = Algorithm(
    name="softmax-online",
    summary="maximum and sum in one pass: 3 accesses an element",
    kernel=online(gl.f32),
    notes="Algorithm 3 of Milakov and Gimelshein, 2018 (arXiv 1805.02867).",
    **passes(2),
)

softmax_online_f16 = Algorithm(
    name="softmax-online-f16",
    summary="maximum and sum in one pass, elements of f16",
    kernel=online(gl.f16),
    **passes(2, gl.f16),
)

softmax_online_bf16 = Algorithm(
    name="softmax-online-bf16",
    summary="maximum and sum in one pass, elements of bf16",
    kernel=online(gl.bf16),
    **passes(2, gl.bf16),
)

softmax_parallel = Algorithm(
    name="softmax-parallel",
    summary="online; threads' pairs of maximum and sum are joined at once",
    kernel=parallel,
    notes="Section 3.1 of Milakov and Gimelshein, 2018 (arXiv 1805.02867).",
    **passes(2),
)
