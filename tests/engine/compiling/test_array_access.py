"""Elements and rows of arrays in jitted code are those that NumPy has."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.engine.compiling import store
from gpusim.engine.compiling.jit import jit, whole

KINDS = (np.int64, np.uint64, np.int32, np.uint32, np.uint8, np.float32, np.float64)
some = settings(max_examples=60, deadline=None)
axes = st.integers(1, 5)


@jit
def element_of_one(a, i):
    return a[i]


@jit
def element_of_two(a, i, j):
    return a[i, j] + a[i][j]


@jit
def element_of_three(a, i, j, k):
    return a[i, j, k] + a[i][j, k] + a[i, j][k]


@jit
def first_and_last(a):
    return a[0, 0] + 3 * a[-1, -1] + a[1 - 1][0]


@jit
def shape_of_row(a, i):
    row = a[i]
    return len(row), row.shape[0], row.size, row.strides[0], row.itemsize


@jit
def total_of_row(a, i):
    total = 0 * a[0, 0]
    for value in a[i]:
        total += value
    return total


@jit
def put(a, i, j, value):
    a[i, j] = value
    a[i][j] += 1


@jit
def fill(a, i, value):
    a[i] = value


@pytest.fixture(scope="module", autouse=True)
def kept_apart(tmp_path_factory):
    """Code of these functions is not kept with the engine's: that folder's name does not change with this file."""
    before, store.FOLDER = store.FOLDER, tmp_path_factory.mktemp("kept") / "engine-of-tests"
    yield
    store.FOLDER = before


def numbered(*shape, kind=np.int64):
    """An array in which each element is another number."""
    return np.arange(1, 1 + int(np.prod(shape))).reshape(shape).astype(kind)


def places(shape):
    """Indices of an element, counted from either end."""
    return st.tuples(*(st.integers(-size, size - 1) for size in shape))


@some
@given(st.data(), st.lists(axes, min_size=1, max_size=3))
def test_an_element_is_where_numpy_has_it(data, shape):
    a, place = numbered(*shape), data.draw(places(shape))
    function = (element_of_one, element_of_two, element_of_three)[len(shape) - 1]
    assert whole(function)(a, *place) == len(shape) * a[place]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_every_type_are_read_and_set(kind):
    a = numbered(3, 4, kind=kind)
    assert whole(element_of_two)(a, 1, -1) == 2 * a[1, -1]
    whole(put)(a, -1, 2, a[0, 0])
    assert a[2, 2] == a[0, 0] + 1
    assert (np.delete(a.ravel(), 10) == np.delete(numbered(3, 4, kind=kind).ravel(), 10)).all()


@pytest.mark.parametrize("index", [np.uint32(2), np.uint64(2), np.int32(-1), np.int64(-1), np.uint8(2)])
def test_indices_of_every_type_count_from_their_end(index):
    a = numbered(3)
    assert whole(element_of_one)(a, index) == a[int(index)]


@pytest.mark.parametrize("value", [True, 2, 2.75, np.uint32(7), np.int32(-7)])
def test_what_is_set_is_converted(value):
    a, b = numbered(2, 3), numbered(2, 3)
    whole(put)(a, 1, 1, value)
    b[1, 1] = value
    b[1, 1] += 1
    assert (a == b).all()


def test_constant_indices_count_from_either_end():
    a = numbered(2, 3)
    assert whole(first_and_last)(a) == a[0, 0] + 3 * a[-1, -1] + a[0, 0]


@some
@given(st.data(), axes, axes)
def test_a_row_is_an_array(data, n, m):
    a, i = numbered(n, m), data.draw(st.integers(-n, n - 1))
    assert whole(shape_of_row)(a, i) == (m, m, m, 8, 8)
    assert whole(total_of_row)(a, i) == a[i].sum()


def test_arrays_in_several_pieces_and_whole_rows_are_left_to_numba():
    a = numbered(4, 6)[::2, ::3]
    assert whole(element_of_two)(a, -1, 1) == 2 * a[-1, 1]
    whole(fill)(a, 1, 5)
    assert a.tolist() == [[1, 4], [5, 5]]
