"""Kernels in Triton that several tests launch."""

import triton
import triton.language as tl


@triton.jit
def doubled(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def shifted(x, y, by, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at + by))


@triton.jit
def gathered(addresses, y, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(y + tl.program_id(0) * BLOCK + at, tl.load(x + at))


@triton.jit
def typed(y, i: tl.int16, f: tl.float16, b, BLOCK: tl.constexpr):
    tl.store(y + tl.arange(0, BLOCK), tl.where(b, i.to(tl.float32) + f.to(tl.float32), 0.0))


@triton.jit
def copied_tile(x, y, BM: tl.constexpr, BN: tl.constexpr):
    y.store([0, 0], x.load([0, 0]))


@triton.jit
def doubled_in_parts(x, y, n, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    tl.static_assert(PARTS <= 4)
    for part in range(PARTS):
        at = (tl.program_id(0) * PARTS + part) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def picked(x, where, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + tl.load(where + at)))
