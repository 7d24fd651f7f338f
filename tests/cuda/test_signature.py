"""Parameters of kernels: what the source says of them, and which arguments fit."""

import ml_dtypes
import numpy as np
import pytest

from gpusim.cuda import ArgumentError
from gpusim.cuda.signature import Parameter, check, declarations, pack

POINTER = Parameter("x", "const float*", 0, 8)
COUNT = Parameter("n", "int", 8, 4)
FACTOR = Parameter("a", "float", 12, 4)
BOX = Parameter("box", "Box", 16, 24)
UNKNOWN = Parameter("", "", 40, 8)
ALL = (POINTER, COUNT, FACTOR, BOX, UNKNOWN)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("__global__ void k(float*__restrict__ x,int n){}", [("float*", "x"), ("int", "n")]),
        ("__global__ __launch_bounds__(32) void k ( const int * const * p )", [("const int* const*", "p")]),
        (
            "#define ARGS int a, \\\n float *b\n__global__ void k(ARGS, char c)",
            [("int", "a"), ("float*", "b"), ("char", "c")],
        ),
        (
            "__global__ void k(float x[4], A<1, 2> a, unsigned int)",
            [("float*", "x"), ("A<1, 2>", "a"), ("unsigned int", "")],
        ),
        ("// __global__ void k(int wrong)\n__global__ void k(struct B b = {1, 2})", [("B", "b")]),
        ("__global__ void k(void)", []),
        ("__global__ void k(int a", []),
    ],
)
def test_declarations_are_read_tolerantly(source, says):
    assert declarations(source, "k") == [says]


def test_another_kernel_is_not_mistaken():
    assert declarations("__global__ void kk(int a);", "k") == []


def test_arguments_that_fit():
    check("k", ALL, [np.zeros(3, np.float32), 3, 0.5, bytes(24), 7])
    check("k", ALL, [None, np.int64(3), np.float64(1), bytes(24), np.zeros(2)])


@pytest.mark.parametrize(
    ("position", "argument", "says"),
    [
        (0, 3, "argument 1 of k (const float* x) is a pointer: give an array or None, not 3"),
        (1, np.zeros(3), "argument 2 of k (int n) is no pointer, but an array is given"),
        (1, None, "is no pointer, but None is given"),
        (3, np.zeros(3), "argument 4 of k (Box box) is no pointer, but an array is given; it is"),
        (1, 1.5, "is an integer, not 1.5"),
        (1, 1 << 33, "has 32 bits, too few for 8589934592"),
        (2, "x", "argument 3 of k (float a)"),
        (2, 1e300, "cannot hold 1e+300"),
        (3, 4, "argument 4 of k (Box box) has 24 bytes: give bytes of that length (bytes:HEX to the command), not 4"),
        (3, bytes(5), "has 24 bytes, not 5"),
    ],
)
def test_arguments_that_do_not_fit(position, argument, says):
    arguments = [None, 3, 0.5, bytes(24), 7]
    arguments[position] = argument
    with pytest.raises(ArgumentError) as error:
        check("k", ALL, arguments)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "fits", "does_not"),
    [
        ("bool", [True, np.bool_(0), 1], [2, -1, np.int8(2)]),
        ("int", [-(2**31), 2**31 - 1, np.uint32(2**32 - 1)], [2**31]),
        ("unsigned int", [2**32 - 1, np.int32(-1)], [-1]),
        ("short", [-5, np.uint16(65535)], [65535]),
        ("unsigned long long", [2**64 - 1], [-1, 2**64]),
        ("size_t", [7], [-1]),
        ("uint8_t", [255], [256, -1]),
        ("char", [-128], [200, "x"]),
    ],
)
def test_numbers_are_those_that_a_type_holds(kind, fits, does_not):
    nbytes = {"bool": 1, "short": 2, "uint8_t": 1, "char": 1, "int": 4, "unsigned int": 4}.get(kind, 8)
    parameter = Parameter("n", kind, 0, nbytes)
    for value in fits:
        mask = (1 << 8 * nbytes) - 1
        assert int.from_bytes(pack(parameter, value), "little") == int(value) & mask
    for value in does_not:
        with pytest.raises(ArgumentError, match=r"holds|too few|is a number"):
            pack(parameter, value)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("float*", "f4"), ("const float*", "u4"), ("float*", "u1"), ("double*", "f8"), ("unsigned int*", "i4"),
        ("int* const", "u4"), ("__half*", "f2"), ("__half*", "u2"), ("__nv_bfloat16*", ml_dtypes.bfloat16),
        ("float4*", "f4"), ("void*", "f8"), ("Box*", "f4"), ("size_t*", "i8"), ("bool*", "?"), ("char*", "i1"),
        ("", "f8"), ("float*", [("x", "f4"), ("y", "f4")]),
    ],
)  # fmt: skip
def test_elements_that_fit_a_pointer(kind, dtype):
    check("k", [Parameter("x", kind, 0, 8)], [np.zeros(3, dtype)])


