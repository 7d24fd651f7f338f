"""Launches that nothing was calibrated on, of strangers' repositories and of kernels of other kinds, on an H200.

``python -m calibration.strangers`` writes ``docs/strangers.md``, the errors that the package says of a user's own CUDA,
and what its intervals of time follow from, all from predictions that are kept.  With ``--predict kinds`` it predicts
the launches of ``calibration/data/kinds`` anew, with ``--predict strangers --sources FOLDER`` those of
``calibration/data/strangers``, whose machine code is in a folder: the code of strangers is no part of this project.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from calibration import bench, intervals, kinds, shipped
from calibration.exact_counters import ASKED, EXECUTED, differing
from calibration.shipped import HBM, L2
from gpusim.launches import file
from gpusim.launches.profiling import record_all
from gpusim.measured import measurement
from gpusim.measured.comparison import Row, relative, rows, summarise
from gpusim.measured.measurement import MeasuredLaunch, Measurement
from gpusim.progress import ProgressLine
from gpusim.results.metric import CYCLES

ROOT = Path(__file__).parents[1]
GPU, TABLE = "h200", "h200_predicted.csv"
SETS = {"strangers": bench.DATA / "strangers", "kinds": kinds.FOLDER}
TITLES = {"strangers": "of public repositories", "kinds": "kernels of other kinds"}
FAR, WORST = 0.25, 10
"""An error that is counted apart; launches that are named."""
COLUMNS = (
    "launches", "counts identical", "cycles: median", "mean", "nine in ten", "over 25 %", "HBM reads: mean",
    "L2 reads: mean",
)  # fmt: skip


class Compared(NamedTuple):
    """A launch beside what was predicted of it.

    Attributes
    ----------
    group : str
        Its repository, or its kind.
    launch : MeasuredLaunch
    predicted : mapping of str to float
    """

    group: str
    launch: MeasuredLaunch
    predicted: Mapping[str, float]

    def error(self, metric: str) -> float:
        """By how much a metric is off, relative to what was measured."""
        return relative(metric, self.predicted[metric], self.launch.value(metric))

    def rows(self) -> list[Row]:
        """What is judged, beside what was measured."""
        return rows({metric: self.predicted[metric] for metric in (CYCLES, HBM, L2)}, self.launch)

    def is_identical(self) -> bool:
        """Whether all counts that follow from the program alone are the hardware's."""
        told = [metric for metric in (*EXECUTED, *ASKED) if metric in self.launch.metrics]
        return not differing(self.predicted, {metric: self.launch.value(metric) for metric in told}, told)


# ---------------------------------------------------------------- what is kept


@cache
def measured(of: str) -> Measurement:
    """What was measured of a set."""
    return measurement.read(SETS[of] / f"{GPU}.json")


def groups(of: str) -> dict[str, str]:
    """The group of each launch of a set, by its id."""
    if of == "kinds":
        return {launch["id"]: kind for kind, launches in kinds.KINDS.items() for launch in launches()}
    sources = json.loads((SETS[of] / "sources.json").read_text())
    return {launch.id: sources[launch.launch["source"]]["repository"] for launch in measured(of).launches}


@cache
def compared(of: str) -> list[Compared]:
    """Every launch of a set that was predicted."""
    return beside(measured(of), SETS[of] / TABLE, groups(of))


def beside(found: Measurement, kept: Path, group: Mapping[str, str]) -> list[Compared]:
    """Launches beside the predictions that are kept of them."""
    with kept.open() as table:
        rows = {row.pop("id"): row for row in csv.DictReader(table)}
    known = {name: {key: float(value) for key, value in row.items() if value} for name, row in rows.items()}
    return [Compared(group[one.id], one, known[one.id]) for one in found.launches if one.id in known]


def predict(found: Measurement, folder: Path, kept: Path, jobs: int | None) -> None:
    """Predict launches for the GPU that they were measured on, their sources in a folder, and keep what is compared."""
    specs = file.launches([launch.launch for launch in found.launches], folder, "measured launches")
    with ProgressLine() as progress:
        records = record_all(specs, found.device.gpu, jobs=jobs, progress=progress)
    for one in records:
        if one["error"]:
            print(f"{one['id']}: {one['error']}")
    keep(found, {one["id"]: one["metrics"] for one in records if not one["error"]}, kept)


