"""Kernels in Triton, and their machine code beside this file: ``python tests/cuda/triton/kernels.py`` makes it anew.

It needs Triton (3.9.0 made what is kept) and no GPU.  Lines are not noted, so that no path is.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

os.environ |= {"TRITON_DISABLE_LINE_INFO": "1", "TRITON_DEFAULT_FP_FUSION": "1"}

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGET = GPUTarget("cuda", 90, 32)
KEPT = "name", "num_warps", "num_ctas", "shared", "global_scratch_size", "profile_scratch_size", "tensordesc_meta"


@triton.jit
def softmax(x, y, stride, n, B: tl.constexpr):
    """A row a program."""
    at = tl.program_id(0) * stride + tl.arange(0, B)
    inside = tl.arange(0, B) < n
    row = tl.load(x + at, mask=inside, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, axis=0))
    tl.store(y + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def layernorm(x, y, weight, bias, n, eps, B: tl.constexpr):
    """A row a program; the squares of what is apart from the mean come from a reduction of three values."""
    at = tl.arange(0, B)
    row = tl.load(x + tl.program_id(0) * n + at)
    mean, squares, count = tl.reduce((row, tl.zeros([B], tl.float32), tl.full([B], 1.0, tl.float32)), 0, joined)
    row = (row - mean) / tl.sqrt(squares / count + eps)
    tl.store(y + tl.program_id(0) * n + at, row * tl.load(weight + at) + tl.load(bias + at))


@triton.jit
def joined(mean, squares, count, other_mean, other_squares, other_count):
    """Mean and squares of two parts together."""
    apart = other_mean - mean
    total = count + other_count
    share = other_count / total
    return mean + apart * share, squares + other_squares + apart * apart * count * share, total


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """C = A B by tiles, whose loads are pipelined; M, N and K need be no multiples of them."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    first = a + (rows % M)[:, None] * K + depth[None, :]
    second = b + depth[:, None] * N + (columns % N)[None, :]
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.cdiv(K, BK)):
        left = K - k * BK
        sums = tl.dot(
            tl.load(first, mask=depth[None, :] < left, other=0.0),
            tl.load(second, mask=depth[:, None] < left, other=0.0),
            sums,
        )
        first += BK
        second += BK * N
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c + rows[:, None] * N + columns[None, :], sums.to(tl.float16), mask=inside)


@triton.jit
def matmul_by_maps(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """C = A B' by tensor maps that the host makes."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.cdiv(K, BK)):
        sums = tl.dot(a.load([i, k * BK]), b.load([j, k * BK]).T, sums)
    c.store([i, j], sums.to(tl.float16))


@triton.jit
def added(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Y = X + 1 by tensor maps that each program makes in its scratch memory."""
    source = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    target = tl.make_tensor_descriptor(y, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    at = [tl.program_id(0) * BM, tl.program_id(1) * BN]
    target.store(at, source.load(at) + 1.0)


@triton.jit
def attention(q, k, v, o, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """softmax(Q K' scale) V of a head, causal, with sums that are rescaled as rows go on."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1) * N * D
    across = tl.arange(0, D)
    queries = tl.load(q + head + rows[:, None] * D + across[None, :])
    largest = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    sums = tl.zeros([BM, D], dtype=tl.float32)
    for first in range(0, (tl.program_id(0) + 1) * BM, BN):
        keys = first + tl.arange(0, BN)
        scores = tl.dot(queries, tl.trans(tl.load(k + head + keys[:, None] * D + across[None, :])))
        scores = tl.where(rows[:, None] >= keys[None, :], scores * (scale * 1.44269504), -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - larger[:, None])
        kept = tl.math.exp2(largest - larger)
        values = tl.load(v + head + keys[:, None] * D + across[None, :])
        total = total * kept + tl.sum(weights, 1)
        sums = tl.dot(weights.to(tl.float16), values, sums * kept[:, None])
        largest = larger
    tl.store(o + head + rows[:, None] * D + across[None, :], (sums / total[:, None]).to(tl.float16))


HALVES = dict.fromkeys("abc", "*fp16")
WHOLE = dict.fromkeys(("M", "N", "K"), "i32")
MAPS = {"a": "tensordesc<fp16[64,32]>", "b": "tensordesc<fp16[64,32]>", "c": "tensordesc<fp16[64,64]>"}
TILES = {"BM": 64, "BN": 64, "BK": 32}
KERNELS = [
    (softmax, {"x": "*fp32", "y": "*fp32", "stride": "i32", "n": "i32"}, {"B": 1024}, {}),
    (layernorm, {**dict.fromkeys(("x", "y", "weight", "bias"), "*fp32"), "n": "i32", "eps": "fp32"}, {"B": 512}, {}),
    (matmul, {**HALVES, **WHOLE}, TILES, {"num_stages": 3}),
    (matmul_by_maps, {**MAPS, "K": "i32"}, TILES, {"num_stages": 2}),
    (added, {"x": "*fp32", "y": "*fp32", "M": "i32", "N": "i32"}, {"BM": 32, "BN": 32}, {}),
    (attention, {**dict.fromkeys("qkvo", "*fp16"), "scale": "fp32", "N": "i32"}, {"BM": 64, "BN": 32, "D": 32}, {}),
]
ALIGNED = "M", "N", "K", "stride"


class _NoGpu:
    """What Triton asks of a driver while it compiles."""

    def get_current_target(self) -> GPUTarget:
        return TARGET


def main() -> None:
    """Write machine code and what Triton notes of each kernel beside this file."""
    triton.runtime.driver.set_active(_NoGpu())
    for function, types, constants, options in KERNELS:
        types = {**types, **dict.fromkeys(constants, "constexpr")}
        aligned = [n for n, (name, kind) in enumerate(types.items()) if kind.startswith("*") or name in ALIGNED]
        source = ASTSource(
            function, types, {(list(types).index(name),): value for name, value in constants.items()},
            {(n,): [["tt.divisibility", 16]] for n in aligned},
        )  # fmt: skip
        compiled = triton.compile(source, target=TARGET, options=options)
        file = Path(__file__).with_name(function.__name__)
        file.with_suffix(".cubin").write_bytes(compiled.asm["cubin"])
        told = {key: getattr(compiled.metadata, key) for key in KEPT}
        file.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
