"""Does the lowering go by what the architecture promises: its ABI, its limits, its register file?"""

from dataclasses import replace

import pytest

import gpusim.lang as gl
from gpusim.catalogue import lookup
from gpusim.isa.instruction import Kind
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.lang import DescriptionError
from gpusim.lang.lower.pipeline import lower
from gpusim.lang.lower.target import Target, target


@gl.kernel(grid=lambda p: p.blocks, block=lambda p: p.threads)
def spread(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"]):  # noqa: F821
    """Blocks and threads of which only the launch says how many there are."""
    N, _, _ = gl.sizes("N", "blocks", "threads")
    for i in gl.range(gl.ctaid.x * gl.ntid.x + gl.tid.x, N, gl.ntid.x * gl.nctaid.x):
        y[i] = x[i]


def of(architecture: Target) -> Program:
    return lower(spread.tree, {}, architecture)


def constants(program: Program) -> set[int]:
    """Words of constant bank 0 that a program reads."""
    operands = {operand.place[1] for i in program.instrs for operand in i.srcs if operand.kind is Kind.CONST}
    return operands | {i.offset for i in program.instrs if i.op is Op.LDC}


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
def test_constants_are_read_where_the_architecture_has_them(arch: str) -> None:
    one = target(arch)
    program = of(one)
    read = constants(program)
    assert (program.arch, program.const_base, program.params[0].offset) == (arch, *[one.abi.parameters] * 2)
    assert {one.abi.block, one.abi.grid} <= read
    assert all(word >= one.abi.parameters for word in read - {one.abi.block, one.abi.grid})


def test_the_compiler_keeps_registers_for_itself() -> None:
    one = target("sm_90")
    more = one._replace(abi=replace(one.abi, compiler_registers=one.abi.compiler_registers + 8))
    kernel = lookup.get("matmul-register-tiled").kernel
    few, many = (lower(kernel.tree, dict(kernel.tiles()), which).n_registers for which in (one, more))
    assert many >= few + 7


def test_a_thread_has_the_fewest_registers_at_least() -> None:
    one = target("sm_90")
    assert of(one._replace(limits=replace(one.limits, fewest_registers=99))).n_registers == 99


def test_the_register_file_is_full_with_the_warps_that_an_sm_holds() -> None:
    """What ptxas 13.0 gives matmul-tiled: 31 or 32 registers for sm_80 and sm_90, 40 for sm_86 and sm_89."""
    assert [target(arch).registers.full for arch in ("sm_80", "sm_86", "sm_89", "sm_90")] == [32, 40, 40, 32]
    assert target("sm_90").registers == (8, 32, 512)


def test_shared_memory_is_what_a_block_of_the_architecture_has() -> None:
    tree, one = lookup.get("matmul-tiled").kernel.tree, target("sm_86")
    assert one.max_shared_bytes == 101376
    needed = lower(tree, {"T": 16}, one).shared_bytes
    with pytest.raises(DescriptionError, match=f"a block has at most {needed - 1}"):
        lower(tree, {"T": 16}, one._replace(max_shared_bytes=needed - 1))
