"""Running part of a launch: what executes is exact, what caches make of it close."""

from __future__ import annotations

import functools
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.simulate import Counts, count, counting, sample, scaling
from gpusim.simulate.block_queue import BlockQueue, Stretch
from gpusim.simulate.clusters import held_at_once
from tests.kernels.run import prepare
from tests.marks import most_by_hand

LAUNCHES = {
    "vector-add": {"N": 1_500_001, "B": 128},
    "matmul-tiled": {"M": 1603, "N": 1597, "K": 40, "T": 16},
    "matmul-register-tiled": {"M": 2562, "N": 2559, "K": 24, "BM": 32, "BN": 32, "BK": 8, "TM": 2, "TN": 4},
    "transpose-padded": {"M": 2050, "N": 2049, "T": 16, "R": 8},
    "reduce-shuffle": {"N": 1_400_001, "B": 96},
    "stencil5": {"M": 1500, "N": 1501, "X": 32, "Y": 4},
    "divergence": {"N": 1_400_001, "w": 3, "B": 128},
}

TRIED = ["matmul-tiled", "transpose-padded", "reduce-shuffle"]

ODD_ROWS = {
    "matmul-tiled": {C.LINES, C.LD_TAGS, C.ST_TAGS},
    "matmul-register-tiled": {C.LINES, C.LD_TAGS, C.ST_TAGS},
    "transpose-padded": {C.LINES, C.LD_TAGS, C.ST_TAGS},
    "stencil5": {C.LINES, C.LD_TAGS, C.ST_TAGS, C.LD_SECTORS, C.ST_SECTORS},
}
"""What blocks of one class need not do alike, for the rows of their matrices do not begin at whole lines."""


SHARED_EDGES = {"transpose-padded": 0.25}
"""How far writes to HBM may be off where blocks share sectors at their edges, also with blocks that are left out."""


FILLED_LATE = {"matmul-register-tiled": 0.008}
"""Of the sectors written, how many more may be read from HBM: rows of C do not begin at whole sectors, and where the
second of two blocks that share one comes late, L2 reads it first.  In the run that is timed 0.7 % are; in the part of
the launch, which is paced, none."""


def kinds_of(queue: BlockQueue) -> np.ndarray:
    """The row of counts that each block of a queue adds to."""
    return np.concatenate([np.full(one.blocks, one.kind) for one in queue.stretches])


@functools.cache
def both(name: str) -> tuple[Counts, Counts]:
    """A launch whole, and in part."""
    launch, gpu, held = prepare(lookup.get(name), LAUNCHES[name], "p100")
    assert launch.blocks >= 5 * held_at_once(gpu, launch, held)
    everything = count(launch, gpu, held, sample=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "BUDGET", everything.warp_instructions / 3)
        return everything, count(launch, gpu, held)


@pytest.mark.parametrize("share", [0.2, 0.4, 1])
def test_the_stretch_that_is_timed_begins_with_a_measured_span(share):
    launch, gpu, held = prepare(lookup.get("vector-add"), {"N": 6_000_000, "B": 128}, "p100")
    wave = held_at_once(gpu, launch, held)
    chosen = sample.plan(launch, gpu, held, sample.BUDGET / share, sample=share < 1)
    at, middle = chosen.middle(wave)
    assert middle.first == chosen.queue.numbers()[at]
    assert abs(middle.first - launch.blocks / 2) < launch.blocks / 4
    assert middle.blocks == min(4 * wave, launch.blocks - middle.first)
    if chosen.sampled:
        assert kinds_of(chosen.queue)[at - 1 : at + 1].tolist() == [sample.WARM, sample.MEASURED]


@pytest.mark.parametrize("name", most_by_hand(LAUNCHES, TRIED))
def test_part_of_it_is_run(name):
    everything, part = both(name)
    assert part.sampled
    assert not everything.sampled
    assert part.blocks_run < 0.7 * everything.blocks_run


