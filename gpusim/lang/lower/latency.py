"""Cycles from an instruction to the first that may use its result, as ptxas spaces them on sm_90.

Source: control fields of sm_90 code disassembled with nvdisasm 13.0; loads and
other variable latencies only rank instructions for scheduling, a scoreboard
guards them when run.
"""

from __future__ import annotations

from gpusim.isa.opcodes import INFO, Op, Pipe
from gpusim.lang.lower.machine import MInstr, VReg

SAME_PIPE, OTHER_PIPE, TO_GUARD = 4, 5, 13
GLOBAL_LOAD, SHARED_LOAD, SPECIAL = 400, 30, 22
JUMP, BARRIER = 5, 6
TYPICAL = {
    Op.LDG: GLOBAL_LOAD, Op.ATOMG: GLOBAL_LOAD, Op.RED: 1, Op.LDS: SHARED_LOAD, Op.ATOMS: SHARED_LOAD * 2,
    Op.STG: 1, Op.STS: 1, Op.SHFL: 25, Op.LDC: 30,
}  # fmt: skip
MATH = (Pipe.ALU, Pipe.FMA)


def is_variable(op: Op) -> bool:
    """Whether results are waited for through a scoreboard."""
    return INFO[op].variable_latency


def fixed(producer: MInstr, consumer: MInstr, reg: VReg) -> int:
    """Cycles between issues for a result that takes a fixed time."""
    if reg.is_pred and consumer.guard.reg is reg:
        return TO_GUARD
    one, other = INFO[producer.op].pipe, INFO[consumer.op].pipe
    return SAME_PIPE if one is other or reg.is_pred else OTHER_PIPE


def expected(producer: MInstr, consumer: MInstr, reg: VReg) -> int:
    """Cycles between issues, with a typical time for loads and the like."""
    if is_variable(producer.op):
        return TYPICAL.get(producer.op, SPECIAL)
    return fixed(producer, consumer, reg)
