"""Which arrays decide what a program touches, and which it writes to."""

from __future__ import annotations

from collections.abc import Iterable

from gpusim.isa.control_flow import successors
from gpusim.isa.image_memory import needs_data
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.provenance import Provenance
from gpusim.isa.slice import Slice, counting_image


def arrays_read(program: Program, pointers: Iterable[str] | None = None) -> frozenset[str]:
    """Arrays on whose contents it depends what a program touches.

    Parameters
    ----------
    program : Program
    pointers : iterable of str, optional
        Parameters that are pointers to arrays, no two of which share memory; unless given, those that the program says
        are.

    Returns
    -------
    frozenset of str
        By parameter.
    """
    known = [p.name for p in program.params if p.kind == "buffer"] if pointers is None else list(pointers)
    reads = Slice(program, [{name} for name in known]).reads
    return frozenset(known) if reads is None else reads


def arrays_written(program: Program, pointers: Iterable[str]) -> frozenset[str] | None:
    """Arrays that a program writes to.

    Parameters
    ----------
    program : Program
    pointers : iterable of str
        Parameters that are pointers to arrays, no two of which share memory.

    Returns
    -------
    frozenset of str or None
        By parameter; None: it may write to any.
    """
    provenance = Provenance(program, [{name} for name in pointers], successors(program))
    found: frozenset[str] = frozenset()
    for index, instr in enumerate(program.instrs):
        if instr.op.info.may_be_global and instr.op.info.writes_memory:
            names = provenance.names(provenance.of(index))
            if names is None:
                return None
            found |= names
    return found


def reads_data(program: Program) -> bool:
    """Whether what a program touches depends on the contents of its arrays."""
    return program.has(Op.VPRINTF) or needs_data(counting_image(program))
