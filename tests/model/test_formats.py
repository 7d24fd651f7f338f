"""Are formats what their bits make them, and numbers rounded to the nearest one they have?"""

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.errors import UnknownNameError
from gpusim.model import formats

NAMES = list(formats.TYPES)
normal = st.floats(2.0**-120, 2.0**120, width=32).flatmap(lambda x: st.sampled_from([x, -x]))


def test_figures_of_the_papers():
    largest = {name: formats.format_of(name).largest for name in NAMES}
    assert (largest["fp16"], largest["e4m3"], largest["e5m2"]) == (65504, 448, 57344)
    assert largest["bf16"] == (2 - 2**-7) * 2.0**127
    assert {name: formats.format_of(name).bits for name in NAMES} == {
        "fp32": 32, "tf32": 19, "bf16": 16, "fp16": 16, "e4m3": 8, "e5m2": 8,
    }  # fmt: skip
    assert formats.format_of("e4m3").smallest_subnormal == 2.0**-9
    assert formats.format_of("e5m2").smallest_subnormal == 2.0**-16


@pytest.mark.parametrize("name", ["fp32", "bf16", "fp16", "e5m2"])
def test_bits_alone_give_what_ml_dtypes_says(name):
    """By which TF32's figures are worked out; E4M3 alone uses the largest exponent."""
    told = formats.format_of(name)
    assert formats._of_bits(name, told.exponent_bits, told.mantissa_bits) == told


def test_tf32_has_the_range_of_fp32_and_the_epsilon_of_fp16():
    tf32, fp32, fp16 = map(formats.format_of, ("tf32", "fp32", "fp16"))
    assert (tf32.smallest_normal, tf32.exponent_bits) == (fp32.smallest_normal, fp32.exponent_bits)
    assert tf32.epsilon == fp16.epsilon
    assert fp16.largest < 1e5 < 3e38 < tf32.largest <= fp32.largest


@given(normal)
def test_tf32_is_rounded_as_a_number_of_ten_bits_after_the_point(x):
    mantissa, exponent = math.frexp(x)
    expected = math.ldexp(round(mantissa * 2**11), exponent - 11)  # Python rounds ties to even
    assert float(formats.cast(x, "tf32")) == expected


@given(st.floats(-60000, 60000, width=32).filter(lambda x: abs(x) > 2.0**-14))
def test_tf32_rounds_as_fp16_does_in_its_range(x):
    assert float(formats.cast(x, "tf32")) == float(np.float16(x)) or not np.isfinite(np.float16(x))


@given(normal, st.sampled_from(NAMES))
def test_a_rounded_number_is_within_half_an_epsilon_and_stays(x, name):
    kept = formats.format_of(name)
    rounded = float(formats.cast(x, name))
    if kept.smallest_normal <= abs(x) <= kept.largest:
        assert abs(rounded - x) <= kept.roundoff * abs(x)
    assert float(formats.cast(rounded, name)) == rounded or not math.isfinite(rounded)


def test_what_is_too_large_is_infinite_or_nan_and_infinity_stays():
    for name in NAMES:
        beyond = float(formats.cast(3.4028234663852886e38 if name == "tf32" else math.inf, name))
        assert math.isnan(beyond) if name == "e4m3" else beyond == math.inf
    assert float(formats.cast(-math.inf, "tf32")) == -math.inf
    assert math.isnan(float(formats.cast(math.nan, "tf32")))


def test_arrays_keep_their_shape():
    assert formats.cast(np.ones((2, 3)), "tf32").shape == (2, 3)
    assert formats.cast([1.0], "bf16").dtype == ml_dtypes.bfloat16
    assert formats.cast(np.ones((4, 6))[:, ::2], "tf32").shape == (4, 3)


def test_an_unknown_format_is_told_in_a_line():
    with pytest.raises(UnknownNameError, match="e4m3"):
        formats.format_of("e4m4")
    with pytest.raises(UnknownNameError):
        formats.cast(1.0, "float32")
