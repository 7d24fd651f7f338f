"""Hints to the host's caches, for a machine's state is larger than they are: what will be needed soon."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from gpusim.engine.compiling.jit import inline

_READ, _KEEP, _DATA = (ir.Constant(ir.IntType(32), k) for k in (0, 3, 1))


@intrinsic
def prefetch(typingctx: Any, array: Any, row: Any, column: Any) -> Any:
    """Fetch the cache line of ``array[row, column]``; neither index is checked or negative."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        held = context.make_array(sig.args[0])(context, builder, args[0])
        width = cgutils.unpack_tuple(builder, held.shape)[1]
        first = builder.gep(held.data, [builder.add(builder.mul(args[1], width), args[2])])
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t] + [ir.IntType(32)] * 3)
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(hint, [builder.bitcast(first, cgutils.voidptr_t), _READ, _KEEP, _DATA])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), lower


@inline
def prefetch_row(array, row):
    """Fetch a whole row of 64-bit words."""
    for column in range(0, array.shape[1], 8):
        prefetch(array, row, column)
