"""Little's law: what must be in flight for a latency not to show.

Work in flight = latency x throughput.  To stream b bytes/s from a memory that
answers after t seconds, t b bytes must be on their way at any time; a warp that
has m loads of w bytes a lane outstanding carries 32 m w of them.

Sources: Little, "A proof for the queuing formula L = lambda W", Operations Research
9(3), 1961; for GPUs Volkov, "Understanding latency hiding on GPUs", PhD thesis,
UC Berkeley, 2016.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpusim.errors import UnknownNameError
from gpusim.hardware.occupancy import WARP
from gpusim.model.inputs import above_zero, at_least, gpu_of
from gpusim.model.roofline import LEVELS, bandwidth

if TYPE_CHECKING:
    from gpusim.hardware import Gpu


def bytes_in_flight(latency_s: float, bytes_per_s: float) -> float:
    """Give the bytes that must be on their way to sustain a bandwidth.

    Parameters
    ----------
    latency_s : float
        From request to answer, seconds.
    bytes_per_s : float
        Bandwidth to sustain.

    Returns
    -------
    float
        Bytes.  Source: Little 1961.

    Examples
    --------
    >>> bytes_in_flight(500e-9, 2e12)
    1000000.0
    """
    above_zero(latency_s=latency_s, bytes_per_s=bytes_per_s)
    return latency_s * bytes_per_s


def latency_seconds(gpu: Gpu | str, level: str = "HBM") -> float:
    """Give the latency of a load that is answered by a level, in an idle machine.

    Where L2 has two halves, half of all lines are at home in the other one: the mean of near and far.

    Parameters
    ----------
    gpu : Gpu or str
    level : str
        ``"L1"``, ``"L2"`` or ``"HBM"``.

    Returns
    -------
    float
        Seconds.
    """
    gpu = gpu_of(gpu)
    if level not in LEVELS:
        raise UnknownNameError("level", level, LEVELS)
    known = gpu.latency
    near_and_far = {
        "L1": (known.l1_hit_cycles, known.l1_hit_cycles),
        "L2": (known.l2_hit_near_cycles, known.l2_hit_far_cycles),
        "HBM": (known.dram_cycles, _dram_far_cycles(gpu)),
    }
    return sum(near_and_far[level]) / 2 / gpu.clock.sm_hz


def _dram_far_cycles(gpu: Gpu) -> int:
    """Latency of a miss at home in the other half: as measured, or with what the fabric adds."""
    known = gpu.latency
    if gpu.l2.partitions == 1:
        return known.dram_cycles
    return known.dram_far_cycles or known.dram_cycles + known.l2_fabric_cycles


def gpu_bytes_in_flight(gpu: Gpu | str, level: str = "HBM") -> float:
    """Give the bytes that a GPU must have on their way to draw all that a level can give.

    Parameters
    ----------
    gpu : Gpu or str
    level : str

    Returns
    -------
    float
        Bytes, all SMs together.  With the latency of an idle machine; under load it is longer, so this is a
        lower bound.

    Examples
    --------
    >>> round(gpu_bytes_in_flight("h200") / 132 / 1024, 1)  # KiB an SM
    11.4
    """
    return bytes_in_flight(latency_seconds(gpu, level), bandwidth(gpu, level))


def warps_needed(gpu: Gpu | str, level: str = "HBM", *, bytes_per_lane: int = 4, loads_in_flight: int = 1) -> int:
    """Give the warps that every SM needs to draw all that a level can give.

    Parameters
    ----------
    gpu : Gpu or str
    level : str
    bytes_per_lane : int
        Of one load: 4, 8 or 16; all lanes active, addresses consecutive.
    loads_in_flight : int
        Independent loads that a warp issues before it uses the first.

    Returns
    -------
    int
        Warps an SM, rounded up; more than it can hold where that many warps cannot hide it.

    Examples
    --------
    >>> warps_needed("h200"), warps_needed("h200", bytes_per_lane=16), warps_needed("h200", loads_in_flight=4)
    (91, 23, 23)
    """
    at_least(1, bytes_per_lane=bytes_per_lane, loads_in_flight=loads_in_flight)
    spec = gpu_of(gpu)
    of_sm = gpu_bytes_in_flight(spec, level) / spec.sm_count
    return math.ceil(of_sm / (WARP * bytes_per_lane * loads_in_flight))


def occupancy_needed(gpu: Gpu | str, level: str = "HBM", *, bytes_per_lane: int = 4, loads_in_flight: int = 1) -> float:
    """Give the occupancy that is needed to draw all that a level can give.

    Parameters
    ----------
    gpu, level, bytes_per_lane, loads_in_flight
        As of :func:`warps_needed`.

    Returns
    -------
    float
        Warps needed over warps that an SM can hold; above 1 where occupancy alone cannot do it, and loads must be wider
        or more of them independent.
    """
    needed = warps_needed(gpu, level, bytes_per_lane=bytes_per_lane, loads_in_flight=loads_in_flight)
    return needed / gpu_of(gpu).sm.max_warps


def reachable_bytes_per_s(
    gpu: Gpu | str,
    warps_per_sm: int,
    level: str = "HBM",
    *,
    bytes_per_lane: int = 4,
    loads_in_flight: int = 1,
) -> float:
    """Bound the bandwidth that so many warps can draw: min(b, bytes in flight / latency).

    Parameters
    ----------
    gpu : Gpu or str
    warps_per_sm : int
    level, bytes_per_lane, loads_in_flight
        As of :func:`warps_needed`.

    Returns
    -------
    float
        bytes/s, all SMs together.  Source: Volkov 2016.
    """
    at_least(1, warps_per_sm=warps_per_sm, bytes_per_lane=bytes_per_lane, loads_in_flight=loads_in_flight)
    spec = gpu_of(gpu)
    in_flight = spec.sm_count * warps_per_sm * WARP * bytes_per_lane * loads_in_flight
    return min(bandwidth(spec, level), in_flight / latency_seconds(spec, level))


def warps_for_arithmetic(latency_cycles: int, issue_per_cycle: float = 1, independent: int = 1) -> int:
    """Give the warps that a scheduler needs for arithmetic to issue in every cycle.

    Parameters
    ----------
    latency_cycles : int
        From an instruction to the first that can use its result.
    issue_per_cycle : float
        What the unit takes from the scheduler: 1, or 0.5 where a warp occupies it for two cycles.
    independent : int
        Instructions of a warp that do not wait for one another.

    Returns
    -------
    int
        Warps a scheduler, rounded up.  Source: Volkov 2016.

    Examples
    --------
    >>> warps_for_arithmetic(latency_cycles=4), warps_for_arithmetic(latency_cycles=4, independent=4)
    (4, 1)
    """
    at_least(1, latency_cycles=latency_cycles, independent=independent)
    above_zero(issue_per_cycle=issue_per_cycle)
    return math.ceil(latency_cycles * issue_per_cycle / independent)
