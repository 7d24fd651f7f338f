"""Sums and maxima over the threads of a warp or a block, from shuffles and shared memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gpusim.lang as gl
from gpusim.lang.tree import Expr

Combine = Callable[[Any, Any], Expr]


def warp_sum(v: Any) -> Expr:
    """The sum of ``v`` over the 32 lanes of the warp, in every lane; all of them must take part."""
    return _butterfly(v, _add)


def warp_max(v: Any) -> Expr:
    """The largest ``v`` of the 32 lanes of the warp, in every lane; all of them must take part."""
    return _butterfly(v, gl.maximum)


def block_sum(v: Any, threads: Any) -> Expr:
    """The sum of fp32 ``v`` over a block of ``threads`` threads (whole warps, in x), in every thread.

    All threads must take part; between two calls that one loop makes there must be a ``gl.barrier()``.
    """
    return _over_block(v, threads, _add, 0.0)


def block_max(v: Any, threads: Any) -> Expr:
    """The largest fp32 ``v`` of a block of ``threads`` threads (whole warps, in x), in every thread.

    All threads must take part; between two calls that one loop makes there must be a ``gl.barrier()``.
    """
    return _over_block(v, threads, gl.maximum, -gl.inf)


def _add(a: Any, b: Any) -> Expr:
    made: Expr = a + b
    return made


def _butterfly(v: Any, combine: Combine) -> Expr:
    """Exchange with the lane 16, 8, 4, 2, 1 away, and combine."""
    whole = v
    for distance in (16, 8, 4, 2, 1):
        whole = combine(whole, gl.shfl_xor(whole, distance))
    made: Expr = whole
    return made


def _over_block(v: Any, threads: Any, combine: Combine, neutral: float) -> Expr:
    """Combine in every warp, then in every warp what the first lanes of all of them have put down."""
    parts = gl.shared(gl.f32, 32)
    thread: Any = gl.tid.x
    lane = thread % 32
    of_warp = _butterfly(v, combine)
    with gl.if_(lane == 0):
        parts[thread // 32] = of_warp
    gl.barrier()
    return _butterfly(parts.load(lane, guard=lane < threads // 32, other=neutral), combine)
