"""Signs of causes in a launch's counters: whether it is worth a run to see what it would be without one.

A sign says nothing of what a cause costs, only that it is there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from gpusim.advice.finding import Place
from gpusim.report.busy import ranked
from gpusim.report.units import format_bytes, format_count, format_share
from gpusim.results.causes import Cause

if TYPE_CHECKING:
    from gpusim.results.figures import Figures
    from gpusim.results.traffic import Traffic

LITTLE = 0.01
"""Share of wavefronts, sectors or bytes below which a cause is taken not to be there."""

WAITED = 0.05
"""Share of their time that warps wait for something from which it may be worth a look."""

LOADS = 4
"""Loads of a warp from which two of them could be under way where one is."""

MOST_WAVES = 12
"""Waves from which the last one is too small a part of a launch."""

SHORT_WAVES = 1
"""Waves from which it may matter how blocks follow one another."""

UNEVEN = 0.1
"""Share of their time that SMs have no block from which more blocks may help."""

BUSY, LITTLE_BUSY = 0.5, 0.2
"""Share of its peak from which a unit may be what a launch waits for."""

NARROW_SECTORS = 2.5
"""Sectors that a load of less than a word a lane touches at most where words lie side by side, wherever they begin."""

AGAIN = 4
"""How many times as much is loaded as HBM sends from which loads of the same may be worth a look."""

_SPECIAL, _ARITHMETIC = "special functions", ("FMA pipe", "FP16 pipe", "FP64 pipe")
_SHARED = "L1 and shared memory's data stage", "load/store instructions"
"""Units by the names that tables give them."""

MOST_PLACES, LEAST_PART = 3, 0.1
"""Lines named of a cause, and the part in it that one must have."""


class Sign(NamedTuple):
    """That a cause is there.

    Attributes
    ----------
    what : str
        The cause in words, with what was counted.
    places : tuple of Place
        Lines that have most of it.
    """

    what: str
    places: tuple[Place, ...] = ()


def signs(profile: Figures) -> dict[Cause, Sign]:
    """Find which causes a launch shows.

    Parameters
    ----------
    profile : Profile
        With its time.

    Returns
    -------
    dict of Cause to Sign
    """
    found = ((cause, look(profile)) for cause, look in _SIGNS.items())
    return {cause: sign for cause, sign in found if sign is not None}


def _lines(profile: Figures, part: Callable[[Traffic], float]) -> tuple[Place, ...]:
    """Lines that have most of something, the most first."""
    total = sum(max(part(line), 0) for line in profile.lines)
    if not total:
        return ()
    most = sorted(profile.lines, key=part, reverse=True)[:MOST_PLACES]
    return tuple(Place(line.name, line.text, part(line) / total) for line in most if part(line) >= LEAST_PART * total)


def _share(part: float, whole: float) -> float:
    """A part of a whole; 0 of nothing, or of what is not known."""
    return part / whole if whole > 0 and math.isfinite(part) else 0.0


def _known(values: Iterable[float]) -> float:
    """Sum of what is known."""
    return sum(value for value in values if math.isfinite(value))


def _bank_conflicts(profile: Figures) -> Sign | None:
    copies = profile.value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum")
    extra = _known((profile.bank_conflicts, copies))
    share = _share(extra, profile.shared_wavefronts)
    if share < LITTLE:
        return None
    places = _lines(profile, lambda line: line.wavefronts - line.ideal_wavefronts)
    return Sign(f"{format_share(share)} of the wavefronts of shared memory are bank conflicts", places)


def _excess_sectors(profile: Figures) -> Sign | None:
    sectors, ideal = (sum(getattr(line, name) for line in profile.lines) for name in ("sectors", "ideal_sectors"))
    if _share(sectors - ideal, sectors) < LITTLE:
        return None
    places = _lines(profile, lambda line: line.excess_sectors)
    return Sign(f"global accesses touch {sectors / ideal:.3g} times the sectors that their words need", places)


def _spills(profile: Figures) -> Sign | None:
    nbytes = _known((profile.local_load_bytes, profile.local_store_bytes))
    if not nbytes > 0:
        return None
    share = _share(nbytes, nbytes + _known((profile.global_load_bytes, profile.global_store_bytes)))
    return Sign(f"{format_share(share)} of the bytes that L1 is asked for are local memory's")


def _divergence(profile: Figures) -> Sign | None:
    if not profile.simt_efficiency < 1 - WAITED:
        return None
    return Sign(f"the average instruction has {32 * profile.simt_efficiency:.3g} of 32 lanes active")


def _barriers(profile: Figures) -> Sign | None:
    share = profile.stall_shares.get("barrier", 0.0)
    return Sign(f"warps wait {format_share(share)} of their time at barriers") if share >= WAITED else None


def _atomics(profile: Figures) -> Sign | None:
    shared = profile.value("smsp__inst_executed_op_shared_atom.sum")
    requests = _known((profile.global_atomic_requests, shared))
    if not requests > 0:
        return None
    sectors = _share(profile.global_atomic_sectors, profile.global_atomic_requests)
    per = f", {sectors:.3g} sectors each" if sectors else ""
    return Sign(f"{format_count(requests)} atomic instructions of warps{per}")


def _few_warps(profile: Figures) -> Sign | None:
    limiters = [name.replace("_mem", " memory") for name in profile.occupancy_limiters]
    if not profile.waves > 1 or "warps" in limiters or not limiters:
        return None
    return Sign(
        f"an SM holds {format_share(profile.occupancy)} of the warps it could; {' and '.join(limiters)} limit them"
    )


def _latency(profile: Figures) -> Sign | None:
    share = profile.stall_shares.get("long_scoreboard", 0.0)
    if share < WAITED or not _loads_of_warp(profile) >= LOADS:
        return None
    return Sign(f"warps wait {format_share(share)} of their time for loads, one after another")


def _last_wave(profile: Figures) -> Sign | None:
    waves = profile.waves
    if not 1 < waves < MOST_WAVES or waves == round(waves) or math.isnan(profile.achieved_occupancy):
        return None
    wave = round(profile.blocks / waves)
    return Sign(
        f"{waves:.4g} waves of blocks: of {wave} that there is room for, the last one has {profile.blocks % wave}"
    )


def _few_blocks(profile: Figures) -> Sign | None:
    if profile.waves > 1 or idle_share(profile) < UNEVEN:
        return None
    sms, share = profile.blocks / _blocks_of_sm(profile), format_share(idle_share(profile))
    return Sign(f"{profile.blocks} blocks on {sms:.0f} SMs, which have none {share} of their time")


def idle_share(profile: Figures) -> float:
    """Share of the time that the average SM has nothing to do, where all its blocks begin at once (0 to 1).

    No more than follows from how many blocks each SM gets: what handing out takes is no want of blocks.
    """
    active, longest = (profile.value(f"sm__cycles_active.{how}") for how in ("avg", "max"))
    of_sm = _blocks_of_sm(profile)
    return min(1 - _share(active, longest), 1 - _share(of_sm, math.ceil(of_sm)))


def _blocks_of_sm(profile: Figures) -> float:
    """Blocks that an SM gets on average."""
    return float(profile.waves * profile.blocks_per_sm)


def _short_blocks(profile: Figures) -> Sign | None:
    loads = _loads_of_warp(profile)
    if not profile.waves > SHORT_WAVES or loads >= LOADS:
        return None
    each = profile.instructions / _warps(profile)
    return Sign(f"a warp executes {each:.0f} instructions, in {profile.waves:.3g} waves of blocks")


def _warps(profile: Figures) -> int:
    return profile.blocks * math.ceil(profile.threads_per_block / 32)


def _loads_of_warp(profile: Figures) -> float:
    """Global loads that the average warp executes."""
    return profile.value("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") / _warps(profile)


def _l2_capacity(profile: Figures) -> Sign | None:
    room = profile.rerun.l2_bytes if profile.rerun is not None else math.inf
    if not profile.dram_bytes_read > room:
        return None
    return Sign(f"{profile.memory} reads {format_bytes(profile.dram_bytes_read)}, more than L2's {format_bytes(room)}")


def _code(cause: Cause, what: str, applies: Callable[[Figures], bool]) -> Callable[[Figures], Sign | None]:
    """The sign of a cause that lies in a launch's code: instructions of it there, where counters say they matter."""

    def look(profile: Figures) -> Sign | None:
        if profile.rerun is None or not applies(profile):
            return None
        lines = profile.rerun.lines(cause)
        total = sum(line.instructions for line in lines)
        if not total:
            return None
        most = [line for line in lines[:MOST_PLACES] if line.instructions >= LEAST_PART * total]
        places = tuple(Place(line.name, line.text, line.instructions / total) for line in most)
        return Sign(what.format(number=format_count(total)), places)

    return look


