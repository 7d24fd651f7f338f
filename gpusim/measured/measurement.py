"""Measurement: what a GPU did, launch by launch, and the versioned file that keeps it."""

from __future__ import annotations

import hashlib
import json
import math
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gpusim import reading
from gpusim.errors import GpusimError
from gpusim.results.documents import KEY, check_version
from gpusim.results.documents import VERSION as SCHEMA
from gpusim.results.figures import CACHES

FORMAT, VERSION = "gpusim measurement", 1
BEYOND_EMPTY = "time_beyond_empty_launch"
"""What :attr:`MeasuredLaunch.seconds`, less those of an empty launch, are called beside the profiler's metrics."""

HELD_OUT_OF = 3

TAKES_SOME = re.compile(r"\w+__cycles_elapsed\..+|\w+__time_duration\..+|sm__cycles_active\.(avg|max|sum)")
"""Metrics that no launch leaves at 0."""

COLDEST = -273.15
"""Degrees Celsius."""


class MeasurementError(GpusimError):
    """A file that is no measurement, or one of another version."""


def is_held_out(name: str) -> bool:
    """Whether a launch of this id is kept from calibration: one in three, by the SHA-256 of its id alone.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> [n for n in range(10) if is_held_out(f"copy N={n}")]
    [0, 3]
    """
    return hashlib.sha256(name.encode()).digest()[0] % HELD_OUT_OF == 0


def spread(runs: Sequence[float]) -> float:
    """Largest less smallest over the median: 0 where all are alike, 1 where the median alone is 0, NaN of a single run.

    Parameters
    ----------
    runs : sequence of float

    Examples
    --------
    >>> spread([9.0, 10.0, 12.0]), spread([5, 5, 5]), spread([0, 0, 3]), spread([5])
    (0.3, 0.0, 1.0, nan)
    """
    if len(runs) < 2:
        return math.nan
    width, middle = max(runs) - min(runs), statistics.median(runs)
    return width / abs(middle) if middle else float(width > 0)


@dataclass(frozen=True)
class Device:
    """The GPU that was measured.

    Attributes
    ----------
    name : str
        As its driver names it: ``"NVIDIA H200"``.
    gpu : str
        As gpusim names it; empty where gpusim has no specification of it.
    arch : str
        Real architecture: ``"sm_90"``.
    sm_count : int
    driver, cuda : str
        Versions of the driver and of CUDA.
    """

    name: str
    gpu: str
    arch: str
    sm_count: int
    driver: str
    cuda: str


@dataclass(frozen=True)
class MeasuredLaunch:
    """What was measured of one launch.

    Attributes
    ----------
    id : str
    launch : mapping
        The launch as a launch file has it.
    kernel : str
        Name of the function.
    grid, block : tuple of int
    machine_code : str
        SHA-256 of the machine code that ran.
    metrics : mapping of str to list of float
        What each of Nsight Compute's metrics came to in each run, in base units; empty where none were read.
    runs : int
        How often its metrics were read.
    seconds : list of float
        Between CUDA events around the launch, each time.
    sm_hz, celsius : float or None
        SM clock and temperature right after.
    outputs : mapping of str to list of float
        Elements of the small arrays that the first launch changed, where that was asked for.
    values : str
        How the outputs compare with the reference: ``"match"``, what is wrong, or empty: there is none.
    error : str or None
        Why nothing was measured.
    """

    id: str
    launch: Mapping[str, Any]
    kernel: str = ""
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    machine_code: str = ""
    metrics: Mapping[str, list[float]] = field(default_factory=dict)
    runs: int = 0
    seconds: list[float] = field(default_factory=list)
    sm_hz: float | None = None
    celsius: float | None = None
    outputs: Mapping[str, list[float]] = field(default_factory=dict)
    values: str = ""
    error: str | None = None

    def value(self, metric: str) -> float:
        """Median over the runs.

        Raises
        ------
        KeyError
            A metric that was not measured.
        """
        return float(statistics.median(self.metrics[metric]))

    def spread(self, metric: str) -> float:
        """Largest less smallest of the runs over their median; NaN of a single run."""
        return spread(self.metrics[metric])

    @property
    def seconds_spread(self) -> float:
        """The same of the times between events."""
        return spread(self.seconds)

    @property
    def held_out(self) -> bool:
        """Whether calibration may not see it."""
        return is_held_out(self.id)


@dataclass(frozen=True)
class Measurement:
    """What was measured on one GPU in one way.

    Attributes
    ----------
    device : Device
    date : str
        Of the last launch: ``"2026-11-25"``.
    cache : str
        ``"cold"``: caches flushed before each launch; ``"warm"``: as the same launch had left them; ``"flushed"``: L2
        full of other data that was set before and is not yet written.
    compiler, profiler : str
        What made the machine code, what read the counters; empty: none.
    overhead_seconds : float or None
        An empty kernel's time between events.
    launches : list of MeasuredLaunch
    gpusim : str
        The version that measured.
    """

    device: Device
    date: str
    cache: str
    compiler: str
    profiler: str
    overhead_seconds: float | None
    launches: list[MeasuredLaunch]
    gpusim: str = ""

    def to_text(self) -> str:
        """Give the file's text: a line for each launch."""
        head = {"format": FORMAT, "version": VERSION, KEY: SCHEMA, **_without(asdict(self), "launches")}
        lines = ",\n  ".join(json.dumps(_compact(asdict(launch)), allow_nan=False) for launch in self.launches)
        return json.dumps(head, indent=1)[:-2] + f',\n "launches": [\n  {lines}\n ]\n}}\n'


