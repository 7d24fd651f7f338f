"""Kernels of Hopper's asynchronous units on an H100 and an H200: predictions beside what was counted and timed.

``python -m calibration.hopper`` predicts every launch of ``calibration/data/hopper`` that was counted and prints a row
of errors for each GPU and kind of kernel, those held out apart.  ``--each`` adds a line for each launch, with the
counts that are not the hardware's.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from calibration import bench
from calibration.exact_counters import ASKED, EXECUTED, differing
from calibration.shipped import HBM, L2
from gpusim.launches import file
from gpusim.launches.profiling import record_all
from gpusim.launches.spec import AnyLaunch
from gpusim.measured import measurement
from gpusim.measured.comparison import Summary, rows, summarise
from gpusim.measured.measurement import MeasuredLaunch, Measurement
from gpusim.progress import ProgressLine
from gpusim.results.metric import CYCLES

FOLDER = bench.DATA / "hopper"
CUBINS = FOLDER / "triton.tar.xz"
TIME, CLOCK = "gpu__time_duration.sum", "gpc__cycles_elapsed.avg.per_second"
SHARED_WAVES = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
EXACT = (*EXECUTED, *ASKED, SHARED_WAVES)
"""Counts that should be the hardware's to the digit."""
GROUPS = {"executed": EXECUTED, "requests, sectors": ASKED, "shared wavefronts": [SHARED_WAVES]}


class Kind(NamedTuple):
    """What was measured of some kernels on a GPU.

    Attributes
    ----------
    gpu, name : str
    measured : Measurement
    """

    gpu: str
    name: str
    measured: Measurement

    def counted(self) -> list[MeasuredLaunch]:
        """Launches that the profiler saw; of others only the time is known."""
        return [launch for launch in self.measured.launches if launch.metrics]


Scored = list[tuple[MeasuredLaunch, Mapping[str, float]]]
"""Launches, each with its predicted metrics."""


@cache
def by_hand(gpu: str) -> dict[str, MeasuredLaunch]:
    """Launches of kernels written by hand, by id, caches cold.

    Parameters
    ----------
    gpu : {"h100-sxm", "h200"}
    """
    found = measurement.read(FOLDER / f"{gpu}-kernels.json")
    return {launch.id: launch for launch in found.launches if not launch.error}


def kinds() -> list[Kind]:
    """All that was measured, a file each."""
    found = [(path, measurement.read(path)) for path in sorted(FOLDER.glob("*.json"))]
    return [Kind(of.device.gpu, path.stem.removeprefix(f"{of.device.gpu}-"), of) for path, of in found]


@contextmanager
def sources(kind: str) -> Iterator[Path]:
    """Folder in which paths of a kind's sources begin; that of Triton's cubins is there for a while only."""
    if kind != "triton":
        yield FOLDER
        return
    with tempfile.TemporaryDirectory() as folder, tarfile.open(CUBINS) as cubins:
        cubins.extractall(folder, filter="data")
        yield Path(folder)


def specs(launches: Sequence[MeasuredLaunch], folder: Path) -> list[AnyLaunch]:
    """The launches as they are profiled."""
    return file.launches([launch.launch for launch in launches], folder, "measured launches")


def predict(kind: Kind, pattern: str = "*", jobs: int | None = None) -> Scored:
    """Predictions of a kind's launches whose ids match a pattern, beside what was measured.

    Raises
    ------
    RuntimeError
        If one cannot be predicted.
    """
    chosen = [launch for launch in kind.counted() if fnmatch.fnmatchcase(launch.id, pattern)]
    if not chosen:
        return []
    with sources(kind.name) as folder, ProgressLine() as progress:
        found = record_all(specs(chosen, folder), kind.gpu, jobs=jobs, progress=progress)
    if failed := [f"{one['id']}: {one['error']}" for one in found if one["error"]]:
        raise RuntimeError("; ".join(failed))
    return [(launch, one["metrics"]) for launch, one in zip(chosen, found, strict=True)]


def wrong(launch: MeasuredLaunch, predicted: Mapping[str, float], metrics: Sequence[str] = EXACT) -> dict[str, Any]:
    """Counts that are not the hardware's: predicted, measured."""
    measured = {metric: launch.value(metric) for metric in metrics}
    return differing(predicted, measured, metrics)


# ---------------------------------------------------------------- the table


def table(scores: Mapping[tuple[str, str], Scored]) -> Iterator[str]:
    """A row for each GPU and kind: what calibration may see / what is held out."""
    figures = "cycles, mean | max | L2 reads, median | max | HBM reads, median | max"
    yield f"| GPU, kind | launches | {' | '.join(GROUPS)} | {figures} |"
    yield "|---|--:" + "|--:" * (len(GROUPS) + 6) + "|"
    for (gpu, name), scored in scores.items():
        parts = [[one for one in scored if one[0].held_out is held] for held in (False, True)]
        cells = zip(*(_cells(part) for part in parts if part), strict=True)
        yield f"| {gpu}, {name} | {' | '.join(' / '.join(pair) for pair in cells)} |"


def _cells(scored: Scored) -> Iterator[str]:
    yield str(len(scored))
    for metrics in GROUPS.values():
        yield str(sum(not wrong(launch, predicted, metrics) for launch, predicted in scored))
    of = _summaries(scored)
    yield from (_percent(x) for x in (of[CYCLES].mean, of[CYCLES].max))
    for metric in (L2, HBM):
        yield from (_percent(x) for x in (of[metric].median, of[metric].max))


def _summaries(scored: Scored) -> dict[str, Summary]:
    found = (row for launch, predicted in scored for row in rows(predicted, launch))
    return {summary.metric: summary for summary in summarise(found)}


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def each(scored: Scored) -> Iterator[str]:
    """A line for each launch, the worst first: errors of cycles, of L2 reads and of HBM reads, and wrong counts."""
    errors = {launch.id: {row.metric: row.error for row in rows(predicted, launch)} for launch, predicted in scored}
    for launch, predicted in sorted(scored, key=lambda one: -abs(errors[one[0].id][CYCLES])):
        figures = " ".join(f"{100 * errors[launch.id][metric]:+7.1f}" for metric in (CYCLES, L2, HBM))
        counts = ", ".join(f"{name} {p:.0f} for {m:.0f}" for name, (p, m) in wrong(launch, predicted).items())
        yield f"{launch.id:32} {'held out' if launch.held_out else '':8} {figures} %  {counts}".rstrip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="*", metavar="PATTERN", help="launches whose ids match it")
    parser.add_argument("--kind", metavar="NAME", help="kernels, phases or triton")
    parser.add_argument("--gpu", metavar="NAME", help="h100-sxm or h200")
    parser.add_argument("--jobs", type=int, help="processors [default: all]")
    parser.add_argument("--each", action="store_true", help="a line for each launch, too")
    given = parser.parse_args(arguments)
    scores = {
        (kind.gpu, kind.name): found
        for kind in kinds()
        if given.kind in (None, kind.name) and given.gpu in (None, kind.gpu)
        if (found := predict(kind, given.only, given.jobs))
    }
    if not scores:
        parser.error("no launch is named so")
    for key, scored in scores.items() if given.each else ():
        print(*key, *each(scored), sep="\n")
    print(*table(scores), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
