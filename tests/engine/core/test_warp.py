"""Exchanges between lanes, votes, divergence and leaving, against what CUDA says of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.engine.alu.routines import addresses
from gpusim.isa.instruction import RZ, imm, pred, reg, ureg
from gpusim.isa.opcode_info import Pipe
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Cmp, Shfl, Special, Vote
from gpusim.simulate import SimulationError
from tests.engine.programs import LANES, Sheet, launch_shaped, words

W = words()
some = settings(max_examples=15)  # of 32 lanes each
lanes = st.lists(st.booleans(), min_size=32, max_size=32).map(np.array)
OUTSIDE = 0xABABABAB


# ------------------------------------------------------------------ shuffles


def source_lane(kind: Shfl, lane: int, by: int, width: int) -> tuple[int, bool]:
    """Lane that ``__shfl_*_sync`` of CUDA C++ reads in segments of ``width``, and whether it is in the segment."""
    first = lane // width * width
    source = {
        Shfl.IDX: first + by % width if by < 32 else first,
        Shfl.UP: lane - by,
        Shfl.DOWN: lane + by,
        Shfl.BFLY: lane ^ by,
    }[kind]
    inside = source >= first if kind is Shfl.UP else source < first + width
    return (source, True) if inside else (lane, False)


def clamp_of(kind: Shfl, width: int) -> int:
    """The c operand that nvcc makes of a width: segment mask in bits 8-12, clamp in bits 0-4."""
    return (32 - width) << 8 | (0 if kind is Shfl.UP else 31)


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("kind", list(Shfl))
@some
@given(W, st.integers(0, 31))
def test_a_shuffle_is_cudas(kind, width, values, by):
    sheet = Sheet()
    sheet.emit(Op.SHFL, reg(64), sheet.given(values), imm(by), imm(clamp_of(kind, width)), pdsts=(pred(0),), sub=kind)
    got, inside = sheet.run(reg(64), pred(0))
    want = [source_lane(kind, lane, by, width) for lane in range(32)]
    np.testing.assert_array_equal(got, values[[s for s, _ in want]])
    np.testing.assert_array_equal(inside, [good for _, good in want])


@some
@given(W, words().map(lambda x: x & 31))
def test_lanes_may_each_name_another_lane(values, which):
    sheet = Sheet()
    x = sheet.given(values)
    sheet.emit(Op.SHFL, x, x, sheet.given(which), imm(31), sub=Shfl.IDX)  # in place
    np.testing.assert_array_equal(sheet.run(x)[0], values[which])


@some
@given(W, lanes, st.sampled_from(list(Shfl)), st.integers(0, 31))
def test_a_guarded_shuffle_leaves_the_others_alone(values, guard, kind, by):
    sheet = Sheet()
    x, p = sheet.given(values), sheet.holds(1, guard)
    sheet.emit(Op.MOV, reg(64), imm(77))
    sheet.emit(Op.SHFL, reg(64), x, imm(by), imm(clamp_of(kind, 32)), sub=kind, guard=p)
    want = [values[source_lane(kind, lane, by, 32)[0]] if guard[lane] else 77 for lane in range(32)]
    np.testing.assert_array_equal(sheet.run(reg(64))[0], want)


# ------------------------------------------------------------------ votes


@pytest.mark.parametrize("kind", list(Vote))
@some
@given(lanes | st.sampled_from([np.zeros(32, bool), np.ones(32, bool)]), lanes, st.booleans())
def test_a_vote_is_over_the_lanes_that_take_part(kind, said, guard, neg):
    sheet = Sheet()
    p, g = sheet.holds(0, said), sheet.holds(1, guard)
    sheet.emit(Op.MOV, reg(64), imm(0))
    sheet.emit(Op.VOTE, reg(64), psrcs=(p._replace(neg=neg),), pdsts=(pred(2),), sub=kind, guard=g)
    ballot, verdict = sheet.run(reg(64), pred(2))
    yes = (said ^ neg) & guard
    mask = sum(1 << lane for lane in np.flatnonzero(yes))
    np.testing.assert_array_equal(ballot, np.where(guard, mask, 0))
    all_, any_ = (yes == guard).all(), yes.any()
    want = {Vote.ALL: all_, Vote.ANY: any_, Vote.EQ: all_ or not any_}[kind]
    np.testing.assert_array_equal(verdict, guard & want)


# ------------------------------------------------------------------ special registers


@pytest.mark.parametrize("shape", [(32, 1, 1), (7, 3, 1), (4, 4, 4), (70, 1, 1), (5, 2, 9)])
def test_special_registers_say_who_a_thread_is(shape):
    """Each thread of block 0 of a one-block launch writes where it is; here as seen by warp 0."""
    sheet = Sheet()
    for k, special in enumerate((Special.TID_X, Special.TID_Y, Special.TID_Z, Special.LANEID, Special.WARPID)):
        sheet.emit(Op.S2R, reg(64 + k), sub=special)
    n = min(int(np.prod(shape)), 32)
    warp = sheet.emit(Op.S2R, reg(90), sub=Special.WARPID)
    sheet.emit(Op.ISETP, None, warp, imm(0), pdsts=(pred(6),), sub=Cmp.NE)
    sheet.emit(Op.EXIT, guard=pred(6))
    y = launch_shaped(sheet, [reg(64 + k) for k in range(5)], shape)[:, :n]
    z, rest = np.divmod(np.arange(n), shape[0] * shape[1])
    np.testing.assert_array_equal(y, [rest % shape[0], rest // shape[0], z, np.arange(n), np.zeros(n)])


# ------------------------------------------------------------------ divergence


def branch_on(sheet: Sheet, condition, then, orelse, barrier: int, number: int) -> None:
    """``if (condition) then() else orelse()``, the way ptxas writes it: BSSY, BRA, ..., BSYNC.

    Both bodies are functions that emit instructions.
    """
    p = sheet.holds(number, condition)
    bssy = len(sheet.body)
    sheet.emit(Op.BSSY, sub=barrier, target=0)
    bra = len(sheet.body)
    sheet.emit(Op.BRA, guard=p._replace(neg=True), target=0)
    then()
    skip = len(sheet.body)
    sheet.emit(Op.BRA, target=0)
    sheet.aim(bra)
    orelse()
    sheet.aim(skip)
    sheet.aim(bssy)
    sheet.emit(Op.BSYNC, sub=barrier)


def note(sheet: Sheet, row: int, value: int) -> None:
    """The lanes that are here together: their ballot, and a value."""
    sheet.emit(Op.VOTE, reg(row), psrcs=(pred(7),), sub=Vote.ALL)
    sheet.emit(Op.IADD3, reg(row + 1), reg(row + 1), imm(value))


def mask_of(active: np.ndarray) -> int:
    return sum(1 << int(lane) for lane in np.flatnonzero(active))


@some
@given(lanes, lanes)
def test_nested_branches_meet_again(outer, inner):
    sheet = Sheet()
    for r in (65, 67, 69, 71, 73):
        sheet.emit(Op.MOV, reg(r), imm(0))

    def nested():
        branch_on(sheet, inner, lambda: note(sheet, 64, 1), lambda: note(sheet, 66, 2), 1, 1)
        note(sheet, 68, 4)

    branch_on(sheet, outer, nested, lambda: note(sheet, 70, 8), 0, 0)
    note(sheet, 72, 16)
    got = sheet.run(*(reg(r) for r in range(64, 74)))
    paths = [outer & inner, outer & ~inner, outer, ~outer, np.ones(32, bool)]
    for k, active in enumerate(paths):
        np.testing.assert_array_equal(
            got[2 * k][active], mask_of(active)
        )  # they ran together: one path, not lane by lane
        np.testing.assert_array_equal(got[2 * k + 1], np.where(active, 1 << k, 0))


@some
@given(lanes)
def test_a_branch_to_the_next_instruction_parts_no_warp(taken):
    """As on an H100, which executes what follows once (the kernel ``registers`` of ``calibration/data/hopper``)."""
    sheet = Sheet()
    p, bra = sheet.holds(0, taken), len(sheet.body)
    sheet.emit(Op.BRA, guard=p, target=0)
    sheet.aim(bra)
    note(sheet, 64, 0)
    np.testing.assert_array_equal(sheet.run(reg(64))[0], mask_of(np.ones(32, bool)))


def lanes_after_a_loop(trips: np.ndarray, may_spin: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rounds of a loop with a trip count a lane, and the lanes that go on together after its convergence barrier."""
    sheet = Sheet()
    n = sheet.given(trips)
    sheet.emit(Op.MOV, reg(64), imm(0))
    bssy = len(sheet.body)
    sheet.emit(Op.BSSY, sub=3, target=0)
    head = len(sheet.body)
    sheet.emit(Op.ISETP, None, reg(64), n, pdsts=(pred(0),), sub=Cmp.GE)
    leave = len(sheet.body)
    sheet.emit(Op.BRA, guard=pred(0), target=0)
    sheet.emit(Op.NOP, sub=int(may_spin))
    sheet.emit(Op.IADD3, reg(64), reg(64), imm(1))
    sheet.emit(Op.BRA, target=head)
    sheet.aim(leave)
    sheet.aim(bssy)
    sheet.emit(Op.BSYNC, sub=3)
    sheet.emit(Op.VOTE, reg(65), psrcs=(pred(7),), sub=Vote.ALL)
    count, together = sheet.run(reg(64), reg(65))
    return count, together


