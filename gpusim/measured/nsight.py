"""What Nsight Compute writes, read: metrics of launches, in base units.

Two forms are understood: text, as ``ncu --csv`` prints it (with ``--page raw``, a row a launch; without, a row a
metric), and ``.ncu-rep`` files, where NVIDIA's Python reader ``ncu_report`` is installed.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gpusim import reading
from gpusim.errors import GpusimError

_SCALES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SCALED = re.compile(r"([KMGT]?)(byte|hz)")
_A_SECOND = {
    "s": 1.0, "second": 1.0, "ms": 1e3, "msecond": 1e3, "us": 1e6, "usecond": 1e6, "ns": 1e9, "nsecond": 1e9,
}  # fmt: skip
_COUNTED = re.compile(r"[A-Za-z_]*|%")
_AMOUNT = re.compile(r"\w+__(?:(bytes)\w*|time_duration)\.(?:sum|avg|max|min)")
_METRIC = re.compile(r"[a-z][a-z0-9]*__\w+(\.\w+)*")
_REPORT = ".ncu-rep"
_DEVICE, _SM_COUNT = "device__attribute_display_name", "device__attribute_multiprocessor_count"
_CAPABILITY = tuple(f"device__attribute_compute_capability_{part}" for part in ("major", "minor"))

_Found = tuple[str, str, Any, str]
"""A metric's name, unit and value, and where it stands."""


class NsightError(GpusimError):
    """A file that is not as Nsight Compute writes it, or has units that are not understood."""


@dataclass(frozen=True)
class Launched:
    """A launch that was profiled.

    Attributes
    ----------
    kernel : str
        As the profiler names it.
    grid, block : tuple of int
        Blocks, and threads of a block, in x, y, z.
    metrics : mapping of str to float
        By name, in base units: bytes, seconds, hertz, counts.
    units : mapping of str to str
        ``"byte"``, ``"s"``, ``"%"``, ``"byte/s"``, ...; empty where the profiler names none.
    device, capability : str
        The GPU as its driver names it, and its compute capability, ``"9.0"``; empty where the profile does not say.
    """

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    metrics: Mapping[str, float]
    units: Mapping[str, str]
    device: str = ""
    capability: str = ""

    @property
    def sm_count(self) -> int | None:
        """SMs of the GPU; None where the profile does not say."""
        found = self.metrics.get(_SM_COUNT)
        return None if found is None else int(found)


def read(path: Path) -> list[Launched]:
    """Read a file of Nsight Compute's.

    Parameters
    ----------
    path : Path
        ``.ncu-rep``, or text that ``ncu --csv`` printed.

    Returns
    -------
    list of Launched
        In the order in which they were launched.

    Raises
    ------
    NsightError
        Unreadable, no such file, an unknown unit, no metric by the names that gpusim goes by.
    """
    if path.suffix == _REPORT:
        return list(_reported(path))
    return parse(reading.read_bytes(path, NsightError).decode(errors="replace"), str(path))


def parse(text: str, where: str) -> list[Launched]:
    r"""Read what ``ncu --csv`` printed, whatever stands before it.

    Parameters
    ----------
    text : str
    where : str
        What messages call it.

    Returns
    -------
    list of Launched

    Raises
    ------
    NsightError
        As :func:`read`.

    Examples
    --------
    >>> text = '"ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum"'
    >>> text += '\n"","","","","Kbyte"\n"0","copy(float *)","(256, 1, 1)","(4, 1, 1)","4.10"'
    >>> parse(text, "copy.csv")[0].metrics
    {'dram__bytes_read.sum': 4100.0}
    """
    begins = text.find('"ID"')
    if begins < 0:
        said = [line for line in text.splitlines() if line.startswith("==ERROR==")]
        raise NsightError(f"{where}: {said[0] if said else 'not what ncu --csv prints: there is no column ID'}")
    rows = list(_rows(text, begins, where))
    found = list(_long(rows) if rows and "Metric Name" in rows[0].fields else _wide(rows))
    if not any(launch.metrics for launch in found):
        raise NsightError(f"{where}: no metric like dram__bytes_read.sum in it: use ncu --csv --page raw")
    return found


def base(value: float, unit: str) -> tuple[float, str]:
    """Convert to the base unit.

    Raises
    ------
    ValueError
        A unit that is not known.

    Examples
    --------
    >>> base(3.5, "Mbyte"), base(2, "usecond"), base(1.98, "cycle/nsecond")
    ((3500000.0, 'byte'), (2e-06, 's'), (1980000000.0, 'cycle/s'))
    """
    over, slash, under = unit.partition("/")
    times, parts, name = _ratio(over)
    per_times, per_parts, per = _ratio(under)
    return value * (times * per_parts) / (parts * per_times), f"{name}{slash}{per}"


def _ratio(unit: str) -> tuple[float, float, str]:
    """How many base units it is, as a number over a number, and the base unit."""
    if unit in _A_SECOND:
        return 1.0, _A_SECOND[unit], "s"
    scaled = _SCALED.fullmatch(unit)
    if scaled:
        return _SCALES[scaled[1]], 1.0, scaled[2]
    if not _COUNTED.fullmatch(unit):
        raise ValueError(unit)
    return 1.0, 1.0, unit


# ---------------------------------------------------------------- text


class _Row(NamedTuple):
    """A row of the table: where it stands, for messages, and its fields by heading."""

    at: str
    fields: Mapping[str, str]


_NAMED = ("ID", "Kernel Name", "Block Size", "Grid Size")
_OF_METRICS = ("Metric Name", "Metric Unit", "Metric Value")


