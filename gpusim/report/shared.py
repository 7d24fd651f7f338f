"""What the wavefronts of shared memory are for: the width of accesses, bank conflicts, or no access at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gpusim.report.units import format_count, format_share

if TYPE_CHECKING:
    from gpusim.results.figures import Figures

WORTH_SAYING = 0.05
"""Share of wavefronts from which on it is said what they are."""

WIDE = 1.5
"""Wavefronts that an access takes by its width from which on that is said."""

_WAVES = "l1tex__data_pipe_lsu_wavefronts_mem_shared{}.sum"
_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
_INST = "smsp__inst_executed_op_{}.sum"


class _Kind(NamedTuple):
    """A kind of access: what it is called, its name in metrics, the instructions that are of it."""

    name: str
    op: str
    instructions: tuple[str, ...]


KINDS = (
    _Kind("shared loads", "ld", ("shared_ld", "ldsm")),
    _Kind("shared stores", "st", ("shared_st",)),
    _Kind("copies to shared memory", "ldgsts", ("ldgsts",)),
)

BY_WIDTH = "Width: 1 wavefront for 4 bytes a lane, 2 for 8, 4 for 16; these are no conflicts."


def wavefronts(profile: Figures) -> Iterator[str]:
    """Say what wavefronts of shared memory are for, where some are bank conflicts or accesses are wide.

    Parameters
    ----------
    profile : Profile

    Yields
    ------
    str
        Such as ``"Shared loads take 128 wavefronts: 16 for their width, 112 for bank conflicts."``
    """
    said = [text for kind in KINDS if (text := _of(profile, kind))]
    if said:
        sentence = "; ".join(said)
        yield f"{sentence[0].upper()}{sentence[1:]}. {BY_WIDTH}"
    yield from _others(profile)


def _of(profile: Figures, kind: _Kind) -> str:
    """What the wavefronts of one kind of access are for; empty where each access takes one."""
    counts = (profile.value(_INST.format(name)) for name in kind.instructions)
    accesses = sum(count for count in counts if count > 0)  # of what is not known there are none
    waves, conflicts = profile.value(_WAVES.format(f"_op_{kind.op}")), profile.value(_CONFLICTS.format(kind.op))
    needed = waves - conflicts
    if not (accesses > 0 and waves > 0) or not (needed >= WIDE * accesses or conflicts >= WORTH_SAYING * waves):
        return ""
    total = f"{kind.name} take {format_count(waves)} wavefronts"
    if conflicts < WORTH_SAYING * waves:
        return f"{total} for their width"
    return f"{total}, {format_count(needed)} for their width and {format_count(conflicts)} for bank conflicts"


def _others(profile: Figures) -> Iterator[str]:
    """Wavefronts counted as shared memory's that are no access to it."""
    total = profile.shared_wavefronts
    accesses = (profile.value(_WAVES.format(f"_op_{op}")) for op in ("ld", "st", "atom", "ldgsts", "gmma"))
    others = total - sum(waves for waves in accesses if waves > 0)  # of what is not known there are none
    if profile.uses_shared_memory and others > WORTH_SAYING * total:
        yield (
            f"{format_count(others)} of the shared wavefronts ({format_share(others / total)}) are shuffles, barriers "
            "and reads of thread numbers, which pass its data stage too."
        )
