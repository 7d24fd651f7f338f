"""Launch shapes, array shapes and parameters of a kernel."""

import numpy as np
import pytest

from gpusim.lang import DescriptionError
from tests.lang import samples

SIZES = {"M": 100, "N": 200, "K": 30}


def test_shapes_of_a_launch():
    assert samples.tiled.shape(**SIZES) == ((7, 4, 1), (1024, 1, 1))
    assert samples.tiled.shape(**SIZES, T=16) == ((13, 7, 1), (256, 1, 1))
    assert samples.transpose.shape(M=64, N=33) == ((2, 2, 1), (32, 8, 1))
    assert samples.tiled.array_shape("B", **SIZES) == (30, 200)
    assert samples.reduction.array_shape("y", N=1000, B=128) == (8,)
    assert all(type(n) is int for part in samples.tiled.shape(**SIZES) for n in part)


def test_numpy_ints_are_ints():
    assert samples.vector_add.shape(N=np.int64(1000), B=np.int32(100)) == ((10, 1, 1), (100, 1, 1))


def test_scalars_may_be_left_out_where_the_shape_does_not_need_them():
    assert samples.divergence.bind(N=10) == {"N": 10, "B": 128}
    assert samples.divergence.shape(N=10, w=2) == ((1, 1, 1), (128, 1, 1))
    with pytest.raises(DescriptionError, match="no value for w"):
        samples.divergence.shape(N=10)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"M": 1, "N": 1}, "tiled needs a value for K"),
        ({**SIZES, "TT": 4}, "no parameter 'TT'; did you mean 'T'?"),
        ({**SIZES, "T": 64}, r"T\*T threads must fit a block of 1024 \(T = 64\)"),
        ({**SIZES, "T": 0}, "tile T = 0; it must be a positive int"),
        ({**SIZES, "M": 2**31}, "size M = 2147483648"),
        ({**SIZES, "M": 1.5}, "size M = 1.5"),
        ({**SIZES, "M": True}, "size M = True"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises(DescriptionError, match=message):
        samples.tiled.shape(**params)


def test_limits_of_a_launch():
    with pytest.raises(DescriptionError, match="block"):
        samples.vector_add.shape(N=10, B=2048)
    with pytest.raises(DescriptionError, match="grid"):
        samples.tiled.shape(M=2**22, N=1, K=1, T=1)
    with pytest.raises(DescriptionError, match="1600 threads"):
        samples.stencil.shape(M=1, N=1, X=40, Y=40)


def test_unknown_arrays_and_tiles():
    with pytest.raises(DescriptionError, match="no array 'D'"):
        samples.tiled.array_shape("D", **SIZES)
    with pytest.raises(DescriptionError, match="no tile 'M'"):
        samples.tiled.tiles(M=3)
    assert samples.tiled.tiles() == {"T": 32}


def test_scalars_are_checked():
    with pytest.raises(DescriptionError, match="not a value of type i32"):
        samples.divergence.bind(N=1, w=2.5)
    with pytest.raises(DescriptionError, match="not a value of type i32"):
        samples.divergence.bind(N=1, w=2**31)


def test_names():
    assert repr(samples.tiled) == "<Kernel tiled>"
    assert [p.name for p in samples.tiled.params] == ["M", "K", "N", "T"]
    assert [a.name for a in samples.tiled.arrays] == ["A", "B", "C"]
    assert samples.warps.__doc__.startswith("Each warp")
