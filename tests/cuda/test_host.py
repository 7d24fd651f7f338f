"""Files with host code in them: nvcc where there is one, NVRTC without the host code where there is none."""

import numpy as np
import pytest

import gpusim
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
    '__device__ void k(char *);\nextern "C" void launch() { k<<<1, 1>>>(0); }',
    '#ifndef HAS_CLOCK\n#error "no clock"\n#endif\nlong now() { return clock(); }',
    "template <class T> void f(T t) { cudaMalloc(&t, 4); }\nvoid g() { f((int *)0); }",
    "#include <cuda_runtime.h>\nvoid check(cudaError_t e) { if (e != cudaSuccess) exit(1); }",
]


OF_MACROS = r"""#ifdef X
#define ALIGNED(n) __align__(n)
#define INLINE inline
#else
#define ALIGNED(n) __attribute__((aligned(n)))
#define INLINE inline __attribute__((always_inline))
#endif
#define HD INLINE __device__ __host__
int h() { return 1; }
#define SUM(op) \
  template <class T> \
  HD A operator op(const T &a) { \
    x += a; /* so*/ \
    return *this; \
  } \
  template <class T> \
  HD A operator op(const volatile T &a) volatile { \
    return *this; /* so*/ \
  }
class ALIGNED(4) A {
 public:
  union {
    int x;
#if Y
    float y;
#endif
  };
  static HD A of(int v) { A a; a.x = v; return a; }
  HD A() {}
  HD explicit A(const double &v) { x = v; }

  SUM(+=)
  SUM(-=)

  HD A operator-() { return A(-x); }
 private:
  static int const bits = 10;
};
__global__ void k(int *p) { A a = A::of(2); a += 3; *p = a.x; }
"""
MACROS_OF_MACROS = """#ifdef X
#define INLINE __forceinline
#else
#define INLINE inline __attribute__((always_inline))
#endif
#define HD INLINE __device__ __host__
int h() { return 1; }
template <int n> struct Shape {
  static const int less = n - 1;
  int x[n];
  HD Shape<less> rest(void) const {
    Shape<less> s;
    for (int i = 0; i < less; ++i) s.x[i] = x[i + 1];
    return s;
  }
};
__global__ void k(int *p) { Shape<2> a{{3, 4}}; *p = a.rest().x[0]; }
"""
FRIENDS = """int h() { return 1; }
template <typename T, int items> struct multiple_sum {
  T el[items];
  __device__ __host__ friend multiple_sum operator+(multiple_sum lhs,
                                            const multiple_sum& rhs) {
    return lhs;
  }
};
__global__ void k(int *p) { multiple_sum<int, 2> a{{3, 4}}; *p = (a + a).el[0]; }
"""


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
        (("#define BINDING(name) \\\n  void name(std::vector<int> v) { v.clear(); }\n"
         "__global__ void k(int *p) { *p = 1; }\nBINDING(f)\nBINDING(g);\n"), "*p = 1;"),
        (("#define CASES(a) \\\n  switch (a) { default: break; }\n"
         "#define BIND(name) \\\n  void name(std::vector<int> v) { \\\n    CASES(v.size()) \\\n  }\nBIND(f)\n"
         "__global__ void k(int *p) { *p = 1; }\n"), "*p = 1;"),
        (("#ifdef X\n#define PLAIN __extension__\n#else\n#define PLAIN\n#endif\nint h() { return 1; }\n"
         "struct A { PLAIN union { struct { int a; } s; long b; } u; char c; };\n"
         "__global__ void k(int *p) { *p = sizeof(A); }"), "*p = 16;"),
        (("#define INSTANCE(T) template void run<T>(T *)\ntemplate <class T> void run(T *t) { cudaFree(t); }\n"
         "__global__ void k(int *p) { *p = 1; }\nINSTANCE(int);\n"), "*p = 1;"),
        (("void f(int a) {\n#ifdef A\n  if (a) {\n#else\n  if (!a) {\n#endif\n    cudaFree(&a);\n  }\n}\n"
         "__global__ void k(int *p) { *p = 1; }"), "*p = 1;"),
        (("#include <cuda_fp16.h>\ntypedef struct __CUDA_ALIGN__(8) {\n  short a[4];\n} Four;\n"
         "typedef struct __CUDA_ALIGN__(16) {\n  short a[8];\n} Eight;\nint h() { return 1; }\n"
         "__global__ void k(int *p) { *p = alignof(Four); }"), "*p = 8;"),
        (("struct B { int n; };\nstruct A {\n  int x;\n  int id(int n) const { return n; }\n"
         "  virtual int id(const B &b) const {\n#define W 2\n    return id(b.n);\n  }\n};\nint h() { return 1; }\n"
         "__global__ void k(int *p) { *p = W + (sizeof(A) == 8); }"), "*p = 2;"),
        (("template <class T> D f() {\n  if (same<T, float>::value) {\n    return 1;\n  }\n#ifdef A\n"
         "  else if (same<T, int>::value) {\n    return 2;\n  }\n#endif\n  else if (same<T, char>::value) {\n"
         "    return 3;\n  }\n  else {\n    CHECK(false);\n    return 4;\n  }\n}\n"
         "__global__ void k(int *p) { *p = 1; }"), "*p = 1;"),
        (("namespace own {\ntypedef std::vector<int> V;\n__device__ int f() { return 4; }\n}\n"
         "__global__ void k(int *p) { *p = own::f(); }"), "*p = 4;"),
        (("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint read(FILE *f);\n#ifdef __cplusplus\n}\n#endif\n"
         "__global__ void k(int *p) { *p = 1; }"), "*p = 1;"),
        (("#ifdef WIN\n#define API __declspec(dllexport) extern\n#else\n#define API extern\n#endif\n"
         "#define OLD(f, why) f __attribute__((deprecated(why)))\nAPI struct A *make(FILE *f);\n"
         'OLD(API int old(FILE *f),\n    "no longer");\n__global__ void k(int *p) { *p = 1; }'), "*p = 1;"),
        (("#define TABLE(type, name, n) static const __device__ type name[n] = {\n#define END() };\n"
         "TABLE(int, rows, 2)\n  3, 4,\nEND()\nint h;\n__global__ void k(int *p) { *p = rows[1]; }"), "*p = 4;"),
        (("int h() { return 1; }\nstruct A { int a; __host__ void copy(std::vector<int> v); };\n"
         "__global__ void k(int *p) { A a{5}; *p = a.a; }"), "*p = 5;"),
        (("#include <cuda.h>\n#if CUDA_VERSION < 8000\n#error old\n#endif\nint h() { return 1; }\n"
         "__global__ void k(int *p) { *p = 1; }"), "*p = 1;"),
        (OF_MACROS, "*p = 5;"),
        (FRIENDS, "*p = 3;"),
        (MACROS_OF_MACROS, "*p = 4;"),
        (("#ifdef X\n#define __device__\n#define __host__\n#endif\n#define BOTH inline __device__ __host__\n"
         "int h() { return 1; }\nBOTH int f() { return 6; }\n__global__ void k(int *p) { *p = f(); }"), "*p = 6;"),
        (("#include <vector>\nstruct A { int a;\n#if 1\n  void log(std::vector<int> v) { nowhere(v); }\n#endif\n};\n"
         "__global__ void k(int *p) { A a{5}; *p = a.a; }"), "*p = 5;"),
        (("#ifdef X\n#define FORCE __forceinline\n#else\n#define FORCE inline\n#endif\n#define OWN FORCE\n"
         "template <class T> struct A { int a;\n  OWN static A<T> none(std::string s) { return nowhere(s); }\n};\n"
         "__global__ void k(int *p) { A<int> a{2}; *p = a.a; }"), "*p = 2;"),
        (("#include <vector>\n__global__ void k(int *p) { int a; __asm__ __volatile__(\"mov.u32 %0, 3;\" : \"=r\"(a)); "
         "*p = a; }"), "int a; asm volatile(\"mov.u32 %0, 3;\" : \"=r\"(a)); *p = a;"),
    ],
)  # fmt: skip
def test_device_code_compiles_as_it_does_alone(text, same):
    expected = of(f"__global__ void k(int *p) {{ {same} }}").kernel()
    found = of(text)
    assert found.kernel().code.code == expected.code.code
    assert found.log.splitlines()[0].startswith("kernel.cu: host code left out")
    assert "redefinition" not in found.log
    assert "internal header" not in found.log


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_an_instance_of_a_template_with_the_hosts_types():
    assert of("template <const uint B> __global__ void k(int *p) { *p = B; }", kernel="k<32>").kernel().name.full


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_host_code_in_own_headers_is_left_out(tmp_path):
    (tmp_path / "own.h").write_text("#pragma once\n#include <vector>\nconstexpr int N = 6;\nint h() { return 1; }\n")
    (tmp_path / "a.cu").write_text('#include "own.h"\n__global__ void k(int *p) { *p = N; }\n')
    found = cuda.compile(tmp_path / "a.cu", gpu="sm_90").kernel()
    assert found.code.code == of("__global__ void k(int *p) { *p = 6; }").kernel().code.code


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_macros_that_stand_for_kernels_are_kept():
    text = (
        "#include <vector>\n#define MAKE(T, n) \\\n  template __global__ void k<T, n>(T *p);\n"
        "#define KERNEL(name) __global__ void name(int *p) { *p = Own::n; }\nstruct Own { static const int n = 3; };\n"
        "template <class T, int n> __global__ void k(T *p) { *p = n; }\nMAKE(float, 3)\nMAKE(int, 4)\nKERNEL(j)\n"
        "std::vector<int> host() { return {}; }\n"
    )
    assert {kernel.name.full for kernel in of(text).kernels.values()} == {"k<float, 3>", "k<int, 4>", "j"}


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_what_only_the_instance_needs_is_kept():
    text = "#include <vector>\nstruct Own { static const int n = 3; };\n"
    found = of(f"{text}template <class T> __global__ void k(int *p) {{ *p = T::n; }}", kernel="k<Own>")
    assert found.kernel().name.full == "k<Own>"


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_a_header_that_goes_by_two_names_is_read_once(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/own.h").write_text(
        "#pragma once\n#include <vector>\nstd::vector<int> v();\n__device__ int w = 6;\n"
    )
    (tmp_path / "in/other.h").write_text('#include "own.h"\n')
    (tmp_path / "a.cu").write_text(
        '#include "in/own.h"\n#include "in/other.h"\n__global__ void k(int *p) { *p = w; }\n'
    )
    assert cuda.compile(tmp_path / "a.cu", gpu="sm_90").kernel().name.full == "k"


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_macros_for_kernels_and_for_what_is_warned_of():
    text = """#include <vector>
    #define KERNEL __attribute__((visibility("hidden"))) __global__
    #define QUIET _Pragma("nv_diag_suppress 177")
    namespace a {
    namespace b {

    QUIET

    template <class T>
    KERNEL void fill(T* p, typename T::value_type value)
    {
      while (*p) { for (int i = 0; i < 3; i++) { p[i] = value; } }
    }

    std::vector<int> host;
    }  // namespace b
    }  // namespace a
    __global__ void k(int *p) { *p = 1; }"""
    assert of(text).kernel().name.full == "k"


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_a_comment_on_pragma_once_is_none(tmp_path):
    (tmp_path / "own.h").write_text(
        "#ifndef OWN\n#define OWN\n// some know #pragma once\n#if defined(_MSC_VER)\n# pragma once\n#endif\n"
        "#include <vector>\nstd::vector<int> v();\n__device__ int w = 6;\n#endif\n"
    )
    (tmp_path / "a.cu").write_text('#include "own.h"\n#include "own.h"\n__global__ void k(int *p) { *p = w; }\n')
    assert cuda.compile(tmp_path / "a.cu", gpu="sm_90").kernel().name.full == "k"


