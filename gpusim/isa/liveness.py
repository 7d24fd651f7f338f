"""Which registers are still needed, and on which lanes: always, or only where a guard holds.

Compilers guard whole stretches of code: ``@!P1 MOV R8, R6`` and then ``@!P1 LDG R20, [R8]``.  To a liveness that knows
no guards, the old R8 survives such a write and is needed before it; then everything that ever was in R8 is.  Here a
need carries the guard under which it arose, a write under the same guard ends it, and a write to the guard's
predicate makes it unconditional before that point.

Needs are Python ints of several segments, each a register set as in :mod:`gpusim.isa.effects`: the first one is
needed always, each other one under one guard of the program.
"""

from __future__ import annotations

from gpusim.isa.effects import N_BITS, UNIFORM_REGISTERS, predicate_bit
from gpusim.isa.instruction import TRUE, Instr, Kind, Operand
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program

SEGMENT = N_BITS
_ONE = (1 << SEGMENT) - 1


class Needs:
    """How the needs of one program are combined.

    Parameters
    ----------
    program : Program
    """

    def __init__(self, program: Program) -> None:
        guards = {i.guard for i in program.instrs if i.guard != TRUE}
        both = sorted({g._replace(neg=neg) for g in guards for neg in (False, True)})
        self._segment = {guard: k + 1 for k, guard in enumerate(both)}
        self._everywhere = sum(1 << (SEGMENT * k) for k in range(len(both) + 1))
        self._of_predicate: dict[int, list[int]] = {}
        for guard, segment in self._segment.items():
            self._of_predicate.setdefault(predicate_bit(guard), []).append(segment)

    def before(self, instr: Instr, after: int, reads: int, writes: int) -> int:
        """What is needed before an instruction that itself reads and writes these, given what is after it."""
        left = self._settled(after, writes)
        if instr.op is not Op.R2P:  # which writes only the predicates that a mask names
            left = self._without(left, instr.guard, writes)
        return left | self._under(instr, reads)

    def result(self, instr: Instr, after: int, writes: int) -> int:
        """Of the registers that an instruction writes those that are needed after it."""
        spared = self._segment.get(_opposite(instr.guard), 0)
        needed = after & ~(_ONE << (SEGMENT * spared)) if spared else after
        return self.flat(needed) & writes

    def flat(self, needs: int) -> int:
        """Registers needed under any guard."""
        found = 0
        while needs:
            found |= needs & _ONE
            needs >>= SEGMENT
        return found

    def _settled(self, needs: int, writes: int) -> int:
        """Needs under guards whose predicates are written are unconditional before that."""
        for predicate, segments in self._of_predicate.items():
            if writes & predicate:
                for k in segments:
                    moved = needs >> (SEGMENT * k) & _ONE
                    needs = needs & ~(_ONE << (SEGMENT * k)) | moved
        return needs

    def _without(self, needs: int, guard: Operand, writes: int) -> int:
        """Needs that a write leaves: where its guard does not hold."""
        if guard == TRUE:
            return needs & ~(writes * self._everywhere)
        still = (needs & writes & _ONE) << (SEGMENT * self._segment[_opposite(guard)])
        ended = writes | writes << (SEGMENT * self._segment[guard])
        return needs & ~ended | still

    def _under(self, instr: Instr, reads: int) -> int:
        """What an instruction reads: needed where its guard holds, but for what more than one lane has a say in."""
        everywhere = instr.op.info.across_lanes or instr.op.info.is_control
        if instr.guard == TRUE or everywhere:
            return reads
        always = predicate_bit(instr.guard) | (reads & UNIFORM_REGISTERS if instr.guard.kind is Kind.PRED else 0)
        return (reads & ~always) << (SEGMENT * self._segment[instr.guard]) | always


def _opposite(guard: Operand) -> Operand:
    return guard._replace(neg=not guard.neg)
