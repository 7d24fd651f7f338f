"""Are the blocks of a queue run, each once, and is a grid of any size planned and begun without a list of them?"""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import hardware
from gpusim.catalogue import lookup
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.errors import EndlessError
from gpusim.frontends import described
from gpusim.simulate import Launch, count, counting, sample
from gpusim.simulate.block_queue import BlockQueue, Stretch
from gpusim.simulate.clusters import held_at_once
from gpusim.simulate.driving import Place, drive
from gpusim.simulate.guard import fitting
from gpusim.simulate.launch import fill_memory, lay_out, read_back
from gpusim.simulate.prepared import bound, whole
from gpusim.simulate.window import WINDOW
from tests.kernels.run import prepare

MOST = 2**31 - 1  # blocks of a grid in x
STRETCHES = [Stretch(3, 4, 2), Stretch(9, 0, 1), Stretch(10, 1), Stretch(20, 500, 1)]


@pytest.mark.parametrize("timeless", [True, False])
def test_every_block_of_a_stretch_runs_once_and_no_other(timeless):
    launch, gpu, held = prepare(lookup.get("copy"), {"N": 32 * 600, "B": 32})
    layout, x = lay_out(launch), np.arange(1, 32 * 600 + 1, dtype=np.float32)
    launch = Launch(launch.program, launch.grid, launch.block, {**launch.arguments, "x": x, "y": np.zeros_like(x)})
    image = bound(launch, layout, whole(launch.program))
    place = Place(launch, gpu, held, layout, fill_memory(launch, layout))
    m = place.machine(image, 3, timeless=timeless, n_sm=1 if timeless else None)
    assert drive(m, launch, image, BlockQueue(STRETCHES), None, "")
    ran = read_back(launch, layout, place.data)["y"].reshape(-1, 32).any(axis=1)
    assert np.flatnonzero(ran).tolist() == BlockQueue(STRETCHES).numbers().tolist()
    assert m.counts[:, C.BLOCKS].tolist() == [1, 500, 4]
    assert m.misc[S.HANDED] == m.misc[S.FINISHED_BLOCKS] == len(BlockQueue(STRETCHES)) == 505


def test_a_machine_goes_on_to_a_part_of_a_step():
    """Stretches are measured in shares of their instructions: a machine that stood just below one stayed there."""
    launch, gpu, held = prepare(lookup.get("copy"), {"N": 32 * 600, "B": 32})
    layout = lay_out(launch)
    image = bound(launch, layout, whole(launch.program))
    m = Place(launch, gpu, held, layout, fill_memory(launch, layout)).machine(image, 1)
    queue, told = BlockQueue([Stretch(0, 600)]), []

    def progress(*at):
        told.append(at)
        assert len(told) < 10, "it does not go on"

    assert not drive(m, launch, image, queue, progress, "", until=10)
    reached = int(m.misc[S.STEPS])
    assert not drive(m, launch, image, queue, progress, "", until=reached + 0.6)
    assert m.misc[S.STEPS] > reached


def test_a_launch_of_all_blocks_that_there_can_be_is_sampled(monkeypatch):
    monkeypatch.setattr(sample, "BUDGET", 1e6)
    monkeypatch.setattr(counting, "WINDOW", WINDOW._replace(most=1e6))
    gpu, copy = hardware.load("h200"), lookup.get("copy")
    launch = described.work(described.Described(copy, copy.launch(N=MOST, B=1)), gpu).launch
    held = fitting(launch, gpu, "copy")
    chosen = sample.plan(launch, gpu, held, 1e15)
    assert chosen.blocks == MOST
    assert len(chosen.queue.stretches) <= 2 + 3 * sample.MOST_PAIRS
    assert abs(chosen.middle(held_at_once(gpu, launch, held))[1].first - MOST / 2) < MOST / 4
    counts = count(launch, gpu, held)
    assert counts.sampled
    assert counts.total[C.BLOCKS] == counts.total[C.ST_REQ] == MOST


@pytest.mark.parametrize("grid", [(MOST, 1, 1), (MOST, 65535, 65535)])
def test_and_begins_to_run_whole(grid):
    launch, gpu, held = prepare(lookup.get("copy"), {"N": 32, "B": 32})
    launch = Launch(launch.program, grid, launch.block, launch.arguments)
    told = []
    with pytest.raises(EndlessError, match="100000 warp instructions; a larger limit allows more"):
        count(launch, gpu, held, sample=False, limit=100_000, progress=lambda *at: told.append(at))
    assert {(total, text) for _, total, text in told} == {(grid[0] * grid[1] * grid[2], "counting")}
