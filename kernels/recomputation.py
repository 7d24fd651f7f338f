"""A chain of three sigmoids, forward and backward: activations stored, or computed again.

Stored: forward reads x and writes a1, a2 and y; backward reads a1, a2 and dy and writes dx: 8 accesses an element.
Recomputed: forward reads x and writes y; backward reads x and dy and writes dx: 5.  :mod:`gpusim.model.recomputation`
has the counts for any number of stages.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic
from gpusim.catalogue.chain import Chain, Step


def described(function):
    """Make a description of a kernel that takes a thread an element."""
    return gl.kernel(
        grid=lambda p: (gl.cdiv(p.N, p.B),),
        block=lambda p: (p.B,),
        requires=lambda p: [(p.B <= 1024, "B threads must fit a block: 1 <= B <= 1024, best a multiple of 32")],
    )(function)


def sigmoid(v):
    """Give 1 / (1 + exp(-v))."""
    return gl.rcp(1.0 + gl.exp(-v))


def slope(s):
    """Give the derivative of a sigmoid whose value is s."""
    return s * (1.0 - s)


@described
def forward(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "N"],
    B: gl.Tile = 256,
):
    """Keep the activations in registers."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        y[i] = sigmoid(sigmoid(sigmoid(x[i])))


@described
def forward_stored(
    x: gl.In[gl.f32, "N"],
    a1: gl.Out[gl.f32, "N"],
    a2: gl.Out[gl.f32, "N"],
    y: gl.Out[gl.f32, "N"],
    B: gl.Tile = 256,
):
    """Store the activations for the way back."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        first = sigmoid(x[i])
        second = sigmoid(first)
        a1[i] = first
        a2[i] = second
        y[i] = sigmoid(second)


@described
def backward_stored(
    a1: gl.In[gl.f32, "N"],
    a2: gl.In[gl.f32, "N"],
    dy: gl.In[gl.f32, "N"],
    dx: gl.Out[gl.f32, "N"],
    B: gl.Tile = 256,
):
    """Read the activations; the last stage's value follows from what went into it."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        first, second = a1[i], a2[i]
        dx[i] = dy[i] * slope(sigmoid(second)) * slope(second) * slope(first)


@described
def backward_recomputed(
    x: gl.In[gl.f32, "N"],
    dy: gl.In[gl.f32, "N"],
    dx: gl.Out[gl.f32, "N"],
    B: gl.Tile = 256,
):
    """Compute the activations again."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        first = sigmoid(x[i])
        second = sigmoid(first)
        dx[i] = dy[i] * slope(sigmoid(second)) * slope(second) * slope(first)


# ------------------------------------------------------------------ references


def sigmoids(v):
    """Give the values after one, two and three sigmoids, in double precision."""
    found = []
    for _ in range(3):
        v = 1 / (1 + np.exp(-v.astype(np.float64)))
        found.append(v)
    return found


def gradient(first, second, dy):
    """Give dx, from the activations."""
    last = 1 / (1 + np.exp(-second.astype(np.float64)))
    return (dy * last * (1 - last) * second * (1 - second) * first * (1 - first)).astype(np.float32)


def values(x, **p):
    """Give a1, a2 and y."""
    return dict(zip(("a1", "a2", "y"), (v.astype(np.float32) for v in sigmoids(x["x"])), strict=True))


def both(x, **p):
    """Give y and dx."""
    first, second, last = sigmoids(x["x"])
    return {"y": last.astype(np.float32), "dx": gradient(first, second, x["dy"])}


# ------------------------------------------------------------------ algorithms

COMMON = {"family": "recomputation", "sizes": {"N": 1 << 20}, "aliases": {"n": ("N",), "block": ("B",)}}
READ, STORED = Traffic("N"), Traffic(stores="N")


def kernel_of(name, summary, kernel, reference, reads, writes):
    """Make an algorithm of a kernel that reads and writes so many arrays, each once."""
    return Algorithm(
        name=name,
        summary=summary,
        kernel=kernel,
        reference=reference,
        io={**dict.fromkeys(reads, READ), **dict.fromkeys(writes, STORED)},
        textbook=Textbook(f"{len(reads)}*N", f"{len(writes)}*N"),
        **COMMON,
    )


sigmoid3 = kernel_of(
    "sigmoid3", "y = sigmoid(sigmoid(sigmoid(x)))", forward, lambda x, **p: {"y": values(x)["y"]}, ["x"], ["y"]
)
sigmoid3_stored = kernel_of(
    "sigmoid3-stored", "the same, activations a1 and a2 stored", forward_stored, values, ["x"], ["a1", "a2", "y"]
)
sigmoid3_backward = kernel_of(
    "sigmoid3-backward", "dx from dy and the activations stored", backward_stored,
    lambda x, **p: {"dx": gradient(x["a1"], x["a2"], x["dy"])}, ["a1", "a2", "dy"], ["dx"],
)  # fmt: skip
sigmoid3_backward_recomputed = kernel_of(
    "sigmoid3-backward-recomputed", "dx from dy and x, activations computed again", backward_recomputed,
    lambda x, **p: {"dx": both(x)["dx"]}, ["x", "dy"], ["dx"],
)  # fmt: skip


def there_and_back(name, summary, steps, formula):
    """Make a chain of a forward and a backward kernel."""
    return Chain(
        name=name,
        summary=summary,
        steps=steps,
        reference=both,
        sizes={"N": 1 << 20, "block": 256},
        aliases={"n": ("N",)},
        outputs=("y", "dx"),
        published=Published(
            formula,
            "n = 3 stages: 2n + 2 accesses an element stored, 5 recomputed (the trade of Chen et al. 2016, 1604.06174)",
            order="N",
            grid={"N": (1 << 16, 1 << 24)},
            cases=({"N": 1000}, {"N": 4096}),
        ),
        family="recomputation",
    )


BLOCK = {"B": "block"}
activations_stored = there_and_back(
    "activations-stored",
    "three sigmoids there and back, activations stored: 8 accesses an element",
    (Step(sigmoid3_stored, params=BLOCK), Step(sigmoid3_backward, params=BLOCK)),
    "8*N",
)
activations_recomputed = there_and_back(
    "activations-recomputed",
    "three sigmoids there and back, activations computed again: 5 accesses an element",
    (Step(sigmoid3, params=BLOCK), Step(sigmoid3_backward_recomputed, params=BLOCK)),
    "5*N",
)
