"""What the lowering goes by of the GPU that a Program is for."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from gpusim import hardware
from gpusim.hardware.generation import Spacing
from gpusim.isa.opcodes import Op
from gpusim.lang.lower.machine import MInstr, VReg

if TYPE_CHECKING:
    from gpusim.hardware import Gpu


class Target(NamedTuple):
    """An architecture, and how far apart its compiler puts instructions that depend on one another.

    Attributes
    ----------
    arch : str
        ``"sm_90"``.
    same_pipe_cycles : int
        From a result of fixed latency to an instruction of the same pipe.
    spacing : Spacing
    """

    arch: str
    same_pipe_cycles: int
    spacing: Spacing

    @classmethod
    def of(cls, gpu: Gpu) -> Target:
        """The target that a GPU is."""
        return cls(gpu.arch, gpu.latency.fma_cycles, gpu.spacing)

    def fixed(self, producer: MInstr, consumer: MInstr, reg: VReg) -> int:
        """Cycles between issues for a result that takes a fixed time."""
        if reg.is_pred and consumer.guard.reg is reg:
            return self.spacing.guard_cycles
        one, other = producer.op.info.pipe, consumer.op.info.pipe
        return self.same_pipe_cycles if one is other or reg.is_pred else self.spacing.other_pipe_cycles

    def expected(self, producer: MInstr, consumer: MInstr, reg: VReg) -> int:
        """Cycles between issues, with a typical time for loads and the like."""
        if not is_variable(producer.op):
            return self.fixed(producer, consumer, reg)
        far = self.spacing
        typical = {
            Op.LDG: far.global_cycles, Op.ATOMG: far.global_cycles, Op.RED: 1, Op.STG: 1, Op.STS: 1,
            Op.LDS: far.shared_cycles, Op.ATOMS: far.shared_cycles * 2, Op.SHFL: far.shuffle_cycles,
            Op.LDC: far.constant_cycles,
        }  # fmt: skip
        return typical.get(producer.op, far.variable_cycles)


@functools.cache
def target(arch: str) -> Target:
    """The target of an architecture, where no GPU is named.

    Raises
    ------
    SpecError
        If nothing is known of it.
    """
    known = hardware.architecture(arch)
    spacing = {key.removeprefix("spacing."): number for key, number in known.items() if key.startswith("spacing.")}
    return Target(arch, known["latency.fma_cycles"], Spacing(**spacing))


def is_variable(op: Op) -> bool:
    """Whether results are waited for through a scoreboard."""
    return op.info.variable_latency
