"""Searches held against hardware: spaces that others measured whole, and the package's own launches in several tiles.

Run by hand.  ``python -m calibration.tuning draw TABLE STAMPS`` takes the FAIR hub's ``fair_convolution_a100.csv.gz``
and its ``convolution_milo/A100_T4.json.gz`` (the time stamps alone) into ``calibration/data/tuning``, and keeps what
was predicted.  ``predict FILE`` predicts what was not, quickly, and the best in full; it may be stopped.  ``launches``
writes the launch file of our own spaces, which ``gpusim measure`` takes, ``own FILE`` predicts them.  Without a word it
writes docs/tuning.md and what the package says of which times count as different.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import itertools
import json
import math
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration import bench, published, unchanged
from gpusim.catalogue import lookup
from gpusim.decide.apart import FILE
from gpusim.decide.space import Point, Space
from gpusim.decide.subject import DescribedSubject, SourceSubject, Subject
from gpusim.decide.sweep import predict_points
from gpusim.decide.tune import TOP
from gpusim.errors import GpusimError
from gpusim.measured import measurement
from gpusim.measured import published as measured_by_others
from gpusim.processors import processors
from gpusim.progress import ProgressLine
from gpusim.results.metric import CYCLES, DURATION

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tuning.md"
FOLDER = Path(__file__).parent / "data" / "tuning"
SPACE, GPU = "convolution", "a100-40gb@765MHz"
KEPT = FOLDER / f"{SPACE}_a100-40gb.csv"
NAMES = published.SPACES[SPACE]
TOLD = ("measured", "unsteady", "quick", "full", "error")
"""Columns beside the parameters: seconds, whether the clock may have been raised, seconds predicted."""
OFTEN = 64
"""Points that are predicted between two writings of the file."""
FOUR_IN_FIVE = 0.8

Row = dict[str, str]


# ---------------------------------------------------------------- a space that others measured


def draw(table: Path, stamps: Path) -> None:
    """Take what was measured, and keep what was predicted."""
    with gzip.open(stamps, "rt") as file:
        raised = published.hurried(json.load(file)["results"])
    before = {_key(row): row for row in rows()} if KEPT.exists() else {}
    with gzip.open(table, "rt") as lines:
        found = [_row(row, raised) for row in csv.DictReader(lines)]
    for row in found:
        row |= {name: before.get(_key(row), {}).get(name, "") for name in ("quick", "full", "error")}
    write(found, KEPT)


def _row(row: Mapping[str, str], raised: set[tuple[str, ...]]) -> Row:
    values = [value for name, value in row.items() if name not in ("median_ms", "min_ms")]
    told = dict(zip(NAMES, values, strict=False))
    return told | {"measured": f"{float(row['median_ms']) * 1e-3:.6g}", "unsteady": str(int(tuple(values) in raised))}


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in NAMES)


def _digest(key: tuple[str, ...]) -> str:
    return hashlib.sha256(",".join(key).encode()).hexdigest()


def rows(file: Path = KEPT) -> list[Row]:
    """Every configuration."""
    with file.open() as lines:
        return list(csv.DictReader(lines))


def write(found: Sequence[Row], file: Path) -> None:
    """Write configurations."""
    partial = file.with_suffix(".part")
    with partial.open("w") as lines:
        writer = csv.DictWriter(lines, [*NAMES, *TOLD], lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    partial.replace(file)


def subject() -> SourceSubject:
    """Our kernel of the space."""
    sizes = ("4096", "BLOCK_X*TILE_X"), ("4096", "BLOCK_Y*TILE_Y")
    common = published.common(SPACE)
    args = [f"{one['buffer']}:{one['init']}:{one['count']}" for one in common["args"]]
    grid = ",".join(f"ceildiv({size},{tile})" for size, tile in sizes)
    told = {"kernel": common["kernel"], "grid": grid, "block": "BLOCK_X,BLOCK_Y", "args": args}
    return SourceSubject(measured_by_others.FOLDER / common["source"], told)


def predict(file: Path) -> None:
    """Predict what was not predicted: all quickly, then the best in full."""
    _predict(file, rows(file), "quick")
    found = rows(file)
    done = [row for row in found if row["quick"]]
    best = [
        ranked(part, "quick")[:TOP] for part in (done, [row for row in done if row["unsteady"] == "0"])
    ]  # fmt: skip
    keys = {_key(row) for part in best for row in part}
    _predict(file, [row for row in found if _key(row) in keys], "full")


def _predict(file: Path, wanted: Sequence[Row], how: str) -> None:
    """Predict configurations, some at a time."""
    missing = sorted((_key(row) for row in wanted if not row[how] and not row["error"]), key=_digest)
    kernel = subject()
    with ProgressLine() as progress:
        for start in range(0, len(missing), OFTEN):
            keys = missing[start : start + OFTEN]
            places = [(kernel, dict(zip(NAMES, key, strict=True)), GPU) for key in keys]
            given = {"sample": "quick" if how == "quick" else None}
            predicted = predict_points(places, given, processors(), progress)
            told = dict(zip(keys, predicted, strict=True))
            found = rows(file)
            for row in found:
                if (one := told.get(_key(row))) is not None:
                    known = {how: f"{one.profile.seconds:.6g}"} if one.profile else {"error": one.error.split("\n")[0]}
                    row |= known
            write(found, file)
            print(f"{how}: {start + len(keys)} of {len(missing)}", flush=True)


def ranked(found: Sequence[Row], how: str) -> list[Row]:
    """Configurations, the fastest predicted first."""
    return sorted(found, key=lambda row: float(row[how]))


# ---------------------------------------------------------------- spaces of our own

OWN_GPU = "h200"
LAUNCHES = FOLDER / "launches.json"
MEASURED = FOLDER / f"{OWN_GPU}.json"
PREDICTED = FOLDER / f"{OWN_GPU}_predicted.json"
DRAWN = 64
"""Points of the convolution that are measured: those with the lowest SHA-256."""


def own() -> dict[str, tuple[Subject, list[Point]]]:
    """Kernels, and the points of each that were measured."""
    tiled = DescribedSubject(lookup.get("matmul-register-tiled"), {"n": 1024})
    sides = [32, 64, 128]
    tiles = Space({"BM": sides, "BN": sides, "BK": [8, 16], "TM": [4, 8], "TN": [4, 8]}, ["BM*BN/(TM*TN) >= 32"])
    drawn = sorted(map(_key, rows()), key=_digest)[:DRAWN]
    return {
        "matmul-register-tiled": (tiled, [point for point in tiles.points() if _is_launch(tiled, point)]),
        SPACE: (subject(), [dict(zip(NAMES, key, strict=True)) for key in drawn]),
    }


def _is_launch(kernel: Subject, point: Point) -> bool:
    try:
        kernel.call(point, OWN_GPU, {})
    except GpusimError:
        return False
    return True


def write_launches() -> None:
    """Write the launch file of our own spaces, for ``gpusim measure``."""
    found = [entry for kernel, points in own().values() for point in points for entry in kernel.entries(point, FOLDER)]
    LAUNCHES.write_text(json.dumps(found, indent=1) + "\n")


def predict_own(file: Path) -> None:
    """Predict our own spaces, quickly and in full, and keep seconds by launch."""
    found: dict[str, dict[str, float]] = json.loads(file.read_text()) if file.exists() else {}
    with ProgressLine() as progress:
        for how in ("quick", "full"):
            for name, (kernel, points) in own().items():
                if how == "full" and name == SPACE:
                    continue  # minutes each
                ids = [kernel.entries(point, FOLDER)[0]["id"] for point in points]
                left = [(key, point) for key, point in zip(ids, points, strict=True) if how not in found.get(key, {})]
                places = [(kernel, point, OWN_GPU) for _, point in left]
                given = {"sample": "quick" if how == "quick" else None}
                for (key, _), row in zip(left, predict_points(places, given, processors(), progress), strict=True):
                    if row.profile is not None:
                        found.setdefault(key, {})[how] = float(f"{row.profile.seconds:.6g}")
                file.write_text(json.dumps(found, indent=1) + "\n")
                print(name, how, len(left), flush=True)


# ---------------------------------------------------------------- what was found


class Measured(NamedTuple):
    """A space with times that were measured and predicted.

    Attributes
    ----------
    name, gpu, way : str
    quick : bool
        Whether predictions are quick ones.
    pairs : list of (float, float)
        Seconds measured and predicted, of each point.
    """

    name: str
    gpu: str
    way: str
    quick: bool
    pairs: list[tuple[float, float]]

    def above(self, top: int) -> float:
        """By how much the fastest measured of the first so many lies above the fastest of all."""
        first = sorted(self.pairs, key=lambda pair: pair[1])[:top]
        return min(measured for measured, _ in first) / min(measured for measured, _ in self.pairs) - 1

    def ratios(self) -> list[float]:
        """By which factors ratios of times were off, of all pairs of points."""
        off = [math.log(measured / predicted) for measured, predicted in self.pairs]
        return [math.exp(abs(a - b)) for a, b in itertools.combinations(off, 2)]


@cache
def spaces() -> list[Measured]:
    """All that there is."""
    return [*_by_others(), *_of_our_own(), *_of_package()]


def _by_others() -> Iterator[Measured]:
    """Spaces that others measured, where the clock is known."""
    whole = [row for row in rows() if row["quick"]]
    steady = [row for row in whole if row["unsteady"] == "0"]
    for name, part in (("", steady), (", any clock", whole)):
        pairs = [(float(row["measured"]), float(row["quick"])) for row in part]
        yield Measured(f"{SPACE}{name}", GPU, "machine_code", True, pairs)
    for gpu in ("a100-40gb", "rtx-a6000"):
        for one in measured_by_others.of(gpu):
            if one.space and one.gpu != GPU:
                pairs = [(x.seconds, x.predicted) for x in one.compared if x.predicted is not None]
                yield Measured(one.name, one.gpu, one.way, one.sample == "quick", pairs)


def _of_our_own() -> Iterator[Measured]:
    """Spaces measured here."""
    seconds = {x.id: float(x.value(DURATION)) for x in measurement.read(MEASURED).launches if DURATION in x.metrics}
    predicted: dict[str, dict[str, float]] = json.loads(PREDICTED.read_text())
    for name, (kernel, _) in own().items():
        for how in ("quick", "full"):
            known = [key for key in seconds if key.startswith(f"{name} ") and how in predicted.get(key, {})]
            if known:
                pairs = [(seconds[key], predicted[key][how]) for key in known]
                yield Measured(name, OWN_GPU, kernel.way, how == "quick", pairs)


def _of_package() -> Iterator[Measured]:
    """The package's launches of one kernel with the same sizes, in several tiles."""
    for way in ("description", "machine_code"):
        with unchanged.TABLE.open() as lines:
            cycles = {row["launch"]: float(row[CYCLES]) for row in csv.DictReader(lines) if row["way"] == way}
        groups: dict[str, list[tuple[float, float]]] = {}
        for one in measurement.read(ROOT / "gpusim" / "data" / f"measured-{OWN_GPU}.json").launches:
            if one.id in cycles:
                groups.setdefault(_but_for_tiles(one.launch), []).append((float(one.value(CYCLES)), cycles[one.id]))
        for name, pairs in groups.items():
            if len(pairs) > 1:
                yield Measured(name, OWN_GPU, way, False, pairs)