def _rows(text: str, begins: int, where: str) -> Iterator[_Row]:
    """Rows of the table that begins with the heading ID; what the profiler says between them is left out."""
    before = text.count("\n", 0, begins)
    reader = csv.reader(io.StringIO(text[begins:]), strict=True)
    headings: list[str] = []
    least = 0
    try:
        for row in reader:
            at = f"{where}, line {before + reader.line_num}"
            if not headings:
                headings, least = row, _columns_needed(row, where)
            elif row and not row[0].startswith("=="):
                if not least <= len(row) <= len(headings):
                    raise NsightError(f"{at}: {len(row)} columns, not {len(headings)} as headings: is it cut short?")
                yield _Row(at, dict(zip(headings, row, strict=False)))
    except csv.Error as error:
        raise NsightError(f"{where}, line {before + reader.line_num}: no CSV: {error}: is it cut short?") from None


def _columns_needed(headings: list[str], where: str) -> int:
    """How many columns a row has at least: all, but for what rules say at the end of a row for each metric."""
    a_metric_a_row = _OF_METRICS[0] in headings
    needed = (*_NAMED, *_OF_METRICS) if a_metric_a_row else _NAMED
    if not set(needed) <= set(headings):
        raise NsightError(f"{where}: the columns {', '.join(needed[1:-1])} and {needed[-1]} are needed")
    return 1 + max(map(headings.index, needed)) if a_metric_a_row else len(headings)


def _wide(rows: Sequence[_Row]) -> Iterator[Launched]:
    """A row a launch; the first holds the units."""
    if not rows:
        return
    (at, units), *launches = rows
    if units["ID"]:
        raise NsightError(f"{at}: the row of units is missing below the headings")
    for at, row in launches:
        yield _launched(row, ((name, units[name], row[name], at) for name in row if _METRIC.fullmatch(name)), at)


def _long(rows: Sequence[_Row]) -> Iterator[Launched]:
    """A row a metric."""
    launches: dict[str, list[_Row]] = {}
    for row in rows:
        launches.setdefault(row.fields["ID"], []).append(row)
    for of_launch in launches.values():
        metrics = ((r["Metric Name"], r["Metric Unit"], r["Metric Value"], at) for at, r in of_launch)
        yield _launched(of_launch[0].fields, (m for m in metrics if _METRIC.fullmatch(m[0])), of_launch[0].at)


def _launched(row: Mapping[str, str], metrics: Iterable[_Found], at: str) -> Launched:
    try:
        grid, block = _three(row["Grid Size"]), _three(row["Block Size"])
    except ValueError:
        raise NsightError(f"{at}: Grid Size and Block Size are three whole numbers, such as (16, 16, 1)") from None
    return _gathered(row["Kernel Name"], grid, block, metrics, row.get("CC", ""))


def _gathered(
    kernel: str, grid: tuple[int, ...], block: tuple[int, ...], metrics: Iterable[_Found], capability: str = ""
) -> Launched:
    """Numbers among the metrics, in base units, and the GPU's name."""
    values, units, device = {}, {}, ""
    for name, unit, value, where in metrics:
        number = _number(value)
        if name == _DEVICE:
            device = str(value)
        elif number is not None:
            values[name], units[name] = _converted(name, number, unit, where)
    if not capability and all(name in values for name in _CAPABILITY):
        capability = ".".join(f"{values[name]:.0f}" for name in _CAPABILITY)
    return Launched(kernel, grid, block, values, units, device, capability)


def _converted(name: str, number: float, unit: str, where: str) -> tuple[float, str]:
    """A number in the base unit, if that is one that the metric can have."""
    amount = _AMOUNT.fullmatch(name)
    wanted = "" if amount is None else "byte" if amount[1] else "s"
    try:
        value, found = base(number, unit)
    except ValueError:
        raise NsightError(f"{where}: {name} is in {unit!r}, which is no unit known here") from None
    if wanted and found != wanted:
        raise NsightError(f"{where}: {name} is in {unit or 'no unit'!r}, not in {wanted}: use ncu --print-units base")
    return value, found


def _number(text: Any) -> float | None:
    """A number, or None for what is none (n/a, a name)."""
    try:
        number = float(text.replace(",", "") if isinstance(text, str) else text)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _three(text: str) -> tuple[int, ...]:
    """Sizes as in ``(16, 16, 1)``."""
    x, y, z = (int(part) for part in text.strip("() ").split(","))
    return x, y, z


# ---------------------------------------------------------------- reports


def _reported(path: Path) -> Iterator[Launched]:
    """Launches of a report, by NVIDIA's own reader."""
    try:
        import ncu_report
    except ImportError:
        raise NsightError(
            f"{path}: its reader ncu_report is not installed: put Nsight Compute's folder extras/python on PYTHONPATH, "
            f"or print the report with ncu --import {path.name} --csv --page raw"
        ) from None
    if not path.is_file():
        raise NsightError(f"{path}: no such file")
    context = ncu_report.load_report(str(path))
    for part in range(context.num_ranges()):
        actions = context.range_by_idx(part)
        for number in range(actions.num_actions()):
            yield _action(actions.action_by_idx(number), str(path))


def _action(action: Any, where: str) -> Launched:
    def sizes(what: str) -> tuple[int, ...]:
        return tuple(int(action.metric_by_name(f"launch__{what}_dim_{axis}").as_uint64()) for axis in "xyz")

    found = ((name, action.metric_by_name(name)) for name in action.metric_names() if _METRIC.fullmatch(name))
    metrics = (
        (name, metric.unit() or "", metric.as_string() if name == _DEVICE else metric.as_double(), where)
        for name, metric in found
    )
    return _gathered(action.name(), sizes("grid"), sizes("block"), metrics)
