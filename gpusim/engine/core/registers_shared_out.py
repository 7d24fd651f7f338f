"""Registers that warps of a block give back and take while they run: USETMAXREG."""

from __future__ import annotations

from gpusim.engine.alu.operands import FULL, set_predicate
from gpusim.engine.compiling.jit import cold
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail


@cold
def share_registers(m, c, index, w, block):
    """A warp has another number of registers from now on; False if it gives back what it has not, or takes nothing."""
    warp, own = m.warps[w], m.blocks[block]
    given = m.shape[S.THREAD_REGISTERS] - warp[S.GIVEN_BACK] - c[I.SUB]
    gives = (c[I.FLAGS] & I.CLEAR) != 0
    if (given < 0) == gives and given != 0:
        return fail(m, E.REGISTERS, index, 0, block, given + c[I.SUB], w)
    done = own[S.REGISTERS_LEFT] + given >= 0
    if done:
        own[S.REGISTERS_LEFT] += given
        warp[S.GIVEN_BACK] += given
    set_predicate(m.preds[w], c[I.Q0], FULL if done else FULL ^ FULL, FULL)
    return True