@pytest.mark.usefixtures("compiler", "nvcc")
def test_headers_that_no_one_has_stand_beside_host_code_in_headers(tmp_path):
    (tmp_path / "own.h").write_text(
        "#pragma once\n#include <string>\n#include <nobody/has.h>\n"
        "struct Name { std::string text; Name(const std::string &t) : text(t) {} };\n"
        "inline void throws(const char *c) { throw Name(c); }\n"
        "#define CHECK(a) if (!(a)) throws(#a)\ntemplate <class T> struct Pair { T a, b; };\n"
    )
    text = '#include "own.h"\nnobody::Type host();\n__global__ void k(Pair<int> p, int *o) { *o = p.b; }\n'
    (tmp_path / "a.cu").write_text(text)
    module = cuda.compile(tmp_path / "a.cu", gpu="sm_90")
    assert str(module.kernel()) == "k(Pair<int> p, int* o)"
    assert "nobody/has.h" in module.log


@pytest.mark.usefixtures("compiler", "nvcc")
def test_a_header_that_nvrtc_alone_lacks_is_no_empty_one_for_nvcc(tmp_path):
    text = (
        "#include <forward_list>\n#include <nobody/has.h>\nstruct Held { std::forward_list<int> items; int n; };\n"
        "void host() { nobody::call(); }\n__global__ void k(Held *p, int *o) { *o = p->n; }\n"
    )
    (tmp_path / "a.cu").write_text(text)
    module = cuda.compile(tmp_path / "a.cu", gpu="sm_90")
    assert str(module.kernel()) == "k(Held* p, int* o)"
    assert "empty: nobody/has.h" in module.log


