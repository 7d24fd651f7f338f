"""Does a kernel read from textures what CUDA says that it reads?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpusim
from gpusim import Texture
from gpusim.errors import GpusimError, ParameterError
from tests.profile.running import kernel, run

pytestmark = pytest.mark.usefixtures("compiler")
RNG = np.random.default_rng(0)

PLANE = """
__global__ void k(cudaTextureObject_t t, const float *x, const float *y, {kind} *out) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<{kind}>(t, x[i], y[i]);
}}
"""
LINE = """
__global__ void k(cudaTextureObject_t t, const float *x, {kind} *out) {{
    out[threadIdx.x] = tex1D<{kind}>(t, x[threadIdx.x]);
}}
"""
FETCH = """
__global__ void k(cudaTextureObject_t t, const int *x, {kind} *out) {{
    out[threadIdx.x] = tex1Dfetch<{kind}>(t, x[threadIdx.x]);
}}
"""


def inside(place, size, mode):
    """Places as an addressing mode has them, and which are there."""
    if mode == "wrap":
        return place % size, np.ones(place.shape, bool)
    if mode == "mirror":
        place = place % (2 * size)
        return np.minimum(place, 2 * size - 1 - place), np.ones(place.shape, bool)
    there = (place >= 0) & (place < size)
    return np.clip(place, 0, size - 1), there | (mode == "clamp")


def places(u, size, texture, mode):
    """The two texels along a dimension, whether they are there, and their weights."""
    u = u.astype(np.float64) * (size if texture.normalized else 1)
    if texture.filter == "point":
        return [(*inside(np.floor(u).astype(int), size, mode), np.ones(u.shape))]
    first = np.floor(u - 0.5)
    share = np.floor((u - 0.5 - first) * 256 + 0.5) / 256
    return [
        (*inside(first.astype(int), size, mode), 1 - share),
        (*inside(first.astype(int) + 1, size, mode), share),
    ]


def sampled(texture, x, y=None):
    """What CUDA reads, as floats, one row of channels each."""
    width, height = texture.size
    grid = texture.array.reshape(max(height, 1), width, texture.channels).astype(np.float64)
    if texture.read == "normalized":
        grid = np.maximum(grid / np.iinfo(texture.array.dtype).max, -1)
    along_y = [(np.zeros(x.shape, int), np.ones(x.shape, bool), np.ones(x.shape))]
    if height:
        along_y = places(y, height, texture, texture.modes[1])
    border = np.array([*texture.border, 0, 0, 0, 0][: texture.channels], np.float64)
    total = np.zeros((len(x), texture.channels))
    for (i, in_x, a), (j, in_y, b) in itertools.product(places(x, width, texture, texture.modes[0]), along_y):
        texels = np.where((in_x & in_y)[:, None], grid[j, i], border)
        total += (a * b)[:, None] * texels
    return total.astype(np.float32)


def coordinates(count, size, normalized):
    """Some within a texture and some beyond."""
    return (RNG.uniform(-2, size + 2, count) / (size if normalized else 1)).astype(np.float32)


@pytest.mark.parametrize("gpu", ["h200", "a100-40gb"])
@pytest.mark.parametrize("how", ["point", "linear"])
@pytest.mark.parametrize(
    ("address", "normalized"),
    [("clamp", False), ("border", False), ("clamp", True), (("wrap", "mirror"), True), (("mirror", "border"), True)],
)
def test_floats_of_two_dimensions(gpu, how, address, normalized):
    array = RNG.standard_normal((7, 13)).astype(np.float32)
    texture = Texture(array, filter=how, address=address, normalized=normalized, border=(2.5,))
    x, y = coordinates(256, 13, normalized), coordinates(256, 7, normalized)
    out = np.zeros(256, np.float32)
    gpusim.profile(kernel(PLANE.format(kind="float"), gpu=gpu), 2, 128, [texture, x, y, out], gpu=gpu)
    assert np.allclose(out, sampled(texture, x, y)[:, 0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "dtype", "channels", "read"),
    [
        ("float2", np.float32, 2, "element"), ("float4", np.float32, 4, "element"), ("float", np.float16, 1, "element"),
        ("float4", np.float16, 4, "element"), ("float4", np.uint8, 4, "normalized"),
        ("float", np.int8, 1, "normalized"), ("float2", np.uint16, 2, "normalized"),
        ("float", np.int16, 1, "normalized"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("how", ["point", "linear"])
def test_channels_of_every_type_are_read_as_floats(kind, dtype, channels, read, how):
    shape = (5, 9) if channels == 1 else (5, 9, channels)
    array = RNG.integers(-100, 100, shape).astype(dtype)
    texture = Texture(array, channels=channels, read=read, filter=how)
    x, y = coordinates(64, 9, False), coordinates(64, 5, False)
    out = np.zeros((64, channels), np.float32)
    run(PLANE.format(kind=kind), 1, 64, texture, x, y, out)
    assert np.allclose(out, sampled(texture, x, y), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "dtype", "channels"),
    [
        ("int", np.int32, 1), ("uint4", np.uint32, 4), ("short2", np.int16, 2), ("uchar4", np.uint8, 4),
        ("signed char", np.int8, 1),
    ],
)  # fmt: skip
def test_integers_are_read_as_they_are(kind, dtype, channels):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    array = RNG.integers(low, high, (64, channels), dtype, endpoint=True)
    x = RNG.integers(0, 64, 64).astype(np.int32)
    out = np.zeros((64, channels), dtype)
    given = array[:, 0].copy() if channels == 1 else array
    run(FETCH.format(kind=kind), 1, 64, Texture(given, channels=channels), x, out)
    assert np.array_equal(out, array[x])


@pytest.mark.parametrize("gpu", ["h200", "rtx-4090"])
def test_one_dimension(gpu):
    array = RNG.standard_normal(40).astype(np.float32)
    texture = Texture(array, filter="linear", address="wrap", normalized=True)
    x, out = coordinates(64, 40, True), np.zeros(64, np.float32)
    gpusim.profile(kernel(LINE.format(kind="float"), gpu=gpu), 1, 64, [texture, x, out], gpu=gpu)
    assert np.allclose(out, sampled(texture, x)[:, 0], rtol=1e-6, atol=1e-6)


def test_a_fetch_beyond_gives_zero():
    array = np.arange(1, 33, dtype=np.float32)
    x, out = np.arange(-4, 60, dtype=np.int32), np.full(64, 9, np.float32)
    run(FETCH.format(kind="float"), 1, 64, Texture(array), x, out)
    assert np.array_equal(out, np.where((x >= 0) & (x < 32), x + 1, 0))


@pytest.mark.parametrize("values", [True, False])
def test_neighbours_share_sectors_and_find_them_in_l1(values):
    text = """__global__ void k(cudaTextureObject_t t, float *out) {
        for (int n = 0; n < 8; ++n) out[threadIdx.x] += tex2D<float>(t, threadIdx.x + 0.5f, 0.25f * n + 0.1f);
    }"""
    found = run(text, 1, 32, Texture(np.ones((2, 32), np.float32)), np.zeros(32, np.float32), values=values)
    assert found.value("smsp__inst_executed_op_texture.sum") == 8
    assert found.value("l1tex__t_requests_pipe_tex_mem_texture.sum") == 64  # of four lanes each
    assert found.value("l1tex__t_sectors_pipe_tex_mem_texture.sum") == 64
    assert found.value("l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum") == 56


def test_what_branches_depend_on_is_read_without_values_too():
    text = """__global__ void k(cudaTextureObject_t t, float *out) {
        if (tex1Dfetch<int>(t, threadIdx.x / 32)) out[threadIdx.x] = 1;
    }"""
    flags = np.array([1, 0, 1, 1], np.int32)
    found = run(text, 1, 128, Texture(flags), np.zeros(128, np.float32), values=False)
    assert found.value("smsp__inst_executed_op_global_st.sum") == 3


def test_several_textures_in_a_kernel():
    text = """__global__ void k(cudaTextureObject_t a, cudaTextureObject_t b, float *out) {
        out[threadIdx.x] = tex1Dfetch<float>(a, threadIdx.x) - tex1Dfetch<float>(threadIdx.x % 2 ? a : b, threadIdx.x);
    }"""
    a, b = RNG.standard_normal((2, 64)).astype(np.float32)
    out = np.zeros(64, np.float32)
    run(text, 1, 64, Texture(a), Texture(b), out)
    assert np.array_equal(out, np.where(np.arange(64) % 2, 0, a - b))


def test_a_number_is_no_texture():
    with pytest.raises(GpusimError, match="fetches from what is no texture of this launch: handle 7"):
        run(FETCH.format(kind="float"), 1, 32, np.uint64(7), np.zeros(32, np.int32), np.zeros(32, np.float32))


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"channels": 3}, "channels is 1, 2 or 4, not 3"),
        ({"filter": "cubic"}, "filter is point or linear, not 'cubic'"),
        ({"address": "wrap"}, "wrap and mirror are for coordinates that are normalized"),
        ({"read": "normalized"}, "integers of 8 or 16 bits are read as normalized, not float32"),
        ({"channels": 2}, "the last dimension of the array has 8 elements, not 2 channels"),
        ({"address": "round"}, "address is wrap, clamp, mirror, border, or a pair of these, not 'round'"),
    ],
)
def test_what_cuda_refuses(how, told):
    with pytest.raises(ParameterError) as refused:
        Texture(np.zeros((4, 8), np.float32), **how)
    assert str(refused.value) == f"texture: {told}"
