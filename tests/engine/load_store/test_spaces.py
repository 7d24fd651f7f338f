"""Address spaces of machine code: buffers found by address, generic, local and constant memory."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings

from gpusim import hardware
from gpusim.engine.state import counts as C
from gpusim.hardware.programming import Abi
from gpusim.isa.encode import encode
from gpusim.isa.instruction import RZ, Kind, Operand, const, imm, pred, reg, ureg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import ParamInfo
from gpusim.isa.slice import counting_image
from gpusim.isa.variants import Flag, Special
from gpusim.simulate import Launch, SimulationError
from tests.engine.images import counted
from tests.engine.programs import LANES, Sheet, X, Y, words

W = words()
some = settings(max_examples=15)
NOTHING = reg(RZ)


def address(sheet: Sheet, row: int, places, base: int) -> Operand:
    """Pair ``row``: the byte at ``places`` after the buffer whose address lies at ``base``."""
    sheet.emit(Op.IMAD_WIDE, reg(row), sheet.given(places), imm(1), const(base), flags=Flag.UNSIGNED)
    return reg(row)


def counts_of(sheet: Sheet, *outputs: Operand, image=encode, **facts) -> np.ndarray:
    """What the program counts, run without time."""
    launch = sheet.launch(*outputs, **facts)
    return counted(launch, "h200", image(launch.program), data=True)[0]


# ------------------------------------------------------------------ buffers found at run time


@some
@given(W)
def test_a_buffer_is_found_by_its_address(values):
    sheet = Sheet()
    sheet.given(values)
    sheet.emit(Op.LDG, reg(70), address(sheet, 64, 4 * LANES, X))
    sheet.emit(Op.STG, None, address(sheet, 66, 4 * LANES, Y), reg(70), offset=128)
    launch = sheet.launch(reg(70), reg(RZ))
    _, arrays = counted(launch, "h200", encode(launch.program), data=True)
    loads = len(sheet.inputs) + 1
    assert arrays[0, C.A_LD_REQ] == loads
    assert arrays[1, C.A_ST_REQ] == 3
    np.testing.assert_array_equal(sheet.run(reg(70), reg(RZ))[0], values)


def test_a_warp_may_touch_several_buffers():
    sheet = Sheet()
    values = sheet.given(LANES + 100)
    sheet.emit(Op.STG, None, address(sheet, 64, 4 * LANES, Y), values)
    x, y = address(sheet, 66, 4 * LANES, X), reg(64)
    p = sheet.holds(0, LANES < 7)
    sheet.emit(Op.SEL, reg(68), x, y, psrcs=(p,))
    sheet.emit(Op.SEL, reg(69), reg(67), reg(65), psrcs=(p,))
    sheet.emit(Op.LDG, reg(70), reg(68))
    np.testing.assert_array_equal(sheet.run(reg(70))[0], LANES + 100)


@pytest.mark.parametrize(("places", "where"), [
    (np.where(LANES == 5, 1 << 20, 0), r"thread \(5, 0, 0\) of block \(0, 0, 0\) reads global memory out of bounds"),
    (np.where(LANES == 5, 1 << 20, 0), r"address 0x1000010\w*, \d+ bytes past the end of y \(128 bytes at 0x"),
    (np.where(LANES == 2, -64, 0), r"64 bytes before the start of x"),
])  # fmt: skip
def test_an_error_names_the_nearest_buffer(places, where):
    sheet = Sheet()
    sheet.emit(Op.IMAD_WIDE, reg(64), sheet.given(places), imm(1), const(X))
    sheet.emit(Op.LDG, reg(70), reg(64), line=9)
    with pytest.raises(SimulationError, match=where) as error:
        sheet.run(reg(70))
    assert str(error.value).startswith("sheet.py:9: sheet: ")


def test_a_misaligned_lane_is_named_too():
    sheet = Sheet()
    sheet.emit(Op.STG, None, address(sheet, 64, 4 * LANES + 2 * (LANES == 9), Y), NOTHING)
    with pytest.raises(SimulationError, match=r"thread \(9, 0, 0\).* writes global memory misaligned: .* byte 38 of y"):
        sheet.run(NOTHING)


@some
@given(W)
def test_a_uniform_base_is_added(values):
    sheet = Sheet()
    sheet.given(values)
    sheet.emit(Op.MOV, ureg(4), const(X))
    sheet.emit(Op.MOV, ureg(5), const(X + 4))
    sheet.emit(Op.LDG, reg(70), sheet.given(4 * LANES), NOTHING, ureg(4), flags=Flag.NARROW)
    np.testing.assert_array_equal(sheet.run(reg(70), reg(RZ))[0], values)


@pytest.mark.parametrize("op", [Op.LDG, Op.LDS, Op.LDC])
@pytest.mark.parametrize(("width", "kind"), [(1, np.int8), (2, np.int16)])
def test_signed_loads_extend_the_sign(op, width, kind):
    sheet = Sheet()
    values = np.frombuffer(np.random.default_rng(3).bytes(128), np.uint32)
    row = sheet.given(values)
    if op is Op.LDG:
        sheet.emit(op, reg(70), address(sheet, 64, width * LANES, X), width=width, flags=Flag.SIGNED)
    elif op is Op.LDS:
        sheet.emit(Op.STS, None, sheet.given(4 * LANES), row)
        sheet.emit(op, reg(70), sheet.given(width * LANES), width=width, flags=Flag.SIGNED)
    else:
        sheet.emit(op, reg(70), sheet.given(width * LANES), sub=3, width=width, flags=Flag.SIGNED)
    got = sheet.run(reg(70), shared_bytes=128, banks={3: values.tobytes()})[0]
    np.testing.assert_array_equal(got.view(np.int32), values.view(kind)[:32])


def test_shared_addresses_are_scaled_and_based():
    sheet = Sheet()
    sheet.emit(Op.MOV, ureg(7), imm(0x400))
    sheet.emit(Op.STS, None, sheet.given(LANES), sheet.given(LANES + 5), ureg(7), sub=2)
    sheet.emit(Op.LDS, reg(70), sheet.given(0x400 + 4 * LANES[::-1]))
    np.testing.assert_array_equal(sheet.run(reg(70), shared_bytes=128, shared_base=0x400)[0], LANES[::-1] + 5)


def test_nothing_lies_below_the_base_of_shared_memory():
    sheet = Sheet()
    sheet.emit(Op.STS, None, imm(0x3FC), NOTHING)
    with pytest.raises(SimulationError, match="shared address 0x3fc; this is byte -4 of the block's 128"):
        sheet.run(NOTHING, shared_bytes=128, shared_base=0x400)


# ------------------------------------------------------------------ generic


def test_generic_accesses_go_where_their_address_says():
    """Some lanes' addresses lie in shared memory, some in local memory, the others in a buffer."""
    sheet = Sheet()
    space = LANES % 3
    values = sheet.given(LANES + 7)
    address(sheet, 66, 4 * LANES, Y)
    sheet.emit(Op.S2R, reg(70), sub=Special.SHARED_WINDOW_HI)
    sheet.emit(Op.LDC, reg(71), offset=0x24)  # upper word of the local window
    shared, local = sheet.holds(0, space == 0), sheet.holds(1, space == 1)
    sheet.emit(Op.SEL, reg(67), reg(70), reg(67), psrcs=(shared,))
    sheet.emit(Op.SEL, reg(67), reg(71), reg(67), psrcs=(local,))
    low = sheet.given(np.where(space == 1, 8, 4 * LANES))
    sheet.emit(Op.MOV, reg(66), low, guard=shared)
    sheet.emit(Op.MOV, reg(66), low, guard=local)
    sheet.emit(Op.STG, None, reg(4), NOTHING, array=1)
    sheet.emit(Op.ST, None, reg(66), values)
    sheet.emit(Op.LD, reg(72), reg(66))
    facts = {"shared_bytes": 128, "local_bytes": 16}
    got, _ = sheet.run(reg(72), reg(72), **facts)
    np.testing.assert_array_equal(got, LANES + 7)
    count = counts_of(sheet, reg(72), **facts)
    cut = counts_of(sheet, reg(72), image=counting_image, **facts)
    for column, number in ((C.LOCAL_LD_REQ, 1), (C.LOCAL_ST_REQ, 1), (C.INST_LDS, 0), (C.INST_STS, 0),
                           (C.LD_REQ, len(sheet.inputs) + 1), (C.ST_REQ, 3)):  # fmt: skip
        assert count[column] == cut[column] == number


