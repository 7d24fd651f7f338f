"""What a warp touches: where each of its lanes goes by one instruction, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass

WORD, SECTOR, LINE, BANKS = 4, 32, 128, 32
"""Bytes of a word, a sector and a line of 128 bytes; banks of shared memory, a word wide each.

Source: NVIDIA, CUDA C++ Programming Guide, "Shared Memory", and Nsight Compute documentation, "Memory Tables"."""


@dataclass(frozen=True)
class Touch:
    """Where the lanes of a warp go by one instruction, the first time that they come to it.

    Attributes
    ----------
    index : int
        Number of the instruction in the program.
    instruction : str
        As a listing shows it.
    line : str
        ``"file.cu:41"``; empty where it is not known.
    text : str
        The line itself, where it is known.
    space : str
        ``"global"``, ``"shared"`` or ``"local"``.
    does : str
        ``"load"``, ``"store"`` or ``"atomic"``.
    array : str
        The array in global memory that the first lane touches; empty elsewhere, and where none is known.
    first_byte : int
        Address at which that array begins, or shared memory does.
    nbytes : int
        Bytes of each lane.
    addresses : tuple of int or None
        Of each lane, bytes; None: it does not take part.
    times : int
        How often the warp comes to the instruction.
    wavefronts, ideal_wavefronts : int
        That the data stage takes for it, and would take without bank conflicts.
    """

    index: int
    instruction: str
    line: str
    text: str
    space: str
    does: str
    array: str
    first_byte: int
    nbytes: int
    addresses: tuple[int | None, ...]
    times: int
    wavefronts: int
    ideal_wavefronts: int

    @property
    def lanes(self) -> dict[int, int]:
        """Addresses of the lanes that take part, bytes from where the array or shared memory begins."""
        return {lane: at - self.first_byte for lane, at in enumerate(self.addresses) if at is not None}

    def words(self, lane: int) -> range:
        """Bytes at which the words begin that a lane touches, from where the array or shared memory begins."""
        first = self.lanes[lane]
        return range(first // WORD * WORD, first + self.nbytes, WORD)

    @property
    def sectors(self) -> tuple[int, ...]:
        """Sectors touched, by their first bytes from where the array or shared memory begins, in order."""
        shift = self.first_byte % SECTOR
        touched = {word + shift for lane in self.lanes for word in self.words(lane)}
        return tuple(sorted({at // SECTOR * SECTOR - shift for at in touched}))

    @property
    def ideal_sectors(self) -> int:
        """Sectors that would do for the words touched."""
        touched = {word for lane in self.lanes for word in self.words(lane)}
        return -(-len(touched) * WORD // SECTOR)

    @property
    def conflicts(self) -> int:
        """Wavefronts that bank conflicts cost."""
        return self.wavefronts - self.ideal_wavefronts
