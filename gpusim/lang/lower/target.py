"""What the lowering goes by of the GPU that a Program is for."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim import hardware
from gpusim.hardware.fixed import WARP
from gpusim.hardware.generation import Spacing
from gpusim.hardware.programming import WORD, Abi, Instructions, Limits
from gpusim.hardware.quantities import rules
from gpusim.hardware.sections import Shared, Sm
from gpusim.isa.opcode_info import Pipe
from gpusim.isa.opcodes import Op
from gpusim.lang.lower.machine import MInstr, VReg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpusim.hardware import Gpu


class RegisterFile(NamedTuple):
    """How many registers of a thread cost how many warps.

    Attributes
    ----------
    unit : int
        In multiples of which threads are given registers.
    full : int
        With which an SM holds all the warps that it can.
    lane : int
        Of a scheduler, for one lane of all its warps.
    """

    unit: int
    full: int
    lane: int

    @classmethod
    def of(cls, sm: Mapping[str, Any]) -> RegisterFile:
        """The register file that the numbers of ``[sm]`` describe."""
        unit = sm["register_alloc_unit"] // WARP
        full = sm["registers"] // (WARP * sm["max_warps"]) // unit * unit
        return cls(unit, full, sm["registers"] // sm["register_partitions"] // WARP)


class Target(NamedTuple):
    """An architecture: what its programs may count on, and how far apart its compiler puts dependent instructions.

    Attributes
    ----------
    arch : str
        ``"sm_90"``.
    same_pipe_cycles : int
        From a result of fixed latency to an instruction of the same pipe.
    max_shared_bytes : int
        Shared memory of a block.
    registers : RegisterFile
    spacing : Spacing
    abi : Abi
    limits : Limits
    instructions : Instructions
    """

    arch: str
    same_pipe_cycles: int
    max_shared_bytes: int
    registers: RegisterFile
    spacing: Spacing
    abi: Abi
    limits: Limits
    instructions: Instructions

    @classmethod
    def of(cls, gpu: Gpu) -> Target:
        """The target that a GPU is."""
        sm = {name: getattr(gpu.sm, name) for name in rules(Sm)}
        return cls(
            gpu.arch, gpu.latency.fma_cycles, gpu.shared.max_bytes_per_block, RegisterFile.of(sm),
            gpu.spacing, gpu.abi, gpu.limits, gpu.instructions,
        )  # fmt: skip

    def fixed(self, producer: MInstr, consumer: MInstr, reg: VReg) -> int:
        """Cycles between issues for a result that takes a fixed time."""
        if reg.is_pred and consumer.guard.reg is reg:
            return self.spacing.guard_cycles
        one, other = producer.op.info.pipe, consumer.op.info.pipe
        if one is Pipe.TENSOR:
            return self.spacing.tensor_cycles
        return self.same_pipe_cycles if one is other or reg.is_pred else self.spacing.other_pipe_cycles

    def expected(self, producer: MInstr, consumer: MInstr, reg: VReg) -> int:
        """Cycles between issues, with a typical time for loads and the like."""
        if not is_variable(producer.op):
            return self.fixed(producer, consumer, reg)
        far = self.spacing
        typical = {
            Op.LDG: far.global_cycles, Op.ATOMG: far.global_cycles, Op.RED: 1, Op.STG: 1, Op.STS: 1,
            Op.LDS: far.shared_cycles, Op.LDSM: far.shared_cycles, Op.ATOMS: far.shared_cycles * 2,
            Op.SHFL: far.shuffle_cycles,
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
    sm = {key.removeprefix("sm."): number for key, number in known.items() if key.startswith("sm.")}
    part = functools.partial(hardware.of_architecture, arch)
    return Target(
        arch, known["latency.fma_cycles"], part(Shared).max_bytes_per_block, RegisterFile.of(sm),
        part(Spacing), part(Abi), part(Limits), part(Instructions),
    )  # fmt: skip


def launch_offsets(abi: Abi) -> dict[str, int]:
    """Where constant bank 0 has the sizes of block and grid, by what descriptions call them."""
    places = {"ntid": abi.block, "nctaid": abi.grid}
    return {f"{name}.{axis}": first + WORD * k for name, first in places.items() for k, axis in enumerate("xyz")}


def is_variable(op: Op) -> bool:
    """Whether results are waited for through a scoreboard."""
    return op.info.variable_latency
