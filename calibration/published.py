"""Times that others published of GPUs that nobody here has, and predictions of them.

Run by hand.  ``python -m calibration.published draw FOLDER STAMPS`` takes published figures from a folder of tables
(the FAIR hub's ``fair_*.csv.gz``, LLMCompass's ``llmcompass_*.csv``) into ``gpusim/data/published``, and keeps what was
predicted.  STAMPS is the hub's ``convolution_milo/A100_T4.json.gz``, of which only the time stamps are read.
``python -m calibration.published predict GPU`` predicts what was not: seconds a launch, and it may be stopped.
``python -m calibration.published`` writes docs/published.md and the package's tables of errors.
"""

from __future__ import annotations

import csv
import datetime
import gzip
import hashlib
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration import bench, sgemm_ladder
from gpusim.launches import file as launch_file
from gpusim.launches import plain
from gpusim.launches.profiling import record_all
from gpusim.measured import published
from gpusim.measured.published import DataSet, PublishedLaunch, in_six_digits
from gpusim.report import published_times
from gpusim.results.metric import CYCLES, DURATION

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "published.md"
DRAWN = 300
"""Launches of a tuning space: those with the lowest SHA-256 of their parameters, as the source writes them."""
LEAST = 3
"""So many times the shortest time of its table a launch must take that the host timed: the rest is the host's."""
OFTEN = 10
"""Launches that are predicted between two writings of the file."""
HUB = "FAIR hub for auto-tuning, AutoTuningAssociation/benchmark_hub at 8eeb99e, MIT, doi 10.5281/zenodo.15364124"
DRAW = f"Those {DRAWN} configurations with the lowest SHA-256 of their parameters."

Row = Mapping[str, str]

# ---------------------------------------------------------------- tuning spaces

SPACES = {
    "convolution": ("BLOCK_X", "BLOCK_Y", "TILE_X", "TILE_Y", "READ_ONLY", "PADDED", "SHARED"),
    "dedispersion": ("BLOCK_X", "BLOCK_Y", "", "TILE_X", "TILE_Y", "STRIDED_X", "STRIDED_Y"),
}
"""Macros of our kernels, in the order of the source's columns."""
POINTS = {"convolution": (4096, 4096), "dedispersion": (25000, 2048)}
COOLS_S = 2
"""Seconds after which a clock that has risen is low again."""
SIZE, FILTER, CHANNELS, SAMPLES, MEASURES, LATEST = 4096, 15, 1536, 25000, 2048, 650
BEYOND = SIZE + 2 * FILTER
"""Rows of the image that blocks read: those of its last ones lie behind its end."""
LOWEST_MHZ, STEP_MHZ, DELAY, SAMPLE_S = 1425.0, 0.1953125, 4148.808, 4.096e-5
"""Channels of the telescope, the constant of dispersion in MHz^2 s, and seconds a sample."""


def delays() -> list[float]:
    """Samples that a channel comes later than the last one, for a dispersion measure of 1."""
    last = LOWEST_MHZ + (CHANNELS - 1) * STEP_MHZ
    found = ((LOWEST_MHZ + k * STEP_MHZ) ** -2 - last**-2 for k in range(CHANNELS))
    return [round(DELAY * later / SAMPLE_S, 6) for later in found]


def _array(dtype: str, count: int) -> dict[str, Any]:
    return plain.Filled(dtype, "zeros", count).to_json()


def common(space: str) -> dict[str, Any]:
    """What all launches of a tuning space have."""
    args = {
        "convolution": lambda: [_array("float32", SIZE**2), _array("float32", BEYOND * (SIZE + FILTER - 1))],
        "dedispersion": lambda: [
            _array("uint8", CHANNELS * (SAMPLES + LATEST)), _array("float32", SAMPLES * MEASURES),
            {"buffer": "float32", "values": delays()},
        ],
    }  # fmt: skip
    return {"source": f"{space}.cu", "kernel": space, "args": args[space]()}


def drawn(rows: Iterable[Row]) -> list[Row]:
    """The rows of a tuning space that are predicted."""
    return sorted(rows, key=_digest)[:DRAWN]


def _digest(row: Row) -> str:
    return hashlib.sha256(",".join(_parameters(row)).encode()).hexdigest()