def _always(profile: Figures) -> bool:
    return True


def _is_busy(*names: str, for_share: float = BUSY) -> Callable[[Figures], bool]:
    """Whether some unit of these is busy for a share of the time, half of it unless given."""

    def look(profile: Figures) -> bool:
        return any(unit.share >= for_share and unit.name in names for unit in ranked(profile))

    return look


def _loads_side_by_side(profile: Figures) -> bool:
    """Whether threads load several times what lies side by side, so that one load could take several of them."""
    lines = profile.rerun.lines(Cause.NARROW) if profile.rerun is not None else ()
    names = {line.name for line in lines}
    loads = [line for line in profile.lines if line.name in names]
    sectors, requests = (sum(getattr(line, of) for line in loads) for of in ("load_sectors", "requests"))
    return _loads_of_warp(profile) >= LOADS and sectors <= NARROW_SECTORS * requests


def _loads_again(profile: Figures) -> bool:
    """Whether global memory is loaded many times as often as it would do."""
    return profile.global_load_bytes >= AGAIN * profile.dram_bytes_read


def read_once(profile: Figures) -> tuple[str, ...]:
    """Give the arrays of which L1 finds next to nothing again, where it does of others: in part, for want of room.

    Parameters
    ----------
    profile : Profile
    """
    loaded = [array for array in profile.arrays if array.load_sectors > 0]
    total = sum(array.load_sectors for array in loaded)
    once = tuple(a.name for a in loaded if a.l1_hit_rate < LITTLE and a.load_sectors >= WAITED * total)
    again = any(LITTLE <= a.l1_hit_rate < 1 - LITTLE and a.load_sectors >= WAITED * total for a in loaded)
    return once if again else ()


