"""Do arrays pass their bytes to a kernel, and take its results, or say why not?"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
from gpusim.errors import GpusimError
from tests.profile.running import kernel

pytestmark = pytest.mark.usefixtures("compiler")

N = 8
ADD = "__global__ void add(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }"


def launch(x, y, text=ADD, **how):
    gpusim.profile(kernel(text), 1, N, [x, y], **how)


def refusal(*args, **how):
    with pytest.raises(GpusimError) as error:
        launch(*args, **how)
    assert "\n" not in str(error.value)
    return str(error.value)


def read_only(array):
    array.setflags(write=False)
    return array


def counting():
    return np.arange(N, dtype=np.int32)


@pytest.mark.parametrize("pointer", ["int*", "void*"])
@pytest.mark.parametrize("dtype", [">i4", ">u4", [("a", ">i4")], ">U1"])
def test_another_byte_order_is_refused_with_the_right_one(pointer, dtype):
    text = ADD.replace("const int* x", f"const {pointer} x").replace("x[threadIdx", "((const int*)x)[threadIdx")
    message = refusal(np.zeros(N, dtype), counting(), text)
    native = np.dtype(dtype).newbyteorder("=")
    assert f"argument 1 of add (const {pointer} x) holds {np.dtype(dtype)}, whose byte order is not" in message
    assert f"give an array of {native};" in message
    assert "argument 2 of add (int* y) holds" in refusal(counting(), np.zeros(N, ">i4"))


def test_bytes_of_another_order_can_still_be_given_as_bytes():
    x, y = np.full(N, 5, ">i4"), counting()
    launch(x.view(np.uint8), y)
    assert (y == np.full(N, 5 << 24) + 1).all()


@pytest.mark.parametrize("dtype", [object, [("a", np.int32), ("b", object)], np.dtypes.StringDType()])
def test_python_objects_are_refused(dtype):
    text = ADD.replace("const int* x", "const void* x").replace("x[threadIdx", "((const int*)x)[threadIdx")
    assert "argument 1 of add (const void* x) holds Python objects" in refusal(np.zeros(N, dtype), counting(), text)


def test_an_input_may_be_read_only(tmp_path):
    np.save(tmp_path / "x.npy", counting())
    for x in (
        read_only(counting()),
        np.broadcast_to(np.int32(3), N),
        np.load(tmp_path / "x.npy", mmap_mode="r"),
        np.frombuffer(counting().tobytes(), np.int32),
    ):
        launch(x, y := np.zeros(N, np.int32))
        np.testing.assert_array_equal(y, x + 1)


@pytest.mark.parametrize("make", [lambda: read_only(np.zeros(N, np.int32)), lambda: np.broadcast_to(np.int32(3), N)])
def test_results_for_a_read_only_array_are_refused_by_name(make):
    y = make()
    before = y.copy()
    assert refusal(counting(), y) == "add writes to y, but its array is read-only: give a copy of it"
    np.testing.assert_array_equal(y, before)
    launch(counting(), y, values=False)  # then arrays stay as they are, whatever they are


def test_results_for_elements_that_share_memory_are_refused():
    y = np.lib.stride_tricks.as_strided(np.zeros(1, np.int32), (N,), (0,))
    assert "add writes to y, but its array has elements that share memory with each other" in refusal(counting(), y)
    launch(y, counting())


def test_nothing_is_written_where_one_result_has_no_place():
    text = "__global__ void both(int* x, int* y) { x[threadIdx.x] = y[threadIdx.x] = 1; }"
    x = np.zeros(N, np.int32)
    assert "both writes to y" in refusal(x, read_only(np.zeros(N, np.int32)), text)
    assert not x.any()


def test_results_reach_what_only_looks_like_an_array():
    y = np.ma.array(np.zeros(N, np.int32), mask=np.arange(N) % 2, hard_mask=True)
    launch(counting(), y)
    np.testing.assert_array_equal(y.data, counting() + 1)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, N), st.integers(0, N))
def test_a_read_only_view_shows_what_is_written_where_another_argument_takes_it(first, second):
    text = "__global__ void at(const int* x, int* y) { if (threadIdx.x == 0) ((int*)x)[3] = 7; }"
    whole = np.zeros(2 * N, np.int32)
    x, y = read_only(whole[first : first + N]), whole[second : second + N]
    if second <= first + 3 < second + N:
        launch(x, y, text)
        assert np.flatnonzero(whole).tolist() == [first + 3]
    else:
        assert "at writes to x, but its array is read-only" in refusal(x, y, text)
        assert not whole.any()


def test_described_kernels_take_arrays_by_the_same_rules():
    ones = np.ones(N, np.float32)
    with pytest.raises(GpusimError, match=r"vector-add: a must be float32 \(8,\), not >f4 \(8,\)"):
        gpusim.run("vector-add", a=ones.astype(">f4"), b=ones)
    found = gpusim.run("vector-add", a=read_only(np.ones(N, np.float32)), b=ones, c=read_only(np.zeros(N, np.float32)))
    assert (found["c"] == 2).all()