def _parameters(row: Row) -> list[str]:
    return [value for name, value in row.items() if name not in ("median_ms", "min_ms")]


def of_space(space: str, row: Row) -> PublishedLaunch:
    """A configuration as a launch of our kernel."""
    told = dict(zip(SPACES[space], map(int, _parameters(row)), strict=False))
    told.pop("", None)
    block = [told["BLOCK_X"], told["BLOCK_Y"]]
    tile = [told["TILE_X"], told["TILE_Y"]]
    grid = [-(-points // (b * t)) for points, b, t in zip(POINTS[space], block, tile, strict=True)]
    launch = {"options": [f"-D{name}={value}" for name, value in told.items()], "grid": grid, "block": block}
    name = f"{space} {'x'.join(map(str, block))} {'x'.join(map(str, tile))}" + _flags(told)
    return PublishedLaunch(name, launch, in_six_digits(float(row["median_ms"]) * 1e-3))


def _flags(told: Mapping[str, int]) -> str:
    """Which of the parameters that are 0 or 1 are 1."""
    return "".join(f" {name.lower()}" for name in [*told][4:] if told[name])


def hurried(results: Iterable[Mapping[str, Any]]) -> set[tuple[str, ...]]:
    """Configurations whose clock may have been raised by the one before, by the values of their parameters.

    Their results came within two seconds of one that reads only and is not staged.  Those take longest, and while they
    run the clock rises.

    Parameters
    ----------
    results : iterable of mapping
        Of the source's file: ``timestamp`` and ``configuration``.
    """
    found, raised = set(), datetime.datetime.min.replace(tzinfo=datetime.UTC)
    for result in sorted(results, key=lambda one: str(one["timestamp"])):
        told, now = result["configuration"], datetime.datetime.fromisoformat(result["timestamp"])
        if told["read_only"] and not told["use_shmem"]:
            raised = now
        elif (now - raised).total_seconds() < COOLS_S:
            found.add(tuple(map(str, told.values())))
    return found


# ---------------------------------------------------------------- operators of a library


THREADS = {"softmax": 512, "layernorm": 128, "gelu": 512}
"""Of a block: PyTorch normalises a row by 128."""


def of_rows(name: str, row: Sequence[str]) -> PublishedLaunch:
    """An operator's launch: sizes, then 1e9 elements a second."""
    sizes = [int(value) for value in row[:-1]]
    count = sizes[0] * sizes[-1] if len(sizes) > 1 else sizes[0]
    seconds = count / (float(row[-1]) * 1e9)
    arrays = [_array("float16", count)] * 2
    if name == "layernorm":
        arrays[1:1] = [_array("float16", sizes[1])] * 2
    threads, whole = THREADS[name], sizes[-1]
    launch = {
        "source": "rows.cu", "kernel": name, "args": [*arrays, {"int32": whole}], "block": [threads],
        "grid": [sizes[0] if len(sizes) > 1 else -(-count // (8 * threads))],
    }  # fmt: skip
    return PublishedLaunch(f"{name} {'x'.join(map(str, sizes))}", launch, in_six_digits(seconds))


def timed_by_host(name: str, file: Path) -> list[PublishedLaunch]:
    """Launches of an operator that take long enough, less the shortest time: that is the host's."""
    with file.open() as lines:
        found = [of_rows(name, row) for row in csv.reader(lines) if row]
    least = min(launch.seconds for launch in found)
    first = {launch.id: launch for launch in reversed(found)}.values()
    return [
        replace(x, seconds=in_six_digits(x.seconds - least)) for x in reversed([*first]) if x.seconds >= LEAST * least
    ]


# ---------------------------------------------------------------- the data sets


def _space(space: str, gpu: str, clock: str, folder: Path, raised: Collection[tuple[str, ...]] = ()) -> DataSet:
    card = "a100" if "a100" in gpu else "a6000"
    file = folder / f"fair_{space}_{card}.csv.gz"
    with gzip.open(file, "rt") as lines:
        rows = drawn(csv.DictReader(lines))
    launches = [replace(of_space(space, row), unsteady=tuple(_parameters(row)) in raised) for row in rows]
    what = {
        "convolution": f"A convolution of {SIZE} x {SIZE} points by {FILTER} x {FILTER}, filter in constant memory.",
        "dedispersion": f"Dedispersion of {SAMPLES} samples of {CHANNELS} channels for {MEASURES} measures.",
    }
    return DataSet(
        space, f"{what[space]} Kernel here: gpusim/data/published/{space}.cu, of our own.", HUB, CARDS[card], clock,
        f"Median of 32 launches one after another. {DRAW}", gpu, "machine_code", "", "quick",
        common=common(space), space=True, launches=launches,
    )  # fmt: skip


LLMCOMPASS = "LLMCompass (PrincetonUniversity/LLMCompass, ISCA 2024), figure 5, its PyTorch"


def _operator(name: str, folder: Path) -> DataSet:
    return DataSet(
        name, f"{name} of float16 rows by PyTorch. Kernel here: gpusim/data/published/rows.cu, of our own.", LLMCOMPASS,
        "NVIDIA A100 80GB", "not recorded; the boost clock is taken.",
        "Median by the host's clock, less the shortest of the table, which is right to 10 us. "
        f"Those of {LEAST} times the shortest or more.",
        "a100-80gb", "machine_code", "", None, launches=timed_by_host(name, folder / f"llmcompass_{name}_A100.csv"),
    )  # fmt: skip


def _ladder() -> DataSet:
    """Steps of a published SGEMM."""
    n = sgemm_ladder.SIZE
    scalars: list[dict[str, Any]] = [{"int32": n}, {"int32": n}, {"int32": n}, {"float32": 2}]
    args = [*scalars, _array("float32", n * n), _array("float32", n * n), {"float32": 3}, _array("float32", n * n)]
    rates = sgemm_ladder.published()
    launches = [
        PublishedLaunch(
            f"sgemm {name}",
            {"kernel": step.kernel, "grid": [n // step.across, n // step.down], "block": [*step.block]},
            in_six_digits(2e-9 * n**3 / rates[name]),
        )
        for name, step in sgemm_ladder.STEPS.items()
    ]
    return DataSet(
        "sgemm", f"SGEMM of {n}^3, step by step. Kernels here: gpusim/data/microbenchmarks/ladder.cu, of our own.",
        "S. Boehm, How to Optimize a CUDA Matmul Kernel, 2022 (siboehm/SGEMM_CUDA)", "NVIDIA RTX A6000",
        "not recorded, and not the same in all steps (docs/ladder.md); 1.8 GHz are taken.", "Every step but cuBLAS.",
        "rtx-a6000", "machine_code", "", "quick", common={"source": "../microbenchmarks/ladder.cu", "args": args},
        launches=launches,
    )  # fmt: skip


CONVOLUTION_CLOCK = (
    "not recorded; 765 MHz, its base clock, fits. In long configurations it rises within the 32 launches, by up to "
    "1.84. Within two seconds it is back. What was measured sooner after a long one may have had a higher clock."
)
BOOST = "not recorded; its boost clock, 1410 MHz, fits."
BASE = "not recorded; its base clock, 1410 MHz, fits both spaces of this card better than 1800 MHz."
CARDS = {"a100": "NVIDIA A100-PCIE-40GB, 250 W", "a6000": "NVIDIA RTX A6000"}
"""By how the source's files name them."""


def sets(folder: Path, stamps: Path) -> dict[str, list[DataSet]]:
    """Every data set by GPU, nothing predicted."""
    with gzip.open(stamps, "rt") as file:
        raised = hurried(json.load(file)["results"])
    return {
        "a100-40gb": [
            _space("convolution", "a100-40gb@765MHz", CONVOLUTION_CLOCK, folder, raised),
            _space("dedispersion", "a100-40gb", BOOST, folder),
        ],
        "a100-80gb": [_operator(name, folder) for name in THREADS],
        "rtx-a6000": [_ladder(), *(_space(name, "rtx-a6000@1410MHz", BASE, folder) for name in SPACES)],
    }


# ---------------------------------------------------------------- predictions


def write(gpu: str, found: Sequence[DataSet]) -> None:
    """Write a GPU's file."""
    (published.FOLDER / f"{gpu}.json").write_text(published.to_text(found))


def with_known(one: DataSet, known: Mapping[str, DataSet]) -> DataSet:
    """A set with what was predicted of it before."""
    if one.name not in known:
        return one
    before = known[one.name]
    found = {launch.id: launch for launch in before.launches}
    launches = [
        replace(x, predicted=found[x.id].predicted, error=found[x.id].error) if x.id in found else x
        for x in one.launches
    ]
    return replace(one, launches=launches, predicted_on=before.predicted_on)


def draw(folder: Path, stamps: Path) -> None:
    """Take published figures into the package."""
    for gpu, drawn_sets in sets(folder, stamps).items():
        known = {one.name: one for one in published.of(gpu)} if gpu in published.names() else {}
        write(gpu, [with_known(one, known) for one in drawn_sets])


def predict(gpu: str) -> None:
    """Predict what was not predicted yet, some launches at a time."""
    found = published.of(gpu)
    for place in range(len(found)):
        while missing := [x for x in found[place].launches if x.predicted is None and x.error is None][:OFTEN]:
            found[place] = _with_predictions(found[place], missing)
            write(gpu, found)
            print(
                f"{gpu} {found[place].name}: {len(found[place].compared)} of {len(found[place].launches)}", flush=True
            )


def _with_predictions(one: DataSet, missing: Sequence[PublishedLaunch]) -> DataSet:
    specs = launch_file.launches([one.entry(x) for x in missing], published.FOLDER, one.name, ())
    records = record_all(specs, one.gpu, described=one.way == "description", sample=one.sample, jobs=1)
    return published.with_predictions(one, records)


# ---------------------------------------------------------------- the page and the errors


def errors(found: Sequence[DataSet]) -> dict[str, Any]:
    """Errors of times by way and family, over launches whose clock is known, and for which GPU at which clock."""
    by: dict[str, dict[str, list[DataSet]]] = {}
    for one in found:
        if one.compared:
            by.setdefault(one.way, {}).setdefault(one.kind, []).append(one)
    return {way: {kind: _judged(members) for kind, members in kinds.items()} for way, kinds in by.items()}


def _judged(members: Sequence[DataSet]) -> dict[str, Any]:
    steady = [launch for one in members for launch in one.compared if not launch.unsteady]
    spread = published.spread(steady)
    named = [one.name for one in members]
    of = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    row = {"n": spread.launches, "of": of, "median": round(spread.median, 6), "p90": round(spread.p90, 6)}
    row["gpus"] = sorted({one.gpu for one in members})
    return {CYCLES: row, DURATION: row}  # cycles are off as times are, where the clock is the one taken


def page(by_gpu: Mapping[str, Sequence[DataSet]]) -> Iterator[str]:
    """Lines of docs/published.md."""
    yield (bench.NOTES / "published.md").read_text()
    for gpu, found in by_gpu.items():
        known = [one for one in found if one.compared]
        if known:
            yield f"## {gpu}\n"
            yield from _markdown(published_times.table(known))
            for one in known:
                yield from ("", f"{one.name.capitalize()}:", "", *(f"- {line}" for line in published_times.about(one)))
            yield ""


def _markdown(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from ("| " + " | ".join(cell.strip() for cell in row) + " |" for row in rows[:1])
    yield "|---" + "|--:" * (len(rows[0]) - 1) + "|"
    yield from ("| " + " | ".join(cell.strip() for cell in row) + " |" for row in rows[1:])


def write_page() -> None:
    """Write the page, and the tables of errors that claims read."""
    by_gpu = {gpu: published.of(gpu) for gpu in published.names()}
    PAGE.write_text("\n".join(page(by_gpu)).rstrip("\n") + "\n")
    for gpu, found in by_gpu.items():
        path = ROOT / "gpusim" / "data" / f"published-{gpu}.json"
        path.write_text(json.dumps(errors(found), indent=1) + "\n")


def main(given: Sequence[str]) -> None:
    """Do what the command line asks for."""
    match given:
        case ["draw", folder, stamps]:
            draw(Path(folder), Path(stamps))
        case ["predict", gpu]:
            predict(gpu)
        case []:
            write_page()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
