"""Is a machine that runs a launch again as a new one would be?"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from gpusim.catalogue import lookup
from gpusim.simulate import count
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.driving import Place, drive
from gpusim.simulate.launch import Buffer, lay_out, place
from gpusim.simulate.machines import ELSEWHERE, Machines
from gpusim.simulate.prepared import bound, whole
from tests.kernels.run import prepare

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="machines are kept in files in memory, as Linux has them"
)
AGAIN = 4  # the first is not kept, the second is kept as it was, the third is that one


def _place(n: int, machines: Machines | None) -> Place:
    launch, gpu, held = prepare(lookup.get("copy"), {"N": n, "B": 64})
    layout = lay_out(launch)
    return Place(launch, gpu, held, layout, np.ones(layout.total // 4, np.uint32), machines=machines)


def test_every_array_is_as_in_a_new_machine():
    machines = Machines()
    where = _place(1000, machines)
    image = bound(where.launch, where.layout, whole(where.launch.program))
    for _ in range(AGAIN):
        m = where.machine_again(image, 1, timed=False)
        for name, array in where.machine(image, 1, timed=False)._asdict().items():
            assert np.array_equal(getattr(m, name), array), name
        assert drive(m, where.launch, image, BlockQueue.whole(where.launch.blocks), None, "")
        assert m.counts.any()
    assert m.l2.base is not None
    assert np.shares_memory(m.misc, m.crew)


@pytest.mark.parametrize("kernel", ["copy", "matmul-tiled"])
def test_launches_whose_arrays_lie_elsewhere_count_what_they_count_alone(kernel):
    algorithm, machines, l2 = lookup.get(kernel), Machines(), None
    launch, gpu, held = prepare(algorithm, dict.fromkeys(algorithm.sizes, 96))
    for k in range(AGAIN):
        moved = replace(launch, places=_rotated(launch, k))
        alone = count(moved, gpu, held, l2=l2, keep_l2=True)
        again = count(moved, gpu, held, l2=l2, keep_l2=True, machines=machines)
        assert np.array_equal(alone.total, again.total)
        assert np.array_equal(alone.sites, again.sites)
        assert alone.timing == again.timing
        assert again.l2 is not None
        assert alone.l2 is not None
        assert np.array_equal(alone.l2.lines, again.l2.lines)
        l2 = again.l2


def _rotated(launch, k):
    """Places of equal size for all arrays, which the arrays take in another order."""
    arrays = {name: one.nbytes for name, one in launch.arguments.items() if isinstance(one, np.ndarray | Buffer)}
    names = [*arrays][k % len(arrays) :] + [*arrays][: k % len(arrays)]
    return place(dict.fromkeys(names, max(arrays.values())))


def test_arrays_that_are_part_of_others_stay_so():
    where = _place(100, None)
    image = bound(where.launch, where.layout, whole(where.launch.program))
    m = where.machine(image, 1)
    own = {name for name in m._fields if name not in ELSEWHERE}
    for name in own - {"misc"}:
        for other in own - {"misc", name}:
            assert not np.may_share_memory(getattr(m, name), getattr(m, other)), (name, other)
