"""Going on where a measurement was stopped: what of an earlier one still holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gpusim.errors import GpusimError
from gpusim.launches.spec import AnyLaunch
from gpusim.measure.measurement_errors import MeasureError
from gpusim.measure.worker import machine_code, ran_at
from gpusim.measured.measurement import Device, MeasuredLaunch, Measurement

if TYPE_CHECKING:
    from gpusim.measure.request import Request
    from gpusim.progress import Progress


ANEW = "name another file, or measure all of it anew with --fresh"


def kept(request: Request, progress: Progress | None = None) -> dict[int, MeasuredLaunch]:
    """Give what was measured before of the launches that are asked for, by their number.

    A launch is kept if its line in a launch file and its machine code are as they were, it did not fail, and it was
    timed as often, at the clock that is asked for.  Its counters stay until it is counted anew, which it is if it was
    not counted as often.

    Parameters
    ----------
    request : Request
    progress : callable, optional
        Called with (launches looked at, launches, text).

    Raises
    ------
    MeasureError
        The earlier measurement found the caches otherwise.
    """
    before = request.before
    if before is None:
        return {}
    if before.cache != request.cache:
        raise MeasureError(f"measured before with {before.cache} caches, not {request.cache}: {ANEW}")
    earlier = {launch.id: launch for launch in before.launches}
    found: dict[int, MeasuredLaunch] = {}
    for number, spec in enumerate(request.specs):
        if progress is not None:
            progress(number, len(request.specs), f"looking for changes of {spec.id}")
        launch = earlier.get(spec.id)
        if launch is not None and _holds(launch, spec, request, before.device.arch):
            found[number] = launch
    return found


def check_device(before: Measurement | None, here: Device) -> None:
    """Refuse to mix what two GPUs did, or one under two drivers.

    Raises
    ------
    MeasureError
        It is another one.
    """
    if before is not None and before.device != here:
        was, now = (f"{d.name} (driver {d.driver}, CUDA {d.cuda})" for d in (before.device, here))
        raise MeasureError(f"measured before on an {was}, here is an {now}: {ANEW}")


def _holds(launch: MeasuredLaunch, spec: AnyLaunch, request: Request, arch: str) -> bool:
    """Whether what was measured would be measured again."""
    if launch.error is not None or len(launch.seconds) != request.repeats or (request.outputs and not launch.outputs):
        return False
    if not ran_at(launch.sm_hz, request.clock):
        return False
    if launch.launch != json.loads(json.dumps(spec.to_json(request.folder))):
        return False
    try:
        return machine_code(spec.compile(arch).kernel()) == launch.machine_code
    except GpusimError:  # the process on the GPU says what is wrong
        return False


def others(before: Measurement | None, specs: Sequence[AnyLaunch]) -> list[MeasuredLaunch]:
    """Give what was measured before of launches that are not asked for now."""
    asked = {spec.id for spec in specs}
    return [] if before is None else [launch for launch in before.launches if launch.id not in asked]


def said(found: Mapping[int, MeasuredLaunch], request: Request) -> str:
    """Word what is kept; empty where nothing is."""
    rest = len(others(request.before, request.specs))
    parts = [f"{len(found)} of {len(request.specs)} launches are as they were measured before"] if found else []
    parts += [f"{rest} that are not asked for now stay in the file"] if rest else []
    return f"{'; '.join(parts)} (--fresh measures anew)" if parts else ""
