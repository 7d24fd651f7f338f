"""The listing of a kernel reads like its description."""

import pytest

import gpusim.lang as gl
from gpusim.lang.evaluate import compare
from gpusim.lang.printer import expression
from tests.lang import samples

TILED = """\
kernel tiled(A: in f32[M, K], B: in f32[K, N], C: out f32[M, N])
  sizes   M, K, N
  tiles   T = 32
  grid    cdiv(N, T), cdiv(M, T), 1
  block   T * T, 1, 1
  needs   T * T <= 1024  (T*T threads must fit a block of 1024)
  shared  sA: f32[T, T]
  shared  sB: f32[T, T]
  local   acc: f32
acc = 0.0
for t in range(0, K, T):
  %1 = load A[ctaid.y * T + tid.x // T, t + tid.x % T] where \
(ctaid.y * T + tid.x // T < M) & (t + tid.x % T < K) else 0.0
  store sA[tid.x // T, tid.x % T] = %1
  %2 = load B[t + tid.x // T, ctaid.x * T + tid.x % T] where \
(t + tid.x // T < K) & (ctaid.x * T + tid.x % T < N) else 0.0
  store sB[tid.x // T, tid.x % T] = %2
  barrier
  for i in unroll(0, T):
    %4 = load sA[tid.x // T, i]
    %5 = load sB[i, tid.x % T]
    %6 = acc
    acc = %6 + %4 * %5
  barrier
if (ctaid.y * T + tid.x // T < M) & (ctaid.x * T + tid.x % T < N):
  %7 = acc
  store C[ctaid.y * T + tid.x // T, ctaid.x * T + tid.x % T] = %7"""


def without_lines(text):
    return "\n".join(line.split(" | ", 1)[-1] for line in text.splitlines())


def test_the_listing_of_a_tiled_matmul():
    assert without_lines(str(samples.tiled)) == TILED


def test_every_kind_of_statement_has_a_text():
    text = str(samples.warps) + str(samples.grid_stride) + str(samples.reduction) + str(samples.causal)
    assert "atomic_add y[0], " in text
    assert "for k in doubling(1, B):" in text
    assert "else:" in str(samples.divergence)
    assert "w: i32" in str(samples.divergence)

    @gl.kernel(grid=lambda p: 1, block=lambda p: 32)
    def shuffled(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"]):
        y[0] = gl.fma(gl.shfl_xor(x.load(0, cache="cg"), 16), gl.select(gl.tid.x < 2, 1.0, gl.exp(2.0)), -x[1])

    text = str(shuffled)
    assert "cache=cg" in text
    assert "%1 = shfl_xor(%0, 16)" in text
    assert "fma(%1, select(tid.x < 2, 1.0, exp(2.0)), -%2)" in text


def test_parentheses_are_where_python_needs_them():
    i, j = gl.tid.x, gl.tid.y
    for text, e in {
        "(tid.x + tid.y) * 2": (i + j) * 2,
        "tid.x - (tid.y - 1)": i - (j - 1),
        "tid.x // 2 % 3": i // 2 % 3,
        "tid.x // (2 * tid.y)": i // (2 * j),
        "~(tid.x < 1) | (tid.y == 2)": ~(i < 1) | compare("eq", j, 2),
        "-(tid.x + 1)": -(i + 1),
        "min(tid.x, 3) << 2": gl.minimum(i, 3) << 2,
    }.items():
        assert expression(e) == text


@pytest.mark.parametrize("kernel", samples.ALL, ids=lambda k: k.name)
def test_every_sample_prints(kernel):
    assert str(kernel).startswith(f"kernel {kernel.name}(")
