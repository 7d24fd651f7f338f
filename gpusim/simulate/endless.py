"""Whether a run still gets anywhere, or its warps go round in circles for ever.

However long a launch takes, it is no fault; one that never ends is.  A warp's next instructions follow from its
registers, predicates, paths and program counter, and from memory.  So when every warp there is comes back to a state it
was in before, while memory and the blocks stay what they are, nothing will ever change: a loop without an end, a
lock that nobody gives back, a flag that nobody sets.  Loops that count, store or read the clock for ever are not found:
they look like work.

A warp that waits for memory stays as it is, too: so a look takes longer than any wait, twice.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state.arrays import Machine

FIRST_LOOK = 1 << 22  # warp instructions of a run before it is looked at (seconds); then each time they have doubled
LOOK_STEPS, LOOK_CYCLES = 1 << 18, 1 << 16
"""Warp instructions and cycles that a look takes at least: the longest latency that a GPU may have is 10 000 cycles."""
LOOKS = 2  # that must agree: a warp takes turns with its paths after so many backward branches
MOST_LOOKED_AT = 1 << 32  # bytes of arrays; where there are more a run is not looked at

_OF_WARP = np.array(
    [
        *(
            S.PC,
            S.MASK,
            S.ALIVE,
            S.STATE,
            S.N_SPLIT,
            S.BAR_NUMBER,
            S.BAR_MODE,
            S.BAR_RESULT,
            S.N_GROUPS,
            S.N_PRODUCT_GROUPS,
        ),
        *range(S.SPLIT_PC, S.SPLIT_WAIT + S.MAX_SPLITS),
        *range(S.MEET_MASK, S.MEET_AT + S.N_MEETINGS),
    ]
)
"""What of a warp's row decides what it does next, its place in the code first; the rest is when it does."""


class _Seen(NamedTuple):
    """A machine as it was when a look began."""

    steps: int
    tick: int
    blocks: tuple[int, int]
    memory: int
    warps: np.ndarray
    preds: np.ndarray
    regs: np.ndarray


class Watch:
    """Looks at a machine now and then; ask after each stretch of its run.

    Parameters
    ----------
    m : Machine
    """

    def __init__(self, m: Machine) -> None:
        self._m = m
        self._arrays = [slice(*(row[[S.FIRST_BYTE, S.PAST_END]] - int(S.GLOBAL_BASE))) for row in m.bounds]
        looked_at = sum(one.stop - one.start for one in self._arrays)
        self._next = FIRST_LOOK if looked_at <= MOST_LOOKED_AT else 1 << 62
        self._seen: _Seen | None = None
        self._back = np.zeros(0, bool)
        self._agreed = 0

    def stands_still(self) -> bool:
        """Whether nothing will ever change any more."""
        steps = int(self._m.misc[S.STEPS])
        if steps < self._next:
            return False
        seen = self._seen
        if seen is None:
            self._look()
            return False
        if self._blocks() != seen.blocks or steps > 2 * seen.steps:
            self._rest()
            return False
        self._compare(seen)
        if steps - seen.steps < LOOK_STEPS or self._tick() - seen.tick < LOOK_CYCLES * S.TICKS or not self._back.all():
            return False
        if self._memory() != seen.memory:
            self._rest()
            return False
        self._agreed += 1
        self._look()
        return self._agreed == LOOKS

    def _look(self) -> None:
        """Begin to look."""
        m = self._m
        self._seen = _Seen(
            int(m.misc[S.STEPS]), self._tick(), self._blocks(), self._memory(), m.warps[:, _OF_WARP], m.preds.copy(),
            self._registers().copy(),
        )  # fmt: skip
        self._back = np.isin(m.warps[:, S.STATE], (S.EMPTY, S.DONE))

    def _rest(self) -> None:
        """There is progress: look again when twice as much has been run."""
        self._seen, self._agreed, self._next = None, 0, 2 * int(self._m.misc[S.STEPS])

    def _compare(self, seen: _Seen) -> None:
        """Note which warps are as they were."""
        m, left = self._m, np.flatnonzero(~self._back)
        left = left[m.warps[left, S.PC] == seen.warps[left, 0]]  # most are elsewhere: the rest need not be looked at
        same = (m.warps[np.ix_(left, _OF_WARP)] == seen.warps[left]).all(axis=1)
        left = left[same]
        same = (m.preds[left] == seen.preds[left]).all(axis=1)
        same &= (self._registers()[left] == seen.regs[left]).all(axis=(1, 2))
        self._back[left[same]] = True

    def _registers(self) -> np.ndarray:
        """Registers of each warp's own, shaped (warps, rows, lanes)."""
        m = self._m
        return m.regs[int(m.shape[S.N_STATIC]) :].reshape(len(m.warps), int(m.shape[S.PRIVATE]), S.LANES)

    def _blocks(self) -> tuple[int, int]:
        return int(self._m.misc[S.HANDED]), int(self._m.misc[S.FINISHED_BLOCKS])

    def _tick(self) -> int:
        """Tick that every SM has come to."""
        return int(self._m.misc[S.HORIZON])

    def _memory(self) -> int:
        """A digest of all that stores can change."""
        digest = 0
        words = self._m.data.view(np.uint8)
        for part in (*(words[one] for one in self._arrays), self._m.shared, self._m.local):
            digest = zlib.crc32(np.ascontiguousarray(part).view(np.uint8).data, digest)
        return digest