@some
@given(words().map(lambda x: x % 7))
def test_a_loop_with_a_trip_count_a_lane_meets_at_its_end(trips):
    count, together = lanes_after_a_loop(trips, may_spin=False)
    np.testing.assert_array_equal(count, trips)
    assert (together == 0xFFFFFFFF).all()


@some
@given(words().map(lambda x: x % 7))
def test_lanes_do_not_wait_for_those_that_may_spin(trips):
    """The loop has a YIELD: on an H100 each lane goes on with those that leave it in the same round."""
    count, together = lanes_after_a_loop(trips, may_spin=True)
    np.testing.assert_array_equal(count, trips)
    np.testing.assert_array_equal(together, [mask_of(trips == n) for n in trips])


@some
@given(lanes, lanes, st.booleans())
def test_lanes_that_leave_are_not_waited_for(outer, gone, guarded):
    sheet = Sheet()
    sheet.emit(Op.MOV, reg(64), imm(5))

    def some_leave():
        p = sheet.holds(2, gone)
        sheet.emit(Op.EXIT, **({"guard": p} if guarded else {"psrcs": (p,)}))
        sheet.emit(Op.MOV, reg(64), imm(6))

    branch_on(sheet, outer, some_leave, lambda: sheet.emit(Op.MOV, reg(64), imm(7)), 0, 0)
    note(sheet, 66, 1)
    value, together = sheet.run(reg(64), reg(66))
    left = outer & gone
    np.testing.assert_array_equal(value, np.where(left, OUTSIDE, np.where(outer, 6, 7)))
    np.testing.assert_array_equal(together, np.where(left, OUTSIDE, mask_of(~left)))


