"""Files with host code in them: nvcc where there is one, NVRTC without the host code where there is none."""

import pytest

from gpusim import cuda
from gpusim.cuda import nvrtc, toolchain
from gpusim.cuda.host import missing_wheel, reason
from tests.cuda.conftest import SOURCES

KERNEL = "__global__ void k(int *p) { *p = 1; }\n"
HOST = [
    "int main() { return 0; }",
    "#include <vector>\nstd::vector<int> all;",
    "#include <iostream>\nvoid f(int n) {\n  if (n) { std::cout << '}' << \"}\"; }  // }\n  k<<<1, n>>>(0);\n}",
    "int counter = 0;\nint next() { return ++counter; }",
    "#define OPEN {\nstatic void f() OPEN }\nnamespace a { namespace b { void g() {} } }",
    'extern "C" { void f() { for (;;) { } } }\nextern "C" int g(int a) { return a; }',
    "template <class T> void f(T t) { cudaMalloc(&t, 4); }\nvoid g() { f((int *)0); }",
    "#include <cuda_runtime.h>\nvoid check(cudaError_t e) { if (e != cudaSuccess) exit(1); }",
]


def of(text, **options):
    return cuda.compile(text + "\n", **{"gpu": "sm_90", **options})


@pytest.mark.usefixtures("compiler")
def test_a_whole_program_compiles_with_nvcc(nvcc):
    module = cuda.compile(SOURCES / "application.cu", gpu="sm_90")
    assert module.compiler.startswith("nvcc ")
    assert {str(kernel) for kernel in module.kernels.values()} == {
        "add<256>(const float* a, const float* b, float* c, int n)",
        "negate(float* x, int n)",
    }
    more = cuda.compile(SOURCES / "application.cu", gpu="sm_90", kernel="add<64>")
    assert more.kernel().name.full == "add<64>"
    assert "application.cu" in more.cubin.data.decode("latin-1")


@pytest.mark.usefixtures("compiler", "nvcc")
def test_options_of_nvrtc_alone_do_not_keep_nvcc_from_compiling():
    text = """#include <vector>
    __global__ void k(__int128* x) { x[0] = x[1] * x[2]; }
    int main() { std::vector<int> v; k<<<1, 1>>>(nullptr); }
    """
    only = ["--device-int128", "-no-source-include", "--builtin-move-forward=false", "--minimal"]
    module = cuda.compile(text, gpu="h200", options=[*only, "-DA=1"])
    assert module.compiler.startswith("nvcc ")


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_a_whole_program_compiles_without_nvcc():
    module = cuda.compile(SOURCES / "application.cu", gpu="sm_90")
    assert module.compiler == nvrtc.name()
    assert str(module.kernel("negate")) == "negate(float* x, int n)"
    assert "host code left out" in module.log
    assert cuda.compile(SOURCES / "application.cu", gpu="sm_90", kernel="add<256>").kernel().code.registers > 0
    assert str(module.kernel("add")).startswith("add<256>(")  # as host code launches it


@pytest.mark.usefixtures("compiler")
def test_both_ways_make_the_same_code(nvcc, monkeypatch, request):
    if "{}.{}".format(*nvrtc.version()) not in toolchain.nvcc_version(nvcc):
        pytest.skip("nvcc and NVRTC are of different versions")
    ways = []
    for fixture in ("nvcc", "no_nvcc"):
        request.getfixturevalue(fixture)
        module = cuda.compile(SOURCES / "application.cu", gpu="sm_90", kernel="add<256>")
        ways.append({name: kernel.code for name, kernel in module.kernels.items()})
    assert ways[0] == ways[1]


@pytest.mark.usefixtures("compiler", "no_nvcc")
@pytest.mark.parametrize("host", HOST)
def test_host_code_is_left_out_and_lines_stay(host):
    text = f"{host}\n{KERNEL}" if "k<<<" not in host else f"{KERNEL}{host}"
    module = of(text)
    assert module.kernel().code.code == of(KERNEL).kernel().code.code
    assert "host code left out" in module.log


@pytest.mark.usefixtures("compiler", "no_nvcc")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "struct A { int f() { return 1; } };\n__global__ void k(A *p, int *o) { *o = p->f(); }",
            'kernel.cu:2: class "A" has no member "f"',
        ),
        (
            '#include "mine.h"\n__global__ void k(int *p) { *p = mine(); }',
            'kernel.cu:2: identifier "mine" is undefined): name the folder of mine.h (include)',
        ),
        (
            "int f() { return 1; }\n__global__ void k(int *p) { *p = f(); }",
            'kernel.cu:2: identifier "f" is undefined',
        ),
    ],
)
def test_what_device_code_needs_is_not_left_out(text, says):
    with pytest.raises(cuda.CompileError) as error:
        of(text)
    assert says in str(error.value)
    assert "nvcc is not installed: pip install nvidia-cuda-nvcc" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("compiler", "no_nvcc")
