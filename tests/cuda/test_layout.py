"""Structs lie as the compiler lays them out, and what the text does not tell is not known."""

import pytest

from gpusim import cuda
from gpusim.cuda.layout import Declared, UnknownTypeError

TYPES = """
#define K 4 // four
constexpr int N = K * 2u;
typedef struct { float *x; int n; } P;
typedef struct __align__(8) T8 { char c; } T8;
typedef float real; using Idx = unsigned long;
enum E : char { A = 3, B };
namespace ns {
enum class E2 { x };
struct alignas(16) Q {
    const float *__restrict__ p, *q; int w[N][2]; unsigned long long z; struct { int a; } in; void go();
    static int s; dim3 d; int a = 3; union { int k; double m; } u; real (*fp)(int); float4 v; char3 c3; short2 s2;
    bool operator()(int) const; Q(int); E e; Idx i; T8 t[2]; E2 e2; P pp; ulonglong2 l2; double d3[3];
};
}
struct Bits { int b : 3; }; struct Gap { long a; char c; }; struct AfterGap : Gap { char d; };
template <class T> struct Of { T x; };
struct Virtual { virtual void f(); int x; }; struct Packed { char c; int i; } __attribute__((packed));
template <class... Rest> struct Any { int a; };
template <class T> struct Partial { T a; }; template <class T> struct Partial<T*> { T b; };
struct Twice { int a; };
namespace other { struct Twice { char a; }; }
"""


def test_offsets_and_sizes_are_the_compilers():
    found = Declared([TYPES]).type("ns::Q")
    says = [f"static_assert(sizeof(ns::Q) == {found.nbytes} && alignof(ns::Q) == {found.alignment});"]
    for name, kind, offset in found.fields:
        says.append(f"static_assert(__builtin_offsetof(ns::Q, {name}) == {offset});")
        says.append(f"static_assert(sizeof(ns::Q::{name}) == {kind.nbytes});")
    assert len(found.fields) == 19
    text = TYPES + "__global__ void k(int *x) {\n" + "\n".join(says) + "\n*x = 1; }\n"
    assert cuda.compile(text, gpu="h200").kernels
    wrong = text.replace("(ns::Q, z) == 80", "(ns::Q, z) == 88")
    assert wrong != text
    with pytest.raises(cuda.CompileError, match="static assertion"):
        cuda.compile(wrong, gpu="h200")


TEMPLATES = """
namespace traits {
template <typename T> struct Plain { typedef T* Ptr; using Size = long; };
template <typename T> struct Restricted { typedef T* __restrict__ Ptr; typedef int Size; };
}
template <typename T, int Dim, bool Inner = false, class I = int, template <typename U> class Traits = traits::Plain>
class Tensor {
public:
    enum { Dims = Dim }; enum class Order { rows, columns }; struct Nested { int unused; };
    typedef typename Traits<T>::Ptr Pointer;
    __host__ __device__ Tensor();
    Tensor<T, Dim, Inner, I, Traits>& operator=(const Tensor<T, Dim, Inner, I, Traits>& other); T* begin(); T& at(int);
    template <class U> __device__ U as() const { return U(); }
    Pointer data; I size[Dim]; I stride[2 * Dim]; typename Traits<T>::Size all; T one;
};
template <class T, int N> struct alignas(sizeof(T) * N) Vec { T val[N]; };
template <class Src, class Dst> struct Load { Load(const Src* s, long n); const Src* src; long row; Vec<Dst, 4> last; };
#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
template <class T> class Span {
public:
    using pointer = T*;
    constexpr Span() noexcept = default;
    BOTH Span(pointer p, long n) : count{n}, data{p} {}
    [[nodiscard]] BOTH constexpr T& operator[](long n) const { return data[n]; }
    BOTH bool is_empty() const noexcept { return count == 0; }
    long count{0}; pointer data{nullptr};
};
template <class T> struct Acc { typedef T type; T x; }; template <> struct Acc<short> { typedef double type; char c; };
template <class T> struct None {};
template <class T> struct Base { using index = unsigned; T *data; index rows, columns; };
struct Other { using index = long; index n; void *any; struct Nowhere *of[2]; };
template <class T> struct Derived : public Base<T>, None<T> { typename Base<T>::index stride; T *out; Other other; };
struct Further : Derived<int>, Other { unsigned scale; };
template <class T> struct Uses { typename Acc<T>::type sum; Acc<T> a; Acc<char> b; };
"""


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("Tensor<float, 3>", "data size stride all one"),
        ("Tensor<double2, 2, true, long, traits::Restricted>", "data size stride all one"),
        ("Load<int, short>", "src row last"),
        ("Vec<char, 4>", "val"),
        ("Span<char>", "count data"),
        ("Uses<short>", "sum a b"),
        ("Uses<int>", "sum a b"),
        ("Derived<float>", "data rows columns stride out other"),
        ("Further", "data rows columns stride out other n any of scale"),
    ],
)
def test_instances_of_templates_lie_as_the_compiler_lays_them(name, fields):
    found = Declared([TEMPLATES]).type(name)
    assert [field.name for field in found.fields] == fields.split()
    says = [
        f"using Own = {name};",
        f"static_assert(sizeof(Own) == {found.nbytes} && alignof(Own) == {found.alignment});",
    ]
    for field in found.fields:
        says.append(f"static_assert(__builtin_offsetof(Own, {field.name}) == {field.offset});")
        says.append(f"static_assert(sizeof(Own::{field.name}) == {field.type.nbytes});")
    text = TEMPLATES + "__global__ void k(int *x) {\n" + "\n".join(says) + "\n*x = 1; }\n"
    assert cuda.compile(text, gpu="h200").kernels


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Bits", "int b : 3"),
        ("AfterGap", "base class after which"),
        ("Of", "template"),
        ("Of<int, int>", "arguments of Of<int, int>"),
        ("Any<int>", "arguments of Any<int>"),
        ("Partial<int>", "partial specialisations"),
        ("Virtual", "virtual"),
        ("Packed", "packed"),
        ("Twice", "more than once"),
        ("Nowhere", "not declared"),
    ],
)
def test_what_the_text_does_not_tell_is_not_known(name, why):
    with pytest.raises(UnknownTypeError, match=why):
        Declared([TYPES]).type(name)


def test_types_of_variables():
    declared = Declared(
        ["namespace a { __constant__ float2 w[2 * M]; __device__ const int t[] = {1}; int n = 3; }"], {"M": "3"}
    )
    assert (declared.variable("a::w").name, declared.variable("a::w").nbytes) == ("float2[6]", 48)
    assert declared.variable("t") is None  # its size stands nowhere
    assert declared.is_initialised("t")
    assert not declared.is_initialised("w")


@pytest.mark.parametrize(
    ("line", "is_packed"),
    [
        ("#pragma pack(push, 1)", True),
        (" # pragma pack(1)", True),
        ("__pragma(pack(push, 1))", True),
        ('_Pragma("pack(1)")', True),
        ("// elsewhere pragma pack does it", False),
        ("#define BEGIN __pragma(pack(push, 1))", False),
        ("#pragma unroll", False),
    ],
)
def test_directives_that_pack(line, is_packed):
    declared = Declared([f"{line}\nstruct S {{ char c; int n; }};"])
    if is_packed:
        with pytest.raises(UnknownTypeError, match="packed"):
            declared.type("S")
    else:
        assert declared.type("S").nbytes == 8