@pytest.mark.parametrize("threads", [1, 5, 31, 32])
def test_a_short_warp_has_no_other_lanes(threads):
    sheet = Sheet()
    sheet.emit(Op.VOTE, reg(64), psrcs=(pred(7),), pdsts=(pred(0),), sub=Vote.ALL)
    ballot, verdict = sheet.run(reg(64), pred(0), threads=threads)
    active = threads > LANES
    np.testing.assert_array_equal(ballot, np.where(active, (1 << threads) - 1, OUTSIDE))
    assert verdict[active].all()


def test_a_branch_that_every_lane_takes_does_not_split():
    sheet = Sheet()
    skip = len(sheet.body)
    sheet.emit(Op.BRA, target=0)
    sheet.emit(Op.MOV, reg(64), imm(1))
    sheet.aim(skip)
    sheet.emit(Op.VOTE, reg(65), psrcs=(pred(7),), sub=Vote.ALL)
    assert (sheet.run(reg(65))[0] == 0xFFFFFFFF).all()


def test_lanes_that_wait_for_lanes_that_never_come_are_told():
    """Half the warp waits at barrier 0, the other half at barrier 1: nobody can go on."""
    sheet = Sheet()
    p = sheet.holds(0, LANES < 16)
    sheet.emit(Op.BSSY, sub=0, target=1)
    sheet.emit(Op.BSSY, sub=1, target=1)
    away = len(sheet.body)
    sheet.emit(Op.BRA, guard=p, target=0)
    sheet.emit(Op.BSYNC, sub=0)
    sheet.aim(away)
    sheet.emit(Op.BSYNC, sub=1)
    with pytest.raises(SimulationError, match="deadlock") as error:
        sheet.run(reg(RZ))
    assert "\n" not in str(error.value)


