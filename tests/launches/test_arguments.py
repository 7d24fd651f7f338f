"""Are arguments read from text and JSON as documented, and drawn as told?"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim import host_memory
from gpusim.errors import GpusimError
from gpusim.launches.arguments import from_json, from_text, make
from gpusim.launches.elements import DTYPES, numpy_dtype
from gpusim.launches.plain import Filled, Given, Raw, Scalar


@pytest.mark.parametrize(
    ("text", "json", "argument"),
    [
        ("int32:512", {"int32": 512}, Scalar("int32", 512)),
        ("int64:-5", {"int64": -5}, Scalar("int64", -5)),
        ("float32:0.125", {"float32": 0.125}, Scalar("float32", 0.125)),
        ("float64:1e-3", {"float64": 1e-3}, Scalar("float64", 1e-3)),
        ("float32:zeros:8", {"buffer": "float32", "count": 8}, Filled("float32", "zeros", 8)),
        ("float16:normal:8", {"buffer": "float16", "count": 8, "init": "normal"}, Filled("float16", "normal", 8)),
        (
            "int32:randint:10:8",
            {"buffer": "int32", "count": 8, "init": "randint:10"},
            Filled("int32", "randint:10", 8),
        ),
        ("bytes:03000000", {"bytes": "03 00 00 00"}, Raw(b"\3\0\0\0")),
        ("float32:-inf:8", {"buffer": "float32", "count": 8, "init": "-inf"}, Filled("float32", "-inf", 8)),
    ],
)
def test_text_and_json_say_the_same(text, json, argument):
    assert from_text(text) == from_json(json, "args[0]") == argument


@given(st.sampled_from(DTYPES), st.integers(0, 100))
def test_a_scalar_survives_being_written(dtype, value):
    scalar = Scalar(dtype, value % 2 if dtype == "bool" else value)
    assert from_text(str(scalar)) == scalar


@given(st.sampled_from(["zeros", "ones", "normal", "uniform", "arange", "randint:7"]), st.integers(1, 1 << 20))
def test_an_array_survives_being_written(init, count):
    filled = Filled("float32", init, count)
    assert from_text(str(filled)) == filled


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("512", "an argument is DTYPE:VALUE"),
        ("int33:5", "unknown element type in --arg int33:5 'int33': did you mean int32"),
        ("int32:x", "'x' is no number"),
        ("int32:1.5", "1.5 is no int32"),
        ("int32:3000000000", "3000000000 is no int32"),
        ("int32:inf", "is no int32"),
        ("uint8:-1", "-1 is no uint8 (0 to 255)"),
        ("float32:gauss:8", "unknown way to fill an array"),
        ("bytes:0", "bytes are pairs of hexadecimal digits, not '0'"),
        ("float32:normal:0", "must be a positive integer, not 0"),
        ("float32:normal:1.5", "must be a positive integer"),
        ("float32:normal:many", "'many' is no number"),
        ("int32:randint:8", "randint:K with K > 0"),
        ("int32:randint:0:8", "randint:K with K > 0"),
        ("float32:normal:3:8", "randint:K"),
        ("float64:zeros:10000000000000", "more than 64 TiB"),
        ("float16:1e9", "1000000000.0 is no float16 (-65504 to 65504)"),
        ("float32:1e40", "1e+40 is no float32 (-3.40282e+38 to 3.40282e+38)"),
        ("float64:1e400", "'1e400' is larger than any number"),
        ("float32:" + "9" * 400, "is no float32"),
        ("float8_e4m3fn:inf", "inf is no float8_e4m3fn (-448 to 448)"),
        ("float8_e4m3fn:-inf:8", "of its numbers -inf is no float8_e4m3fn"),
        ("bool:2", "2 is no bool (0 to 1)"),
        ("uint8:randint:257:8", "of its numbers 256 is no uint8 (0 to 255)"),
        ("float16:randint:70000:8", "of its numbers 69999 is no float16"),
        ("float32:randint:99999999999999999999:8", "randint:K with K > 0, at most 2**64"),
        ("int8:arange:129", "of its numbers 128 is no int8 (-128 to 127)"),
        ("int32:inf:8", "of its numbers inf is no int32"),
        ("uint8:normal:8", "normal fills arrays of floats, not of uint8: zeros, ones, arange or randint:K"),
        ("bool:uniform:8", "uniform fills arrays of floats, not of bool"),
    ],
)
def test_wrong_text_is_refused_in_a_line(text, says):
    with pytest.raises(GpusimError) as error:
        from_text(text)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


NUMBERS = st.integers() | st.floats() | st.sampled_from([65504, 65519, 65520, 2**64 - 1, 3.4e38, 3.5e38, 448, 464, 465])


@given(st.sampled_from(DTYPES), NUMBERS)
def test_a_number_is_taken_as_it_is_or_refused(dtype, value):
    try:
        scalar = from_json({dtype: value}, "args[0]")
    except GpusimError as error:
        assert " is no " in str(error)  # noqa: PT017
        return
    (held,) = make([scalar])
    if held.dtype.kind in "iub":
        assert held == value
    elif math.isfinite(value):
        assert math.isfinite(held)
    else:
        np.testing.assert_array_equal(np.float64(held), value)


@given(st.sampled_from(DTYPES), st.sampled_from([1, 2, 127, 256, 257, 65504, 2**31, 2**64]))
def test_a_fill_draws_what_its_type_can_hold_or_is_refused(dtype, bound):
    try:
        filled = from_text(f"{dtype}:randint:{bound}:64")
    except GpusimError as error:
        assert f"of its numbers {bound - 1} is no {dtype}" in str(error)  # noqa: PT017
        return
    (array,) = make([filled])
    wide = array.astype(np.float64)
    assert ((wide >= 0) & (wide <= 1.25 * bound)).all()  # floats of 8 bits round up by so much


@pytest.mark.parametrize(
    ("json", "says"),
    [
        (5, "args[3]: an argument is"),
        ({}, "args[3]: an argument is"),
        ({"int32": 1, "int64": 2}, "args[3]: a scalar is one element type"),
        ({"int32": True}, "args[3]: a scalar is one element type"),
        ({"int32": "5"}, "args[3]: a scalar is one element type"),
        ({"int32": 1 << 40}, "args[3]: 1099511627776 is no int32"),
        ({"bufer": "float32"}, "args[3]: a scalar is one element type"),
        ({"bytes": 5}, "args[3]: bytes are pairs of hexadecimal digits, not 5"),
        ({"buffer": "float32"}, "args[3]: the number of elements"),
        ({"buffer": "float32", "count": True}, "args[3]: the number of elements"),
        ({"buffer": "float32", "count": 5, "fill": "ones"}, "unknown key in args[3] 'fill'"),
        ({"buffer": "float", "count": 5}, "unknown element type in args[3] 'float': did you mean float"),
        ({"buffer": "float32", "count": 5, "init": 0}, "args[3]: buffer and init are names"),
    ],
)
def test_wrong_json_is_refused_by_its_path(json, says):
    with pytest.raises(GpusimError) as error:
        from_json(json, "args[3]")
    assert says in str(error.value)


def test_arrays_hold_what_their_fill_says():
    texts = ["float32:zeros:4", "int8:ones:4", "float64:-inf:4", "uint16:arange:4", "bfloat16:ones:4"]
    zeros, ones, least, counting, halves = make([from_text(text) for text in texts])
    assert (zeros == 0).all()
    assert (ones == 1).all()
    assert (least == -np.inf).all()
    assert counting.tolist() == [0, 1, 2, 3]
    assert halves.dtype == numpy_dtype("bfloat16")


def test_random_arrays_are_the_same_for_the_same_seed_and_differ_by_position():
    arguments = [from_text("float32:normal:1000")] * 2 + [from_text("int32:randint:10:1000")]
    first, second, bounded = make(arguments, seed=3)
    assert (first == make(arguments, seed=3)[0]).all()
    assert (first != make(arguments, seed=4)[0]).any()
    assert (first != second).any()
    assert set(bounded.tolist()) == set(range(10))
    assert abs(first.mean()) < 0.2


@pytest.mark.parametrize("init", ["normal", "uniform", "arange", "ones", "randint:1000", "randint:5000000000"])
def test_arrays_are_the_same_however_many_elements_are_drawn_at_once(init, monkeypatch):
    filled = Filled("float32" if init in ("normal", "uniform") else "int64", init, 1003)
    whole = make([filled])[0]
    monkeypatch.setattr(host_memory, "AT_ONCE", 10)
    np.testing.assert_array_equal(make([filled])[0], whole)


def test_only_arrays_whose_contents_matter_are_filled():
    filled = [from_text("float32:ones:1000")] * 3
    assert [array.strides for array in make(filled, contents=[1])] == [(0,), (4,), (0,)]
    np.testing.assert_array_equal(make(filled, seed=5, contents=[1])[1], make(filled, seed=5)[1])


def test_without_contents_an_array_has_its_type_and_size_and_takes_no_memory():
    texts = ["float16:normal:4000000000", "int32:7", "bytes:ff"]
    array, number, raw = make([from_text(text) for text in texts], contents=())
    assert (array.nbytes, array.dtype, array.strides) == (8_000_000_000, np.float16, (0,))
    assert (number, raw) == (7, b"\xff")


ARGUMENTS = st.one_of(
    st.builds(Scalar, st.sampled_from(["int32", "float64"]), st.integers(-9, 9)),
    st.builds(Filled, st.sampled_from(DTYPES), st.sampled_from(["zeros", "ones", "randint:2"]), st.integers(1, 99)),
    st.builds(Filled, st.sampled_from(["float16", "float8_e5m2"]), st.sampled_from(["normal", "inf"]), st.just(7)),
    st.builds(Given, st.sampled_from(["int64", "float32"]), st.lists(st.integers(-9, 9), min_size=1).map(tuple)),
    st.builds(Raw, st.binary(max_size=9)),
)


@given(ARGUMENTS)
def test_an_argument_survives_a_launch_file(argument):
    assert from_json(argument.to_json(), "args[0]") == argument


def test_an_array_can_be_told_element_by_element():
    (array,) = make([from_json({"buffer": "int16", "values": [3, -1, 2]}, "args[0]")])
    assert (array.dtype, array.tolist()) == (np.int16, [3, -1, 2])


@pytest.mark.parametrize(
    ("json", "says"),
    [
        ({"buffer": "int32", "values": []}, "an array is told as"),
        ({"buffer": "int32", "values": 3}, "an array is told as"),
        ({"values": [3]}, "an array is told as"),
        ({"buffer": "int32", "values": [1, "x"]}, "args[0]: 'x' is no number"),
        ({"buffer": "int32", "values": [True]}, "True is no number"),
        ({"tensormap": "float16", "shape": [64, 128]}, "args[0]: a tensor map needs the shape of its array and a box"),
        ({"buffer": "int8", "values": [300]}, "args[0]: 300 is no int8"),
        ({"buffer": "int33", "values": [3]}, "did you mean int32"),
        ({"buffer": "int32", "values": [3], "count": 1}, "unknown key in args[0] 'count'"),
    ],
)
def test_an_array_that_cannot_be_told_so_is_refused(json, says):
    with pytest.raises(GpusimError) as caught:
        from_json(json, "args[0]")
    assert says in str(caught.value)


# ------------------------------------------------------------------ tensor maps

MAP = "tensormap:float16:normal:64x128:box=16x64:swizzle=128:fill=nan"


def test_a_tensor_map_says_the_same_everywhere() -> None:
    found = from_text(MAP)
    assert str(found) == MAP
    assert from_json(found.to_json(), "args[0]") == found
    drawn = make([found])[0]
    assert (drawn.shape, drawn.box, drawn.swizzle, drawn.fill) == ((64, 128), (16, 64), 128, "nan")
    assert drawn.array.std() > 0.5
    assert not make([found], contents=[])[0].array.any()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tensormap:float16:normal:64x128", "a tensor map is tensormap:DTYPE:INIT:SHAPE:box=BOX (...:normal:64x128:"),
        ("tensormap:float16:normal:64,128:box=16,64", "'64,128': sizes have an x between them, such as 64x128"),
        ("tensormap:float16:64x128", "a tensor map is tensormap:DTYPE:INIT:SHAPE:box=BOX"),
        ("tensormap:float16:normal:64x128:box=16x3", "a row of the box has 6 bytes: a multiple of 16 is needed"),
        ("tensormap:float16:normal:64x128:box=16xa", "'a' is no number"),
        ("tensormap:float16:normal:64x1.5:box=16x8", "shape is a positive whole number for each dimension"),
        ("tensormap:float16:normal:64x128:bix=16x64", "did you mean box?"),
        ("tensormap:int32:normal:64x128:box=16x64", "normal fills arrays of floats, not of int32"),
        ("tensormap:float17:normal:64x128:box=16x64", "'float17'"),
    ],
)
def test_a_tensor_map_that_cannot_be_is_refused(text: str, told: str) -> None:
    with pytest.raises(GpusimError) as error:
        from_text(text)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_texture_as_text_is_the_same_as_json():
    text = "texture:uint8:randint:9:4x6x2:channels=2:filter=linear:read=normalized:address=wrap,clamp:normalized=1"
    told = {
        "texture": "uint8", "init": "randint:9", "shape": [4, 6, 2], "channels": 2, "filter": "linear",
        "read": "normalized", "address": ["wrap", "clamp"], "normalized": True,
    }  # fmt: skip
    found = from_text(text)
    assert found == from_json(told, "args[0]")
    assert from_json(found.to_json(), "args[0]") == found == from_text(str(found))
    texture = make([found])[0]
    assert (texture.size, texture.channels, texture.modes) == ((6, 4), 2, ("wrap", "clamp"))
    assert 0 < texture.array.max() < 9


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("texture:float32:zeros", "a texture is texture:DTYPE:INIT:SHAPE"),
        ("texture:float64:zeros:8", "unknown element type of a texture 'float64'"),
        ("texture:float32:zeros:8:filter=cubic", "filter is point or linear, not 'cubic'"),
        ("texture:float32:zeros:8:box=8", "unknown key in --arg"),
        ("texture:float32:zeros:8x0", "shape is a positive whole number for each dimension"),
    ],
)
def test_textures_that_cannot_be(text, told):
    with pytest.raises(GpusimError) as refused:
        from_text(text)
    assert told in str(refused.value)
