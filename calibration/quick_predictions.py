"""Quick predictions against full ones, launch by launch: the package's table of their errors, and docs/quick.md.

Run by hand after the model or :mod:`gpusim.simulate.quick` has changed: ``python -m calibration.quick_predictions``.
With ``--kept FILE`` full predictions are taken from a file where it has them, and put there where it has not.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import joblib

import gpusim
from calibration.bench import as_json
from calibration.shipped import figures
from gpusim.catalogue import lookup
from gpusim.measured.comparison import Row, Summary, relative, summarise
from gpusim.simulate.known_errors import ENOUGH

ROOT = Path(__file__).parents[1]
GPU = "h200"
LAUNCHES = Path(__file__).parent / "data" / "quick_launches.txt"
"""Launches, a line each: a kernel and its parameters.  Each has more warp instructions than a launch run whole."""
SHOWN = {
    "gpc__cycles_elapsed.max": "cycles",
    "lts__t_sectors_srcunit_tex_op_read.sum": "L2 sectors read",
    "dram__bytes_read.sum": "HBM bytes read",
    "dram__bytes_write.sum": "HBM bytes written",
}
Values = dict[str, float]


def launches() -> list[str]:
    """Launches as they are written in the file."""
    lines = LAUNCHES.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def values(launch: str, *, quick: bool) -> Values:
    """Every metric that is predicted of a launch."""
    kernel, *words = launch.split()
    sizes: dict[str, Any] = {name: int(value) for name, value in (word.split("=") for word in words)}
    profile = gpusim.predict(kernel, GPU, sample="quick" if quick else False, jobs=1, **sizes)
    return {name: float(metric.value) for name, metric in profile.metrics.items()}


def full(kept: Path | None) -> dict[str, Values]:
    """Full predictions by launch."""
    known: dict[str, Values] = json.loads(kept.read_text()) if kept and kept.is_file() else {}
    missing = [launch for launch in launches() if launch not in known]
    run = joblib.Parallel(n_jobs=-1, return_as="generator")(joblib.delayed(values)(x, quick=False) for x in missing)
    for launch, found in zip(missing, run, strict=True):
        known[launch] = found
        if kept:
            kept.write_text(json.dumps(known))
    return {launch: known[launch] for launch in launches()}


def compared(quick: Mapping[str, Values], whole: Mapping[str, Values]) -> list[Row]:
    """Every metric of every launch."""
    return [
        Row(launch, metric, found[metric], value, relative(metric, found[metric], value), float("nan"))
        for launch, found in quick.items()
        for metric, value in whole[launch].items()
        if metric in found and not metric.startswith("launch__")
    ]


def by_family(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each family of kernels."""
    of = {algorithm.name: algorithm.family for algorithm in lookup.all(hidden=True)}
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(of[row.launch.partition(" ")[0]], []).append(row)
    return dict(sorted(found.items()))


def judged(rows: Iterable[Row]) -> dict[str, Any]:
    """The figures of each metric."""
    return {summary.metric: figures(summary) for summary in sorted(summarise(rows))}


def page(rows: Sequence[Row]) -> Iterator[str]:
    """Lines of docs/quick.md."""
    yield from (Path(__file__).parent / "notes" / "quick.md").read_text().rstrip().splitlines()
    yield ""
    yield "| family | launches | " + " | ".join(f"{name}, median | 90 % | worst" for name in SHOWN.values()) + " |"
    yield "|---|--:|" + "--:|" * 3 * len(SHOWN)
    for family, own in {**by_family(rows), "all": rows}.items():
        sums = {summary.metric: summary for summary in summarise(own)}
        cells = " | ".join(_cells(sums[metric]) for metric in SHOWN)
        yield f"| {family} | {sums[next(iter(SHOWN))].launches} | {cells} |"
    yield ""
    yield "| launch | " + " | ".join(SHOWN.values()) + " |"
    yield "|---|" + "--:|" * len(SHOWN)
    errors = {(row.launch, row.metric): row.error for row in rows}
    for launch in dict.fromkeys(row.launch for row in rows):
        yield f"| `{launch}` | " + " | ".join(f"{errors[launch, metric]:+.1%}" for metric in SHOWN) + " |"
    yield ""


def _cells(found: Summary) -> str:
    return f"{found.median:.1%} | {found.p90:.1%} | {found.max:.1%}"


def main() -> None:
    """Write the table and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", type=Path, help="full predictions of an earlier run")
    kept = parser.parse_args().kept
    whole = full(kept)
    quick = joblib.Parallel(n_jobs=-1)(joblib.delayed(values)(launch, quick=True) for launch in launches())
    rows = compared(dict(zip(launches(), quick, strict=True)), whole)
    families = {family: judged(own) for family, own in by_family(rows).items()}
    enough = {f: own for f, own in families.items() if own[next(iter(SHOWN))]["n"] >= ENOUGH}
    data = {"gpu": GPU, "launches": len(launches()), "all": judged(rows), "families": enough}
    (ROOT / "gpusim" / "data" / f"quick-{GPU}.json").write_text(as_json(data) + "\n")
    (ROOT / "docs" / "quick.md").write_text("\n".join(page(rows)))


if __name__ == "__main__":
    main()