@pytest.mark.parametrize("begin", ["BEGIN(space)", "BEGIN_SPACE"])
@pytest.mark.usefixtures("compiler")
def test_macros_that_open_and_close_a_namespace(begin):
    text = (
        "#include <string>\n#define BEGIN(name) namespace name {\n#define BEGIN_SPACE namespace space {\n"
        f"#define END(name) }}\n{begin}\nvoid host(std::string a) {{}}\nstruct Two {{ int a, b; }};\nEND(space)\n"
        "__global__ void k(space::Two *p, int *o) { *o = p->b; }\n"
    )
    assert str(of(text).kernel()) == "k(space::Two* p, int* o)"


@pytest.mark.usefixtures("compiler")
def test_friends_of_the_host_and_namespaces_of_libraries_that_are_not_there():
    text = (
        "#include <iostream>\n#include <absent/format.h>\nnamespace own { using namespace absent::literals; }\n"
        "struct Two { int a, b;\nfriend std::ostream &operator<<(std::ostream &s, const Two &t) { return s << t.a; }\n"
        "friend __device__ int sum(const Two &t) { return t.a + t.b; }\n};\n"
        "__global__ void k(Two *p, int *o) { *o = sum(*p); }\n"
    )
    assert str(of(text).kernel()) == "k(Two* p, int* o)"