# ------------------------------------------------------------------ local


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_local_memory_is_a_threads_own(width):
    sheet = Sheet()
    rows = [sheet.given(np.random.default_rng(k).integers(0, 1 << 32, 32, dtype=np.uint32)) for k in range(4)]
    for k, row in enumerate(rows):
        sheet.emit(Op.MOV, reg(72 + k), row)
    sheet.emit(Op.LDC, reg(1), offset=0x28)
    sheet.emit(Op.IADD3, reg(1), reg(1), imm(-32))
    sheet.emit(Op.STL, None, reg(1), reg(72), offset=16, width=width)
    for k in range(4):
        sheet.emit(Op.MOV, reg(76 + k), imm(0))
    sheet.emit(Op.LDL, reg(76), reg(1), offset=16, width=width)
    n = max(width // 4, 1)
    got = sheet.run(*(reg(76 + k) for k in range(n)), local_bytes=64)
    mask = (1 << min(8 * width, 32)) - 1
    for k in range(n):
        np.testing.assert_array_equal(got[k], sheet.inputs[k] & mask)
    count = counts_of(sheet, reg(76), local_bytes=64)
    words = max(width // 4, 1)
    assert (count[C.INST_LDL], count[C.LOCAL_LD_REQ], count[C.LOCAL_ST_REQ]) == (1, words, words)
    assert count[C.LOCAL_LD_SECTORS] == count[C.LOCAL_ST_SECTORS] == 4 * n  # a line a word


def test_lanes_at_different_words_take_a_line_each():
    sheet = Sheet()
    sheet.emit(Op.STL, None, sheet.given(4 * (LANES % 8)), NOTHING)
    count = counts_of(sheet, local_bytes=32)
    assert count[C.LOCAL_ST_SECTORS] == 32  # eight lines, lanes k, k + 8, ...: all four sectors of each


def test_local_memory_ends():
    sheet = Sheet()
    sheet.emit(Op.STL, None, imm(16), NOTHING)
    with pytest.raises(SimulationError, match="out of bounds of its local memory: local address 0x10 of 16 bytes"):
        sheet.run(NOTHING, local_bytes=16)


# ------------------------------------------------------------------ constants

BANK = np.arange(100, 164, dtype=np.uint32)


def test_constants_of_other_banks_are_operands():
    sheet = Sheet()
    sheet.emit(Op.IADD3, reg(64), const(8, 3), const(0x10, 4), const(X))
    got = sheet.run(reg(64), banks={3: BANK.tobytes(), 4: (BANK * 3).tobytes()})[0]
    assert set(got) == {102 + 312}  # the buffer's lower word is 0


@pytest.mark.parametrize("width", [4, 8])
def test_constants_are_loaded_by_register(width):
    sheet = Sheet()
    where = width * (LANES * 7 % 31)
    sheet.emit(Op.LDC, reg(64), sheet.given(where), sub=3, offset=8, width=width)
    got = sheet.run(reg(64), reg(65), banks={3: BANK.tobytes()})
    padded = np.concatenate([BANK, np.zeros(64, np.uint32)])
    np.testing.assert_array_equal(got[0], padded[(where + 8) // 4])
    if width == 8:
        np.testing.assert_array_equal(got[1], padded[(where + 8) // 4 + 1])


def test_a_uniform_register_is_loaded_in_all_lanes():
    sheet = Sheet()
    p = sheet.holds(0, LANES < 3)
    skip = len(sheet.body)
    sheet.emit(Op.BRA, guard=p, target=0)
    sheet.emit(Op.LDC, ureg(4), sub=3, offset=4, width=8)
    sheet.aim(skip)
    sheet.emit(Op.WARPSYNC)
    sheet.emit(Op.MOV, reg(64), ureg(4))
    sheet.emit(Op.MOV, reg(65), ureg(5))
    got = sheet.run(reg(64), reg(65), banks={3: BANK.tobytes()})
    assert (got[0] == 101).all()
    assert (got[1] == 102).all()


# ------------------------------------------------------------------ arguments and what lies beside them


def words_of_bank(arch: str, *offsets: int) -> list[int]:
    """Words of constant bank 0 that a block of (4, 2, 1) threads sees in a grid of (3, 2, 2)."""
    from dataclasses import replace

    from gpusim.simulate.launch import banks_of, lay_out

    base = hardware.of_architecture(arch, Abi).parameters
    program = replace(Sheet().program(), arch=arch, const_base=base, local_bytes=48, params=(), arrays=())
    launch = Launch(program, (3, 2, 2), (4, 2, 1), {})
    bank = banks_of(launch, lay_out(launch))[0]
    return [struct.unpack_from("<I", bank, offset)[0] for offset in offsets]


@pytest.mark.parametrize(("arch", "block", "grid", "stack", "window"), [
    ("sm_80", 0, 0xC, 0x28, 0x20), ("sm_90", 0, 0xC, 0x28, 0x20), ("sm_120", 0x360, 0x370, 0x37C, 0x2F8),
])  # fmt: skip
def test_the_bank_holds_the_launch(arch, block, grid, stack, window):
    assert words_of_bank(arch, block, block + 4, block + 8) == [4, 2, 1]
    assert words_of_bank(arch, grid, grid + 4, grid + 8) == [3, 2, 2]
    assert words_of_bank(arch, stack) == [48]
    assert words_of_bank(arch, window + 4)[0] != 0


@pytest.mark.parametrize(("value", "nbytes", "want"), [
    (np.int8(-3), 1, b"\xfd"), (np.float64(1.5), 8, struct.pack("<d", 1.5)),
    (np.uint64(1 << 40), 8, b"\0" * 5 + b"\1\0\0"),
    (b"\1\2\3\4\5\6\7\10\11\12\13\14", 12, b"\1\2\3\4\5\6\7\10\11\12\13\14"), (-1, 2, b"\xff\xff"),
    (0.5, 4, struct.pack("<f", 0.5)), (np.float16(1), 2, b"\0\x3c"), (np.bool_(True), 1, b"\1"),
])  # fmt: skip
def test_raw_arguments_are_their_bytes(value, nbytes, want):
    from gpusim.simulate.launch import Layout, argument_bytes

    assert argument_bytes(ParamInfo("p", "raw", 0x210, nbytes), value, Layout({}, {}, 0)) == want


@pytest.mark.parametrize("value", [np.int32(1), b"abc", 1 << 70, "text"])
def test_raw_arguments_must_fit(value):
    from gpusim.simulate.launch import ArgumentError, Layout, argument_bytes

    with pytest.raises(ArgumentError, match="argument p"):
        argument_bytes(ParamInfo("p", "raw", 0x210, 8), value, Layout({}, {}, 0))


def test_a_raw_argument_may_be_an_array():
    """Buffers that the program names no array for are found, counted and given back."""
    from dataclasses import replace

    sheet = Sheet()
    sheet.given(LANES + 9)
    sheet.emit(Op.LDG, reg(70), address(sheet, 64, 4 * LANES, X))
    program = sheet.program(reg(70))
    instrs = tuple(replace(i, array=-1) for i in program.instrs)
    params = tuple(p._replace(kind="raw", nbytes=8) for p in program.params)
    program = replace(program, instrs=instrs, params=params, arrays=())
    launch = Launch(program, (1, 1, 1), (32, 1, 1), sheet.buffers(1))
    _, arrays = counted(launch, "h200", encode(program), data=True)
    assert arrays[:, C.A_LD_REQ].tolist() == [3, 0]
    assert arrays[:, C.A_ST_REQ].tolist() == [0, 1]
    from tests.engine.programs import launch as execute

    np.testing.assert_array_equal(execute(program, sheet.buffers(1), (32, 1, 1))["y"][0], LANES + 9)


assert Kind.REG == 0 and pred(0)  # noqa: PT018
