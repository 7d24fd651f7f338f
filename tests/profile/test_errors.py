"""Is what cannot be run refused in one line that helps?"""

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.cuda import nvrtc
from gpusim.errors import EndlessError, GpusimError
from gpusim.simulate import endless
from tests.profile.running import SAXPY, kernel, run

pytestmark = pytest.mark.usefixtures("compiler")

X = np.ones(64, np.float32)
GOOD = (64, 2.0, X, X.copy())
SIGNATURE = "saxpy(int n, float a, const float* x, float* y)"


def refusal(*args, **how):
    with pytest.raises(GpusimError) as error:
        run(*args, **how)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (GOOD[:3], "saxpy takes 4 arguments (int n, float a, const float* x, float* y), not 3"),
        ((*GOOD, 1), "saxpy takes 4 arguments (int n, float a, const float* x, float* y), not 5"),
        ((1.5, *GOOD[1:]), "argument 1 of saxpy (int n) is an integer, not 1.5"),
        ((64, np.int32(2), *GOOD[2:]), "argument 2 of saxpy (float a) is no integer, but int32 2 is given"),
        ((64, 2.0, X.astype(np.float64), X), "(const float* x) points to float, but an array of float64 is given"),
        ((64, 2.0, X.astype(np.int32), X), "(const float* x) points to float, but an array of int32 is given"),
        ((X, 2.0, X, X), "argument 1 of saxpy (int n) is no pointer, but an array is given"),
        ((64, 2.0, 5, X), "argument 3 of saxpy (const float* x) is a pointer: give an array or None, not 5"),
        ((1 << 40, 2.0, X, X), "has 32 bits, too few for 1099511627776"),
    ],
)
def test_arguments_that_do_not_fit(args, says):
    message = refusal(SAXPY, 1, 64, *args)
    assert says in message
    if len(args) == 4:
        assert message.endswith(f"; it is {SIGNATURE}")


def test_elements_that_may_stand_for_anything():
    for array in (X.view(np.uint32), X.view(np.uint8)):
        run(SAXPY, 1, 64, 64, 2.0, array, X.copy())


@pytest.mark.parametrize(
    ("grid", "block", "says"),
    [
        (0, 32, "grid.x = 0"),
        ((1, 65536), 32, "grid.y = 65536: a grid has 1 to 65535 in y"),
        ((1, 1, 1 << 20), 32, "grid.z"),
        (1 << 31, 32, "grid.x = 2147483648"),
        (1, 1025, "block.x = 1025: a block has 1 to 1024 in x"),
        (1, (1, 1, 65), "block.z = 65"),
        (1, (64, 32), "2048"),
        (1, 2.0, "block must be one to three whole numbers, not 2.0"),
        ((1, 1, 1, 1), 1, "grid must be one to three whole numbers"),
    ],
)
def test_launches_beyond_the_limits(grid, block, says):
    assert says in refusal(SAXPY, grid, block, *GOOD)


def test_more_shared_memory_than_a_block_may_have():
    message = refusal(SAXPY, 1, 64, *GOOD, dynamic_shared=300_000)
    assert "saxpy" in message
    assert "300000 bytes of shared memory" in message
    assert "232448" in message


def test_more_threads_than_launch_bounds_promised():
    text = "__global__ void __launch_bounds__(64) k(int* x) { x[threadIdx.x] = 1; }"
    assert "a block of 128 threads, but __launch_bounds__ promised at most 64" in refusal(
        text, 1, 128, np.zeros(128, np.int32)
    )


@pytest.mark.parametrize("bounds", ["", "__launch_bounds__(64)"])
def test_more_threads_than_any_block_has(bounds):
    text = f"__global__ void {bounds} k(int* x) {{ x[threadIdx.x] = 1; }}"
    message = refusal(text, 1, (32, 32, 2), np.zeros(128, np.int32))
    assert message == "k: a block of 2048 threads does not fit h200: a block has 1 to 1024 threads"


def test_an_access_out_of_bounds_names_line_thread_address_and_the_nearest_allocation():
    message = refusal(SAXPY, 3, 32, 96, 2.0, X, np.ones(96, np.float32))
    assert message.startswith("kernel.cu:4: saxpy: thread (0, 0, 0) of block (2, 0, 0) reads")
    assert "out of bounds: address 0x10000000100, 0 bytes past the end of x (256 bytes at 0x10000000000)" in message