def test_an_instruction_the_engine_lacks_is_named():
    sheet = Sheet()
    sheet.emit(Op.UNKNOWN)
    with pytest.raises(SimulationError, match="WGMMA"):
        sheet.run(reg(64), unknown={len(sheet.program().instrs) - 2: "WGMMA.64x8x16.F32"})


def test_every_instruction_is_somebodys():
    """What neither the load/store pipe nor control flow nor those out of line run, a routine computes."""
    elsewhere = {op for op in Op if op.info.pipe in (Pipe.LSU, Pipe.CONTROL) or op.info.out_of_line} | {Op.VOTE}
    computed = {op for op in Op if addresses([op])[op]}
    assert elsewhere | computed == set(Op)


def test_a_match_may_overwrite_what_it_matches():
    """As compilers let a 64-bit match put its result into the upper word of its source."""
    low, high = LANES % 3, LANES % 2
    sheet = Sheet()
    for k, row in enumerate((low, high)):
        sheet.emit(Op.MOV, reg(64 + k), sheet.given(row))
    sheet.emit(Op.MATCH, reg(65), reg(64), width=8)
    want = [sum(1 << j for j in range(32) if j % 6 == lane % 6) for lane in range(32)]
    np.testing.assert_array_equal(sheet.run(reg(65))[0], want)


@pytest.mark.parametrize("index", [62, 63, 79, 254])
def test_uniform_registers_of_a_blackwell_are_as_good_as_others(index):
    sheet = Sheet()
    sheet.emit(Op.MOV, ureg(index), imm(7))
    sheet.emit(Op.IADD3, reg(80), ureg(index), sheet.given(LANES), reg(RZ))
    np.testing.assert_array_equal(sheet.run(reg(80))[0], LANES + 7)


@pytest.mark.parametrize(
    ("op", "source"),
    [(Op.LDC, {"offset": 0}), (Op.S2R, {"sub": Special.NTID_X}), (Op.CS2R, {"sub": Special.CLOCK_LO})],
    ids=lambda given: given.name if isinstance(given, Op) else "",
)
def test_a_uniform_register_keeps_its_value_where_the_guard_is_false(op, source):
    """Random programs found LDCU and S2UR writing it all the same."""
    sheet = Sheet()
    never = sheet.holds(0, LANES < 0)
    sheet.emit(Op.MOV, ureg(4), imm(7))
    sheet.emit(op, ureg(4), guard=never, **source)
    sheet.emit(Op.MOV, reg(80), ureg(4))
    np.testing.assert_array_equal(sheet.run(reg(80))[0], np.full(32, 7))


@pytest.mark.parametrize("op", [Op.BRX, Op.RET, Op.CALL])
def test_a_jump_through_a_register_is_taken_where_its_predicate_holds(op):
    sheet, n_before = Sheet(), 10  # instructions before the body, with three inputs
    to = sheet.given_pair(LANES * 0 + 16 * (n_before + 4), LANES * 0)
    p = sheet.holds(0, LANES < 10)
    sheet.emit(Op.MOV, reg(80), imm(1))
    sheet.emit(op, None, to, psrcs=(p,))
    sheet.emit(Op.MOV, reg(80), imm(2))
    np.testing.assert_array_equal(sheet.run(reg(80))[0], np.where(LANES < 10, 1, 2))
