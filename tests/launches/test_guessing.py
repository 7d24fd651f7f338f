"""Guesses follow names, bound checks and launches in the source, and arrays grow until a launch fits them."""

import math
from dataclasses import replace

import pytest

from gpusim import GpusimError, cuda
from gpusim.errors import NotEnoughMemoryError
from gpusim.launches import fitting, guessing, named
from gpusim.launches.clues import Sizes
from gpusim.launches.guessing import Guess, guess
from gpusim.launches.profiling import TimeLimitError, profile
from gpusim.launches.spec import LaunchSpec

SOURCE = """
#define BLOCK 64
__global__ void mm(const float *A, const float2 *B, double *C, int M, int N, int K, float alpha, float beta) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = threadIdx.x + blockIdx.x * blockDim.x;
    if (row < M && col < N) C[row * N + col] = alpha * A[row * K] + beta;
}
__global__ void rows(float *out, const float *in, int rows, int cols, bool causal) {
    for (int i = threadIdx.x; i < cols; i += blockDim.x) out[blockIdx.x * cols + i] = in[blockIdx.x * cols + i];
}
struct P { float *x; unsigned n; float a, w[2]; };
__global__ void fields(P p, const int *index) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= (int)p.n) return;
    p.x[4 * i + index[i]] *= p.a;
}
__global__ void __launch_bounds__(96) bounded(float *x, int n) { if (blockIdx.x * 96 + threadIdx.x < n) x[0] = 1; }
__global__ void launched(float *x) { x[blockIdx.y] = threadIdx.y; }
__global__ void by_constant(float *x) { x[blockIdx.x] = 1; }
__global__ void through(float **x) { **x = 1; }
__global__ void by_variable(float *x) { x[blockIdx.x] = 1; }
__global__ void square(const float *a, float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) for (int j = 0; j < n; j++) x[i] += a[i * (long)n + j];
}
__global__ void dynamic(float *x) {
    extern __shared__ float s[];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void much(float *x) { extern __shared__ float s[]; s[25000 + threadIdx.x] = x[0]; }
__global__ void tile(float *x) { __shared__ float s[16]; s[threadIdx.x] = x[threadIdx.x]; x[0] = s[15 - threadIdx.x]; }
__global__ void image(cudaTextureObject_t picture, float *x) { x[threadIdx.x] = tex2D<float4>(picture, 1.f, 2.f).y; }
__global__ void gather(const float *from, const int *index, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[index[i]];
}
__global__ void tiles(float *x, int M, int N) {
    x[(blockIdx.y * 8 + threadIdx.y) * N + 32 * blockIdx.x + threadIdx.x] = 1;
}
void go() { dim3 blocks(M / 8, 1), many(32, 8); tiles<<<blocks, many>>>(0, 1, 1); }
void go(int *p) { int threads = 96; by_variable<<<2, threads>>>(0); }
void go() { dim3 b(32, 2 * 4); launched<<<dim3(3), b>>>(0); by_constant<<<4, BLOCK, 0>>>(0); }
"""


def kernel(name):
    return cuda.compile(SOURCE, gpu="h200", kernel=name).kernel()


