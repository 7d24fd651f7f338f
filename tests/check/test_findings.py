"""Does what a run notes become findings that name line, array, threads and what to do, the worst first?"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim.checks import KINDS, ORDER, Level
from gpusim.results.faults import Access, Fault, Observed, Space, Tool
from gpusim.simulate.launch import lay_out
from tests.check.observed import ARGUMENTS, READ, SOURCE, WRITE, at, beyond, race, unwritten


@pytest.fixture
def found(observing, compiler):
    """Findings of faults that a function gives of the launch."""

    def check(faults, **how):
        observing(faults)
        return gpusim.check(SOURCE, 2, 64, ARGUMENTS, **how).findings

    return check


def test_a_race_names_both_lines_both_threads_the_variable_and_the_value(found):
    (one,) = found(lambda launch: [race(launch)])
    assert (one.kind, one.tool, one.array, one.space, one.times) == ("race-raw", "racecheck", "s", "shared", 32)
    assert (one.spot.line, one.other.line) == (READ, WRITE)
    assert (one.spot.thread, one.other.thread) == ((31, 0, 0), (40, 0, 0))
    assert one.spot.block == one.other.block == (1, 0, 0)
    assert one.other.value == 0x3F800000
    assert one.spot.text == SOURCE.splitlines()[READ - 1].strip()
    assert "byte 128 of s (256 bytes, shared)" in one.what
    assert "thread (40,0,0) of block (1,0,0) has written (0x3f800000) at kernel.cu:5" in one.what


def test_an_access_beyond_an_array_says_how_far(found):
    (one,) = found(lambda launch: [beyond(launch)])
    assert (one.array, one.spot.line, one.other) == ("a", WRITE, None)
    assert "reads 4 bytes of global memory out of bounds: 3 bytes past the end of a (512 bytes)" in one.what


def test_shared_variables_are_told_apart(found):
    (one,) = found(lambda launch: [unwritten(launch)])
    assert one.array == "t"
    assert "4 bytes past the end of t (32 bytes, shared)" in one.what


def test_instructions_of_the_same_lines_are_one_finding(found):
    def faults(launch):
        first = race(launch, times=3)
        return [first, replace(first, access=replace(first.access, thread=7), times=4)]

    (one,) = found(faults)
    assert (one.times, one.spot.thread) == (7, (31, 0, 0))


def test_kinds_of_races_and_arrays_stay_apart(found):
    def faults(launch):
        return [race(launch), race(launch, Fault.WAR), race(launch, Fault.WAW), beyond(launch), unwritten(launch)]

    assert len(found(faults)) == 5


def test_the_worst_comes_first(found):
    def faults(launch):
        barrier = Observed(Fault.DIVERGENT_BARRIER, Access(0, 0, 4), times=1000)
        return [barrier, unwritten(launch), race(launch, times=2), race(launch, Fault.WAR, times=9), beyond(launch, 1)]

    kinds = [one.kind for one in found(faults)]
    assert kinds == ["out-of-bounds", "race-war", "race-raw", "uninitialized", "divergent-barrier"]


@pytest.mark.parametrize(
    ("how", "edit"),
    [
        ({"warp": 1}, "__syncthreads()"),
        ({"warp": 0}, "__syncwarp()"),
        ({"block": 0}, "cluster.sync()"),
    ],
)
def test_what_orders_two_threads_depends_on_where_they_run(found, how, edit):
    (one,) = found(lambda launch: [race(launch, **how)])
    assert edit in one.edit


def test_blocks_are_not_told_to_wait_for_one_another(found):
    def faults(launch):
        return [replace(race(launch, block=0), space=Space.GLOBAL, address=1 << 41)]

    (one,) = found(faults)
    assert "atomic" in one.edit
    assert "sync" not in one.edit


def test_a_null_pointer_is_named_as_such(found):
    def faults(launch):
        return [Observed(Fault.OUT_OF_BOUNDS, Access(at(launch, READ), 0, 1), None, Space.GLOBAL, 64, 4)]

    (one,) = found(faults)
    assert "writes 4 bytes of global memory out of bounds: address 0x40, as from a null pointer" in one.what
    assert "pointer is null" in one.edit


@pytest.mark.parametrize("space", list(Space))
def test_an_access_out_of_bounds_of_any_memory_has_an_edit_of_its_own(found, space):
    def faults(launch):
        return [Observed(Fault.OUT_OF_BOUNDS, Access(at(launch, READ), 0, 1), None, space, 1 << 41, 4)]

    (one,) = found(faults)
    assert f"of {space} memory" in one.what
    assert one.edit.endswith(".")


@pytest.mark.parametrize("fault", list(Fault))
def test_every_kind_says_what_happens_and_what_to_do(found, fault):
    def faults(launch):
        other = Access(at(launch, WRITE), 1, 5)
        return [Observed(fault, Access(at(launch, READ), 1, 4), other, Space.SHARED, 8, 4, 2, "lanes 3 and 4")]

    (one,) = found(faults)
    assert one.what.startswith("thread (4,0,0) of block (1,0,0) ")
    assert one.what.endswith("lanes 3 and 4") or fault in (Fault.WAW, Fault.RAW, Fault.WAR)
    assert one.edit.endswith(".")
    assert one.level is (Level.WARNING if fault in (Fault.LEAK, Fault.EXITED_BARRIER) else Level.ERROR)


def test_every_fault_is_a_kind_of_its_group():
    assert set(KINDS) == {*Fault, ORDER}
    assert all(KINDS[fault].tool == fault.tool for fault in Fault)
    assert len({kind.title for kind in KINDS.values()}) == len(KINDS)


def test_arrays_are_laid_out_with_room_between_them(observing, compiler):
    checks = observing()
    gpusim.check(SOURCE, 2, 64, ARGUMENTS)
    (launch,) = (one["launch"] for one in checks)
    ends = sorted((launch.places[name], launch.arguments[name].nbytes) for name in ("a", "b"))
    (first, nbytes), (second, _) = ends
    assert second - (first + nbytes) >= nbytes


def test_arrays_that_nobody_wrote_are_told_as_outputs(observing, compiler):
    checks = observing()
    gpusim.check(SOURCE, 2, 64, ARGUMENTS)
    gpusim.check(SOURCE, 2, 64, {"a": "normal:128", "b": "zeros:128", "n": 3}, unwritten=["a"])
    assert [one["launch"].outputs for one in checks] == [("b",), ("a",)]


def test_of_a_described_kernel_the_outputs_hold_nothing_yet(observing):
    checks = observing()
    found = gpusim.check("vector-add", N=256)
    assert found.clean
    launch = checks[0]["launch"]
    assert launch.outputs == ("c",)
    assert launch.arguments["a"].any()


def test_what_is_looked_for_and_how_much_is_run_is_handed_on(observing, compiler):
    checks = observing()
    gpusim.check(SOURCE, 2, 64, ARGUMENTS, tools="racecheck,memcheck", all_blocks=True, limit=7)
    assert checks[0]["tools"] == (Tool.MEMCHECK, Tool.RACECHECK)
    assert (checks[0]["most_blocks"], checks[0]["limit"]) == (None, 7)


def test_a_check_that_finds_something_fails_a_test(observing, compiler):
    observing(lambda launch: [race(launch)])
    with pytest.raises(AssertionError, match=r"read after write"):
        gpusim.check(SOURCE, 2, 64, ARGUMENTS).assert_clean()
    observing()
    gpusim.check(SOURCE, 2, 64, ARGUMENTS).assert_clean()


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"tools": "racechek"}, "unknown tool 'racechek': did you mean racecheck"),
        ({"tools": []}, "no tool is named: there are memcheck"),
        ({"schedules": -1}, "schedules = -1: it must be 0 to 1000"),
        ({"unwritten": ["c"]}, "unknown parameter of reverse 'c': there are a, b, n"),
        ({"unwritten": "a"}, "unwritten is a list of names of parameters"),
        ({"tool": "memcheck"}, "unknown argument of gpusim.check 'tool': did you mean tools?"),
        ({"limit": 0}, "limit = 0"),
        ({"all_blocks": "yes"}, "all_blocks must be True or False"),
        ({"progress": 1}, "progress must be a function"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(observing, compiler, how, says):
    observing()
    with pytest.raises(gpusim.GpusimError, match=r".") as refused:
        gpusim.check(SOURCE, 2, 64, ARGUMENTS, **how)
    assert str(refused.value).startswith(says)


def test_arrays_that_share_memory_stay_together(observing, compiler):
    checks = observing()
    whole = np.arange(256, dtype=np.float32)
    gpusim.check(SOURCE, 2, 64, [whole[:128], whole[64:192], np.int32(3)])
    places = checks[0]["launch"].places
    assert places["b"] - places["a"] == 256


def test_a_launch_is_laid_out_apart_whatever_it_has(observing, compiler):
    checks = observing()
    text = "__device__ float more[64]; " + SOURCE.replace("+ t[n]", "+ t[n] + more[n]")
    gpusim.check(text, 2, 64, ARGUMENTS)
    launch = checks[0]["launch"]
    layout = lay_out(launch)
    stretches = sorted((first, first + layout.nbytes[name]) for name, first in layout.address.items())
    assert len(stretches) == 3
    assert all(one[1] + 512 <= other[0] for one, other in itertools.pairwise(stretches))


def test_an_access_beyond_a_constant_variable_names_it(observing, compiler):
    def faults(launch):
        index = next(k for k, one in enumerate(launch.program.instrs) if one.op.name == "LDC" and one.sub == 3)
        return [Observed(Fault.OUT_OF_BOUNDS, Access(index, 0, 5), None, Space.CONSTANT, 36, 4, 2)]

    observing(faults)
    text = "__constant__ int c[8]; __global__ void k(int* b, int n) { b[threadIdx.x] = c[threadIdx.x + n]; }"
    result = gpusim.check(text, 1, 32, {"b": "zeros:32", "n": 8})
    (one,) = result.findings
    assert one.array == "c"
    assert "4 bytes past the end of c (32 bytes, constant)" in one.what
    assert "is read, and is all zeros" in result.notes[0]
    assert result.notes[0] in " ".join(repr(result).split())
