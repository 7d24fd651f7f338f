"""How the 64 bits of an mbarrier lie, as compiled code makes and reads them.

In bits 1-20 and 43-62 are 2**20 less the arrivals of each phase and those that the present one lacks, in bit 63 is its
parity.  Between them are the bytes that it lacks, with a sign, because copies may bring bytes before they are expected;
no compiled code looks at these.

mbarriers of sm_80 count no bytes.  In bits 0-29 is 2**30 less the arrivals of each phase, in bits 32-62 2**31 less
those that the present one lacks, in bit 63 is its parity.

Source: code of NVRTC 13.0 for sm_80 of ``mbarrier.init`` and waits, for sm_90a of ``mbarrier.init`` and
``mbarrier.pending_count``; where bytes lie is assumed.
"""

from __future__ import annotations

from typing import NamedTuple

NBYTES = 8
COUNT_BITS, BYTES_BITS = 20, 22
COUNT, BYTES = (1 << COUNT_BITS) - 1, (1 << BYTES_BITS) - 1
EXPECTED_AT, BYTES_AT, PENDING_AT, PARITY_AT = 1, 21, 43, 63
PLAIN_BITS, PLAIN_PENDING_AT = 30, 32
"""Of those that count no bytes."""
MOST_BYTES = (1 << COUNT_BITS) - 1
"""Bytes that a phase may lack at most (PTX ISA, "Valid range of tx-count")."""


class State(NamedTuple):
    """What an mbarrier holds: arrivals of each phase; arrivals and bytes that the present one lacks; its parity."""

    expected: int
    pending: int
    nbytes: int
    parity: int


def state_of(word: int) -> State:
    """What an mbarrier's 64 bits say.

    Examples
    --------
    >>> state_of((2**20 - 4) << 1 | (2**20 - 3) << 43)
    State(expected=4, pending=3, nbytes=0, parity=0)
    """
    nbytes = word >> BYTES_AT & BYTES
    return State(
        -(word >> EXPECTED_AT) & COUNT,
        -(word >> PENDING_AT) & COUNT,
        nbytes - (BYTES + 1) if nbytes > BYTES >> 1 else nbytes,
        word >> PARITY_AT & 1,
    )
