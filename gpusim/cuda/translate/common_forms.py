"""Opcodes whose machine code has a common form (:class:`~gpusim.isa.opcode_info.Form`), read as their rows say.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA* for what modifiers mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from gpusim.cuda.translate.floating import comparison, rounding, scaling
from gpusim.cuda.translate.reader import Reader
from gpusim.isa.instruction import Instr, Operand
from gpusim.isa.opcode_info import Form, Says, Takes
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Flag, Permute

_PERMUTE = {p.name: p for p in Permute if p is not Permute.IDX}
_SUB: dict[Says, Callable[[Reader], int]] = {
    Says.NOTHING: lambda r: 0,
    Says.COMPARISON: comparison,
    Says.ROUNDING: rounding,
    Says.SCALING: scaling,
    Says.PERMUTE: lambda r: r.pick(_PERMUTE, Permute.IDX),
}
_SOURCE: dict[Takes, Callable[[Reader, int], Operand]] = {
    Takes.WORD: lambda r, flags: r.integer(),
    Takes.BITS: lambda r, flags: r.integer(invert=True),
    Takes.REAL: lambda r, flags: r.float32(),
    Takes.DOUBLE: lambda r, flags: r.float64(),
    Takes.HALVES: lambda r, flags: r.float16(bf16=bool(flags & Flag.BF16)),
}


def read(op: Op, form: Form, r: Reader) -> Instr:
    """``NAME[.modifier] [q0, q1,] [d,] a, b, c[, p0]``."""
    info = op.info
    r.skip(*form.ignored)
    flags, sub = r.flags(form.flags), _SUB[info.says](r)
    verdicts = tuple(r.pred() for _ in range(form.verdicts))
    dst = None if info.result is None else r.dst()
    srcs = tuple(_SOURCE[kind](r, flags) for kind in info.sources[: form.sources])
    conditions = tuple(r.pred() for _ in range(form.conditions))
    return r.make(op, dst, srcs, pdsts=verdicts, psrcs=conditions, sub=sub, flags=flags)


def _readers() -> Iterator[tuple[str, Callable[[Reader], Instr]]]:
    """Names of machine code, and what reads each."""
    for op in Op:
        if form := op.info.form:
            name, reader = form.name or op.name, partial(read, op, form)
            yield name, reader
            if form.uniform:
                yield f"U{name}", reader


TABLE = dict(_readers())