def _but_for_tiles(launch: Mapping[str, Any]) -> str:
    """A launch's kernel and sizes."""
    tiles = {one.name for one in lookup.get(launch["kernel"]).kernel.tree.params if one.role == "tile"}
    return " ".join([launch["kernel"], *(f"{k}={v}" for k, v in launch["params"].items() if k not in tiles)])


def learnt(found: Sequence[Measured]) -> list[dict[str, Any]]:
    """What the package says: from which ratio on times count as different, by GPU and kind of prediction."""
    groups: dict[tuple[str, str, bool], list[Measured]] = {}
    for space in found:
        if "any clock" not in space.name:
            groups.setdefault((space.gpu, space.way, space.quick), []).append(space)
    return [_set(*key, members) for key, members in groups.items()]


def _set(gpu: str, way: str, quick: bool, members: Sequence[Measured]) -> dict[str, Any]:
    """Of one kind; each space counts as much as its points, not as its pairs."""
    by_space = [(_four_in_five(one.ratios()), len(one.pairs)) for one in members]
    factor = sum(f * n for f, n in by_space) / sum(n for _, n in by_space)
    points = sum(len(one.pairs) for one in members)
    kernels = sorted({one.name.partition(" ")[0] for one in members})
    among = f"{points} launches of {', '.join(kernels)} on {gpu}" + (", quickly" if quick else "")
    return {"gpu": gpu, "way": way, "quick": quick, "factor": round(factor, 3), "among": among}


