"""Numbers of 8 bits, bit by bit: as ml_dtypes rounds them, but what is too large becomes the largest number."""
# ruff: noqa: F821 - a shape in an annotation is no name to look up

import ml_dtypes
import numpy as np
import pytest

import gpusim
import gpusim.lang as gl
from gpusim.catalogue import lookup
from gpusim.catalogue.algorithm import numpy_dtype
from tests.kernels.run import mine, run

BYTES = np.arange(256, dtype=np.uint8)


def converting(element):
    """Describe rounding to a type, in memory and in a register."""

    @gl.kernel(grid=lambda p: (gl.cdiv(p.N, 256),), block=lambda p: (256,), name=f"converting_{element.value}")
    def converting(x: gl.In[gl.f32, "N"], y: gl.Out[element, "N"], z: gl.Out[gl.f32, "N"]):
        N = gl.sizes("N")
        i = gl.ctaid.x * 256 + gl.tid.x
        with gl.if_(i < N):
            y[i] = x[i]
            z[i] = gl.cast(element, x[i])

    return converting


def numbers(dtype):
    """All numbers of a type, all that lie half way between two, their neighbours, anything at all."""
    own = BYTES.view(dtype).astype(np.float32)
    own = np.sort(own[np.isfinite(own)])
    middles = (own[1:] + own[:-1]) / 2
    near = [np.nextafter(np.concatenate([own, middles]), np.float32(end)) for end in (-np.inf, np.inf)]
    any_bits = np.random.default_rng(0).integers(0, 2**32, 4096, dtype=np.uint32).view(np.float32)
    beyond = np.float32([np.inf, -np.inf, 3.4e38, -3.4e38, 1e-45])
    return np.concatenate([own, middles, *near, any_bits[~np.isnan(any_bits)], beyond])


@pytest.mark.parametrize("element", [gl.e4m3, gl.e5m2])
def test_rounding_is_exact_and_saturates(element):
    dtype = numpy_dtype(element.value)
    x, most = numbers(dtype), float(ml_dtypes.finfo(dtype).max)
    wanted = np.clip(x, -most, most).astype(dtype)
    got = gpusim.run(mine(converting(element), N=1), {"x": x}, N=len(x))
    np.testing.assert_array_equal(got["y"].view(np.uint8), wanted.view(np.uint8))
    np.testing.assert_array_equal(got["z"], wanted.astype(np.float32))


def test_a_copy_keeps_every_bit():
    x = BYTES.view(ml_dtypes.float8_e4m3fn)
    y = run(lookup.get("copy-fp8"), {"N": 256}, inputs={"x": x})["y"]
    np.testing.assert_array_equal(y.view(np.uint8), BYTES)


def test_nan_stays_nan():
    x = np.full(32, np.nan, np.float32)
    got = gpusim.run(mine(converting(gl.e4m3), N=1), {"x": x}, N=len(x))
    assert np.isnan(got["y"].astype(np.float32)).all()
    assert np.isnan(got["z"]).all()


@pytest.mark.parametrize(("kind", "size"), [("", 4), ("-f16", 2), ("-bf16", 2), ("-fp8", 1)])
@pytest.mark.parametrize("name", ["copy", "relu", "matmul-tiled"])
def test_bytes_fall_with_the_size_of_an_element(name, kind, size):
    profile = gpusim.predict(name + kind, n=256)
    whole = gpusim.predict(name, n=256)
    assert profile.global_load_bytes / whole.global_load_bytes == size / 4
    assert profile.textbook["reads"].nbytes / whole.textbook["reads"].nbytes == size / 4
