"""Bits of masks and addresses."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from gpusim.engine.compiling.jit import inline


@intrinsic
def popcount(typingctx, x):
    """Set bits of an integer, as int64."""

    def lower(context, builder, sig, args):
        return builder.ctpop(context.cast(builder, args[0], sig.args[0], types.int64))

    return types.int64(x), lower


@inline
def first_lane(on):
    """First lane of a mask that is not empty."""
    lane = 0
    while not (on >> lane) & 1:
        lane += 1
    return lane
