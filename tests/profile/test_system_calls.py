"""Do printf, assert, malloc and free of device code do what a GPU's do?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.cuda.cuda_errors import UnknownInstructionError
from gpusim.results.metric import Claim
from tests.profile.running import kernel, run

pytestmark = pytest.mark.usefixtures("compiler")

PRINTF = """
#include <cstdio>
__global__ void k(const int *x) {
    int v = x[threadIdx.x];
    if (v > 5)
        printf("%s %d of %u: %5.2f %lld %c|\\n", "thread", (int)threadIdx.x, blockIdx.x, v / 4.0f, (long long)v << 40,
               'a' + v);
}
"""


@pytest.mark.parametrize("values", [True, False])
def test_threads_print_block_by_block(values):
    x = np.arange(64, dtype=np.int32) % 8
    threads = [(b, t, v) for b in range(3) for t, v in enumerate(x.tolist()) if v > 5]
    expected = "".join(f"thread {t} of {b}: {v / 4:5.2f} {v << 40} {chr(97 + v)}|\n" for b, t, v in threads)
    assert run(PRINTF, 3, 64, x, values=values).printed == expected


def test_printf_gives_how_many_arguments_it_printed():
    text = '#include <cstdio>\n__global__ void k(int *x) { *x = printf("") + 10 * printf("%d %*d", 1, 2, 3); }'
    x = np.zeros(1, np.int32)
    assert run(text, 1, 1, x).printed == "1  3"
    assert x[0] == 30


def test_every_block_prints_however_many_there_are():
    text = '#include <cstdio>\n__global__ void k() { if (!threadIdx.x) printf("%d\\n", (int)blockIdx.x); }'
    found = run(text, 3000, 64, values=False)
    assert found.printed.split() == [str(n) for n in range(3000)]


def test_what_does_not_print_is_as_exact_as_before():
    text = '#include <cstdio>\n__global__ void k(int *x) { if (x[threadIdx.x]) printf("no"); x[threadIdx.x] = 1; }'
    quiet, loud = (run(text, 1, 32, np.full(32, flag, np.int32)) for flag in (0, 1))
    name = "smsp__inst_executed_op_global_st.sum"
    assert (quiet[name].claim, loud[name].claim) == (Claim.EXACT, Claim.MODELLED)
    assert quiet.notes == ()
    assert "printf, malloc and free count as one instruction a call" in loud.notes[0]


@pytest.mark.long
def test_the_oldest_lines_are_lost_where_there_are_too_many():
    text = """#include <cstdio>
    __global__ void k() { for (int i = 0; i < 70000; ++i) if (!threadIdx.x) printf("%d\\n", i); }"""
    found = run(text, 1, 32)
    assert found.printed.split() == [str(n) for n in range(70000 - 65536, 70000)]
    assert any("the oldest 4464 lines of printf are lost" in note for note in found.notes)


def test_a_failed_assertion_says_what_the_runtime_says():
    text = "#include <cassert>\n__global__ void k(float *x, int n) { assert(threadIdx.x != n); x[threadIdx.x] = 1; }"
    with pytest.raises(gpusim.GpusimError) as refused:
        run(text, (2, 2), (8, 4), np.zeros(32, np.float32), 5)
    place = r"kernel.cu:2: void k(float *, int): block: [0,0,0], thread: [5,0,0]"
    assert str(refused.value) == f"{place} Assertion `threadIdx.x != n` failed."


def test_an_assertion_that_holds_changes_nothing():
    text = "#include <cassert>\n__global__ void k(float *x, int n) { assert(threadIdx.x < n); x[threadIdx.x] = 1; }"
    x = np.zeros(32, np.float32)
    assert run(text, 1, 32, x, 32).notes == ()
    assert x.tolist() == [1] * 32


LISTS = """
struct Node { int value; Node *next; };
__global__ void k(int *sums, int n) {
    Node *head = nullptr;
    for (int i = 0; i < n; ++i) {
        Node *node = (Node *)malloc(sizeof(Node));
        node->value = i * (threadIdx.x + 1);
        node->next = head;
        head = node;
    }
    int sum = 0;
    while (head) { Node *next = head->next; sum += head->value; free(head); head = next; }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize("values", [True, False])
def test_lists_on_the_devices_heap(values):
    sums = np.zeros(3 * 64, np.int32)
    found = run(LISTS, 3, 64, sums, 10, values=values)
    if values:
        assert sums.tolist() == [45 * (t + 1) for _ in range(3) for t in range(64)]
    assert any("count as one instruction a call" in note for note in found.notes)


def test_malloc_gives_nothing_where_the_heap_is_full():
    text = """__global__ void k(long long *x) {
        char *all = (char *)malloc(8 << 20); char *more = (char *)malloc(16);
        x[0] = all != nullptr; x[1] = more != nullptr; x[2] = (long long)all % 16;
        free(all); more = (char *)malloc(1000); all = (char *)malloc(8 << 20);
        x[3] = more != nullptr; x[4] = all != nullptr; free(more);
        more = (char *)malloc((8 << 20) - 16); x[5] = more != nullptr; free(nullptr);
    }"""
    x = np.full(6, 9, np.int64)
    run(text, 1, 1, x)
    assert x.tolist() == [1, 0, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("int *p = (int *)malloc(16); *x = *p; free(p); free(p);", "frees what is free already"),
        ("int *p = (int *)malloc(64); *x = *p; free(p + 4);", "frees what malloc did not give"),
        ("free(x);", "frees what malloc did not give"),
    ],
)
def test_what_cannot_be_freed(body, told):
    with pytest.raises(gpusim.GpusimError) as refused:
        run(f"__global__ void k(int *x) {{ {body} }}", 1, 1, np.zeros(4, np.int32))
    assert str(refused.value).startswith("kernel.cu:1: k: thread (0, 0, 0) of block (0, 0, 0)")
    assert told in str(refused.value)


def test_unknown_instructions_are_all_named_before_anything_runs():
    text = """__global__ void k(int *x, cudaSurfaceObject_t s) {
        if (x[threadIdx.x] == 77)
            surf1Dwrite(1, s, threadIdx.x * 4);
        x[threadIdx.x] = 1;
        __syncthreads();
        surf1Dwrite(x[5], s, threadIdx.x * 8);
    }"""
    x = np.zeros(32, np.int32)
    with pytest.raises(UnknownInstructionError) as refused:
        run(text, 1, 32, x, np.uint64(1))
    assert str(refused.value).startswith("kernel.cu: kernel k cannot be run: gpusim does not know SUST.")
    assert "(2 times, lines 3, 6)" in str(refused.value)
    assert not x.any()


def test_kernels_that_launch_kernels_are_refused_in_words():
    text = "__global__ void child(int *x) { *x = 1; }\n__global__ void k(int *x) { child<<<1, 1>>>(x); }\n"
    with pytest.raises(cuda.CudaError, match=r"kernel.cu:2: launches a kernel from the device \(dynamic parallelism\)"):
        kernel(text, "k")
