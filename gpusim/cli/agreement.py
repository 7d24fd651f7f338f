"""Whether predictions are of the GPU, the clock and the caches of what they are held against."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu
    from gpusim.measured.comparison import Values
    from gpusim.measured.measurement import Device, MeasuredLaunch
    from gpusim.measured.nsight import Launched
    from gpusim.measured.predictions import Predicted

CLOCKS_APART = 0.05
"""Clocks that differ by more, relative to the predicted one, are not the same: a boost clock changes by less."""


def check_profiled(file: Path, predictions: Iterable[Predicted], launches: Sequence[Launched]) -> None:
    """Refuse predictions for a GPU that cannot be the one that was profiled.

    Raises
    ------
    GpusimError
        Its name, its compute capability or its number of SMs is another.
    """
    from gpusim import hardware

    for name in sorted({one.gpu for one in predictions if one.gpu}):
        try:
            gpu = hardware.load(name)
        except GpusimError:
            continue  # a user's own: its file is not known here
        if others := [other for launch in launches if (other := _unlike(launch, gpu))]:
            raise GpusimError(f"{file}: profiled on {others[0]}, and predicted for {name}: predict for that GPU")


def _unlike(launch: Launched, gpu: Gpu) -> str:
    """What a launch ran on, if that cannot be this GPU."""
    model = next((word for word in gpu.full_name.split() if re.search(r"\d", word)), "")
    if launch.device and model not in re.split(r"[\s-]", launch.device):
        return f"an {launch.device}"
    if launch.capability and launch.capability != "{}.{}".format(*gpu.compute_capability):
        return f"a GPU of compute capability {launch.capability}"
    if launch.sm_count is not None and launch.sm_count != gpu.sm_count:
        return f"a GPU with {launch.sm_count} SMs"
    return ""


def check_measured(file: Path, predictions: Iterable[Predicted], device: Device) -> None:
    """Refuse predictions for another GPU than was measured.

    Raises
    ------
    GpusimError
        Where both are known, and differ.
    """
    from gpusim.hardware.clocks import split_clock

    for one in predictions:
        if one.gpu and device.gpu and split_clock(one.gpu)[0] != device.gpu:
            measured = f"measured on an {device.name} ({device.gpu})"
            raise GpusimError(f"{file}: {one.name} is predicted for {one.gpu}, and {measured}: predict for that GPU")


def caches_apart(predictions: Iterable[Predicted], measured: str) -> Iterator[str]:
    """Say so where caches were predicted in another state than they were measured in.

    Parameters
    ----------
    predictions : iterable of Predicted
    measured : str
        Empty: as Nsight Compute leaves them.
    """
    others = sorted({one.cache for one in predictions} - {"", measured or "cold"})
    if others and measured:
        yield f"Caches were {measured} when measured, and are {' and '.join(others)} in the prediction."
    elif others:
        found = f"Caches are {' and '.join(others)} in the prediction."
        yield f"{found} Nsight Compute empties them before a launch, unless told --cache-control none."


def clocks_apart(pairs: Iterable[tuple[Values, MeasuredLaunch]]) -> Iterator[str]:
    """Say so where SMs ran at another clock than is predicted, in the middle of the launches."""
    from gpusim.measured.comparison import clocks

    known = [found for predicted, measured in pairs if (found := clocks(predicted, measured))]
    if not known:
        return
    here, there = map(statistics.median, zip(*known, strict=True))
    if abs(there / here - 1) > CLOCKS_APART:
        ran = f"SMs ran at {there / 1e6:.0f} MHz when measured, and at {here / 1e6:.0f} MHz in the prediction."
        yield f"{ran} A GPU's name has a clock behind an @."
