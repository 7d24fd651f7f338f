"""Places that blocks have left: the earliest is given another block first."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.engine.core.free_slots import N_FREE_SLOT, SLOT_OF, TICK_OF, add_free_slot, handout_tick, take_free_slot
from gpusim.engine.state import columns as S
from tests.engine.hierarchy.small import small

TURN = 3072


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 60)), max_size=40), st.randoms(use_true_random=False))
def test_slots_come_back_by_tick_and_then_by_number(places, random):
    heap, inside = np.zeros((41, N_FREE_SLOT), np.int64), []
    for place in places:
        add_free_slot(heap, *place)
        inside.append(place)
        if random.random() < 0.3:
            first = min(inside)
            assert (heap[1, TICK_OF], heap[1, SLOT_OF]) == first
            assert take_free_slot(heap) == first[1]
            inside.remove(first)
    assert heap[0, 0] == len(inside)
    assert [int(take_free_slot(heap)) for _ in inside] == [slot for _, slot in sorted(inside)]


def test_a_gpc_gives_an_sm_one_block_in_each_of_its_turns():
    m = small(GPC_TURN=TURN)
    given = [int(handout_tick(m, sm, 5)) for sm in (0, 0, 1, 2)]
    assert given == [2 * TURN, 4 * TURN, 2 * TURN, TURN]  # of two GPCs, whose turns alternate
    assert m.sms[:3, S.GIVEN_AT].tolist() == [4 * TURN, 2 * TURN, TURN]
