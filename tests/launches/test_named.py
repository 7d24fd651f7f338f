"""Arguments by name: the parameter says what is left out, expressions say how large arrays are."""

import numpy as np
import pytest

from gpusim import GpusimError, cuda
from gpusim.launches import named
from gpusim.launches.file import launches
from gpusim.launches.profiling import profile
from gpusim.launches.spec import LaunchSpec

SOURCE = """
enum Mode { A, B };
typedef float real;
struct P { const float *x; unsigned n; float w[2]; Mode mode; };
__constant__ P held; __constant__ float coef[4]; __device__ int count;
__global__ void k(const real *a, float4 *b, size_t N, double s, P p, Mode mode, void *raw, const int *index) {
    b[index[threadIdx.x]].x = a[threadIdx.x] * p.x[0] * p.w[1] + held.n + coef[0] + s + N + p.mode + mode;
    atomicAdd(&count, 1);
    *(char *)raw = 1;
}
"""
ALL = (
    "a=normal:N", "b=zeros:ceildiv(N,4)", "N=2*M", "M=64", "s=0.5", "p.x=ones:N+1", "p.n=N", "p.w=[1,M]", "p.mode=1",
    "mode=int32:1", "raw=uint8:zeros:N", "index=randint:N//4:32",
)  # fmt: skip


@pytest.fixture(scope="module")
def kernel():
    return cuda.compile(SOURCE, gpu="h200").kernel()


def drawn(kernel, *texts, **changed):
    """The arguments by name, of texts of which some are replaced."""
    given = {text.partition("=")[0]: text for text in texts}
    given |= {name: f"{name}={value}" for name, value in changed.items() if value is not None}
    given = [text for name, text in given.items() if name not in changed or changed[name] is not None]
    args, _ = named.read([text for text in given if not text.startswith("M=")], {"M": 64})
    spec = LaunchSpec("k", None, (), None, (1,), (32,), args=args)
    opened = spec.opened(kernel)
    return dict(zip(opened.parameter_names, spec.draw(opened), strict=True))


def test_types_come_from_the_parameters_and_sizes_from_expressions(kernel):
    found = drawn(kernel, *ALL)
    told = {name: (value.dtype.name, value.shape) for name, value in found.items() if not isinstance(value, bytes)}
    assert told == {
        "a": ("float32", (128,)), "b": ("float32", (128,)), "N": ("uint64", ()), "s": ("float64", ()),
        "p.x": ("float32", (129,)), "p.n": ("uint32", ()), "p.mode": ("int32", ()), "mode": ("int32", ()),
        "raw": ("uint8", (128,)), "index": ("int32", (32,)),
    }  # fmt: skip
    assert (found["N"], found["p.n"], found["p.w"]) == (128, 128, np.array([1, 64], np.float32).tobytes())
    assert found["index"].max() < 32


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"a": "normal:K"}, "--arg a=normal:K: K has no value here"),
        ({"a": "normal"}, "how many elements"),
        ({"a": "normal:N/3"}, "must be a positive integer"),
        ({"a": "normal:M-N"}, "must be a positive integer, not -64"),
        ({"a": "3"}, "a is a pointer: give NAME=FILL:COUNT"),
        ({"a": "norml:3"}, "did you mean normal"),
        ({"index": "normal:3"}, "normal fills arrays of floats, not of int32"),
        ({"raw": "zeros:N"}, "points to no type of numbers"),
        ({"p.n": "1.5"}, "1.5 is no uint32"),
        ({"p.n": "-1"}, "-1 is no uint32"),
        ({"N": "p.n"}, "N is told by itself|p.n is told by itself"),
        ({"s": "zeros:4"}, "s is no pointer"),
        ({"s": None}, r"nothing is told of s \(--arg NAME=...\)"),
        ({"t": "1"}, "no such parameter"),
        ({"p.w": "[1,2,3]"}, "it has 2 elements"),
        ({"p.z": "1"}, "no such parameter: did you mean"),
    ],
)
def test_what_does_not_fit_is_refused(kernel, changed, says):
    with pytest.raises(GpusimError, match=says):
        drawn(kernel, *ALL, **changed)


def test_those_without_a_name_take_the_places_that_are_left():
    kernel = cuda.compile("__global__ void k(int n, float *x, int m, float *y) { x[n] = y[m]; }", gpu="h200").kernel()
    args, _ = named.read(["int32:3", "y=null", "x=arange:8", "int32:4"], {})
    n, x, m, y = LaunchSpec("k", None, (), None, (1,), (1,), args=args).draw(kernel)
    assert (n, x.tolist(), m, y) == (3, list(range(8)), 4, bytes(8))


def test_a_launch_file_says_the_same(tmp_path):
    (tmp_path / "k.cu").write_text(SOURCE)
    entry = {
        "id": "k", "source": "k.cu", "grid": [1], "block": [32], "args": [*ALL[:3], *ALL[4:]],
        "symbols": ["held.n=3", "held.w=ones", "held.x=null", "held.mode=0", "coef=[1,2,3,4]", "count=5"],
    }  # fmt: skip
    entry["args"][2] = "N=128"
    entry["args"][6] = "p.w=[1,64]"
    (spec,) = launches([entry], tmp_path, "launches.json")
    (again,) = launches([spec.to_json(tmp_path)], tmp_path, "launches.json")
    assert again == spec
    values = spec.values(cuda.compile(SOURCE, gpu="h200").kernel())
    assert values["held"] | {"w": 0} == {"n": 3, "w": 0, "x": bytes(8), "mode": 0}
    assert values["count"] == 5
    assert not profile(spec, "h200").notes
    with pytest.raises(GpusimError, match="symbols: the value of a variable is told by name"):
        launches([{**entry, "symbols": ["int32:3"]}], tmp_path, "launches.json")