@pytest.mark.parametrize("name", most_by_hand(LAUNCHES, TRIED))
def test_what_executes_is_exact(name):
    everything, part = both(name)
    differ = {c for c in C.EXECUTED if everything.total[c] != part.total[c]}
    assert differ <= ODD_ROWS.get(name, set())
    for column in differ:
        assert part.total[column] == pytest.approx(everything.total[column], rel=0.02)


@pytest.mark.parametrize("name", most_by_hand(LAUNCHES, TRIED))
def test_traffic_is_close(name):
    everything, part = both(name)
    for column in (C.DRAM_READ, C.L2_READ, C.L2_WRITE):
        late = FILLED_LATE.get(name, 0) * everything.total[C.L2_WRITE] if column == C.DRAM_READ else 0
        assert part.total[column] == pytest.approx(everything.total[column], rel=0.1, abs=late)
    close = pytest.approx(everything.total[C.DRAM_WRITE], rel=SHARED_EDGES.get(name, 0.1), abs=20_000)
    assert part.total[C.DRAM_WRITE] == close


@pytest.mark.parametrize("name", most_by_hand(LAUNCHES, TRIED))
def test_arrays_are_close(name):
    everything, part = both(name)
    executed = [k for k, column in enumerate(C.ARRAYS) if not column.adds_up_to]
    np.testing.assert_allclose(part.arrays[:, executed], everything.arrays[:, executed], rtol=0.05)


@pytest.mark.parametrize("name", most_by_hand(LAUNCHES, TRIED))
def test_lines_and_arrays_add_up_to_the_launch(name):
    for counts in both(name):
        for table, columns in ((counts.sites, C.SITES), (counts.arrays, C.ARRAYS)):
            for values, column in zip(table.T, columns, strict=True):
                if column.adds_up_to:
                    assert values.sum() == pytest.approx(counts.total[list(column.adds_up_to)].sum())


def test_a_small_launch_runs_whole_whatever_is_asked():
    launch, gpu, held = prepare(lookup.get("copy"), {"N": 1000})
    for asked in (None, True, False):
        counts = count(launch, gpu, held, sample=asked)
        assert not counts.sampled
        assert counts.blocks_run == launch.blocks


def test_sampling_can_be_asked_for():
    launch, gpu, held = prepare(lookup.get("vector-add"), LAUNCHES["vector-add"], "p100")
    assert not count(launch, gpu, held).sampled
    assert count(launch, gpu, held, sample=True).sampled


# ------------------------------------------------------------------ plans

axes = st.tuples(st.integers(1, 90), st.integers(1, 20), st.integers(1, 4))


def classes(grid: tuple[int, int, int]) -> np.ndarray:
    """For each block and axis: 0 at the first index, 2 at the last, 1 between."""
    index = np.stack(np.unravel_index(np.arange(np.prod(grid)), grid[::-1]), axis=1)
    return np.where(index == 0, 0, np.where(index == np.array(grid[::-1]) - 1, 2, 1))


@given(axes)
def test_probes_stand_for_every_block(grid):
    probes, of, population = sample._probes(grid)
    kinds, many = np.unique(classes(grid), axis=0, return_counts=True)
    assert len(set(probes.tolist())) == len(probes)
    assert len(population) == len(kinds)
    for k, blocks in enumerate(population):
        (kind,) = np.unique(classes(grid)[probes[of == k]], axis=0)
        assert blocks == many[(kinds == kind).all(axis=1)]


@given(axes)
def test_one_block_of_every_class_is_checked(grid):
    blocks = sample.probe_blocks(grid)
    assert (np.diff(blocks) > 0).all()
    np.testing.assert_array_equal(np.unique(classes(grid)[blocks], axis=0), np.unique(classes(grid), axis=0))
    assert len(blocks) == len(np.unique(classes(grid), axis=0))


