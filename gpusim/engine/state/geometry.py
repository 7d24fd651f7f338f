"""Lines, sectors, words and banks as counts, shifts and masks."""

from __future__ import annotations

from gpusim.hardware.fixed import CODE_LINE, DATA_STAGE, LINE, SECTOR


def bits_of(size: int) -> int:
    """Give the exponent of a power of two."""
    return size.bit_length() - 1


WORD, INSTRUCTION = 4, 16
"""Bytes of a register, and of an instruction."""

LINE_BITS, SECTOR_BITS, CODE_LINE_BITS = bits_of(LINE), bits_of(SECTOR), bits_of(CODE_LINE // INSTRUCTION)
"""Shifts from a byte to its line and its sector, and from an instruction to its line of code."""

SECTORS, LINE_WORDS, SECTOR_WORDS = LINE // SECTOR, LINE // WORD, SECTOR // WORD
"""Of a line, of a line, of a sector."""

ALL_SECTORS, ALL_WORDS = (1 << SECTORS) - 1, (1 << LINE_WORDS) - 1
"""Masks of a whole line."""

BANKS = DATA_STAGE // WORD
"""Of shared memory and of L1's data stage."""