def test_an_access_out_of_bounds_is_found_when_only_counting():
    assert "out of bounds" in refusal(SAXPY, 2, 64, 128, 2.0, X, np.ones(128, np.float32), values=False)


def test_a_misaligned_access():
    text = """__global__ void k(char* x) {
        *(float*)(x + 2) = 1;
    }"""
    message = refusal(text, 1, 32, np.zeros(64, np.uint8))
    assert "kernel.cu:2: k: thread (0, 0, 0) of block (0, 0, 0) writes" in message
    assert "misaligned: address 0x10000000002, byte 2 of x (64 bytes" in message


@pytest.mark.parametrize("null", [None, bytes(8)])
def test_a_null_pointer_that_is_used_is_named(null):
    assert "out of bounds: address 0x0, as from a null pointer: x is one" in refusal(SAXPY, 1, 32, 32, 2.0, null, X)
    beyond = refusal(SAXPY.replace("i] +=", "i + 480] +="), 1, 32, 32, 2.0, X, null)
    assert beyond.endswith("out of bounds: address 0x780, as from a null pointer: y is one")
    assert refusal(SAXPY, 1, 32, 32, 2.0, null, null).endswith("as from a null pointer: x and y are such")


def test_a_null_pointer_that_is_no_parameter_is_told_as_such():
    text = "struct S { int n; float* x; }; __global__ void k(S s) { s.x[3] = 1; }"
    assert "address 0xc, as from a null pointer" in refusal(text, 1, 1, bytes(16))
    text = "__global__ void k(int** x, long long n) { **x = n; }"
    message = refusal(text, 1, 1, np.zeros(1, np.uint64), 0)
    assert message.endswith("address 0x0, as from a null pointer")


def test_dynamic_shared_memory_that_is_not_given_is_named():
    text = """extern __shared__ int s[];
    __global__ void k(int* x) { STATIC s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[0]; }"""
    message = refusal(text.replace("STATIC", ""), 1, 32, np.zeros(32, np.int32))
    assert "out of bounds of shared memory: shared address 0x400; the block has none: dynamic_shared" in message
    some = "__shared__ int t[32]; t[threadIdx.x ^ 1] = 1; __syncthreads(); x[threadIdx.x] = t[threadIdx.x];"
    message = refusal(text.replace("STATIC", some), 1, 32, np.zeros(32, np.int32))
    assert "this is byte 128 of the block's 128, none of them dynamic" in message


def test_shared_memory_out_of_bounds():
    text = """extern __shared__ int s[];
    __global__ void k(int* x) { s[threadIdx.x * 4] = 1; __syncthreads(); x[threadIdx.x] = s[threadIdx.x]; }"""
    assert "k: thread (32, 0, 0) of block (0, 0, 0)" in refusal(text, 1, 64, np.zeros(64, np.int32), dynamic_shared=512)


@pytest.mark.parametrize("values", [True, False])
def test_a_loop_without_end(values):
    text = "__global__ void spin(volatile int* x) { while (x[0] == 0) {} }"
    message = refusal(text, 1, 32, np.zeros(1, np.int32), limit=100_000, values=values)
    assert "kernel.cu:1: spin" in message
    assert "100000 warp instructions; a larger limit allows more" in message


FOR_EVER = {
    "loop": "if (threadIdx.x < 32) while (1);",
    "flag": "while (*x == 0); x[1] = 1;",
    "lock": "while (atomicCAS((int*)x, 1, 0) != 1); x[1] = 1;",
    "barrier": "if (threadIdx.x < 32) while (*x == 0); __syncthreads(); x[1] = 1;",
}


@pytest.mark.long
@pytest.mark.parametrize("body", FOR_EVER.values(), ids=FOR_EVER)
def test_a_kernel_that_gets_nowhere_is_found_out(body, monkeypatch):
    monkeypatch.setattr(endless, "FIRST_LOOK", 1 << 14)
    monkeypatch.setattr(endless, "LOOK_STEPS", 1 << 12)
    text = f"__global__ void k(volatile int* x) {{ {body} }}"
    assert "kernel.cu:1: k: thread" in (message := refusal(text, 1, 64, np.zeros(2, np.int32), values=False))
    assert "never ends: all warps that are left repeat themselves, and nothing in memory changes" in message


