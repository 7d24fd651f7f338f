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

from gpusim.engine.alu import bitwise, floating, integer, setp
from gpusim.engine.alu.convert import convert
from gpusim.engine.alu.packed import packed
from gpusim.engine.alu.tensor import tensor
from gpusim.engine.alu.transcendental import mufu
from gpusim.engine.compiling.jit import compile_for_calls
from gpusim.engine.compiling.watching import kept
from gpusim.isa.opcodes import Op

_ROUTINE: dict[Op, Callable[..., Any]] = {
    Op.MOV: integer.mov,
    Op.SEL: integer.sel,
    Op.IADD3: integer.iadd3,
    Op.IMAD: integer.imad,
    Op.IMAD_WIDE: integer.imad_wide,
    Op.IMAD_HI: integer.imad_hi,
    Op.LEA: integer.lea,
    Op.LEA_HI_X: integer.lea_hi_x,
    Op.IMNMX: integer.imnmx,
    Op.IABS: integer.iabs,
    Op.IABSDIFF: integer.iabsdiff,
    Op.IDP: integer.idp,
    Op.IADDMNMX: integer.iaddmnmx,
    Op.LOP3: bitwise.lop3,
    Op.PLOP3: bitwise.plop3,
    Op.SHF: bitwise.shf,
    Op.PRMT: bitwise.prmt,
    Op.POPC: bitwise.popc,
    Op.BREV: bitwise.brev,
    Op.FLO: bitwise.flo,
    Op.SGXT: bitwise.sgxt,
    Op.BMSK: bitwise.bmsk,
    Op.ISETP: setp.isetp,
    Op.FSETP: setp.fsetp,
    Op.FSET: setp.fset,
    Op.DSETP: setp.dsetp,
    Op.FCHK: setp.fchk,
    Op.FMNMX: floating.fmnmx,
    Op.FSEL: floating.fsel,
    Op.MUFU: mufu,
    **dict.fromkeys((Op.FADD, Op.FMUL, Op.FFMA), floating.arithmetic),
    **dict.fromkeys((Op.DADD, Op.DMUL, Op.DFMA), floating.doubles),
    **dict.fromkeys((Op.FRND, Op.I2F, Op.F2I, Op.F2F, Op.F2FP, Op.I2I, Op.F2IP), convert),
    **dict.fromkeys((Op.HADD2, Op.HMUL2, Op.HFMA2, Op.HMNMX2, Op.HSETP2, Op.HSET2), packed),
    **dict.fromkeys((Op.HMMA, Op.IMMA, Op.DMMA), tensor),
}

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
