"""Lines of constants: which an SM holds, which its GPC, and what a miss costs."""

from gpusim.engine.hierarchy.constant_cache import find_all, line_at, line_of, seek
from gpusim.engine.hierarchy.servers import SPAN
from gpusim.engine.state import columns as S
from tests.engine.hierarchy.small import CONSTANT_LINES, GPC_LINES, GPC_MISSES, small

FETCH, SEEK = 40, 300
AT = 4 * SPAN


def waited(m, line, t=AT, sm=0):
    """Ticks that an SM waits for a line, for which it stands still if it does not hold it."""
    seek(m, sm, line, t)
    if m.sms[sm, S.SEEKS]:
        find_all(m)
    waits = int(line_at(m, sm, line, t)) - t
    m.sms[sm, S.SOUGHT_AT] = 0
    return waits


def test_a_line_is_64_bytes_of_a_bank():
    assert int(line_of(0, 63)) == 0
    assert int(line_of(0, 64)) == 1
    assert int(line_of(3, 128)) == 3 << 32 | 2


def test_what_a_launch_tells_its_kernel_its_gpc_has():
    m = small()
    assert waited(m, 1) == FETCH
    assert waited(m, 1, AT + 10) == FETCH - 10
    assert waited(m, 1, AT + FETCH) == 0


def test_a_gpc_gives_its_sms_one_line_after_another():
    m = small(GPC_GIVES=7)
    assert [waited(m, 1, sm=0), waited(m, 2, sm=1), waited(m, 1, sm=2)] == [FETCH, FETCH + 7, FETCH]


def test_other_banks_come_from_l2_once_for_a_gpc():
    m, line = small(), 3 << 32
    assert waited(m, line) == SEEK + FETCH
    assert waited(m, line, AT + 1000, sm=1) == FETCH
    assert waited(m, line, AT + 1000, sm=2) == SEEK + FETCH


def test_a_gpc_asks_l2_for_so_many_lines_at_once():
    m = small(GPC_GIVES=0)
    times = [waited(m, 3 << 32 | k) for k in range(2 * GPC_MISSES)]
    assert times == [SEEK + FETCH] * GPC_MISSES + [2 * (SEEK + FETCH)] * GPC_MISSES


def test_lines_make_room_in_turns():
    m = small()
    for k in range(CONSTANT_LINES + 1):
        waited(m, k)
    later = AT + 10_000
    assert [waited(m, k, later) for k in (1, CONSTANT_LINES)] == [0, 0]
    assert waited(m, 0, later) == FETCH


def test_two_lines_at_one_place_of_a_gpc_drive_each_other_out():
    m, first, second = small(), 3 << 32 | 5, 3 << 32 | 5 + GPC_LINES
    for t, line in enumerate((first, second)):
        waited(m, line, AT + 10_000 * t)
    assert waited(m, first, AT + 30_000, sm=1) == SEEK + FETCH


def test_where_pace_alone_is_modelled_nothing_waits():
    assert waited(small(sizes={"TIMED": 0}), 3 << 32) == 0


def test_sms_that_stand_still_together_are_served_in_the_order_in_which_they_ask():
    m = small(GPC_GIVES=7)
    seek(m, 0, 1, AT + 5)
    seek(m, 1, 2, AT)
    seek(m, 1, 2, AT)
    find_all(m)
    assert [int(line_at(m, sm, line, AT)) - AT for sm, line in ((1, 2), (0, 1))] == [FETCH, FETCH + 7]
    assert not m.sms[:, S.SEEKS].any()
