"""Vectors: one thread an element, and what the stride, the offset or an index does to its warp's memory requests."""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Textbook, Traffic

BLOCK_RULE = "B threads must fit a block: 1 <= B <= 1024, best a multiple of 32"


def blocks_of(p):
    """Take one thread for each element."""
    return (gl.cdiv(p.N, p.B),)


def block_rule(p):
    """Limit the threads of a block, the only tile here."""
    return [(p.B <= 1024, BLOCK_RULE)]


@gl.kernel(grid=blocks_of, block=lambda p: (p.B,), requires=block_rule)
def add(
    a: gl.In[gl.f32, "N"],
    b: gl.In[gl.f32, "N"],
    c: gl.Out[gl.f32, "N"],
    B: gl.Tile = 256,
):
    """Add: c[i] = a[i] + b[i]."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        c[i] = a[i] + b[i]


def copying(element):
    """Describe the copy of one element a thread, of this type."""

    @gl.kernel(grid=blocks_of, block=lambda p: (p.B,), requires=block_rule)
    def copy_words(
        x: gl.In[element, "N"],
        y: gl.Out[element, "N"],
        B: gl.Tile = 256,
    ):
        """Copy y[i] = x[i], one element a thread."""
        N = gl.sizes("N")
        i = gl.ctaid.x * B + gl.tid.x
        with gl.if_(i < N):
            y[i] = x[i]

    return copy_words


def copying_vectors(element):
    """Describe the copy of 16 bytes a thread, in elements of this type."""
    several = 16 // element.nbytes

    @gl.kernel(
        grid=lambda p: (gl.cdiv(p.N, several * p.B),),
        block=lambda p: (p.B,),
        requires=lambda p: [
            (p.B <= 1024, BLOCK_RULE),
            (p.N % several == 0, f"a thread copies {several} elements: N must be a multiple of {several}"),
        ],
    )
    def copy_vectors(
        x: gl.In[element, "N"],
        y: gl.Out[element, "N"],
        B: gl.Tile = 256,
    ):
        """Copy sixteen bytes a thread: a quarter of the requests that four bytes take, a sixteenth of one byte's."""
        N = gl.sizes("N")
        i = several * (gl.ctaid.x * B + gl.tid.x)
        with gl.if_(i < N):
            y.store(i, x.load(i, vec=several))

    return copy_vectors


@gl.kernel(grid=blocks_of, block=lambda p: (p.B,), requires=block_rule)
def load_strided(
    x: gl.In[gl.f32, "N * s"],
    y: gl.Out[gl.f32, "N"],
    B: gl.Tile = 256,
):
    """Copy y[i] = x[i s]: a warp's load spreads over min(s, 8) times as many sectors."""
    N, s = gl.sizes("N", "s")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        y[i] = x[i * s]


@gl.kernel(grid=blocks_of, block=lambda p: (p.B,), requires=block_rule)
def store_strided(
    x: gl.In[gl.f32, "N"],
    y: gl.Out[gl.f32, "N * s"],
    B: gl.Tile = 256,
):
    """Copy y[i s] = x[i]: the mirror image of the strided load."""
    N, s = gl.sizes("N", "s")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        y[i * s] = x[i]


