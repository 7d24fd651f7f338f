"""What is to be measured, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gpusim.launches.spec import AnyLaunch
from gpusim.measure import counters
from gpusim.measured.measurement import Measurement

TIMES = 20
RUNS = 3
SECONDS = 60.0


@dataclass(frozen=True)
class Request:
    """What to measure and how.

    Attributes
    ----------
    specs : tuple of LaunchSpec or DescribedLaunch
    gpu : str or None
        Refuse any other than the one of this name; None: whichever there is.
    cache : {"cold", "warm", "flushed"}
        Caches emptied before each launch; as the same launch left them; or L2 full of what was set and not written.
    repeats : int
        How often a launch is timed.
    runs : int
        How often it is counted; 0: not at all.
    metrics : tuple of str
        By Nsight Compute's names.
    seconds : float
        For so long a launch may have the GPU.
    seed : int
        Decides what random arrays hold.
    folder : Path
        Where the measurement will lie: paths of sources begin there.
    outputs : bool
        Keep what the first launch leaves in small arrays.
    before : Measurement or None
        Measured before: launches of it that would be measured again are kept.
    clock : float or None
        Hz that SMs are locked to: a launch that ran at another clock is no good; None: at whatever clock.
    """

    specs: tuple[AnyLaunch, ...]
    gpu: str | None = None
    cache: str = "cold"
    repeats: int = TIMES
    runs: int = RUNS
    metrics: tuple[str, ...] = counters.METRICS
    seconds: float = SECONDS
    seed: int = 0
    folder: Path = field(default_factory=Path)
    outputs: bool = False
    before: Measurement | None = None
    clock: float | None = None