@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("__global__ void k(int *p) { const uint i = 3; *p = i; }", "*p = 3;"),
        ("#include <limits>\n__global__ void k(int *p) { *p = std::numeric_limits<int>::max(); }", "*p = 2147483647;"),
        ("#include <algorithm>\n__global__ void k(int *p) { *p = std::min(4, 5); }", "*p = 4;"),
        ("#include <array>\n__global__ void k(int *p) { std::array<int, 2> a{4, 5}; *p = a[1]; }", "*p = 5;"),
        ("#include <tuple>\n__global__ void k(int *p) { *p = std::get<1>(std::make_tuple(1, 7)); }", "*p = 7;"),
        ("constexpr int f(int a) { return a * 2; }\n__global__ void k(int *p) { *p = f(4); }", "*p = 8;"),
        (("int host;\n#define W 3\nstruct A { int a = W; int f() { return host; } };\n"
         "__global__ void k(int *p) { A a; *p = a.a; }"), "*p = 3;"),
        (("#define HD __host__ __device__\nint h() { return 1; }\nHD int f() { return 9; }\n"
         "__global__ void k(int *p) { *p = f(); }"), "*p = 9;"),
        ("int h() {\n/*\n#define W 1\n*/\n#define W 2\n return W; }\n__global__ void k(int *p) { *p = W; }", "*p = 2;"),
        ("using namespace std;\nint h() { return 1; }\n__global__ void k(int *p) { *p = 1; }", "*p = 1;"),
        (("#include <torch/extension.h>\n__global__ void k(int *p) { *p = 1; }\n"
         "torch::Tensor run(torch::Tensor t) { k<<<1, 32>>>(t.data_ptr<int>()); return t; }\n"
         'PYBIND11_MODULE(a, m) { m.def("run", &run); }'), "*p = 1;"),
    ],
)  # fmt: skip
def test_device_code_compiles_as_it_does_alone(text, same):
    expected = of(f"__global__ void k(int *p) {{ {same} }}").kernel()
    found = of(text)
    assert found.kernel().code.code == expected.code.code
    assert found.log.splitlines()[0].startswith("kernel.cu: host code left out")
    assert "redefinition" not in found.log


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_an_instance_of_a_template_with_the_hosts_types():
    assert of("template <const uint B> __global__ void k(int *p) { *p = B; }", kernel="k<32>").kernel().name.full


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_host_code_in_own_headers_is_left_out(tmp_path):
    (tmp_path / "own.h").write_text("#pragma once\n#include <vector>\nconstexpr int N = 6;\nint h() { return 1; }\n")
    (tmp_path / "a.cu").write_text('#include "own.h"\n__global__ void k(int *p) { *p = N; }\n')
    found = cuda.compile(tmp_path / "a.cu", gpu="sm_90").kernel()
    assert found.code.code == of("__global__ void k(int *p) { *p = 6; }").kernel().code.code


@pytest.mark.usefixtures("compiler", "nvcc")
def test_nvccs_words_reach_the_user(tmp_path):
    file = tmp_path / "mine.cu"
    file.write_text("#include <vector>\n__global__ void k(int *p) {\n  *p = q;\n}\n")
    with pytest.raises(cuda.CompileError) as error:
        cuda.compile(file, gpu="sm_90")
    assert f'{file}(3): error: identifier "q" is undefined' in str(error.value)


@pytest.mark.usefixtures("compiler", "nvcc")
def test_an_unknown_instance_for_nvcc():
    text = "#include <vector>\ntemplate <int T> __global__ void k(int *p) { *p = T; }"
    assert of(text, kernel="k<7>").kernel().name.full == "k<7>"
    with pytest.raises(cuda.KernelNameError, match="has no kernel 'k<int>'"):
        of(text, kernel="k<int>")


def test_reasons_are_read_from_the_log():
    assert reason('a.cu(3): catastrophic error: cannot open source file "iostream"') == 'a.cu:3: #include "iostream"'
    assert reason('a.cu(9): error: identifier "cudaMalloc" is undefined') == "a.cu:9: cudaMalloc"
    assert reason('a.cu(9): error: namespace "std" has no member "vector"') == "a.cu:9: std::vector"
    assert reason('a.cu(9): error: identifier "q" is undefined') is None


@pytest.mark.parametrize(
    ("header", "command"),
    [
        ("cuda_fp16.h", "pip install 'gpusim[cuda]'"),
        ("nv/target", "pip install 'gpusim[cuda]'"),
        ("curand_kernel.h", "pip install 'gpusim[cuda]'"),
        ("vector", None),
    ],
)
def test_missing_headers_of_cuda_name_their_wheel(header, command):
    assert missing_wheel(f'a.cu(3): catastrophic error: cannot open source file "{header}"') == command
