"""Variables of a module are filled before a launch, read after it, and named where nobody fills them."""

import numpy as np
import pytest

import gpusim
from gpusim import GpusimError, hardware
from gpusim.cuda.symbols import Images
from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.frontends.cuda import work
from gpusim.kept.store import FORGET
from gpusim.simulate import kept_results
from gpusim.simulate.work import How
from tests.profile.running import kernel

SOURCE = """
struct Params { int n; float scale[2]; };
namespace a { __constant__ float coef[4]; __device__ int count; namespace { __device__ int seen[2]; } }
namespace b { __constant__ float coef[4]; }
__constant__ int first = 0;
__constant__ Params params;
template <int N> __constant__ float table[N];
__device__ float *where;
__global__ void k(float *y) {
    int i = threadIdx.x;
    y[i] = a::coef[i % 4] + b::coef[i % 4] * params.scale[1] + table<2>[i % 2] + first + (where ? *where : 0);
    atomicAdd(&a::count, params.n);
    if (i == 0) a::seen[1] = blockIdx.x + 7;
}
"""
FILLED = {
    "a::coef": np.array([1, 2, 3, 4], np.float32),
    "b::coef": [10, 20, 30, 40],
    "params": {"n": 3, "scale": [0, 0.5]},
    "table<2>": np.array([100, 200], np.float32),
}


def profile(y, **how):
    return gpusim.profile(kernel(SOURCE), 1, 32, [y], gpu="h200", **how)


def test_values_are_filled_and_read_back():
    y, count, seen = np.zeros(32, np.float32), np.array([5], np.int32), np.zeros(2, np.int32)
    found = profile(y, symbols={**FILLED, "count": count, "seen": seen})
    np.testing.assert_array_equal(y[:4], [106, 212, 118, 224])
    assert (count[0], *seen) == (5 + 32 * 3, 0, 7)
    assert not found.notes


def test_constants_that_nobody_fills_are_named_beside_the_result():
    notes = profile(np.zeros(32, np.float32), symbols={"a::coef": FILLED["a::coef"]}, values=False).notes
    assert [note.split()[2] for note in notes] == ["params", "table<2>", "b::coef"]
    assert "--set b::coef=" in notes[2]


@pytest.mark.parametrize(
    ("symbols", "says"),
    [
        ({"coef": FILLED["b::coef"]}, "may be any of: .*a::coef.*b::coef"),
        ({"coeff": 1}, "no variable 'coeff': did you mean"),
        ({"first": 1.5}, "first .int. is an integer, not 1.5"),
        ({"a::coef": np.zeros(3, np.float32)}, "has 16 bytes, not 12"),
        ({"a::coef": np.zeros(4, np.int32)}, "holds float32, but an array of int32"),
        ({"a::coef": [1, 2]}, "a list of 4 values"),
        ({"params": {"n": 3}}, "lacks params.scale"),
        ({"params": {"n": 3, "scale": [1, 2], "m": 1}}, "no field 'm'"),
        ({"where": np.zeros(4, np.float32)}, "is a pointer .float.*gives it no array"),
        ({"table<2>": 1}, "type is not known"),
        ([1], "symbols are told as a dict"),
    ],
)
def test_what_does_not_fit_is_refused(symbols, says):
    with pytest.raises(GpusimError, match=says):
        profile(np.zeros(32, np.float32), symbols=symbols)


def test_images_last_from_launch_to_launch():
    one = kernel(SOURCE)
    images = Images(one.cubin, one.program(int(GLOBAL_BASE)))
    count = next(symbol.name for symbol in one.cubin.variables if "count" in symbol.name)
    constants = {constant.name: constant for constant in one.cubin.constants}
    images.write("params", np.int32(2).tobytes())
    images.write(count, bytes([1]), offset=1)
    for launches in (1, 2):
        profile(np.zeros(32, np.float32), symbols=images)
        assert int.from_bytes(images.read(count), "little") == 256 + launches * 64
    assert images.read("params", 4) == bytes([2, 0, 0, 0])
    with pytest.raises(GpusimError, match="lie beyond it"):
        images.write("params", bytes(constants["params"].nbytes), offset=1)


def test_what_variables_hold_decides_under_what_a_result_is_kept(monkeypatch):
    monkeypatch.delenv(FORGET, raising=False)
    gpu = hardware.given("h200")
    one, y = kernel(SOURCE), np.zeros(32, np.float32)
    held = ({"params": {"n": n, "scale": [0, 0]}} for n in (5, 6, 5))
    keys = [kept_results.key([work(one, gpu, 1, 32, [y], symbols=symbols)], gpu, How()) for symbols in held]
    assert keys[0] == keys[2] != keys[1]
