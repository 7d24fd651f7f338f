"""Divergence: lanes of one warp that take different paths wait for each other; and three ways to mend it.

The mended kernels compute the same elements by the same paths.  One gives the lanes of a warp elements of one path
(grouped), one has every lane compute all paths and pick its own (predicated), one has a single path whose operands are
picked (selected).
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Textbook, Traffic

STEPS = 64
PATHS = ((1.0001, 0.5), (0.9999, -0.25), (1.0002, 0.125), (0.9998, -0.75))


def chain(v, factor, term):
    """Put ``v`` through ``STEPS`` dependent multiply-adds."""
    for _ in gl.unroll(STEPS):
        v.set(gl.fma(v, factor, term))


def take(path, v):
    """Branch to one of four paths."""
    with gl.if_(path == 0):
        chain(v, *PATHS[0])
    with gl.else_():
        with gl.if_(path == 1):
            chain(v, *PATHS[1])
        with gl.else_():
            with gl.if_(path == 2):
                chain(v, *PATHS[2])
            with gl.else_():
                chain(v, *PATHS[3])


def blocks_of(p):
    """Take one thread for each element."""
    return (gl.cdiv(p.N, p.B),)


def path_rules(p):
    """Limit the threads of a block, and the paths to those that there are."""
    return [
        (p.B <= 1024, "B threads must fit a block: 1 <= B <= 1024"),
        (p.w >= 1, "w is a number of paths: 1, 2, 3 or 4"),
        (p.w <= 4, "there are four different paths: w must be 1, 2, 3 or 4"),
    ]


def grouped_rules(p):
    """Have each path fill whole warps of a block besides."""
    whole = "B must be a multiple of 32*w, so that the elements of a path fill whole warps"
    return [*path_rules(p), (p.B % (32 * p.w) == 0, whole)]


@gl.kernel(grid=blocks_of, block=lambda p: (p.B,), requires=path_rules)
def diverge(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "N"],
    w: gl.Scalar[gl.i32],
    B: gl.Tile = 256,
):
    """Send neighbouring lanes along ``w`` different paths, each a chain of multiply-adds as long as the others."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        v = gl.var(gl.f32, x[i])
        take(gl.tid.x % w, v)
        y[i] = v


@gl.kernel(grid=blocks_of, block=lambda p: (32, p.w, p.B // (32 * p.w)), requires=grouped_rules)
def group(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "N"],
    w: gl.Tile = 2,
    B: gl.Tile = 256,
):
    """Give the lanes of a warp every ``w``-th element, all of one path: a warp takes one path, and more sectors."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + (gl.tid.z * 32 + gl.tid.x) * w + gl.tid.y
    with gl.if_(i < N):
        v = gl.var(gl.f32, x[i])
        take(gl.tid.y, v)
        y[i] = v


def of_path(path, results):
    """Pick what belongs to a path, of four."""
    last, *others = reversed(results)
    for number, result in zip((2, 1, 0), others, strict=True):
        last = gl.select(path == number, result, last)
    return last


@gl.kernel(grid=blocks_of, block=lambda p: (p.B,), requires=path_rules)
def predicate(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "N"],
    w: gl.Scalar[gl.i32],
    B: gl.Tile = 256,
):
    """Have every lane compute all four paths, and keep the result of its own: no branch, and no instruction saved."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        loaded = gl.var(gl.f32, x[i])
        results = [gl.var(gl.f32, loaded) for _ in PATHS]
        for v, (factor, term) in zip(results, PATHS, strict=True):
            chain(v, factor, term)
        y[i] = of_path(gl.tid.x % w, results)


@gl.kernel(grid=blocks_of, block=lambda p: (p.B,), requires=path_rules)
def pick_operands(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "N"],
    w: gl.Scalar[gl.i32],
    B: gl.Tile = 256,
):
    """Pick factor and term of a lane's path, and take one chain with them: what paths share runs once."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        path = gl.tid.x % w
        factor, term = (gl.var(gl.f32, of_path(path, list(operands))) for operands in zip(*PATHS, strict=True))
        v = gl.var(gl.f32, x[i])
        chain(v, factor, term)
        y[i] = v


def follow_paths(x, *, N, w, B, **p):
    """Take every element along the path of its lane."""
    factor, term = np.array(PATHS, np.float32)[np.arange(N) % B % w].T
    v = x["x"].astype(np.float64)
    for _ in range(STEPS):
        v = (v * factor + term).astype(np.float32).astype(np.float64)  # one rounding a step: fused
    return {"y": v.astype(np.float32)}


COMMON = {
    "family": "divergence",
    "sizes": {"N": 1 << 20},
    "aliases": {"n": ("N",), "block": ("B",), "paths": ("w",)},
    "reference": follow_paths,
    "io": {"x": Traffic("N"), "y": Traffic(stores="N")},
    "textbook": Textbook(reads="N", writes="N"),
}

divergence = Algorithm(
    name="divergence",
    summary="w paths in every warp, each of 64 multiply-adds",
    kernel=diverge,
    scalars={"w": 2},
    **COMMON,
)

divergence_grouped = Algorithm(
    name="divergence-grouped",
    summary="the same, elements grouped by path: one path a warp",
    kernel=group,
    notes="B is a multiple of 32 w.",
    **COMMON,
)

divergence_predicated = Algorithm(
    name="divergence-predicated",
    summary="the same without branches: every lane computes all four paths and picks its own result",
    kernel=predicate,
    scalars={"w": 2},
    **COMMON,
)

divergence_selected = Algorithm(
    name="divergence-selected",
    summary="the same without branches: every lane picks its path's operands and computes once",
    kernel=pick_operands,
    scalars={"w": 2},
    **COMMON,
)
