"""From a user's file to its kernels, as a user calls it."""

import pytest

from gpusim import children, cuda
from gpusim.cuda import CompileError, nvrtc
from tests.cuda.conftest import SOURCES

pytestmark = pytest.mark.usefixtures("compiler")

KERNEL = "__global__ void k(int *p) { *p = 1; }\n"


def of(text, **options):
    """Compile a text."""
    return cuda.compile(text + "\n", **{"gpu": "sm_90", **options})


def test_a_file_is_taken_as_it_is():
    module = cuda.compile(SOURCES / "plain.cu", gpu="sm_80", kernel="mixed")
    assert module.arch == "sm_80"
    assert module.compiler == nvrtc.name()
    assert str(module.kernel()) == ("mixed(int M, int N, char c, double d, short s, Box box, uint8_t u, float* out)")
    assert str(module.kernel("scale")) == "scale(const float* x, float* y, float a, int n)"


def test_a_path_may_be_a_string():
    assert "scale" in cuda.compile(str(SOURCES / "plain.cu"), gpu="sm_90").kernels


@pytest.mark.usefixtures("libcu")
def test_headers_of_cuda_of_c_and_of_the_own_folder():
    module = cuda.compile(SOURCES / "headers.cu", gpu="sm_90")
    assert set(module.kernels) == {"halves", "total", "staged", "multiply"}


def test_odd_characters_in_text_and_names(tmp_path):
    folder = tmp_path / "a b 'ü'"
    folder.mkdir()
    (folder / "own.h").write_text("#define OWN 1\n")
    file = folder / "k 1.cu"
    file.write_bytes(b'#include "own.h"\n// latin: \xe9\n' + KERNEL.encode().replace(b"1", b"OWN"))
    assert cuda.compile(file, gpu="sm_90").kernels
    assert of(f"// \ud800\n{KERNEL}").kernels
    assert of(KERNEL.strip()).kernels


def test_definitions_options_and_include_folders_reach_the_compiler(tmp_path):
    (tmp_path / "more.h").write_text("#define MORE 5\n")
    text = '#include "more.h"\n__global__ void k(int *p) { static_assert(A == 3 && B && MORE == 5, ""); *p = A; }\n'
    module = of(text, defines={"A": 3, "B": True}, include=[tmp_path], options=["-maxrregcount=32", "-ftz=true"])
    assert module.kernel().code.registers <= 32


def test_options_for_host_code_do_no_harm():
    options = [
        "-O3",
        "-Xcompiler",
        "-fopenmp",
        "-lcublas",
        "-Xptxas",
        "-O3",
        "-std=c++20",
        "--use_fast_math",
        "-lineinfo",
    ]
    assert of(KERNEL, options=options).kernels


def test_fast_math_changes_the_code():
    text = "__global__ void k(float *p) { *p = expf(*p) / p[1]; }\n"
    assert of(text).kernel().code.code != of(text, options=["--use_fast_math"]).kernel().code.code


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("gemm<4, 4, double>", "gemm<4, 4, double>(const double* a, double* c, int n)"),
        ("gemm<8, 16, float>", "gemm<8, 16, float>(const float* a, float* c, int n)"),
        ("gemm", "gemm<8, 16, float>(const float* a, float* c, int n)"),
        ("ops::fill<>", "ops::fill<3>(int* x)"),
        ("ops::fill<5>", "ops::fill<5>(int* x)"),
        ("ops::twice(float*)", "ops::twice(float* x)"),
        ("twice", "twice(double* x, unsigned long long n)"),
        ("hidden", "hidden(int* x)"),
    ],
)
def test_a_kernel_is_named_as_cpp_names_it(name, full):
    assert str(cuda.compile(SOURCES / "templates.cu", gpu="sm_90", kernel=name).kernel()) == full


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "gemm<4, 4, nope>",
            ["no kernel 'gemm<4, 4, nope>'", '"nope" is undefined', "gemm<int BM, int BN, typename T>"],
        ),
        ("fill", ["'fill' is a template", "fill<int K = 3>"]),
        ("ops::twice", ["may be any of: ", " ops::twice(float* x); ", " ops::twice(int* x)"]),
        ("gem", ["no kernel 'gem'"]),
        ("missing<3>", ["no kernel 'missing<3>'", '"missing" is undefined']),
        ("a b", ["no kernel 'a b'"]),
        ("", ["no kernel ''"]),
    ],
)
def test_a_wrong_name_is_told_what_there_is(name, says):
    with pytest.raises(cuda.KernelNameError) as error:
        cuda.compile(SOURCES / "templates.cu", gpu="sm_90", kernel=name)
    assert all(words in str(error.value) for words in says), error.value
    assert "\n" not in str(error.value)


def test_several_kernels_and_no_name():
    module = cuda.compile(SOURCES / "plain.cu", gpu="sm_90")
    with pytest.raises(cuda.KernelNameError, match=r"plain\.cu has 6 kernels, name one: 1 nothing\(\); "):
        module.kernel()


def test_only_templates_and_no_name():
    with pytest.raises(cuda.KernelNameError, match="only templates, name an instance: k<int N>"):
        of("template <int N> __global__ void k(int *p) { *p = N; }")


def test_no_kernels():
    with pytest.raises(cuda.KernelNameError, match=r"kernel\.cu has no kernel"):
        of("__device__ int f() { return 1; }")