@pytest.mark.parametrize(
    ("name", "given", "lines"),
    [
        (
            "mm", [],
            ("--grid 16,16 --block 16,16 --arg M=256 --arg N=256 --arg K=256 --arg alpha=1.0 --arg beta=0.0 "
            "--arg A=normal:65536 --arg B=normal:65536 --arg C=zeros:65536"),
        ),
        (
            "mm", ["M=100", "K=3", "A=ones:300"],
            ("--grid 16,7 --block 16,16 --arg N=256 --arg alpha=1.0 --arg beta=0.0 "
            "--arg B=normal:76800 --arg C=zeros:76800"),
        ),
        (
            "rows", [],
            ("--grid 1024 --block 256 --arg rows=1024 --arg cols=1024 --arg causal=0 "
            "--arg out=zeros:1048576 --arg in=normal:1048576"),
        ),
        (
            "fields", ["p.n=1000"],
            "--grid 4 --block 256 --arg p.a=1.0 --arg p.w=zeros --arg p.x=zeros:1024 --arg index=randint:1000:1024",
        ),
        ("bounded", [], "--grid 10923 --block 96 --arg n=1048576 --arg x=zeros:1048608"),
        ("launched", [], "--grid 1,1024 --block 32,8 --arg x=zeros:262144"),
        ("by_constant", [], "--grid 1024 --block 64 --arg x=zeros:65536"),
        ("by_constant", ["float32:zeros:4"], "--grid 1024 --block 64"),
        ("by_variable", [], "--grid 1024 --block 96 --arg x=zeros:98304"),
        (
            "gather", [],
            ("--grid 4096 --block 256 --arg n=1048576 "
            "--arg from=normal:1048576 --arg index=randint:1048576:1048576 --arg to=zeros:1048576"),
        ),
        ("tiles", [], "--grid 32,128 --block 32,8 --arg M=1024 --arg N=1024 --arg x=zeros:1048576"),
        (
            "image", [],
            "--grid 1 --block 256 --arg picture=texture:float32:normal:1024x1024x4:channels=4 --arg x=zeros:256",
        ),
    ],
)  # fmt: skip
def test_guesses(name, given, lines):
    assert " ".join(guess(kernel(name), given, None, None).lines()) == lines


def test_structs_of_templates_have_sizes_and_strides():
    text = """template <class T, int N> struct View { T* data; int size[N]; long stride_[N]; int other[2]; };
    __global__ void k(View<float, 2> v, View<short, 3> w, int m) { v.data[0] = w.data[0] + v.size[1]; }"""
    fields = set(guess(cuda.compile(text, gpu="sm_90").kernel(), [], None, None, sizes=Sizes(64, 64)).args)
    assert {
        "v.size=[64,64]",
        "v.stride_=[64,1]",
        "v.other=zeros",
        "w.size=[16,16,16]",
        "w.stride_=[256,16,1]",
    } <= fields


def test_pointers_beside_sizes_are_as_long_as_these_say():
    text = """struct View { float* data; int sizes[3]; int strides[3]; };
    struct Any { int* data; long sizes[25]; long strides[25]; int dims; };
    __global__ void k(View v, Any a, int m) { v.data[v.sizes[1]] = a.data[a.sizes[a.dims]]; }"""
    fields = set(guess(cuda.compile(text, gpu="sm_90").kernel(), [], "1", "32", sizes=Sizes(4096, 4096)).args)
    assert {"v.sizes=[161,161,161]", "v.data=zeros:4173281", "a.dims=1"} <= fields
    assert f"a.sizes=[4096,{','.join(['1'] * 24)}]" in fields
    assert f"a.strides=[{','.join(['1'] * 25)}]" in fields


def test_parameters_without_a_name_are_told_by_number():
    text = "struct Tag { int a; }; __global__ void k(float *x, Tag, float *, int n) { if (threadIdx.x < n) x[0] = 1; }"
    found = guess(cuda.compile(text, gpu="sm_90").kernel(), [], None, None)
    assert {text.partition("=")[0] for text in found.args} == {"x", "p1", "p2", "n"}
    args, _ = named.read(found.args, {})
    profile(LaunchSpec("k", text, (), "k", (1,), (32,), args=args), "h200")


def test_what_is_given_is_not_guessed():
    found = guess(kernel("mm"), ["float32:normal:64"], "2,2", "8,8")
    assert (found.grid, found.block) == (None, None)
    assert not any(text.startswith("A=") for text in found.args)