def _l1_places(profile: Figures) -> Sign | None:
    once = read_once(profile)
    if not once:
        return None
    return Sign(f"L1 finds nothing of {', '.join(once)} again, and {format_share(profile.l1_hit_rate)} of all")


_CODE: dict[Cause, tuple[str, Callable[[Figures], bool]]] = {
    Cause.DOUBLES: ("{number} instructions compute in doubles between floats", _always),
    Cause.SPECIAL: ("{number} instructions of the code are special functions", _is_busy(_SPECIAL)),
    Cause.DIVISION: ("{number} instructions of the code divide by what the compiler does not know", _always),
    Cause.NARROW: ("{number} instructions of the code load less than a word each", _loads_side_by_side),
    Cause.REUSE: ("{number} loads from shared memory of the code serve few products each", _is_busy(*_SHARED)),
    Cause.SMALL_TILES: ("{number} instructions of the code load tiles, again and again", _loads_again),
    Cause.NO_TENSOR: (
        "{number} instructions of the code are products of matrices, on no tensor core",
        _is_busy(*_ARITHMETIC, for_share=LITTLE_BUSY),
    ),
}
"""Of each cause of code what it is in words, and when to look for it."""

_SIGNS: dict[Cause, Callable[[Figures], Sign | None]] = {
    Cause.BANK_CONFLICTS: _bank_conflicts,
    Cause.EXCESS_SECTORS: _excess_sectors,
    Cause.SPILLS: _spills,
    Cause.DIVERGENCE: _divergence,
    Cause.BARRIERS: _barriers,
    Cause.ATOMICS: _atomics,
    Cause.FEW_WARPS: _few_warps,
    Cause.LATENCY: _latency,
    Cause.LAST_WAVE: _last_wave,
    Cause.FEW_BLOCKS: _few_blocks,
    Cause.SHORT_BLOCKS: _short_blocks,
    Cause.L2_CAPACITY: _l2_capacity,
    Cause.L1_PLACES: _l1_places,
    **{cause: _code(cause, *of) for cause, of in _CODE.items()},
}
