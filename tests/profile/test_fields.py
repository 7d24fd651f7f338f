"""Structs that are passed by value are told field by field, pointers and arrays among them."""

import numpy as np
import pytest

import gpusim
from gpusim import GpusimError, cuda
from tests.profile.running import kernel

SOURCE = """
struct Inner { const float *from; short step; };
typedef struct { float *to; int n; float w[2]; Inner in; double *more[2]; union { int k; } u; } Params;
__global__ void k(char c, const Params p, int m) {
    int i = threadIdx.x;
    if (i < p.n) p.to[i] = p.in.from[i * p.in.step] * p.w[1] + c + m + p.u.k;
    if (i < 2) p.more[i][i] = i + 1;
}
"""


def given(**changed):
    fields = {
        "to": np.zeros(16, np.float32), "n": 16, "w": [0, 2],
        "in": {"from": np.arange(32, dtype=np.float32), "step": 2},
        "more": [np.zeros(2), np.zeros(2)], "u": bytes([3, 0, 0, 0]),
    }  # fmt: skip
    return {**fields, **changed}


def test_fields_reach_the_kernel_and_results_come_back():
    p = given()
    found = gpusim.profile(kernel(SOURCE), 1, 32, [1, p, 100], gpu="h200")
    np.testing.assert_array_equal(p["to"], 2.0 * 2 * np.arange(16) + 104)
    assert (p["more"][0][0], p["more"][1][1]) == (1, 2)
    assert {"p.to", "p.in.from", "p.more[0]"} <= {array.name for array in found.arrays}
    assert found.params["p.n"] == 16


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"n": 1.5}, "p.n.* is an integer"),
        ({"w": [1, 2, 3]}, "p.w .*list of 2 values"),
        ({"to": 3}, "p.to.* is a pointer"),
        ({"to": np.zeros(4)}, "points to float, but an array of float64"),
        ({"in": {"from": None}}, "lacks p.in.step"),
        ({"m": 1}, "no field 'm'"),
        ({"u": bytes(3)}, "has 4 bytes, not 3"),
    ],
)
def test_what_does_not_fit_is_refused(changed, says):
    with pytest.raises(GpusimError, match=says):
        gpusim.profile(kernel(SOURCE), 1, 32, [1, given(**changed), 100], gpu="h200")


def test_fields_of_a_template():
    text = "template <class T> struct P { T x; int n; }; __global__ void k(P<short> p, int *y) { *y = p.x + p.n; }"
    y = np.zeros(1, np.int32)
    gpusim.profile(kernel(text), 1, 1, [{"x": 1, "n": 2}, y], gpu="h200")
    assert y[0] == 3


def test_fields_of_a_base_come_first():
    text = "struct B { int x; }; struct P : B { int n; }; __global__ void k(P p, int *y) { *y = p.x - p.n; }"
    y = np.zeros(1, np.int32)
    gpusim.profile(kernel(text), 1, 1, [{"x": 1, "n": 2}, y], gpu="h200")
    assert y[0] == -1


def test_fields_that_are_not_known_are_asked_for_as_bytes(tmp_path):
    text = "struct P { int x : 4; int n; }; __global__ void k(P p, int *y) { *y = p.x + p.n; }"
    y = np.zeros(1, np.int32)
    with pytest.raises(GpusimError, match=r"not known .*: give its 8 bytes"):
        gpusim.profile(kernel(text), 1, 1, [{"x": 1, "n": 2}, y], gpu="h200")
    (tmp_path / "k.cubin").write_bytes(cuda.compile(SOURCE, gpu="h200").cubin.data)
    with pytest.raises(GpusimError, match="not known without the source"):
        gpusim.profile(cuda.compile(tmp_path / "k.cubin", gpu="h200").kernel(), 1, 1, [1, given(), 1], gpu="h200")
