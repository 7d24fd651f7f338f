"""Kernels written by hand for Hopper, as an H100 and an H200 measured them."""

from __future__ import annotations

import tarfile
from functools import cache

from calibration import bench
from gpusim.measured import measurement

MEASURED = bench.DATA / "hopper" / "measured.tar.xz"
TIME = "gpu__time_duration.sum"
CYCLES = "gpc__cycles_elapsed.max"
CLOCK = "gpc__cycles_elapsed.avg.per_second"


@cache
def launches(gpu: str) -> dict[str, measurement.MeasuredLaunch]:
    """Launches by id, caches cold.

    Parameters
    ----------
    gpu : {"h100", "h200"}
    """
    name = f"./{gpu}/hand.json"
    with tarfile.open(MEASURED, "r:xz") as archive:
        file = archive.extractfile(name)
        text = file.read().decode() if file else ""
    return {launch.id: launch for launch in measurement.parse(text, name).launches if not launch.error}
