"""What threads that run one machine together need: a number that each adds to, and to wait for one another."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from gpusim.engine.compiling.jit import inline, jit

GIVE_WAY = "SwitchToThread" if sys.platform == "win32" else "sched_yield"
"""What the host calls to let another thread have a processor."""
SPINS = 2000  # looks at a number, before another thread may have the processor
APART = 8  # numbers of a cache line
MET, TAKEN = 0, APART
"""Places of `Machine.gate`: how often any thread has come to a meeting, and, a line each, how many of the tasks of each
thread have been taken."""


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    return builder.gep(context.make_array(kind)(context, builder, array).data, [index])


@intrinsic
def add_to(typingctx: Any, array: Any, index: Any, more: Any) -> Any:
    """Add to ``array[index]`` as one step, whoever else does; returns what was there."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _place(context, builder, sig.args[0], *args[:2]), args[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), lower


@intrinsic
def look_at(typingctx: Any, array: Any, index: Any) -> Any:
    """``array[index]`` as it is now; what was written before it was is seen from here on."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load_atomic(_place(context, builder, sig.args[0], *args), "acquire", 8)

    return types.int64(array, types.int64), lower


@intrinsic
def give_way(typingctx: Any) -> Any:
    """Let another thread have the processor."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, GIVE_WAY), [])
        return context.get_dummy_value()

    return types.void(), lower


@inline
def take_task(gate, whose):
    """Number of the next task of a thread's that no thread has taken."""
    return add_to(gate, np.int64(TAKEN + APART * whose), np.int64(1))


@jit
def meet(gate, threads):
    """Wait until all threads are here; what each did before is then seen by all."""
    if threads == 1:
        return
    everybody = (add_to(gate, np.int64(MET), np.int64(1)) // threads + 1) * threads
    spins = 0
    while look_at(gate, np.int64(MET)) < everybody:
        spins += 1
        if spins > SPINS:
            give_way()
