"""L1: what an SM still holds of what its warps read and wrote.

A set has a tag for each of its ways; all sets share the lines of data that the carve-out leaves.  When none is left,
a few rows of sets drop their last lines at once, and rows take turns (measured, microbenchmarks/l1_vacated.cu); a row
has a set for each of those of the tag stage.  A line comes in behind those of its set that were used again; one that is
used again goes to the front, where there is room for some of the ways.  So a stream that passes once leaves what is
used again where it is: on an H200 128 of 192 KiB that were read twice outlast 4 MiB read or written, and nothing that
was read once does.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.cache_hints import prefetch
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.access_patterns import PAT_LINES, PAT_N_LINES
from gpusim.engine.hierarchy.line_masks import full_sectors, touched_sectors, words_of
from gpusim.engine.hierarchy.outbox import (
    A_ALSO,
    A_DONE,
    A_LINE,
    A_ROW,
    ALONG,
    JOIN,
    READ,
    heard,
    is_pending,
    latest,
    post,
    post_request,
)
from gpusim.engine.hierarchy.requests import (
    FETCHES,
    add_line,
    find_line,
    has_room,
    open_request,
    take_out,
)
from gpusim.engine.hierarchy.tag_stage import fullest, one_in
from gpusim.engine.state import counts as C
from gpusim.engine.state.arrays import aligned
from gpusim.engine.state.columns import (
    ASK,
    ASK_ALONG,
    FILL,
    FILL_SECTOR,
    L1_FRONT,
    L1_HIT,
    L1_LINES,
    L1_SETS,
    L1_TURN,
    L1_USED,
    L1_VACATED,
    ON_FILL,
    PENDING,
    READ_REQUEST,
    READER,
)
from gpusim.engine.state.events import note_unit
from gpusim.engine.state.geometry import ALL_SECTORS, SECTORS
from gpusim.hardware.fixed import L1_WAYS, TAG_SETS

# A set of L1 is a row of `L1_WAYS` entries, those that hold a line first, and then of when what each waits for is over:
# its last fill or, with L1_STORED, its last store.  An entry: bits 0-3: valid sectors, 4-7: those still on their way;
# L1_AGAIN: used again since it came in; L1_PART: of other sectors it holds words that were written, a bit each in
# `Machine.l1_words`, in the column that L1_COLUMN says; from L1_BITS on the line, -1: none.
# There are tags for all the memory that L1 and shared memory have together.
L1_AGAIN, L1_PART, L1_STORED, L1_COLUMN, L1_COLUMNS, L1_BITS = 1 << 8, 1 << 9, 1 << 10, 11, 3 << 11, 13

VALID, BOTH = ALL_SECTORS, (1 << 2 * SECTORS) - 1  # sectors there, and with them those on their way
ORDER = 4  # row of `Machine.l1_sets`: rows in the order in which they lose lines


def empty_l1(sets: int) -> np.ndarray:
    """Rows of an L1 that holds nothing."""
    cache = aligned((sets, 2 * L1_WAYS), np.int64)
    cache[:, :L1_WAYS] = (-1 << L1_BITS) | (np.arange(L1_WAYS) << L1_COLUMN)
    return cache


@inline
def wire_time(m, sectors):
    """Ticks for which the wire into an SM is taken by a request for sectors of a line."""
    return max(popcount(sectors) * m.rates[FILL_SECTOR], m.rates[ASK])


@jit
def ask_l2(m, sm, line, missing, t):
    """Ask L2 for sectors of a line when the wire into the SM has room for them; the number of what is asked.

    They go along with others of the line that the SM still holds, and come with them.
    """
    own, before = m.sms[sm], np.int64(0)
    if own[READ_REQUEST] < 0 or not has_room(m, own[READ_REQUEST], missing):
        own[READ_REQUEST] = open_request(m, sm, FETCHES, own[READER], 0)
    at, begin, busy = find_line(m, sm, FETCHES, own[READ_REQUEST], line, t, t), max(own[FILL], t), wire_time(m, missing)
    began = begin
    if at >= 0:
        before, began = take_out(m, at)
        busy = wire_time(m, before | missing) - wire_time(m, before)
    own[FILL] = begin + busy
    note_unit(m, sm, ON_FILL, begin, busy)
    add_line(m, own[READ_REQUEST], line, before | missing, began, t + m.rates[ASK_ALONG])
    return post_request(m, sm, ALONG if at >= 0 else READ, line, missing, began, np.int64(0), np.int64(-1))


@inline
def ask_l2_apart(m, sm, line, missing, t):
    """:func:`ask_l2` for what goes along with nothing else, nor anything with it."""
    own, busy = m.sms[sm], wire_time(m, missing)
    begin = max(own[FILL], t)
    own[FILL] = begin + busy
    note_unit(m, sm, ON_FILL, begin, busy)
    post_request(m, sm, READ, line, missing, begin, np.int64(0), np.int64(-1))


@inline
def set_of(table, line):
    """Set of a line, from what each byte of its number contributes; the lowest bits say which tags look it up.

    Each bit of a set's number is the parity of some bits of the line's, so no stride that is a power of two falls on
    few sets.
    """
    return table[0, line & 255] ^ table[1, line >> 8 & 255] ^ table[2, line >> 16 & 255] ^ table[3, line >> 24 & 255]


@inline
def l1_row(m, sm, line):
    """Row of `Machine.l1` in which a line belongs."""
    return sm * m.shape[L1_SETS] + set_of(m.l1_sets, line)


@inline
def find_lines(m, sm, p, origin, rows):
    """Rows of `Machine.l1` in which the lines of a request belong; the host fetches them.

    Returns
    -------
    int
        Cycles of the tag stage.
    """
    load = np.int64(0)
    for j in range(p[PAT_N_LINES]):
        rows[j] = l1_row(m, sm, origin + p[PAT_LINES + j])
        prefetch(m.l1, rows[j], 0)
        load += one_in(rows[j] & (TAG_SETS - 1))
    return fullest(load)


@inline
def l1_way(row, line):
    """Way of an L1 set that holds ``line``, or ``L1_WAYS``."""
    e = 0
    while e < L1_WAYS and row[e] >> L1_BITS != line:
        e += 1
    return e


@inline
def l1_move(row, e, to, entry, arrives):
    """Put an entry in a place of its set; those from there to way ``e`` make room, and what is in ``e`` is gone."""
    entry |= row[e] & L1_COLUMNS
    for k in range(e, to, -1):
        row[k], row[L1_WAYS + k] = row[k - 1], row[L1_WAYS + k - 1]
    row[to], row[L1_WAYS + to] = entry, arrives


@inline
def l1_use_again(row, e):
    """The line in way ``e`` is used again: it goes to the front; if it was there, the others no longer count so."""
    if e:
        l1_move(row, e, 0, row[e] | L1_AGAIN, row[L1_WAYS + e])
        return
    if row[0] & L1_AGAIN:
        for k in range(1, L1_WAYS):
            row[k] &= ~L1_AGAIN
    row[0] |= L1_AGAIN


@inline
def l1_lines_held(row):
    """Number of lines that a set holds."""
    n = L1_WAYS
    while n and row[n - 1] < 0:
        n -= 1
    return n


@jit
def l1_vacate(m, sm):
    """Drop the last line of each set of the next few rows that hold one; rows take turns."""
    rows, own = m.shape[L1_SETS] // TAG_SETS, m.sms[sm]
    before, most = own[L1_USED], own[L1_TURN] + rows
    while own[L1_TURN] < most and before - own[L1_USED] < m.shape[L1_VACATED]:
        first = sm * m.shape[L1_SETS] + m.l1_sets[ORDER, own[L1_TURN] % rows] * TAG_SETS
        for k in range(first, first + TAG_SETS):
            n = l1_lines_held(m.l1[k])
            if n:
                m.l1[k, n - 1] = (-1 << L1_BITS) | (m.l1[k, n - 1] & L1_COLUMNS)
                own[L1_USED] -= 1
        own[L1_TURN] += 1
    own[L1_TURN] %= rows


@inline
def l1_way_for_new(m, sm, row):
    """Way of a set that a line may have that is not there: an empty one if there is a line of data for it."""
    n = l1_lines_held(row)
    if n == L1_WAYS:
        return n - 1
    if m.sms[sm, L1_USED] >= m.shape[L1_LINES]:
        l1_vacate(m, sm)
        n = l1_lines_held(row)
    m.sms[sm, L1_USED] += 1
    return n


@inline
def l1_place(m, sm, k, line):
    """Way of row ``k`` that holds ``line`` from now on; it replaces the one not used for longest if it must."""
    row = m.l1[k]
    e = l1_way(row, line)
    if e < L1_WAYS:
        l1_use_again(row, e)
        return 0
    e, to = l1_way_for_new(m, sm, row), 0
    while to < min(e, m.shape[L1_FRONT]) and row[to] & L1_AGAIN:
        to += 1
    l1_move(row, e, to, line << L1_BITS, np.int64(0))
    return to


@inline
def l1_drop(row, e):
    """Forget all that the line in way ``e`` holds or is to get; it keeps its place."""
    row[e] &= ~(BOTH | L1_PART | L1_STORED)
    row[L1_WAYS + e] = 0


@jit
def l1_written(m, k, e, wanted, words):
    """Those of the sectors wanted of which only words were written, where these are all that is asked for.

    Where another word of such a sector is, the whole line is dropped, and then fetched as far as it is wanted.
    """
    row, absent = m.l1[k], words_of(wanted & ~m.l1[k, e])
    kept = m.l1_words[k, (row[e] & L1_COLUMNS) >> L1_COLUMN] & absent
    there = touched_sectors(kept)
    if there & touched_sectors(words & absent & ~kept):
        l1_drop(row, e)
        return np.int64(0)
    return there


@jit
def l1_keep_words(m, k, e, words):
    """Keep ``words`` of a line, written in part, apart from its sectors; returns the sectors that this completes."""
    row = m.l1[k]
    column = (row[e] & L1_COLUMNS) >> L1_COLUMN
    kept = words | (m.l1_words[k, column] if row[e] & L1_PART else np.int64(0))
    m.l1_words[k, column] = kept
    row[e] |= L1_PART
    return full_sectors(kept)


@inline
def l1_read(m, sm, k, line, wanted, words, bypass, t, count):
    """Read sectors of one line, that belongs in row ``k``; returns (tick the data is there, sectors that hit).

    ``words``: those asked for, a bit each.  A sector that is on its way already counts as a hit, as Nsight Compute
    counts it.
    """
    row = m.l1[k]
    if not bypass:
        e = l1_way(row, line)
        if e < L1_WAYS and not wanted & ~row[e] and row[L1_WAYS + e] <= t:
            l1_use_again(row, e)
            return t + m.rates[L1_HIT], popcount(wanted)
    return l1_miss(m, sm, k, line, wanted, words, bypass, t, count)


@jit
def l1_miss(m, sm, k, line, wanted, words, bypass, t, count):
    """:func:`l1_read` of what is not all there."""
    row, e = m.l1[k], 0
    bits, late, written, done = np.int64(0), np.int64(0), np.int64(0), t + m.rates[L1_HIT]
    if not bypass:
        e = l1_place(m, sm, k, line)
        if row[e] & L1_PART:
            written = l1_written(m, k, e, wanted, words)
        bits = row[e] & (BOTH if row[L1_WAYS + e] > t and not row[e] & L1_STORED else VALID)
        late = wanted & (bits >> SECTORS)
    missing = wanted & ~bits & ~written & VALID
    if late:
        count[C.PENDING] += popcount(late)
        done = wait_for(m, sm, row[L1_WAYS + e])
    if missing:
        asked, done = m.asked[ask_l2(m, sm, line, missing, t)], PENDING
        bits |= missing | (missing << SECTORS)
        if not bypass:
            asked[A_ROW], asked[A_ALSO] = k, row[L1_WAYS + e]
            row[e], row[L1_WAYS + e] = row[e] & ~L1_STORED, latest(m, sm)
    if not bypass:
        row[e] = row[e] & ~BOTH | bits
    return done, popcount(wanted & ~missing)


@inline
def wait_for(m, sm, arrives):
    """Wait for what is on its way to L1; returns when it arrives, `PENDING` where that is not known."""
    if is_pending(arrives):
        m.asked[post(m, sm, JOIN, np.int64(0)), A_ALSO] = arrives
        return PENDING
    return arrives


@inline
def l1_answer(m, sm, asked, reference):
    """What was asked for comes at a tick: its line has arrived then, and what it waited for besides."""
    arrives = max(asked[A_DONE], heard(m, sm, asked[A_ALSO]))
    k = asked[A_ROW]
    if k >= 0:
        row = m.l1[k]
        e = l1_way(row, asked[A_LINE])
        if e < L1_WAYS and row[L1_WAYS + e] == reference:
            row[L1_WAYS + e] = arrives
    return arrives


@inline
def l1_write(m, sm, k, line, sectors, whole, words, passes, t, until):
    """Sectors of a line, that belongs in row ``k``, are written on their way to L2; L1 holds the ``words`` written.

    What ``passes``, by a streaming store, is kept only where the line is there already: on an H100 rows that are read
    twice hit as often beside such stores as beside none.

    If a fill of the line is on its way the line is dropped first, and the fill then finds no place; so it is if an
    earlier store of it is, which ``until`` says of this one (0: it is of no hindrance).
    """
    row = m.l1[k]
    if passes and l1_way(row, line) == L1_WAYS:
        return
    e = l1_place(m, sm, k, line)
    if row[L1_WAYS + e] > t:
        l1_drop(row, e)
    part = sectors & ~whole & ~row[e]
    if part:
        whole |= l1_keep_words(m, k, e, words & words_of(part))
    row[e] |= whole
    if until:
        row[e], row[L1_WAYS + e] = row[e] & ~BOTH | row[e] & VALID | L1_STORED, until
