"""Kernels written by hand for Hopper, as an H100 and an H200 measured them."""

from __future__ import annotations

from functools import cache

from calibration import bench
from gpusim.measured import measurement

MEASURED = bench.DATA / "hopper"
TIME = "gpu__time_duration.sum"
CYCLES = "gpc__cycles_elapsed.max"
CLOCK = "gpc__cycles_elapsed.avg.per_second"


@cache
def launches(gpu: str) -> dict[str, measurement.MeasuredLaunch]:
    """Launches by id, caches cold.

    Parameters
    ----------
    gpu : {"h100-sxm", "h200"}
    """
    found = measurement.read(MEASURED / f"{gpu}-kernels.json")
    return {launch.id: launch for launch in found.launches if not launch.error}
