"""Does quantisation err as little as E4M3 allows, tile by tile, and are its bytes as counted?"""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gpusim.errors import ParameterError
from gpusim.model import fp8

SCALINGS = {
    "tensor": fp8.PER_TENSOR, "tile": fp8.TILE, "block": fp8.BLOCK, "rows": fp8.MX_ROWS, "columns": fp8.MX_COLUMNS,
}  # fmt: skip

shapes = st.tuples(st.integers(1, 70), st.integers(1, 300))
elements = st.floats(-(2.0**60), 2.0**60, width=32, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 2.0**-60)
matrices = arrays.arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 140)), elements=elements)
scalings = st.sampled_from(list(SCALINGS.values()))


def spread_scales(quantised):
    """Scale of each element, spread with a Kronecker product."""
    rows, columns = quantised.scaling.tile(quantised.values.shape)
    wide = np.kron(quantised.scales.astype(np.float64), np.ones((rows, columns)))
    return wide[: quantised.values.shape[0], : quantised.values.shape[1]]


@given(matrices, scalings)
def test_the_error_is_what_three_bits_allow(x, scaling):
    """Half a unit in the last place: 2^-4 of a normal number, 2^-10 scales of a small one; 1/8 where clamped."""
    quantised = fp8.quantise(x, scaling)
    scales = spread_scales(quantised)
    error = np.abs(fp8.dequantise(quantised).astype(np.float64) - x)
    allowed = np.maximum(np.abs(x) * 2.0**-4, scales * 2.0**-10)
    if scaling.scale_bytes == 1:
        allowed = np.where(np.abs(x) > 448 * scales, np.abs(x) / 8, allowed)
    assert (error <= allowed * (1 + 1e-5)).all()


@given(matrices, scalings)
def test_what_fp8_can_say_is_not_changed_again(x, scaling):
    once = fp8.dequantise(fp8.quantise(x, scaling))
    twice = fp8.dequantise(fp8.quantise(once, scaling))
    np.testing.assert_allclose(twice, once, rtol=1e-6)


@pytest.mark.parametrize("name", ["tensor", "tile", "block"])
def test_a_scale_takes_the_largest_to_the_largest(name):
    x = np.random.default_rng(0).normal(size=(130, 260))
    quantised = fp8.quantise(x, SCALINGS[name])
    assert np.abs(quantised.values.astype(np.float32)).max() == 448
    rows, columns = quantised.scaling.tile(x.shape)
    corner = np.abs(x[:rows, :columns]).max()
    assert quantised.scales[0, 0] == pytest.approx(corner / 448, rel=1e-6)


def test_mx_scales_are_powers_of_two_below_the_largest():
    """The MX specification, section 6.3: 2^(floor(log2 amax) - 8)."""
    x = np.zeros((1, 96))
    x[0, 3], x[0, 40], x[0, 95] = 448, -1023, 2.0**-20
    quantised = fp8.quantise(x, fp8.MX_ROWS)
    assert quantised.scales.astype(np.float64).tolist() == [[1, 2, 2.0**-28]]
    assert fp8.dequantise(quantised)[0, 40] == -896  # 511.5 scales are clamped to 448


def relative_error(x, scaling, where):
    return float((np.abs(fp8.dequantise(fp8.quantise(x, scaling)) - x) / np.abs(x))[where].max())


@pytest.mark.parametrize(
    ("name", "spared"), [("tile", np.s_[1:, :]), ("tile", np.s_[0, 128:]), ("rows", np.s_[0, 32:])]
)
def test_an_outlier_hurts_its_own_tile_alone(name, spared):
    x = np.random.default_rng(1).uniform(0.5, 1, size=(4, 256)).astype(np.float32)
    calm = fp8.dequantise(fp8.quantise(x, SCALINGS[name]))
    x[0, 0] = 1e6
    loud = fp8.dequantise(fp8.quantise(x, SCALINGS[name]))
    assert (loud[spared] == calm[spared]).all()
    assert relative_error(x, SCALINGS[name], spared) < 0.13
    assert relative_error(x, fp8.PER_TENSOR, spared) == 1  # with one scale they all vanish


def test_zeros_stay_zeros():
    for scaling in SCALINGS.values():
        quantised = fp8.quantise(np.zeros((3, 40)), scaling)
        assert (fp8.dequantise(quantised) == 0).all()
        assert (quantised.scales.astype(np.float32) == 1).all()


@given(shapes, scalings)
def test_bytes_are_those_of_the_arrays(shape, scaling):
    quantised = fp8.quantise(np.ones(shape), scaling)
    assert quantised.values.dtype == ml_dtypes.float8_e4m3fn
    assert quantised.nbytes == fp8.tensor_bytes(shape, scaling)
    assert quantised.scales.nbytes == fp8.scale_bytes(shape, scaling)


def test_bytes_of_a_large_matrix():
    shape = (4096, 4096)
    scales = {name: fp8.scale_bytes(shape, scaling) for name, scaling in SCALINGS.items()}
    assert scales == {"tensor": 4, "tile": 4 * 32 * 4096, "block": 4 * 32 * 32, "rows": 2**19, "columns": 2**19}
    both = fp8.tensor_bytes(shape, fp8.MX_ROWS, fp8.MX_COLUMNS)
    assert both == 2 * (4096**2 + 2**19)
    assert both > 2 * 4096**2  # more than the BF16 it stands for


def test_a_square_block_fits_both_orientations_and_a_tile_does_not():
    x = np.random.default_rng(2).normal(size=(256, 256))
    turned = {name: fp8.dequantise(fp8.quantise(x.T, SCALINGS[name])).T for name in ("block", "tile")}
    straight = {name: fp8.dequantise(fp8.quantise(x, SCALINGS[name])) for name in ("block", "tile")}
    assert (turned["block"] == straight["block"]).all()
    assert (turned["tile"] != straight["tile"]).any()


@given(matrices)
def test_columns_are_rows_of_the_transpose(x):
    columns = fp8.dequantise(fp8.quantise(x, fp8.MX_COLUMNS))
    rows = fp8.dequantise(fp8.quantise(x.T, fp8.MX_ROWS))
    assert (columns == rows.T).all()


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("x must be a matrix of finite numbers", lambda: fp8.quantise([1.0], fp8.TILE)),
        ("x must be a matrix of finite numbers", lambda: fp8.quantise([[np.nan]], fp8.TILE)),
        ("x must be a matrix of finite numbers", lambda: fp8.quantise(np.zeros((0, 3)), fp8.TILE)),
        ("scale_bytes must be 1", lambda: fp8.Scaling(1, 1, 2)),
        ("rows must be 1 or more, not -1", lambda: fp8.Scaling(-1, 1)),
        ("rows must be 1 or more, not 0", lambda: fp8.Scaling(0, 1)),
        ("columns must be 1 or more", lambda: fp8.tensor_bytes((1, 0), fp8.TILE)),
        ("scalings must name a copy at least", lambda: fp8.tensor_bytes((1, 1))),
    ],
)
def test_bad_input_is_told_in_a_line(message, call):
    with pytest.raises(ParameterError, match=message):
        call()
