"""What a machine's L2 holds."""

from gpusim.engine.hierarchy.copies import FROM_HOST, WRITTEN
from gpusim.engine.hierarchy.l2_sets import BITS, PARTIAL_AT, TAG, WORDS_AT
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import SECTORS
from gpusim.hardware.fixed import LINE
from gpusim.simulate.counted import Moved
from gpusim.simulate.l2_state import held_by_l2, last_of, left, take_over, with_moved
from tests.engine.hierarchy.small import small


def test_a_sector_written_in_part_is_one_dirty_sector():
    """Its words and that it is partial were counted, too."""
    m = small()
    ways = int(m.shape[S.L2_WAYS])
    m.l2[:, TAG * ways : (TAG + 1) * ways] = -1
    m.l2[:, BITS * ways :] = 0
    m.l2[0, TAG * ways] = 7
    m.l2[0, BITS * ways] = 1 | 1 << SECTORS | 1 << PARTIAL_AT | 0b111 << WORDS_AT
    assert held_by_l2(m)[:2] == (1, 1)


def test_of_what_is_longer_than_l2_the_last_bytes_decide():
    assert last_of(Moved(FROM_HOST, 7000, 1000), 1000) == (FROM_HOST, 7000, 1000)
    assert last_of(Moved(FROM_HOST, 7000, 1000), 400) == (FROM_HOST, 7600, 400)


def test_what_was_moved_after_a_launch_is_put_on_what_it_left():
    m, again = small(), small()
    m.l2[0, TAG * int(m.shape[S.L2_WAYS])] = 7
    found = with_moved(left(m), [Moved(WRITTEN, 0, 4 * LINE)])
    assert found is not None
    held = take_over(again, found)
    assert (held.dirty, held.lines) == (4 * SECTORS, 5)
    assert with_moved(None, []) is None
