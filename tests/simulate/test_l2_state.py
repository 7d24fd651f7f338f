"""What a machine's L2 holds."""

from gpusim.engine.hierarchy.l2_sets import BITS, PARTIAL_AT, TAG, WORDS_AT
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import SECTORS
from gpusim.simulate.l2_state import held_by_l2
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