def read(path: Path) -> Measurement:
    """Read a measurement.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Measurement

    Raises
    ------
    MeasurementError
        Unreadable, no measurement, of a version that is not known, or with a value that cannot be: 0 cycles, say.
    """
    return parse(reading.read_text(path, MeasurementError), str(path))


def parse(text: str, where: str) -> Measurement:
    """Read a measurement's text.

    Parameters
    ----------
    text : str
    where : str
        What messages call it.

    Raises
    ------
    MeasurementError
        As :func:`read`.
    """
    from pydantic import TypeAdapter, ValidationError

    raw = reading.parse_json(text, where, MeasurementError)
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise MeasurementError(f"{where}: not a measurement: gpusim measure --json writes one")
    if raw.get("version") != VERSION:
        raise MeasurementError(f"{where}: a measurement of version {raw.get('version')}; this gpusim reads {VERSION}")
    check_version(raw, where, MeasurementError)
    try:
        launches = [_unfolded(launch) for launch in raw.get("launches", [])]
        told = _without(raw, "format", "version", KEY) | {"launches": launches}
        found = TypeAdapter(Measurement).validate_python(told)
    except ValidationError as error:
        first = error.errors()[0]
        at = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in first["loc"])
        raise MeasurementError(f"{where}: {at.lstrip('.')}: {first['msg']}") from None
    if found.cache not in CACHES:
        raise MeasurementError(f"{where}: cache: must be {', '.join(CACHES[:-1])} or {CACHES[-1]}, not {found.cache!r}")
    if wrong := next(_impossible(found), ""):
        raise MeasurementError(f"{where}: {wrong}")
    return found


def _impossible(found: Measurement) -> Iterator[str]:
    """Values that no GPU gives, each with its launch and metric."""
    said = {"overhead_seconds": _outside([found.overhead_seconds], above=True)}
    for launch in found.launches:
        at = f"launch {launch.id!r}: "
        said |= {at + metric: impossible(metric, runs) for metric, runs in launch.metrics.items()}
        said[f"{at}seconds"] = _outside(launch.seconds, above=True)
        said[f"{at}sm_hz"] = _outside([launch.sm_hz])
        said[f"{at}celsius"] = _outside([launch.celsius], COLDEST)
    return (f"{what}: {wrong}" for what, wrong in said.items() if wrong)


def impossible(metric: str, runs: Sequence[float]) -> str:
    """Say why a metric cannot have come to some values; empty where it can.

    Parameters
    ----------
    metric : str
        As Nsight Compute names it.
    runs : sequence of float

    Examples
    --------
    >>> impossible("gpc__cycles_elapsed.max", [8, 0]), impossible("dram__bytes_read.sum", [8, 0])
    ('must be above 0, not 0', '')
    """
    above = TAKES_SOME.fullmatch(metric) is not None
    return _outside(runs, above=above) if runs else "a value is missing"


def _outside(values: Iterable[float | None], least: float = 0, *, above: bool = False) -> str:
    """What the first value must be that is none, infinite or too small; None is not known, and not wrong."""
    for value in values:
        if value is not None and not (math.isfinite(value) and (value > least or (value == least and not above))):
            return f"must be {f'above {least:g}' if above else f'{least:g} or more'}, not {value:g}"
    return ""


def shipped(name: str) -> Path | None:
    """The measurement of a GPU that comes with gpusim; None where there is none of that name.

    Parameters
    ----------
    name : str
        A GPU, as in ``gpusim gpus``.
    """
    return _shipped().get(name)


def shipped_names() -> list[str]:
    """GPUs of which measurements come with gpusim."""
    return sorted(_shipped())


def _shipped() -> dict[str, Path]:
    files = (Path(__file__).parents[1] / "data").glob("measured-*.json")
    return {file.stem.removeprefix("measured-"): file for file in files}


def _without(mapping: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in names}


def _unfolded(launch: Any) -> Any:
    """A launch whose metrics are lists, even of one number; without its runs, as many as the longest list."""
    if not isinstance(launch, dict) or not isinstance(launch.get("metrics", {}), dict):
        return launch
    metrics = {name: value if isinstance(value, list) else [value] for name, value in launch.get("metrics", {}).items()}
    return {"runs": max(map(len, metrics.values()), default=0)} | launch | {"metrics": metrics}


def _compact(launch: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is empty; of runs that came to the same keep one number, and whole numbers as such."""
    launch["metrics"] = {name: _runs(values) for name, values in launch["metrics"].items()}
    said = {key: value for key, value in launch.items() if key == "launch" or value not in (None, "", [], (), {})}
    return said if launch["runs"] else _without(said, "runs")


def _runs(values: list[float]) -> Any:
    whole = [int(value) if float(value).is_integer() else value for value in values]
    return whole[0] if len(set(whole)) == 1 else whole
