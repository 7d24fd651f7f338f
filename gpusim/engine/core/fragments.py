"""The registers of matrices: a tensor core reads them while it works, in the cycles that others leave it.

An instruction to a tensor core reads ten registers, five of each bank, and holds up nobody: what other instructions
read meanwhile comes first.  Only the next one to the tensor core waits until all are read.  Measured on an H200
(``calibration/microbenchmarks/tensor_cores.py``): loops of products alone take six cycles each,
with four and six FFMAs beside each of them 8.6 and 10.6.

A product by a warpgroup reads its sums while it works: a register for each two columns, so either bank in half of its
cycles.  What another instruction reads there holds it up by half a cycle on average.  Tiles of FlashAttention-3, with
one warpgroup at its softmax while the other multiplies, take 2490 cycles on an H100 and an H200; 2050 would be those of
the products.
"""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S

FIELD, COUNT = 4, 15


@inline
def feed(row, counts, cycle):
    """An instruction to the tensor core begins to read so many registers of the even bank and, a field on, the odd."""
    row[S.FED] = max(row[S.FED], cycle) + (counts & COUNT)
    row[S.FED + 1] = max(row[S.FED + 1], cycle) + (counts >> FIELD & COUNT)
    row[S.FED_BY_HALVES] = 0


@inline
def keep_reading(row, cycles, cycle):
    """A product by a warpgroup takes the registers of both banks for so many cycles; returns the tick it is done."""
    row[S.FED] = max(row[S.FED], cycle) + cycles
    row[S.FED + 1] = max(row[S.FED + 1], cycle) + cycles
    row[S.FED_BY_HALVES] = 1
    row[S.UNIT_FREE + S.U_TENSOR] = fed(row)
    return fed(row)


@inline
def give_way(row, even, odd, cycle):
    """Another instruction reads so many registers of the two banks: what the tensor core still lacks of them waits."""
    halves = row[S.FED_BY_HALVES]
    if row[S.FED] > cycle:
        row[S.FED] += even + (cycle & halves) >> halves
    if row[S.FED + 1] > cycle:
        row[S.FED + 1] += odd + (cycle & halves) >> halves
    row[S.UNIT_FREE + S.U_TENSOR] = max(row[S.UNIT_FREE + S.U_TENSOR], fed(row))


@inline
def make_room(row, registers, cycle):
    """A load brings so many registers to each lane, half of them to each bank: what the tensor core lacks waits."""
    if fed(row) > cycle * S.TICKS:
        row[S.FED] += (registers + 1) >> 1
        row[S.FED + 1] += registers >> 1
        row[S.UNIT_FREE + S.U_TENSOR] = max(row[S.UNIT_FREE + S.U_TENSOR], fed(row))


@inline
def fed(row):
    """Tick from which a scheduler's tensor core has all it was to read."""
    return max(row[S.FED], row[S.FED + 1]) * S.TICKS
