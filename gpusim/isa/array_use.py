"""Which arrays decide what a program touches, and which it writes to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

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


def array_of_each(program: Program, pointers: Sequence[Collection[str]]) -> list[frozenset[str]]:
    """Of each instruction the arrays that it may touch.

    Parameters
    ----------
    program : Program
    pointers : sequence of collections of str
        Parameters that are pointers to arrays, those of arrays that share memory together.

    Returns
    -------
    list of frozenset of str
        By parameter; nothing where it may be any, or it touches no global memory.
    """
    provenance = Provenance(program, pointers, successors(program))
    found = [provenance.names(provenance.of(k)) if i.op.info.may_be_global else None
             for k, i in enumerate(program.instrs)]  # fmt: skip
    return [frozenset() if one is None else one for one in found]


def reads_data(program: Program) -> bool:
    """Whether what a program touches depends on the contents of its arrays."""
    return program.has(Op.VPRINTF) or needs_data(counting_image(program))
