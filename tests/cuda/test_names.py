"""Which kernel a name means."""

import pytest

from gpusim.cuda import KernelNameError, names
from gpusim.cuda.demangle import Name, demangle
from gpusim.cuda.instances import templates
from gpusim.cuda.names import choose

SYMBOLS = [
    "_Z4gemmILj8ELj16EfEvPKT1_PS0_i",
    "_Z4gemmILj8ELj8EfEvPKT1_PS0_i",
    "_ZN3ops5twiceEPi",
    "_ZN3ops5twiceEPf",
    "axpy",
]
NAMES = {symbol: demangle(symbol) for symbol in SYMBOLS}


def find(wanted, known=NAMES):
    return choose(wanted, known, "file.cu", lambda symbol: str(known[symbol]))


@pytest.mark.parametrize(
    ("wanted", "position"),
    [
        ("gemm<8,16,float>", 0),
        ("gemm<8u, 8u, float>", 1),
        ("void gemm< 8, 8, float >(float const*, float*, int)", 1),
        ("ops::twice(int *)", 2),
        ("_ZN3ops5twiceEPf", 3),
        ("axpy", 4),
    ],
)
def test_a_name_may_be_written_in_many_ways(wanted, position):
    assert find(wanted) == SYMBOLS[position]


def test_the_only_kernel_needs_no_name():
    assert find(None, {"axpy": NAMES["axpy"]}) == "axpy"


def test_a_namespace_may_be_left_out():
    assert find("twice", {"_ZN3ops5twiceEPi": NAMES["_ZN3ops5twiceEPi"]}) == "_ZN3ops5twiceEPi"


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (None, ["has 5 kernels, name one", "ops::twice(int*)", "axpy"]),
        ("twice", ["may be any of: "]),
        ("gemm", ["may be any of: ", "gemm<8u, 8u, float>"]),
        ("axpi", ["no kernel 'axpi'", "did you mean axpy?"]),
        ("zzz", ["there are 1 gemm<8u, 16u, float>(const float*, float*, int); "]),
    ],
)
def test_what_names_no_kernel_or_several_is_refused(wanted, says):
    with pytest.raises(KernelNameError) as error:
        find(wanted)
    assert all(words in str(error.value) for words in says), error.value


def test_no_kernel_at_all():
    with pytest.raises(KernelNameError, match=r"file\.cu has no kernel"):
        find(None, {})


@pytest.mark.parametrize("bounds", ["", "__launch_bounds__(64) ", "__launch_bounds__((A * 4) / (2 * (B + 1)), 1)\n"])
@pytest.mark.parametrize("before", [True, False])
def test_templates_are_named_whatever_their_bounds(bounds, before):
    head = f"{bounds}__global__ void " if before else f"__global__ void {bounds}"
    text = f"template <int A, int B>\n{head}f(float *x) {{}}\nvoid g() {{ f<2, 3><<<1, 2>>>(0); }}"
    assert templates(text) == ["f<int A, int B> (launched as f<2, 3>)"]


LIBRARY = {"_c": Name("cub::CUB_3::detail::EmptyKernel", "<void>", ()), "_k": Name("k", "", ("int*",))}


def test_a_librarys_kernels_come_last_and_do_not_count():
    assert names.ordered(LIBRARY) == ["_k", "_c"]
    assert find(None, LIBRARY) == "_k"
    assert find("2", LIBRARY) == "_c"
    with pytest.raises(KernelNameError, match=r"no kernel '3': there are 1 k\(int\*\); 2 cub::EmptyKernel<void>$"):
        find("3", LIBRARY)
