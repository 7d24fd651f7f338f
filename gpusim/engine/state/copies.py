"""Columns of `Machine.copies`: what an SM's bulk copies and copies of boxes are, and how far each has come."""

from __future__ import annotations

from gpusim.engine.state.columns import lines_of

MOST_COPIES = 512  # under way at once on an SM

# K_STATE: see below; K_KIND: as below; K_SLOT, K_BLOCK: place of its block, and which that is; K_WARP, K_SITE, K_ARRAY:
# whom its traffic counts for; K_BARRIER: the mbarrier that hears of it, -1: none; K_ARRIVALS, K_BYTES: what that then
# lacks less; K_START: tick of its first request; K_REQUESTS: how many it has; K_APART: ticks from one to the next;
# K_POSTED: those it has asked; K_ROW, K_LINE: what is next, a row of the box and a line of that; K_REFERENCE: to what
# it has asked last; K_DONE: the tick at which it is complete; K_LEAVING: arrivals that the mbarrier expects no more;
# K_BLOCKS: blocks of the cluster that it is for, a bit each, 0: for its own alone; K_CLUSTER: the row of that.
(
    K_STATE, K_KIND, K_SLOT, K_BLOCK, K_WARP, K_SITE, K_ARRAY, K_BARRIER, K_ARRIVALS, K_BYTES, K_START, K_REQUESTS,
    K_APART, K_POSTED, K_ROW, K_LINE, K_REFERENCE, K_DONE, K_LEAVING, K_BLOCKS, K_CLUSTER,
) = range(21)  # fmt: skip

# The box.  X_BASE: address of the tensor's first element; X_PLACE: where the box begins in shared memory; X_ELEMENT:
# bytes of an element; X_INNER: elements of a row; X_FROM: coordinate of the first of them; X_SIZE: of the tensor;
# X_SWIZZLE: address bits that are mixed, X_NAN: whether not zeros fill what is out of the tensor; X_FLAGS: its type, as
# an atomic's; X_ROWS.  Of each dimension but the innermost: X_COUNT elements of the box, X_START coordinate of the
# first, X_STEP from one to the next, X_LENGTH of the tensor, X_STRIDE in bytes.
X_BASE, X_PLACE, X_ELEMENT, X_INNER, X_FROM, X_SIZE, X_SWIZZLE, X_NAN, X_FLAGS, X_ROWS = range(21, 31)
X_OUTER = 4
X_COUNT, X_START, X_STEP, X_LENGTH, X_STRIDE = range(31, 31 + 5 * X_OUTER, X_OUTER)
N_COPY = lines_of(31 + 5 * X_OUTER)

ASKING, ASKED, DUE = range(3)
"""States: it has requests to ask; it waits for what it asked; it is complete at a tick that is known."""
BRINGS, TAKES, REDUCES, FETCHES, NOTHING, OPENS, WAKES, COUNTS = range(8)
"""Kinds: to shared memory, from there, to be reduced in global memory, to L2 alone, what asks for nothing; no copies,
but the end of a phase of the cluster's barrier, of what a warp sleeps for, arrivals at an mbarrier without bytes."""