@pytest.mark.usefixtures("compiler")
def test_a_comment_in_a_macro_of_several_lines():
    text = (
        "#include <string>\nvoid host(std::string s) {}\n#define TWICE(x) \\\n  do { \\\n    x; /* once */ \\\n"
        "    if (x > 0) { x; } \\\n  } while (0)\n__global__ void k(int *o) { TWICE(++*o); }\n"
    )
    assert str(of(text).kernel()) == "k(int* o)"


@pytest.mark.usefixtures("compiler")
def test_macros_that_align_a_class():
    text = (
        "#include <string>\n#define ALIGNED(n) __attribute__((aligned(n)))\nvoid host(std::string s) {}\n"
        "class ALIGNED(8) Two {\n public:\n  int a, b;\n  void print(std::string s) {}\n};\n"
        "__global__ void k(Two *p, int *o) { *o = p->b; }\n"
    )
    assert str(of(text).kernel()) == "k(Two* p, int* o)"


@pytest.mark.usefixtures("compiler")
def test_a_class_with_handles_of_libraries_of_the_host():
    text = (
        "#include <cublas_v2.h>\n#include <cudnn.h>\n#include <absent/of_host.h>\n"
        "#include <cublasLt.h>\nstruct Stream { cublasHandle_t blas; cudnnHandle_t dnn; cublasStatus_t last; int n;\n"
        "  cublasLtMatmulDesc_t form; cublasLtOrder_t order; cublasLtMatmulAlgo_t algorithm; };\n"
        "template <class T> void go(Stream *s) { absent::go(s); }\n"
        "__global__ void k(Stream *s, int *o) { *o = s->n; }\n"
    )
    assert str(of(text).kernel()) == "k(Stream* s, int* o)"