def fitted(name, tries, longest=math.inf):
    said = []

    def run(found, seconds):
        if seconds is not None and int(found.grid or 1) > longest:
            raise TimeLimitError("given up")
        args, _ = named.read(found.args, {})
        grid, block = (tuple(map(int, size.split(","))) for size in (found.grid or "1", found.block or "1"))
        source = LaunchSpec("k", SOURCE, (), name, grid, block, dynamic_shared=found.shared, args=args)
        profile(source, "h200")

    return fitting.first_that_runs(tries, run, said.append), said


def test_arrays_grow_until_the_launch_fits():
    first = guess(kernel("fields"), [], "2", "128")
    own = {"p.x": "p.x=zeros:16", "index": "index=randint:64:256"}
    small = tuple(own.get(text.partition("=")[0], text) for text in first.args)
    found, said = fitted("fields", [Guess(small, "2", "128")])
    (text,) = (text for text in found.args if text.startswith("p.x"))
    assert int(text.rpartition(":")[2]) >= 4 * 256
    assert any("p.x is read or written" in text for text in said)


def test_arrays_that_are_taken_for_one_another_become_as_long():
    first = Guess(("a=zeros:16", "b=float32:normal:64", "p=bytes:00", "n=8"), "1", "1")
    second = first.enlarged("*", 4)
    assert second.args == ("a=zeros:64", "b=float32:normal:64", "p=bytes:00", "n=8")
    assert second.enlarged("*", 4).args == ("a=zeros:128", "b=float32:normal:128", "p=bytes:00", "n=8")


def test_what_no_larger_array_mends_is_an_error_with_the_guesses():
    with pytest.raises(GpusimError, match="null pointer"):
        fitted("through", [Guess(guess(kernel("through"), [], "1", "1").args, "1", "1")])


def test_smaller_sizes_are_tried_where_arrays_would_grow_too_long():
    found, said = fitted("square", guessing.guesses(kernel("square"), [], None, None))
    assert "n=4096" in found.args
    assert "smaller sizes are tried" in said


def test_dynamic_shared_memory_is_guessed_where_the_source_declares_some():
    found, said = fitted("dynamic", guessing.guesses(kernel("dynamic"), [], "1", None))
    assert found.shared == guessing.DYNAMIC_SHARED[0]
    assert "--dynamic-shared 16384" in found.lines()
    assert said == ["shared memory is read or written past its end: 16384 bytes are dynamic"]
    assert guess(kernel("square"), [], None, None).shared == 0  # another kernel of the source has some
    assert guess(kernel("dynamic"), [], None, None, 64).shared is None


def test_dynamic_shared_memory_grows_as_long_as_it_can():
    found, said = fitted("much", guessing.guesses(kernel("much"), [], "1", None))
    assert found.shared == guessing.DYNAMIC_SHARED[-1]
    assert "smaller sizes are tried" not in said


def test_smaller_blocks_are_tried():
    found, _ = fitted("tile", guessing.guesses(kernel("tile"), [], "1", None))
    assert found.block == "16"


def test_what_no_guess_mends_is_the_error_of_the_first():
    with pytest.raises(GpusimError, match="null pointer"):
        fitted("through", guessing.guesses(kernel("through"), [], "1", "1"))


def test_a_grid_that_is_too_large_is_tried_smaller():
    fine = guess(kernel("by_constant"), [], None, None)
    found, _ = fitted("by_constant", [replace(fine, grid=str(1 << 32)), fine])
    assert found == fine


def test_smaller_sizes_are_tried_of_what_takes_more_memory_than_there_is():
    small = guess(kernel("square"), [], "1", "32", sizes=Sizes(16, 16))
    tries, said = [replace(small, grid="2"), small], []

    def run(found, _):
        if found.grid == "2":
            raise NotEnoughMemoryError("too much")

    assert fitting.first_that_runs(tries, run, said.append) == small


def test_smaller_sizes_are_tried_of_what_takes_long():
    found, said = fitted("by_constant", guessing.guesses(kernel("by_constant"), [], None, None), longest=100)
    assert found.grid == "64"
    assert said == ["smaller sizes are tried"] * 2