def keep(found: Measurement, predicted: Mapping[str, Mapping[str, float]], kept: Path) -> None:
    """Write of predictions, by launch, the metrics that were measured."""
    names = sorted({metric for launch in found.launches for metric in launch.metrics})
    with kept.open("w", newline="") as table:
        writer = csv.DictWriter(table, ["id", *names], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({"id": launch, **values} for launch, values in predicted.items())


def errors() -> dict[str, Any]:
    """What the package says of its own errors in kernels of strangers."""
    found = compared("strangers")
    judged = shipped.compared({one.launch.id: one.predicted for one in found}, [one.launch for one in found])
    return {"gpu": GPU, "repositories": len({one.group for one in found}), "all": shipped.errors(judged)}


@cache
def judged(of: str) -> list[intervals.Judged]:
    """The launches of a set as intervals see them."""
    return [intervals.judged(one.group, one.launch, one.predicted) for one in compared(of)]


@cache
def pools() -> tuple[intervals.Pool, ...]:
    """What intervals of time follow from: these launches, and those of descriptions."""
    here, own = [one for of in SETS for one in judged(of)], intervals.of_descriptions()
    repositories = len({one.group for one in compared("strangers")})
    own_among = f"{{}} launches of all kernels on {GPU}, by description"
    among = f"{{}} launches of {repositories} public repositories and of other kinds on {GPU}"
    return (
        intervals.Pool("machine_code", "both", among, here),
        intervals.Pool("description", "gpusim's own, by description", own_among, own),
    )


# ---------------------------------------------------------------- the page


def figures(found: Sequence[Compared]) -> list[str]:
    """A row's cells."""
    of = {summary.metric: summary for summary in summarise(row for one in found for row in one.rows())}
    cycles = of[CYCLES]
    return [
        str(len(found)), str(sum(one.is_identical() for one in found)), f"{cycles.median:.1%}", f"{cycles.mean:.1%}",
        f"{cycles.p90:.1%}", str(sum(abs(one.error(CYCLES)) > FAR for one in found)),
        *(f"{of[metric].mean:.1%}" for metric in (HBM, L2)),
    ]  # fmt: skip


def row(name: str, found: Sequence[Compared]) -> str:
    """A table's row: of launches that the model was built with / of those held out."""
    parts = [[one for one in found if one.launch.held_out is held] for held in (False, True)]
    cells = zip(*(figures(part) if part else ["–"] * len(COLUMNS) for part in parts), strict=True)
    return f"| {name} | {' | '.join(' / '.join(pair) for pair in cells)} |"


def head(first: str) -> list[str]:
    """A table's head."""
    return [f"| {first} | {' | '.join(COLUMNS)} |", "|---" + "|--:" * len(COLUMNS) + "|"]


def summary() -> list[str]:
    """The table of both sets."""
    return [*head("launches"), *(row(TITLES[of], compared(of)) for of in SETS)]


def lead() -> list[str]:
    """What docs/validation.md begins with."""
    return [
        "First, kernels that nothing was fitted to: launches that could be looked at / those held out.",
        "[Strangers' kernels](strangers.md) has them by repository and by kind, and the ten furthest off of each.",
        "[On an H100](h100.md) has 92 launches of another card.",
        "",
        *summary(),
    ]


def worst(found: Sequence[Compared]) -> Iterator[str]:
    """The launches furthest off, of those that are not held out."""
    yield "| launch | cycles there | off |"
    yield "|---|--:|--:|"
    seen = [one for one in found if not one.launch.held_out]
    for one in sorted(seen, key=lambda one: -abs(one.error(CYCLES)))[:WORST]:
        yield f"| `{one.launch.id}` | {one.launch.value(CYCLES):.0f} | {one.error(CYCLES):+.0%} |"


def page() -> Iterator[str]:
    """Lines of docs/strangers.md."""
    yield from (bench.NOTES / "strangers.md").read_text().rstrip().splitlines()
    yield from ("", *summary())
    for of in SETS:
        found = compared(of)
        by_group: dict[str, list[Compared]] = {}
        for one in found:
            by_group.setdefault(one.group, []).append(one)
        yield from ("", f"## {TITLES[of].capitalize()}", "", *head("repository" if of == "strangers" else "kind"))
        yield from (row(group, by_group[group]) for group in sorted(by_group))
        yield from ("", "The furthest off in cycles:", "", *worst(found))
    yield from ("", *intervals.section(pools(), {TITLES[of]: judged(of) for of in SETS}), "")


def write() -> None:
    """Write the page, and what the package says of errors and intervals."""
    (ROOT / "gpusim" / "data" / f"strangers-{GPU}.json").write_text(bench.as_json(errors()) + "\n")
    intervals.FILE.write_text(intervals.as_text(pools()))
    (ROOT / "docs" / "strangers.md").write_text("\n".join(page()))


def main() -> None:
    """Predict what is asked for; write what follows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--predict", choices=SETS, help="predict the launches of a set anew")
    parser.add_argument("--sources", type=Path, help="folder with the machine code of strangers")
    parser.add_argument("--jobs", type=int, help="processors [default: all]")
    given = parser.parse_args()
    if given.predict == "strangers" and given.sources is None:
        parser.error("--predict strangers needs --sources: a folder with what sources.json lists")
    if given.predict:
        folder = SETS[given.predict]
        predict(measured(given.predict), given.sources or folder, folder / TABLE, given.jobs)
    write()


if __name__ == "__main__":
    main()
