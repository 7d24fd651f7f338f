"""Is a description predicted and run as it is, without an Algorithm around it?"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
import gpusim.lang as gl
from gpusim.catalogue import lookup
from gpusim.errors import GpusimError
from gpusim.launches.of_scenario import predictions


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, p.B),), block=lambda p: (p.B,), requires=lambda p: [(p.B <= 1024, "too many")])
def saxpy(x: gl.In[gl.f32, "N"], y: gl.InOut[gl.f32, "N"], a: gl.Scalar[gl.f32], B: gl.Tile = 256):
    """y = a x + y."""
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < gl.sizes("N")):
        y[i] = y[i] + a * x[i]


@gl.kernel(grid=lambda p: (p.M,), block=lambda p: (32,))
def fill(y: gl.Out[gl.i32, "M", 32], value: gl.Scalar[gl.i32]):
    y[gl.ctaid.x, gl.tid.x] = value


@settings(max_examples=20)
@given(st.integers(1, 2000), st.floats(-4, 4, width=32), st.sampled_from([32, 64, 256]), st.integers(0, 2**32 - 1))
def test_it_computes_what_numpy_does(n, a, block, seed):
    x, y = np.random.default_rng(seed).standard_normal((2, n), np.float32)
    found = gpusim.run(saxpy, x=x, y=y, a=a, B=block)
    np.testing.assert_allclose(found["y"], np.float32(a) * x + y, rtol=1e-6, atol=1e-6)
    assert (found["x"] == x).all()


def test_sizes_may_be_given_and_must_be_where_no_array_has_them():
    x = np.ones(8, np.float32)
    assert gpusim.run(saxpy, {"x": x}, y=x, N=8, a=1)["y"].tolist() == [2.0] * 8
    assert gpusim.run(fill, M=2, value=-3)["y"].tolist() == [[-3] * 32] * 2


@pytest.mark.parametrize("name", ["vector-add", "transpose-padded", "matmul-tiled"])
def test_it_is_predicted_as_the_algorithm_around_it(name):
    algorithm = lookup.get(name)
    params = {"vector-add": {"N": 1000}, "matmul-tiled": {"M": 40, "N": 33, "K": 17}}.get(name, {"M": 70, "N": 33})
    bare, whole = (gpusim.predict(each, **params) for each in (algorithm.kernel, algorithm))
    assert {name: m.value for name, m in bare.metrics.items()} == {name: m.value for name, m in whole.metrics.items()}
    assert bare.params == whole.params
    assert bare.kernel == algorithm.kernel.name
    assert set(bare.textbook) == {"compulsory"}


def test_the_table_of_one_can_be_read_and_kept():
    profile = gpusim.predict(saxpy, N=1000, a=0.5, gpu="a100-40gb", cache="warm")
    assert repr(profile).startswith("saxpy  N=1000 a=0.5 B=256  on a100-40gb")
    assert profile.to_dict()["params"]["a"] == 0.5
    assert profile.flops == 2000


def test_an_algorithm_takes_arrays_and_sizes_so_too():
    ones = np.ones((6, 4), np.float32)
    assert (gpusim.run("transpose-padded", x=ones)["y"] == ones.T).all()
    with pytest.raises(GpusimError, match=r"x must be float32 \(8, 8\), not float32 \(6, 4\)"):
        gpusim.run("transpose-padded", x=ones, n=8)


def not_decorated(x: gl.In[gl.f32, "N"]):
    pass


X = np.ones(8, np.float32)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: gpusim.predict(saxpy, N=8), "saxpy: a value is needed for a: a=..."),
        (lambda: gpusim.predict(saxpy), "saxpy: a value is needed for N, a: N=..."),
        (lambda: gpusim.predict(saxpy, N=8, alpha=1), "unknown parameter of saxpy 'alpha': "),
        (lambda: gpusim.predict(saxpy, N=0, a=1), "saxpy: size N = 0; it must be a positive int"),
        (lambda: gpusim.predict(saxpy, N=8.5, a=1), "saxpy: size N = 8.5; it must be a positive int"),
        (lambda: gpusim.predict(saxpy, N=8, a="one"), "saxpy: a = 'one' is not a value of type f32"),
        (lambda: gpusim.predict(fill, M=8, value=1.5), "fill: value = 1.5 is not a value of type i32"),
        (lambda: gpusim.predict(saxpy, N=8, a=1, B=2048), "saxpy: too many (B = 2048)"),
        (lambda: gpusim.predict(not_decorated, N=8), "not the function not_decorated without that decorator"),
        (lambda: gpusim.predict(3), "a kernel is a name, an Algorithm or what @gl.kernel makes, not 3"),
        (lambda: gpusim.predict(lookup.chain("attention-standard")), "gpusim.predict_chain and run_chain take"),
        (lambda: gpusim.run(saxpy, x=X, y=X[:4], a=1), "saxpy: y must be float32 (8,), not float32 (4,)"),
        (lambda: gpusim.run(saxpy, x=X, a=1), "saxpy: no array given for y"),
        (lambda: gpusim.run(saxpy, x=X, z=X, a=1), "unknown array of saxpy 'z': there are x, y"),
        (lambda: gpusim.run(saxpy, {"x": [1, 2]}, y=X, a=1), "saxpy: x must be a NumPy array, not list"),
        (lambda: gpusim.run(saxpy, x=X.astype(np.float64), y=X, a=1), "saxpy: x must be float32 (8,), not float64"),
    ],
)
def test_a_mistake_is_told_in_a_line(ask, says):
    with pytest.raises(GpusimError) as error:
        ask()
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_scenario_that_predicts_one_can_be_measured_without_it():
    with predictions() as heard:
        gpusim.predict(saxpy, N=64, a=1.0)
        gpusim.predict("copy", N=64)
    assert list(heard) == ["copy N=64 B=256"]