def test_a_kernel_that_waits_long_for_another_block_is_not(monkeypatch):
    monkeypatch.setattr(endless, "FIRST_LOOK", 1 << 16)
    monkeypatch.setattr(endless, "LOOK_STEPS", 1 << 14)
    text = """__global__ void k(volatile int* x) {
        if (blockIdx.x) { while (*x == 0); x[2] = 1; return; }
        float y = x[3];
        for (int i = 0; i < 300000; i++) y = y * 1.5f + 2;  // nothing is stored in all this time
        x[1] = y > 3; x[0] = 1; }"""
    x = np.zeros(4, np.int32)
    gpusim.profile(kernel(text), 2, 32, [x])
    assert list(x) == [1, 1, 1, 0]


def test_a_grid_as_large_as_there_are():
    text = "__global__ void k(float* x) { if (blockIdx.x == 5 && blockIdx.z == 0) x[threadIdx.x] = 1; }"
    for grid in (2**31 - 1, (2**31 - 1, 65535, 65535)):
        found = gpusim.profile(kernel(text), grid, 32, [np.zeros(32, np.float32)], values=False)
        assert found.blocks == np.prod(np.array(grid, object))
        assert found.value("smsp__inst_executed.sum") >= 2 * found.blocks
    with pytest.raises(EndlessError, match="200000 warp instructions; a larger limit allows more"):
        gpusim.profile(kernel(text), 2**31 - 1, 32, [np.zeros(32, np.float32)], limit=200_000)


def test_machine_code_for_another_gpu():
    made = kernel(SAXPY, gpu="a100-40gb")
    with pytest.raises(GpusimError, match="saxpy is machine code for sm_80, h200 runs sm_90: compile it with gpu"):
        gpusim.profile(made, 1, 64, GOOD, gpu="h200")


def test_no_gpu_is_advised_that_the_compiler_does_not_compile_for(monkeypatch):
    monkeypatch.setattr(nvrtc, "architectures", lambda files=None: ["sm_80"])
    message = refusal(SAXPY, 1, 64, *GOOD, gpu="v100")
    assert message.startswith("saxpy is machine code for sm_90, v100 runs sm_70, for which NVRTC ")
    assert message.endswith(" does not compile: take a GPU that runs sm_90")


def test_a_cache_that_there_is_not():
    assert "cache must be 'cold', 'warm' or 'flushed', not 'hot'" in refusal(SAXPY, 1, 64, *GOOD, cache="hot")


def test_a_trap_is_an_error():
    text = "__global__ void k(int* x) { if (x[threadIdx.x] == 3) __trap(); }"
    message = refusal(text, 1, 32, np.arange(32, dtype=np.int32))
    assert "kernel.cu:1: k: thread" in message
    assert "stops with a trap" in message
    assert "thread (3, 0, 0)" in message


def test_a_recursion_that_does_not_end():
    text = """__device__ __noinline__ float f(float a, int d) { return d ? f(a * 0.5f, d - 1) + 1 : a; }
    __global__ void k(float* x, int depth) { x[threadIdx.x] = f(x[threadIdx.x], depth); }"""
    assert "out of bounds of its local memory" in refusal(text, 1, 32, X.copy(), 100_000)


def test_a_file_with_several_kernels_lists_them():
    text = SAXPY + "__global__ void other(int* x) { *x = 1; }"
    with pytest.raises(cuda.KernelNameError, match=r"has 2 kernels, name one: .*saxpy\(int n"):
        cuda.compile(text, gpu="h200").kernel()


def test_a_null_function_pointer_is_told_at_once():
    text = """
    typedef float (*op)(float);
    __device__ float more(float v) { return v + 1; }
    __device__ op table[2] = {more};
    __global__ void k(float *x, int which) { x[threadIdx.x] = table[which](x[threadIdx.x]); }
    """
    x = np.zeros(32, np.float32)
    gpusim.profile(kernel(text), 1, 32, [x, 0], gpu="h200", values=True)
    assert (x == 1).all()
    assert "calls or jumps to where no function or instruction is" in refusal(text, 1, 32, x, 1)