def _four_in_five(ratios: Sequence[float]) -> float:
    return float(np.quantile(ratios, FOUR_IN_FIVE))


def page(found: Sequence[Measured]) -> Iterator[str]:
    """Lines of docs/tuning.md."""
    yield (bench.NOTES / "tuning.md").read_text()
    yield "| space | GPU | predicted | points | best of 1 | of 4 | of 8 | half | four in five |"
    yield "|---|---|---|--:|--:|--:|--:|--:|--:|"
    package = [one for one in found if "=" in one.name]
    for one in found:
        if one not in package:
            yield _line(one.name, one)
    for way in ("description", "machine_code"):
        part = [one for one in package if one.way == way]
        worst = max(part, key=lambda one: one.above(1))
        ratios = [ratio for one in part for ratio in one.ratios()]
        pairs = sum(len(one.pairs) for one in part)
        yield _cells(f"{len(part)} groups of the package", worst, pairs, ratios)


def _line(name: str, one: Measured) -> str:
    return _cells(name, one, len(one.pairs), one.ratios())


def _cells(name: str, one: Measured, points: int, ratios: Sequence[float]) -> str:
    way = one.way.replace("_", " ") + (", quickly" if one.quick else "")
    above = (f"+{100 * one.above(top):.1f} %" if one.above(top) else "best" for top in (1, 4, TOP))
    off = (f"{100 * (ratio - 1):.0f} %" for ratio in (statistics.median(ratios), _four_in_five(ratios)))
    return f"| {' | '.join((name, one.gpu, way, str(points), *above, *off))} |"


def write_page() -> None:
    """Write the page, and what the package says."""
    found = spaces()
    PAGE.write_text("\n".join(page(found)).rstrip("\n") + "\n")
    (ROOT / "gpusim" / "data" / FILE).write_text(json.dumps({"sets": learnt(found)}, indent=1) + "\n")


def main(given: Sequence[str]) -> None:
    """Do what the command line asks for."""
    match given:
        case ["draw", table, stamps]:
            draw(Path(table), Path(stamps))
        case ["predict", file]:
            predict(Path(file))
        case ["launches"]:
            write_launches()
        case ["own", file]:
            predict_own(Path(file))
        case []:
            write_page()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