@pytest.mark.usefixtures("compiler", "nvcc")
def test_lambdas_of_host_code():
    text = (
        "#include <vector>\ntemplate <class F> __global__ void k(F f, int *p) { *p = f(3); }\n"
        "void go(int *p) { k<<<1, 1>>>([=] __device__(int a) { return a + 1; }, p); }\n"
    )
    assert of(text).kernel("k").code.registers > 0


@pytest.mark.usefixtures("compiler", "nvcc")
def test_functions_of_the_standard_library_that_are_constexpr_are_the_devices_too():
    text = (
        "#include <algorithm>\n#include <string>\n#include <iostream>\n__global__ void k(const int *p, int *o) "
        "{ *o = std::max(p[0], p[1]); }\nint main() { std::string s; std::cin >> s; k<<<1, 1>>>(nullptr, nullptr); }\n"
    )
    module = of(text)
    assert "not allowed" not in module.log


@pytest.mark.usefixtures("compiler", "nvcc")
def test_nvcc_is_told_of_an_instance_without_the_arguments_by_default():
    text = (
        "#include <vector>\ntemplate <class A, class B = A> struct Add {};\n"
        "template <class T, class F> __global__ void k(T *p) { *p = 1; }\nstd::vector<int> v;\n"
    )
    assert of(text, kernel="k<float, Add<float>>").kernel().name.full == "k<float, Add<float, float>>"


@pytest.mark.usefixtures("compiler", "nvcc")
def test_the_only_instance_that_host_code_launches_is_meant():
    text = (
        "#include <vector>\ntemplate <class T> __global__ void k(T *p) { *p = 1; }\n"
        "template <class T> void go(T *p) { k<<<1, 1>>>(p); }\nint main() { go((float *)nullptr); }\n"
    )
    assert str(of(text, kernel="k").kernel()) == "k<float>(float* p)"