def test_the_compilers_words_reach_the_user(tmp_path):
    file = tmp_path / "mine.cu"
    file.write_text("__global__ void k(int *p) {\n  *p = q;\n}\n")
    with pytest.raises(cuda.CompileError) as error:
        cuda.compile(file, gpu="sm_90")
    assert str(error.value).startswith(f"{file} does not compile for sm_90 ({nvrtc.name()}):\n")
    assert f'{file}(2): error: identifier "q" is undefined' in str(error.value)
    assert "default_program" not in str(error.value)


def test_warnings_are_kept():
    assert "was declared but never referenced" in of(KERNEL + "__global__ void l() { int unused; }").log


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"gpu": "sm_42"}, "does not compile for sm_42: it knows sm_"),
        ({"gpu": "sm_9x"}, "unknown architecture 'sm_9x'"),
        ({"options": ["-bogus"]}, "refuses its options: unrecognized option -bogus found"),
        ({"options": ["-arch=sm_80"]}, "must be left out: it is sm_90; arch (--arch) says so"),
        ({"options": "-ftz=true"}, "compiler options are a list"),
        ({"options": ["-D"]}, "compiler option '-D' lacks its value, which is a string of its own after it"),
        ({"options": ["-I", "-ftz=true"]}, "compiler option '-I' lacks its value"),
        ({"options": ["-Xcompiler", "-D", "--pre-include"]}, "compiler option '--pre-include' lacks its value"),
        ({"options": ["-Xptxas"]}, "compiler option '-Xptxas' lacks its value"),
        ({"defines": {"A-B": 1}}, "'A-B' cannot be the name of a macro"),
        ({"include": ["nowhere"]}, "include folder 'nowhere' does not exist"),
    ],
)
def test_wrong_options_are_one_line(options, says):
    with pytest.raises(cuda.OptionError) as error:
        of(KERNEL, **options)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x50\xed\x55\xba" + bytes(64), "its device code cannot be read: it ends within a fat binary"),
        (b"!<arch>\n" + bytes(64), "is a static library: a .cu file, PTX, a .cubin, a .fatbin, or a program"),
        (b"// c\n.version 9.0\n.target sm_100\n.address_size 64\n", "is PTX for sm_100, which sm_90 does not run"),
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\x3e\0" + bytes(64), "its device code cannot be read"),
        (b"\x7fELF", "its device code cannot be read: it ends within its header"),
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xbe\0" + bytes(4), "is no cubin that can be read"),
        (b"MZ\x90\0\3\0\0\0", "is no source text"),
        (b"", "has no kernel"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, content, says):
    file = tmp_path / "input"
    file.write_bytes(content)
    with pytest.raises(cuda.CudaError) as error:
        cuda.compile(file, gpu="sm_90")
    assert says in str(error.value)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["nowhere.cu", ".", "nul\0", "x" * 5000])
def test_a_file_that_cannot_be_read(tmp_path, name):
    with pytest.raises(cuda.CudaError, match="cannot be read"):
        cuda.compile(tmp_path / name, gpu="sm_90")


def test_a_ready_cubin_is_taken(tmp_path):
    made = cuda.compile(SOURCES / "templates.cu", gpu="sm_90")
    file = tmp_path / "ready.cubin"
    file.write_bytes(made.cubin.data)
    ready = cuda.compile(file, gpu="sm_90a", kernel="gemm<8, 16, float>")
    assert ready.kernel().code == made.kernel("gemm").code
    assert str(ready.kernel()) == "gemm<8, 16, float>(const float*, float*, int)"
    with pytest.raises(cuda.CudaError, match="is machine code for sm_90, not for sm_80"):
        cuda.compile(file, gpu="sm_80")
    with pytest.raises(cuda.KernelNameError, match="has no kernel 'gemm<1, 1, int>'"):
        cuda.compile(file, gpu="sm_90", kernel="gemm<1, 1, int>")


def test_arguments_are_checked_against_the_kernel():
    kernel = cuda.compile(SOURCES / "plain.cu", gpu="sm_90", kernel="scale").kernel()
    kernel.check([None, None, 1.5, 8])
    with pytest.raises(cuda.ArgumentError, match=r"argument 4 of scale \(int n\) is an integer, not 1\.5"):
        kernel.check([None, None, 1.5, 1.5])


# ------------------------------------------------------------------ a compiler that crashes


def stand_in(monkeypatch, tmp_path, text):
    """Put a script in the place of what compiles."""
    script = tmp_path / "compiles.py"
    script.write_text(text)
    monkeypatch.setattr(nvrtc.nvrtc_child, "__file__", str(script))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", r"NVRTC \S+ crashes \(SIGSEGV\)"),
        ("raise MemoryError", r"NVRTC \S+ fails: MemoryError"),
        pytest.param("import time; time.sleep(1000)", r"NVRTC \S+ does not end within 4 s", marks=pytest.mark.long),
    ],
)
def test_a_compiler_that_ends_badly_is_one_line(monkeypatch, tmp_path, text, says):
    stand_in(monkeypatch, tmp_path, text)
    with (
        children.limited(4),
        pytest.raises(CompileError, match=rf"kernel.cu is not compiled for sm_90: {says}$") as error,
    ):
        cuda.compile("__global__ void k(int *p) { *p = 99; }\n", gpu="sm_90")
    assert "\n" not in str(error.value)
