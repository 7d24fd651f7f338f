"""What a GPU counted of the very launch that is bounded, where that comes with gpusim."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gpusim import hardware

if TYPE_CHECKING:
    from gpusim.bounds.levels import Level
    from gpusim.catalogue.algorithm import Algorithm, KernelLaunch
    from gpusim.measured.measurement import MeasuredLaunch

Counts = Mapping[str, float]
"""Medians of the runs, by Nsight Compute's names."""


def counts_of(algorithm: Algorithm, launch: KernelLaunch, gpu: hardware.Gpu) -> Counts:
    """What was counted of a launch; empty where it was not measured on this GPU.

    A kernel or a GPU of the user's own was not, whatever its name is.

    Parameters
    ----------
    algorithm : Algorithm
    launch : KernelLaunch
    gpu : Gpu
    """
    from gpusim.measured import measurement

    path = measurement.shipped(gpu.name)
    if path is None or not _is_ours(algorithm) or gpu != hardware.load(gpu.name):
        return {}
    wanted = (algorithm.name, dict(launch.params))
    found = next((one for one in _launches(path) if _which(one) == wanted), None)
    return {name: found.value(name) for name in found.metrics} if found else {}


def together(steps: Sequence[Counts], level: Level) -> float | None:
    """Bytes of launches that follow one another, each measured by itself; None where one was not, or that differs.

    What goes from L2 to the SMs does not depend on what L2 holds. What comes from device memory does, and each was
    measured with cold caches.

    Parameters
    ----------
    steps : sequence of mapping
        As :func:`counts_of` gives them.
    level : Level
    """
    found = [level.counted(step) for step in steps]
    known = [value for value in found if value is not None]
    return None if level.reads_only or not known or len(known) < len(found) else sum(known)


def _is_ours(algorithm: Algorithm) -> bool:
    """Whether it is the kernel of that name that comes with gpusim."""
    from gpusim.catalogue import lookup

    found = lookup.entries().get(algorithm.name)
    return found is not None and found.algorithm == algorithm


@functools.cache
def _launches(path: Path) -> Sequence[MeasuredLaunch]:
    from gpusim.measured import measurement

    return measurement.read(path).launches


def _which(launch: MeasuredLaunch) -> tuple[object, object]:
    return launch.launch.get("kernel"), launch.launch.get("params")