@pytest.mark.usefixtures("compiler")
def test_an_instance_needs_no_namespace(tmp_path):
    text = "namespace a { namespace b {\ntemplate <class T> __global__ void k(T *p) { *p = 1; }\n} }\n"
    assert of(text, kernel="k<float>").kernel().name.full == "a::b::k<float>"
    (tmp_path / "own.h").write_text(text)
    (tmp_path / "a.cu").write_text('#include "own.h"\n')
    assert cuda.compile(tmp_path / "a.cu", gpu="sm_90", kernel="k<int>").kernel().name.full == "a::b::k<int>"


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_macros_for_members_of_several_classes():
    text = """#include <vector>
    #define BOTH __host__ __device__
    #define BODY \\
        BOTH T one() const { return 1; }
    template <class T, int N> struct Few;
    template <class T> struct alignas(8) Few<T, 2> {
        BODY
        union { T x, r; };
        union { T y, g; };
        BOTH Few(T a, T b) : x{a}, y{b} {}
    };
    std::vector<int> host;
    __global__ void k(Few<float, 2> *p) { p->y = p->r + p->one(); }"""
    assert of(text).kernel().name.full == "k"


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("middle", ["part.cu", "middle.cu"])
def test_a_kernel_of_a_part_of_another_source(tmp_path, middle):
    (tmp_path / "part.cu").write_text("__global__ void k(Own *p, int n) { p[n].a = 1; }\n")
    (tmp_path / "middle.cu").write_text('#include "part.cu"\n')
    (tmp_path / "whole.cu").write_text(f'struct Own {{ int a; }};\n#include "{middle}"\nint main() {{ return 0; }}\n')
    module = cuda.compile(tmp_path / "part.cu", gpu="sm_90", kernel="k")
    assert str(module.kernel()) == "k(Own* p, int n)"
    assert module.log.startswith(f"{tmp_path / 'part.cu'} is a part of {tmp_path / 'whole.cu'}, which includes it")
    with pytest.raises(cuda.CompileError, match="does not compile"):
        cuda.compile(tmp_path / "part.cu", gpu="sm_90", kernel="other")


@pytest.mark.usefixtures("compiler")
def test_texture_references_are_refused_in_a_line():
    with pytest.raises(cuda.CudaError) as error:
        of("texture<float, 2> image;\n__global__ void k(float *p) { *p = tex2D(image, 0, 0); }")
    assert str(error.value).startswith("kernel.cu:1: texture references are removed from CUDA 12 on: fetch through")
    assert "\n" not in str(error.value)


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


@pytest.mark.usefixtures("compiler", "libcu")
def test_names_that_cub_has_no_more():
    text = """#include <torch/extension.h>
    #include <cub/util_type.cuh>
    __global__ void k(int* p) {
        using Pair = cub::KeyValuePair<int, int>;
        p[0] = cub::Sum()(3, 4);
        p[1] = cub::Max()(3, 4);
        p[2] = cub::Min()(3, 4);
        p[3] = cub::Inequality()(3, 4);
        p[4] = cub::ArgMax()(Pair{5, 8}, Pair{2, 8}).key;
        p[5] = cub::ArgMin()(Pair{5, 7}, Pair{2, 8}).key;
        cub::CTA_SYNC();
        if (cub::LaneId() == 3) p[6] = cub::LaneMaskLt();
        cub::CountingInputIterator<int> from(7);
        if (threadIdx.x == 0) p[7] = from[2] + cub::ConstantInputIterator<int>(1)[5];
    }"""
    out = np.zeros(8, np.int32)
    gpusim.profile(of(text).kernel(), grid=1, block=4, args=[out], gpu="h100-sxm")
    assert out.tolist() == [7, 4, 3, 1, 2, 5, 7, 10]


@pytest.mark.usefixtures("compiler", "nvcc", "libcu")
def test_names_that_thrust_has_no_more():
    text = """#include <nobody/has.h>
    #include <thrust/functional.h>
    struct Twice : thrust::unary_function<int, long> { __device__ result_type operator()(int x) { return 2 * x; } };
    __global__ void k(long* p) { *p = Twice()(thrust::identity<int>()(21)); }
    int main() { k<<<1, 1>>>(nullptr); }"""
    assert str(of(text).kernel()) == "k(long* p)"


@pytest.mark.usefixtures("compiler", "nvcc", "libcu")
def test_the_only_instance_of_a_source_with_earlier_names():
    text = """#include <vector>
    #include <thrust/functional.h>
    template <class F> __global__ void k(F f, int* p) { *p = f(*p); }
    template <class F> void go(F f, int* p) { k<<<1, 1>>>(f, p); }
    int main() { std::vector<int> v(1); go(thrust::identity<int>(), v.data()); }"""
    assert of(text, kernel="k").kernel().name.name == "k"


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_sizes_are_of_the_standard_library_too():
    text = "#include <cstddef>\n__global__ void k(std::size_t *p, std::ptrdiff_t n) { *p = n; }"
    assert len(of(text).kernel().parameters) == 2


