"""A launch run by several threads: the same to the last bit, however many there are, and how they share the host."""

from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pytest

import gpusim
from gpusim import processors
from gpusim.catalogue import lookup
from gpusim.errors import ParameterError
from gpusim.simulate import Counts, count
from gpusim.simulate.window import WINDOW
from gpusim.simulate.workers import SMS_EACH, Workers
from tests.kernels.run import prepare
from tests.marks import most_by_hand

THREADS = 1, 2, 3, 16
WIDE = {
    "copy": {"N": 1 << 18},
    "transpose-naive": {"M": 512, "N": 512},
    "matmul-tiled": {"n": 256, "tile": 16},
    "softmax": {"M": 512, "N": 256},
    "layernorm": {"M": 512, "N": 512},
    "flash-attention-2": {"N": 256},
    "reduce-shuffle": {"N": 1 << 18},
}
"""Launches that have blocks for every SM."""
TRIED = ["copy", "matmul-tiled", "reduce-shuffle"]


def same(one: Counts, other: Counts) -> bool:
    """Whether two runs counted and timed the same."""
    numbers = all(np.array_equal(getattr(one, k), getattr(other, k)) for k in ("total", "arrays", "sites"))
    outputs = one.outputs.keys() == other.outputs.keys() and all(
        np.array_equal(one.outputs[k].view(np.uint8), other.outputs[k].view(np.uint8)) for k in one.outputs
    )
    l2 = (one.l2 is None) == (other.l2 is None) and (one.l2 is None or np.array_equal(one.l2.lines, other.l2.lines))
    return numbers and outputs and l2 and dataclasses.asdict(one.timing) == dataclasses.asdict(other.timing)


@pytest.mark.parametrize("name", most_by_hand(WIDE, TRIED))
def test_a_launch_is_the_same_for_any_number_of_threads(name):
    ready = prepare(lookup.get(name), WIDE[name], "h200")
    first, *others = (count(*ready, keep_l2=True, workers=Workers(n)) for n in THREADS)
    assert all(same(first, other) for other in others)


@pytest.mark.parametrize("sample", [True, False])
def test_so_is_one_that_is_counted_beside_a_stretch_of_it(sample, monkeypatch):
    monkeypatch.setattr("gpusim.simulate.counting.MOST_TIMED", 0)
    monkeypatch.setattr("gpusim.simulate.counting.WINDOW", WINDOW._replace(most=1e5))
    ready = prepare(lookup.get("copy"), {"N": 1 << 22 if sample is False else 1 << 24}, "h200")
    first, *others = (count(*ready, sample=sample, workers=Workers(n)) for n in (1, 2, 5))
    assert first.sampled == sample
    assert all(same(first, other) for other in others)


@pytest.mark.parametrize("name", WIDE)
def test_so_are_its_values(name):
    ready = prepare(lookup.get(name), WIDE[name], "h200")
    one, three = (count(*ready, values=True, workers=Workers(n)) for n in (1, 3))
    assert same(one, three)


def test_tickets_are_drawn_in_one_order_by_any_number_of_threads(compiler):
    """What an atomic gives depends on who comes first: here that decides which cell a thread writes."""
    text = "__global__ void take(int* next, int* cells) { cells[atomicAdd(next, 1)] = blockIdx.x * 32 + threadIdx.x; }"
    found = []
    for jobs in THREADS:
        next_one, cells = np.zeros(1, np.int32), np.full(600 * 32, -1, np.int32)
        kernel = gpusim.cuda.compile(text, gpu="h200").kernel()
        profile = gpusim.profile(kernel, 600, 32, [next_one, cells], jobs=jobs)
        assert next_one[0] == len(cells)
        found.append((profile.cycles, cells.tobytes()))
    assert len(set(found)) == 1


def test_a_fault_is_the_same_whoever_meets_it(compiler):
    text = "__global__ void past(int* x) { x[blockIdx.x * 32 + threadIdx.x + (blockIdx.x > 300) * (1 << 20)] = 1; }"
    kernel, said = gpusim.cuda.compile(text, gpu="h200").kernel(), set()
    for jobs in THREADS:
        with pytest.raises(gpusim.GpusimError) as error:
            gpusim.profile(kernel, 600, 32, [np.zeros(600 * 32, np.int32)], jobs=jobs)
        said.add(str(error.value))
    assert len(said) == 1


def test_a_launch_that_stops_is_stopped_by_all():
    with pytest.raises(gpusim.GpusimError, match="9999 warp instructions"):
        gpusim.predict("matmul-tiled", n=256, tile=16, limit=9999, jobs=4)


# ------------------------------------------------------------------ who shares what


def test_machines_share_the_processors_while_they_run():
    workers = Workers(8)
    assert workers.each == 8
    with workers.running():
        assert workers.each == 8
        with workers.running(), workers.running():
            assert workers.each == 2
        assert workers.each == 8


def test_a_machine_has_a_thread_however_many_run():
    workers = Workers(2)
    with workers.running(), workers.running(), workers.running():
        assert workers.each == 1


def test_a_few_blocks_are_few_threads_work():
    assert Workers(16).most(132, 1) == 1
    assert Workers(16).most(132, SMS_EACH + 1) == 2
    assert Workers(4).most(132, 10_000) == 4


def test_a_machine_leaves_no_thread_behind():
    gpusim.predict("copy", N=1 << 16, jobs=4)
    before = threading.active_count()
    for _ in range(3):
        gpusim.predict("copy", N=1 << 16, jobs=4)
    assert threading.active_count() <= before + 4


@pytest.mark.parametrize(("said", "found"), [("3", 3), ("1", 1)])
def test_the_environment_may_say_how_many_processors(monkeypatch, said, found):
    monkeypatch.setenv(processors.JOBS, said)
    assert processors.processors() == found
    assert processors.processors(5) == 5


@pytest.mark.parametrize("said", ["0", "-1", "two", "1.5", "99999999", "²"])
def test_what_is_no_number_of_processors_is_refused(monkeypatch, said):
    monkeypatch.setenv(processors.JOBS, said)
    with pytest.raises(ParameterError, match=processors.JOBS):
        processors.processors()


def test_without_a_word_all_are_used(monkeypatch):
    monkeypatch.delenv(processors.JOBS)
    assert processors.processors() >= 1


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "two", True])
def test_jobs_are_a_number_of_processors(jobs):
    with pytest.raises(ParameterError, match="jobs"):
        gpusim.predict("copy", N=256, jobs=jobs)
