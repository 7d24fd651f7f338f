"""The registers of matrices: a tensor core reads them while it works, in the cycles that others leave it.

An instruction to a tensor core reads ten registers, five of each bank, and holds up nobody: what other instructions
read meanwhile comes first.  Only the next one to the tensor core waits until all are read.  Measured on an H200
(``calibration/microbenchmarks/tensor_cores.py``): loops of products alone take six cycles each,
with four and six FFMAs beside each of them 8.6 and 10.6.
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


@inline
def give_way(row, even, odd, cycle):
    """Another instruction reads so many registers of the two banks: what the tensor core still lacks of them waits."""
    if row[S.FED] > cycle:
        row[S.FED] += even
    if row[S.FED + 1] > cycle:
        row[S.FED + 1] += odd
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