PYTORCH = """#include <torch/extension.h>
#include <ATen/cuda/detail/TensorInfo.cuh>
#include <c10/util/complex.h>
void declared(const at::Tensor &x, const at::optional<at::Tensor> &y, c10::DeviceIndex device, at::ScalarType type);
template <typename T>
__global__ void sums(const torch::PackedTensorAccessor32<T, 2, torch::RestrictPtrTraits> x,
                     torch::PackedTensorAccessor64<T, 1> out, at::cuda::detail::TensorInfo<int, int> which) {
    int i = threadIdx.x;
    if (i >= x.size(0)) return;
    at::acc_type<T, true> sum = 0;
    for (int j = 0; j < x.size(1); j++) sum += x[i][j];
    gpuAtomicAdd(&out[which.data[at::cuda::detail::IndexToOffset<int, int, 1>::get(i, which)]], (T)sum);
}
__global__ void halves(const at::Half *x, c10::BFloat16 *y, at::PhiloxCudaState state, float *out) {
    out[0] = x[0] > x[1] ? x[0] * x[1] : x[0] - x[1];
    y[0] += y[1];
    out[1] = y[0];
    out[2] = std::get<0>(at::cuda::philox::unpack(state));
    c10::complex<float> z(1, 2);
    out[3] = (z * std::conj(z)).real();
}
torch::Tensor go(torch::Tensor x) {
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sums", [&] { sums<scalar_t><<<1, 2>>>(x); });
    return at::zeros_like(x);
}
"""


@pytest.mark.usefixtures("compiler", "nvcc")
def test_accessors_of_pytorch_without_its_headers():
    kernel = of(PYTORCH, kernel="sums<float>").kernel()
    x, out = np.arange(6, dtype=np.float32), np.zeros(2, np.float32)
    sizes = np.array([2, 3], np.int32)
    which = {
        "data": np.array([1, 0], np.int32),
        "sizes": np.full(25, 2, np.int32),
        "strides": np.ones(25, np.int32),
        "dims": 1,
    }
    strides = np.array([3, 1], np.int32)
    length = np.array([2], np.int64)
    args = [
        {"data_": x, "sizes_": sizes, "strides_": strides},
        {"data_": out, "sizes_": length, "strides_": np.ones(1, np.int64)},
        which,
    ]
    gpusim.profile(kernel, grid=1, block=32, args=args, gpu="h100-sxm")
    assert out.tolist() == [12, 3]


@pytest.mark.usefixtures("compiler", "nvcc")
def test_numbers_of_pytorch_without_its_headers():
    kernel = of(PYTORCH, kernel="halves").kernel()
    x, y, out = np.array([3, 2], np.float16), np.array([0x3F80, 0x4000], np.uint16), np.zeros(4, np.float32)
    state = np.zeros(32, np.uint8)
    state[0] = 7
    gpusim.profile(kernel, grid=1, block=1, args=[x, y, state.tobytes(), out], gpu="h100-sxm")
    assert out.tolist() == [6, 3, 7, 5]


@pytest.mark.usefixtures("compiler", "nvcc")
def test_what_a_process_was_refused_is_not_compiled_again(monkeypatch):
    text = "#include <vector>\n__global__ void k(int *p) { *p = nowhere_at_all; }\n"
    with pytest.raises(cuda.CompileError) as first:
        of(text)
    monkeypatch.setattr(nvrtc, "compile_source", None)
    with pytest.raises(cuda.CompileError) as second:
        of(text)
    assert str(first.value) == str(second.value)