@gl.kernel(
    grid=blocks_of,
    block=lambda p: (p.B,),
    requires=lambda p: [(p.B <= 1024, BLOCK_RULE), (p.o >= 0, "the offset o must be 0 or more")],
)
def load_offset(
    x: gl.In[gl.f32, "N + o"],
    y: gl.Out[gl.f32, "N"],
    o: gl.Scalar[gl.i32],
    B: gl.Tile = 256,
):
    """Copy y[i] = x[i + o]: unless o is a multiple of 8, every warp touches a fifth sector."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        y[i] = x[i + o]


@gl.kernel(grid=blocks_of, block=lambda p: (p.B,), requires=block_rule)
def gather_words(
    idx: gl.In[gl.i32, "N"],
    x: gl.In[gl.f32, "w"],
    y: gl.Out[gl.f32, "N"],
    B: gl.Tile = 256,
):
    """Copy y[i] = x[idx[i]]: with random indices nearly every lane needs a sector of its own."""
    N = gl.sizes("N")
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < N):
        y[i] = x[idx[i]]


def spread(x, step, length):
    """Put ``x`` at every ``step``-th place among zeros."""
    y = np.zeros(length, x.dtype)
    y[::step] = x
    return y


LENGTH = {"N": 1 << 20}
SHORT = {"n": ("N",), "block": ("B",)}
STRIDE = {**SHORT, "stride": ("s",)}

vector_add = Algorithm(
    name="vector-add",
    family="vector",
    summary="c = a + b",
    kernel=add,
    sizes=LENGTH,
    aliases=SHORT,
    reference=lambda x, **p: {"c": x["a"] + x["b"]},
    io={"a": Traffic("N"), "b": Traffic("N"), "c": Traffic(stores="N")},
    textbook=Textbook(reads="2*N", writes="N"),
)

COPY = {
    "family": "vector",
    "sizes": LENGTH,
    "aliases": SHORT,
    "reference": lambda x, **p: {"y": x["x"].copy()},
    "io": {"x": Traffic("N"), "y": Traffic(stores="N")},
}

copy = Algorithm(
    name="copy",
    summary="y = x, 4 bytes a thread",
    kernel=copying(gl.f32),
    textbook=Textbook(reads="N", writes="N"),
    **COPY,
)

copy_f16 = Algorithm(
    name="copy-f16",
    summary="y = x, elements of f16, 2 bytes a thread",
    kernel=copying(gl.f16),
    textbook=Textbook(reads="N", writes="N", element_bytes=2),
    **COPY,
)

copy_bf16 = Algorithm(
    name="copy-bf16",
    summary="y = x, elements of bf16, 2 bytes a thread",
    kernel=copying(gl.bf16),
    textbook=Textbook(reads="N", writes="N", element_bytes=2),
    **COPY,
)

copy_fp8 = Algorithm(
    name="copy-fp8",
    summary="y = x, elements of fp8 (e4m3), 1 byte a thread",
    kernel=copying(gl.e4m3),
    textbook=Textbook(reads="N", writes="N", element_bytes=1),
    **COPY,
)

copy_vec4 = Algorithm(
    name="copy-vec4",
    summary="y = x, 16 bytes a thread",
    kernel=copying_vectors(gl.f32),
    textbook=Textbook(reads="N", writes="N"),
    notes="N is a multiple of 4.",
    **COPY,
)

copy_vec8_f16 = Algorithm(
    name="copy-vec8-f16",
    summary="y = x, elements of f16, 16 bytes a thread",
    kernel=copying_vectors(gl.f16),
    textbook=Textbook(reads="N", writes="N", element_bytes=2),
    notes="N is a multiple of 8.",
    **COPY,
)

copy_vec16_fp8 = Algorithm(
    name="copy-vec16-fp8",
    summary="y = x, elements of fp8 (e4m3), 16 bytes a thread",
    kernel=copying_vectors(gl.e4m3),
    textbook=Textbook(reads="N", writes="N", element_bytes=1),
    notes="N is a multiple of 16.",
    **COPY,
)

copy_strided = Algorithm(
    name="copy-strided",
    family="vector",
    summary="y[i] = x[i s]: loads s elements apart",
    kernel=load_strided,
    sizes={**LENGTH, "s": 2},
    aliases=STRIDE,
    reference=lambda x, *, s, **p: {"y": x["x"][::s].copy()},
    touched={"x": "N"},
    io={"x": Traffic("N"), "y": Traffic(stores="N")},
    textbook=Textbook(reads="N*min(s, 8)", writes="N"),
    notes="The textbook counts whole 32-byte sectors: of the 8 floats in each, 8/s are used and one at least.",
)

copy_offset = Algorithm(
    name="copy-offset",
    family="vector",
    summary="y[i] = x[i + o]: loads o elements off alignment",
    kernel=load_offset,
    sizes=LENGTH,
    scalars={"o": 1},
    aliases={**SHORT, "offset": ("o",)},
    reference=lambda x, *, o, **p: {"y": x["x"][o:].copy()},
    touched={"x": "N"},
    io={"x": Traffic("N"), "y": Traffic(stores="N")},
    textbook=Textbook(reads="N", writes="N"),
)

strided_store = Algorithm(
    name="store-strided",
    family="vector",
    summary="y[i s] = x[i]: stores s elements apart",
    kernel=store_strided,
    sizes={**LENGTH, "s": 2},
    aliases=STRIDE,
    reference=lambda x, *, N, s, **p: {"y": spread(x["x"], s, N * s)},
    touched={"y": "N"},
    io={"x": Traffic("N"), "y": Traffic(stores="N")},
    textbook=Textbook(reads="N", writes="N*min(s, 8)"),
    notes="The textbook counts whole 32-byte sectors: of the 8 floats in each, 8/s are written and one at least.",
)

gather = Algorithm(
    name="gather",
    family="vector",
    summary="y[i] = x[idx[i]]: random loads among w elements",
    kernel=gather_words,
    sizes={**LENGTH, "w": 1 << 18},
    aliases={**SHORT, "window": ("w",)},
    draw={"idx": lambda rng, shape, p: rng.integers(0, p["w"], shape, dtype=np.int32)},
    reference=lambda x, **p: {"y": x["x"][x["idx"]]},
    touched={"x": "1"},
    io={"idx": Traffic("N"), "x": Traffic("N"), "y": Traffic(stores="N")},
    textbook=Textbook(reads="2*N", writes="N"),
)