@pytest.mark.parametrize(
    ("kind", "dtype", "says"),
    [
        ("float*", "f8", "points to float, but an array of float64 is given"),
        ("const double*", "f4", "points to double, but an array of float32 is given"),
        ("int*", "i8", "points to int, but an array of int64 is given"),
        ("float*", "i4", "points to float, but an array of int32 is given"),
        ("unsigned int*", "f4", "points to int, but an array of float32 is given"),
        ("__half*", ml_dtypes.bfloat16, "points to __half, but an array of bfloat16 is given"),
        ("__nv_bfloat16*", "f2", "points to __nv_bfloat16, but an array of float16 is given"),
        ("float*", "u2", "points to float, but an array of uint16 is given"),
    ],
)
def test_elements_that_do_not_fit_a_pointer(kind, dtype, says):
    with pytest.raises(ArgumentError) as error:
        check("k", [Parameter("x", kind, 0, 8)], [np.zeros(3, dtype)])
    assert says in str(error.value)
    assert str(error.value).endswith(f"; it is k({kind} x)")


def test_a_typed_integer_is_no_float():
    with pytest.raises(ArgumentError, match=r"argument 1 of k \(float a\) is no integer, but int32 1 is given"):
        check("k", [FACTOR], [np.int32(1)])
    check("k", [FACTOR], [1])


def test_too_few_arguments_list_the_parameters():
    with pytest.raises(ArgumentError, match=r"k takes 5 arguments \(const float\* x, int n, .*\), not 1"):
        check("k", ALL, [None])


@pytest.mark.parametrize(
    ("kind", "nbytes", "value", "packed"),
    [
        ("int", 4, -1, b"\xff\xff\xff\xff"),
        ("unsigned int", 4, 4294967295, b"\xff\xff\xff\xff"),
        ("float", 4, 1, b"\0\0\x80\x3f"),
        ("double", 8, 1, b"\0\0\0\0\0\0\xf0\x3f"),
        ("__half", 2, 1.0, b"\0\x3c"),
        ("__nv_bfloat16", 2, 1.00390625, b"\x80\x3f"),
        ("__nv_bfloat16", 2, -3, b"\x40\xc0"),
        ("bool", 1, True, b"\1"),
        ("", 4, 1.0, b"\0\0\x80\x3f"),
        ("", 8, np.int32(-2), b"\xfe" + b"\xff" * 7),
    ],
)
def test_values_are_packed_as_their_type_says(kind, nbytes, value, packed):
    assert pack(Parameter("x", kind, 0, nbytes), value) == packed


def test_a_parameter_of_unknown_type_may_be_a_pointer():
    assert UNKNOWN.is_pointer is None
    assert BOX.is_pointer is False
    assert Parameter("x", "handle_t", 0, 8).is_pointer is None
    assert Parameter("x", "unsigned long long", 0, 8).is_pointer is False