@pytest.mark.usefixtures("compiler")
def test_instructions_of_later_architectures_are_refused_in_a_line():
    text = """__global__ void k(unsigned long long *p) {
        asm volatile("mul.f32x2 %0, %1, %1;" : "=l"(p[0]) : "l"(p[1]));
    }"""
    with pytest.raises(cuda.CudaError) as error:
        of(text)
    assert str(error.value) == "kernel.cu: mul.f32x2 needs sm_100 or higher: name a GPU that has it (gpu, --gpu)"


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_functions_of_mathematics_are_of_the_standard_library_too():
    text = "#include <cmath>\n__global__ void k(float *p) { *p = std::fma(p[0], p[1], p[2]) + std::sqrt(p[3]); }"
    assert of(text).kernel().code.code == of(text.replace("std::", "")).kernel().code.code


@pytest.mark.usefixtures("compiler", "nvcc")
def test_texture_references_beside_host_code_are_refused_in_a_line():
    with pytest.raises(cuda.CudaError, match="texture references are removed") as error:
        of("#include <nobody/has.h>\ntexture<float, 2> t;\n__global__ void k(float *p) { *p = tex2D(t, 0, 0); }")
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("compiler", "no_nvcc")
@pytest.mark.parametrize("name", ["update<float, ADAM>", "ns::update<float, WIDE>", "update<float, 3>"])
def test_enumerators_and_constants_name_instances(name):
    text = """enum Kind { SGD, ADAM = 3 };
    constexpr int WIDE = 2 * 8;
    namespace ns { template <class T, int kind> __global__ void update(T *p) { *p = kind; } }
    template __global__ void ns::update<float, 3>(float *p);
    template __global__ void ns::update<float, 16>(float *p);
    """
    found = of(text).kernel(name)
    assert found.name.arguments == ("<float, 16>" if "WIDE" in name else "<float, 3>")


@pytest.mark.usefixtures("compiler", "no_nvcc")
@pytest.mark.parametrize("name", ["f<ns::Kind::WIDE>", "ns::f<WIDE>", "ns::f<(ns::Kind)8>", "ns::f<8>"])
def test_enumerators_without_values_name_instances(name):
    text = """namespace ns {
    enum Kind { NARROW = 7, WIDE, WIDER };
    template <Kind kind> __global__ void f(int *p) { *p = kind; }
    template __global__ void f<WIDE>(int *p);
    template __global__ void f<WIDER>(int *p);
    }
    """
    assert of(text).kernel(name).name.arguments == "<(ns::Kind)8>"


@pytest.mark.usefixtures("compiler", "no_nvcc")
def test_a_header_beside_one_with_host_code(tmp_path):
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "scale.h").write_text("#pragma once\n__device__ inline int twice(int n) { return 2 * n; }\n")
    (folder / "wrapper.h").write_text(
        '#pragma once\n#include "scale.h"\n#include <vector>\nstruct Wrapper { std::vector<int> kept; };\n'
    )
    path = tmp_path / "k.cu"
    path.write_text('#include "inner/wrapper.h"\n__global__ void k(int *p) { *p = twice(*p); }\n')
    module = cuda.compile(path, gpu="sm_90")
    assert list(module.kernels) == ["_Z1kPi"]
    assert "scale.h" not in module.log


@pytest.mark.usefixtures("compiler", "nvcc")
def test_instances_that_only_host_code_names_are_listed():
    text = """template <class T> __global__ void k(T *p) { *p = 1; }
    template <class T> void run(T *p) { k<<<1, 1>>>(p); }
    int main() { run((int *)nullptr); run((float *)nullptr); }"""
    with pytest.raises(cuda.KernelNameError, match=r"may be any of: \d k<\w+>\(\w+\* p\); \d k<\w+>\(\w+\* p\)"):
        of(text, kernel="k")
    assert of(text, kernel="k<float>").kernel().name.arguments == "<float>"