@given(st.integers(1, 10**6), st.integers(1, 400), st.integers(1, 2000), st.integers(1, 32))
def test_spans_are_whole_rows(blocks, row, wave, per_sm):
    counted, warming, last, after, unit, apart = sample._spans(blocks, row, wave, per_sm)
    assert counted % unit == warming % unit == after % unit == 0
    assert warming >= wave
    assert counted >= 0.65 * wave
    assert (last, after > 0) == ((0, True) if counted <= sample.LITTLE * blocks else (counted, False))
    assert not after or after == unit or abs(after - wave / 2) <= unit / 2
    assert unit == (row if row <= wave else 1)
    assert 1 <= apart <= max(1, per_sm // 2 - 1)


@given(
    st.integers(1, 60), st.integers(1, 500), st.integers(1, 32), st.integers(1, 4), st.integers(0, 90), st.booleans()
)  # fmt: skip
def test_windows_are_spans_of_the_grid(row, wave, per_sm, pairs, more, ends):
    spans = sample._spans(0 if ends else 10**9, row, wave, per_sm)
    blocks = spans.ends + spans.pair * pairs + more * spans.unit
    chosen = sample._windows(blocks, spans, pairs)
    queue, kinds = chosen.numbers(), kinds_of(chosen)
    assert (np.diff(queue) > 0).all()
    assert queue[0] == 0
    assert queue[-1] == blocks - 1 or not ends
    warming = (spans.apart + pairs) * spans.warming + spans.after
    lengths = [spans.counted, warming, pairs * spans.counted, spans.last]
    assert np.bincount(kinds, minlength=4).tolist() == lengths
    begins = queue[np.flatnonzero(np.diff(kinds, prepend=-1))]
    assert (begins % spans.unit == 0).all()


@given(axes, st.integers(1, 100), st.booleans())
def test_what_every_block_does_alike_is_scaled_exactly(grid, value, odd):
    """Columns of execution come from the probes, unless blocks of a class differ."""
    probes, of, population = sample._probes(grid)
    blocks = int(np.prod(grid))
    queue = BlockQueue(Stretch(k, 1, kind) for k, kind in enumerate((sample.FIRST, sample.MEASURED, sample.LAST)))
    chosen = sample.Plan(queue, 4, probes, of, population, blocks, True)
    probed = np.full((len(probes), C.N_COUNTS), float(value))
    probed[0, C.LINES] += odd
    empty = scaling.Held(0, 0, 1000)
    total = scaling.scale(chosen, np.zeros((4, C.N_COUNTS), np.int64), probed, empty, empty)
    assert total[C.INST] == blocks * value
    differs = odd and np.count_nonzero(of == 0) > 1
    assert total[C.LINES] == (0 if differs else blocks * value + odd * population[0])


@given(st.integers(1, 2**40), st.integers(1, 2**40), st.integers(0, 2**40))
def test_work_of_probes_is_their_share_of_it_however_long_they_are(steps, of_probes, of_others):
    machine = namedtuple("Few", ("misc", "counts"))(np.zeros(S.N_MISC, np.int64), np.zeros((2, C.N_COUNTS), np.int64))
    machine.misc[S.STEPS] = steps
    machine.counts[:, C.INST] = of_probes, of_others
    found = counting._of_probes(machine, 1)
    assert found.misc[S.STEPS] == steps * of_probes // (of_probes + of_others)
    assert machine.misc[S.STEPS] == steps


LINE = 4  # sectors


@given(st.integers(1, 400), st.integers(1, 400), st.integers(1, 400))
def test_a_streaming_launch_writes_what_does_not_stay_in_l2(part, rest, room):
    """Every block brings a line and makes another one dirty; some were run, L2 has `room` for so many lines."""
    blocks = part + rest
    seen = np.zeros((4, C.N_COUNTS), np.int64)
    lines = min(2 * part, room)
    dirty = LINE * lines // 2
    seen[sample.FIRST, [C.DRAM_READ, C.L2_WRITE, C.DRAM_WRITE]] = LINE * part, LINE * part, LINE * part - dirty
    total = seen.sum(axis=0) * (blocks / part)
    wrote = scaling._written_back(total, seen.sum(axis=0), scaling.Held(0, 0, room), scaling.Held(dirty, lines, room))
    assert wrote == pytest.approx(LINE * (blocks - min(blocks, room / 2)), abs=LINE * room / lines)
