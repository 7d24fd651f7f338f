"""Is what a damaged file asks of the engine refused before it runs, or where only a register says it, when it does?"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, hardware
from gpusim.cuda import CubinError, elf
from gpusim.cuda.attributes import Attribute
from gpusim.errors import EndlessError, GpusimError
from gpusim.isa.instruction import Control, Instr, imm, pred, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.simulate import Launch, SimulationError, execute
from tests.profile.running import SAXPY

EXIT, NEVER = Instr(Op.EXIT), pred(7, neg=True)


@pytest.fixture
def saxpy(compiler: None) -> bytearray:
    return bytearray(cuda.compile(SAXPY, gpu="h200").cubin.data)


def profiled(data: bytes, folder: Path) -> gpusim.Profile:
    file = folder / "damaged.cubin"
    file.write_bytes(data)
    x = np.ones(64, np.float32)
    return gpusim.profile(cuda.compile(file, gpu="h200").kernel(), 1, 64, [np.int32(64), np.float32(2), x, x.copy()])


def became(data: bytes, folder: Path) -> str:
    """The error of a run, nothing where there is none."""
    try:
        profiled(data, folder)
    except GpusimError as error:
        return str(error)
    return ""


def test_fewer_registers_than_the_code_uses_are_refused(saxpy, tmp_path):
    symbols = elf.read(bytes(saxpy)).symbols
    kernel = next(n for n, symbol in enumerate(symbols) if symbol.name == "_Z5saxpyifPKfPf")
    entry = struct.pack("<BBHI", 4, Attribute.REGCOUNT, 8, kernel)
    at = saxpy.index(entry) + len(entry)
    saxpy[at : at + 4] = (4).to_bytes(4, "little")
    with pytest.raises(
        CubinError, match=r"saxpy.* is damaged: instruction at 0x\w+ \(.*\): .*R\d+ of 4 registers"
    ) as error:
        profiled(bytes(saxpy), tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.long
def test_one_flipped_bit_of_a_register_is_refused(saxpy, tmp_path):
    code = cuda.cubin.parse(bytes(saxpy)).kernels["_Z5saxpyifPKfPf"].code
    first = saxpy.index(code)
    said = []
    for at in range(first, first + len(code) - 128, 32):
        flipped = bytearray(saxpy)
        flipped[at + 2] ^= 0x80  # of the destination
        said.append(became(bytes(flipped), tmp_path))
    assert not any("\n" in each for each in said)
    refused = sum("registers" in each and "is damaged: instruction at" in each for each in said)
    assert refused > 3


# ------------------------------------------------------------------ what only a register says


def executed(*instrs: Instr, limit: int = 10_000, barriers: int = 16) -> None:
    """Run instructions, past the gate."""
    program = Program("p", instrs, 16, barriers=barriers)
    spec = hardware.load("h200")
    held = hardware.occupancy(spec, 64, 16, 0)
    execute(Launch(program, (1, 1, 1), (64, 1, 1), {}), spec, held, checked=False, limit=limit)


@pytest.mark.parametrize("high", [0, 0x100, 0x7FFFFFFF, 0x80000000, 0x80000100, 0xFFFFFFFF])
def test_no_address_is_too_far_away_to_be_refused(compiler, high):
    """One lane's pointer has other upper bits than the others'."""
    text = """__global__ void k(float* x, unsigned high) {
        unsigned long long at = (unsigned long long)(x + threadIdx.x);
        if (threadIdx.x == 5) at = (unsigned long long)high << 32 | (unsigned)at;
        *(float*)at = 1.0f;
    }"""
    kernel = cuda.compile(text + "\n", gpu="h200").kernel()
    arguments = [np.zeros(64, np.float32), np.uint32(high)]
    if high == 0x100:
        gpusim.profile(kernel, 1, 64, arguments, gpu="h200")
        return
    for values in (True, False):
        with pytest.raises(GpusimError, match="out of bounds"):
            gpusim.profile(kernel, 1, 64, arguments, gpu="h200", values=values)


@pytest.mark.parametrize("last", [Instr(Op.NOP), Instr(Op.EXIT, guard=NEVER), Instr(Op.BRA, target=1, guard=NEVER)])
def test_a_jump_into_the_padding_does_not_run_on(last):
    with pytest.raises(SimulationError, match="runs past its last instruction"):
        executed(Instr(Op.BRA, target=2), EXIT, Instr(Op.NOP), last)


def test_a_loop_that_takes_no_time_ends():
    with pytest.raises(EndlessError):
        executed(Instr(Op.BRA, target=0, control=Control(0)))


@pytest.mark.parametrize("to", [0x8, 0x40, 0xFFFFFFF0])
def test_a_jump_through_a_register_leads_to_an_instruction(to):
    with pytest.raises(SimulationError, match="calls or jumps to where no function or instruction is"):
        executed(Instr(Op.MOV, reg(0), (imm(to),)), Instr(Op.BRX, srcs=(reg(0),)), EXIT)


def test_a_barrier_in_a_register_is_one_that_is_declared():
    program = Instr(Op.MOV, reg(0), (imm(3),)), Instr(Op.BAR, srcs=(reg(0),)), EXIT
    executed(*program, barriers=4)
    with pytest.raises(SimulationError, match="a barrier beyond those that it declares"):
        executed(*program, barriers=3)


def test_nobody_moves_a_convergence_barrier():
    executed(Instr(Op.BMOV, srcs=(reg(0),), sub=1, guard=NEVER), Instr(Op.BMOV, reg(0), sub=1, guard=NEVER), EXIT)
