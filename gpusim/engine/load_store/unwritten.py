"""Words of global memory that nothing has written yet, in checked runs.

Stretches of which no word is written are marked as such. Only where a store goes are words marked one by one, so an
output of a terabyte takes 64 MiB.
"""

from __future__ import annotations

from gpusim.engine.compiling.jit import jit

BLANK_BITS = 12
"""Of the words of a stretch: their marks are a page of the host."""


@jit
def is_unwritten(m, word):
    """Whether nothing has written a word."""
    return m.blank[word >> BLANK_BITS] != 0 or m.unwritten[word] != 0


@jit
def note_written(m, word):
    """A word is written."""
    stretch = word >> BLANK_BITS
    if m.blank[stretch]:
        m.blank[stretch] = 0
        m.unwritten[stretch << BLANK_BITS : (stretch + 1) << BLANK_BITS] = 1
    m.unwritten[word] = 0
