"""Is a variable of shared memory known by its name, where the compiler's layout is certain?"""

from __future__ import annotations

import pytest

import gpusim.cuda
from gpusim.checks.variables import shared_variables, variables
from gpusim.isa.instruction import Kind

SOURCE = """\
struct P { double x; int y; };
template <int N> __global__ void several(float* a, int n) {
    __shared__ char c[5]; __shared__ float tile[33]; __shared__ P p[3]; __shared__ int other[7];
    c[threadIdx.x % 5] = n; p[threadIdx.x % 3].x = n; tile[threadIdx.x] = a[threadIdx.x]; other[threadIdx.x % 7] = n;
    __syncthreads();
    a[threadIdx.x] = tile[threadIdx.x + n] + other[n] + c[n] + p[n].x;
}
template __global__ void several<4>(float*, int);
__global__ void dynamic(float* a) { extern __shared__ float s[]; s[threadIdx.x] = 1; a[threadIdx.x] = s[0]; }
__global__ void one(float* a, int n) { __shared__ float s[40]; s[threadIdx.x] = n; a[threadIdx.x] = s[n]; }
"""

pytestmark = pytest.mark.usefixtures("compiler")


@pytest.fixture(scope="module")
def module():
    return gpusim.cuda.compile(SOURCE, gpu="h200")


def test_variables_lie_where_the_code_looks_for_them(module):
    kernel = module.kernel("several<4>")
    found = {one.name: (one.offset, one.nbytes) for one in shared_variables(kernel)}
    assert found == {"c": (0, 5), "tile": (8, 132), "p": (144, 48), "other": (192, 28)}
    program = kernel.program()
    numbers = {operand.index for instr in program.instrs for operand in instr.srcs if operand.kind is Kind.IMM}
    assert {8, 144, 192} <= numbers


def test_other_kernels_of_the_file_have_their_own(module):
    assert [one.name for one in shared_variables(module.kernel("one"))] == ["s"]


def test_of_dynamic_memory_and_of_what_is_no_cuda_nothing_is_known(module):
    assert shared_variables(module.kernel("dynamic")) is None
    assert shared_variables(object()) is None
    assert shared_variables(None) is None


def test_constant_variables_lie_where_their_symbols_say():
    text = "__constant__ int a[3]; __constant__ float b[5]; __global__ void k(float* x, int n) { x[n] = a[n] + b[n]; }"
    found = variables(gpusim.cuda.compile(text, gpu="h200").kernel()).constant
    assert {(one.name, one.nbytes) for one in found} == {("a", 12), ("b", 20)}
    first, second = sorted(found, key=lambda one: one.offset)
    assert first.offset + first.nbytes <= second.offset
