"""What computes, by opcode: routines that the interpreter calls by address.

A routine is compiled when the first program that needs it is run, apart from the interpreter and from the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from gpusim.engine.alu import bitwise, convert, floating, integer, packed, setp, tensor, transcendental, warpgroup
from gpusim.engine.compiling.jit import compile_for_calls
from gpusim.engine.compiling.watching import kept
from gpusim.isa.opcodes import Op

_MODULES = (bitwise, convert, floating, integer, packed, setp, tensor, transcendental, warpgroup)


def _routine(op: Op) -> Callable[..., Any]:
    """What the table of opcodes names: a function of one of the modules beside this one."""
    module, _, name = (op.info.routine or op.info.tile).partition(".")
    found: Callable[..., Any] = getattr(_BY_NAME[module], name)
    return found


_BY_NAME = {module.__name__.rpartition(".")[2]: module for module in _MODULES}
_ROUTINE = {op: _routine(op) for op in Op if op.info.routine or op.info.tile}

# of: c, u, base, preds, scratch, on; see gpusim.engine.alu.operands
_types: Any = types
_SIGNATURE = _types.void(
    _types.CPointer(types.int32), _types.CPointer(types.uint32), types.int64, _types.CPointer(types.uint32),
    _types.CPointer(types.int64), types.uint32,
)  # fmt: skip


@kept
def _compiled(routine: Callable[..., Any]) -> Any:
    """A routine, compiled or from the cache."""
    return compile_for_calls(routine, _SIGNATURE)


def functions(ops: Iterable[int]) -> list[Callable[..., Any]]:
    """The routines of these opcodes, each once, in a fixed order."""
    wanted = {Op(int(o)) for o in ops}
    return list(dict.fromkeys(routine for op, routine in _ROUTINE.items() if op in wanted))


def addresses(ops: Iterable[int]) -> np.ndarray:
    """Where the routines of these opcodes are.

    Returns
    -------
    int64 array
        An address by opcode, 0 for what has no routine.
    """
    table = np.zeros(max(Op) + 1, np.int64)
    for op in {Op(int(o)) for o in ops} & _ROUTINE.keys():
        table[op] = _compiled(_ROUTINE[op]).address
    return table


@intrinsic
def call(typingctx: Any, address: Any, c: Any, u: Any, base: Any, preds: Any, scratch: Any, on: Any) -> Any:
    """Call the routine at an address."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function = ir.FunctionType(ir.VoidType(), [a.type for a in args[1:]])
        builder.call(builder.inttoptr(args[0], ir.PointerType(function)), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, *_SIGNATURE.args), lower
