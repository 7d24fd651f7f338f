"""Whole programs against an H200, launch by launch: the package's table of their errors, and docs/programs.md.

Run by hand after the model or :mod:`gpusim.programs` has changed: ``python -m calibration.programs FOLDER KEPT``.  The
first folder has the executables, which ``calibration/data/programs/README.md`` says how to build; the second gets
predictions.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import joblib

from calibration.bench import as_json
from calibration.shipped import figures
from gpusim.measured import measurement
from gpusim.measured.comparison import Row, rows, summarise
from gpusim.measured.measurement import MeasuredLaunch, Measurement
from gpusim.programs.memory import any_of_host
from gpusim.results.metric import DURATION

ROOT = Path(__file__).parents[1]
GPU = "h200"
COUNTERS = Path(__file__).parent / "data" / "programs" / f"{GPU}.json"
MOST_LAUNCHES = 24
COUNTED = ("smsp__inst_executed", "smsp__thread_inst_executed", "l1tex__t_requests_pipe", "l1tex__t_sectors_pipe")
HBM_READS = "dram__bytes_read.sum"


class Predicted(NamedTuple):
    """A launch as ``gpusim run`` predicts it.

    Attributes
    ----------
    metrics : mapping of str to float
    reaches_host : bool
        Whether it touches memory of the host.
    """

    metrics: Mapping[str, float]
    reaches_host: bool


class Program(NamedTuple):
    """A program's launches: their metrics beside what was measured, and which of them touch memory of the host."""

    name: str
    launches: Sequence[Sequence[Row]]
    reaches_host: bool


def predict(executable: Path, kept: Path) -> list[Predicted]:
    """Predict the first launches of a program.

    Parameters
    ----------
    executable : Path
    kept : Path
        A folder where ``gpusim run`` writes what it found, or has done so before.

    Raises
    ------
    FileNotFoundError
        The program did not run to its end.
    """
    found = kept.resolve() / f"{executable.name}.json"
    if not found.exists():
        options = ["--gpu", GPU, "--launch-count", str(MOST_LAUNCHES), "--jobs", "1", "--json", str(found)]
        command = [sys.executable, "-m", "gpusim", "run", *options, f"./{executable.name}"]
        subprocess.run(command, cwd=executable.parent, capture_output=True, check=False)
    ran = json.loads(found.read_text())
    profiles = {number: _predicted(profile) for number, profile in ran["profiles"].items()}
    return [profiles[str(one["as_launch"])] for one in ran["launches"] if one["seconds"] is not None]


def _predicted(profile: Mapping[str, Any]) -> Predicted:
    reaches = any_of_host(array["name"] for array in profile["arrays"] if array["requests"])
    return Predicted({name: metric["value"] for name, metric in profile["metrics"].items()}, reaches)


def measured() -> Measurement:
    """What was measured."""
    return measurement.read(COUNTERS)


def compared(name: str, predicted: Sequence[Predicted], launches: Sequence[MeasuredLaunch]) -> Program:
    """A program's launches beside what was measured of them, in their order.

    Raises
    ------
    ValueError
        It launches more or fewer than it did there.
    """
    if len(predicted) != len(launches):
        raise ValueError(f"{name} launches {len(predicted)} kernels here and {len(launches)} there")
    pairs = zip(predicted, launches, strict=True)
    found = [rows({**dict.fromkeys(there.metrics, 0.0), **here.metrics}, there) for here, there in pairs]
    return Program(name, found, any(one.reaches_host for one in predicted))


def is_identical(launch: Sequence[Row]) -> bool:
    """Whether what a launch executes and asks for is that of the hardware, to the last instruction and sector."""
    return not any(row.error for row in launch if row.metric.startswith(COUNTED) and "hit" not in row.metric)


def errors(programs: Sequence[Program]) -> dict[str, Any]:
    """What the package says of its own errors in programs."""
    within = [program for program in programs if not program.reaches_host]
    found = [row for program in within for launch in program.launches for row in launch]
    judged = {summary.metric: figures(summary) for summary in sorted(summarise(found))}
    return {"gpu": GPU, "programs": len(within), "all": judged}


def page(programs: Sequence[Program], device: str) -> Iterator[str]:
    """Lines of docs/programs.md."""
    yield from (Path(__file__).parent / "notes" / "programs.md").read_text().rstrip().splitlines()
    within = [program for program in programs if not program.reaches_host]
    launches = [launch for program in within for launch in program.launches]
    means = [statistics.fmean(abs(_time(launch)) for launch in program.launches) for program in within]
    times = next(one for one in summarise(row for launch in launches for row in launch) if one.metric == DURATION)
    yield ""
    yield (
        f"{device}: {len(launches)} launches of {len(within)} programs, {sum(map(is_identical, launches))} of them "
        f"identical. Time is {times.median:.1%} off in the median launch, {times.p90:.1%} at most in nine of ten; "
        f"{statistics.fmean(means):.1%} in the mean of the programs."
    )
    yield ""
    yield "| program | launches | identical | time, mean | worst | first | HBM reads here, there (MB) |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    yield from map(_line, programs)
    yield ""


def _line(program: Program) -> str:
    off = [_time(launch) for launch in program.launches]
    read = [row for launch in program.launches for row in launch if row.metric == HBM_READS]
    here, there = sum(row.predicted for row in read) / 1e6, sum(row.measured for row in read) / 1e6
    mean, worst = statistics.fmean(map(abs, off)), max(off, key=abs)
    return (
        f"| {program.name}{'*' * program.reaches_host} | {len(off)} | {sum(map(is_identical, program.launches))} "
        f"| {mean:.1%} | {worst:+.0%} | {off[0]:+.0%} | {here:.1f}, {there:.1f} |"
    )


def _time(launch: Sequence[Row]) -> float:
    """By how much a launch's time is off."""
    return next(row.error for row in launch if row.metric == DURATION)


def main() -> None:
    """Write the table and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the programs' executables")
    parser.add_argument("kept", type=Path, help="where predictions are written, and taken from where they are there")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time")
    given, found = parser.parse_args(), measured()
    given.kept.mkdir(exist_ok=True)
    launches: dict[str, list[MeasuredLaunch]] = {}
    for launch in found.launches:
        launches.setdefault(launch.launch["program"], []).append(launch)
    every = (joblib.delayed(predict)(given.folder / name, given.kept) for name in launches)
    run = joblib.Parallel(n_jobs=given.jobs)(every)
    programs = [compared(name, of, launches[name]) for name, of in zip(launches, run, strict=True)]
    device = f"{found.device.name}, driver {found.device.driver}, {found.profiler}, {found.date}"
    table = ROOT / "gpusim" / "data" / f"programs-{GPU}.json"
    table.write_text(as_json(errors(programs) | {"device": device}) + "\n")
    (ROOT / "docs" / "programs.md").write_text("\n".join(page(programs, device)))


if __name__ == "__main__":
    main()
