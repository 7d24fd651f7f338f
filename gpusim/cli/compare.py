"""``gpusim compare``."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli.files import check_writable, is_stdout, write_json
from gpusim.cli.options import Fresh, Jobs, JsonFile, KernelFolders
from gpusim.cli.sources import Only
from gpusim.errors import GpusimError, UnknownNameError

if TYPE_CHECKING:
    from gpusim.launches.spec import AnyLaunch
    from gpusim.measured.comparison import Row, Summary
    from gpusim.measured.measurement import Measurement
    from gpusim.measured.published import DataSet

PROFILES = (".csv", ".ncu-rep")
MEASURED_HELP = (
    "What gpusim measure --json wrote, what ncu --csv --page raw printed (.csv), a .ncu-rep, or a GPU: h200 and "
    "h100-sxm have launches that come with gpusim, a100-40gb, a100-80gb and rtx-a6000 times that others published."
)


def compare(
    measured: Annotated[Path, typer.Argument(metavar="MEASURED", help=MEASURED_HELP, show_default=False)],
    predicted: Annotated[
        Path | None,
        typer.Argument(metavar="[PREDICTED]", help="What predict or profile --json wrote; a measurement needs none."),
    ] = None,
    gpu: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Predict for this GPU [default: the one measured]; NAME@HZ: it at a clock."),
    ] = None,
    json: JsonFile = None,
    only: Only = None,
    arch: Annotated[
        str | None, typer.Option(metavar="ARCH", help="Target to compile for [default: what each source needs].")
    ] = None,
    described: Annotated[
        bool,
        typer.Option("--described/--emitted", help="Predict a kernel from its description, or from its emitted CUDA."),
    ] = False,
    each: Annotated[bool, typer.Option("--each", help="Every metric of every launch.")] = False,
    jobs: Jobs = None,
    kernels: KernelFolders = None,
    fresh: Fresh = False,
) -> None:
    """Hold predictions against what a GPU did.

    Shows errors by metric, time first, beside the hardware's own spread.  Of published times it shows the predictions
    that come with them; --fresh predicts anew.  Needs no GPU.
    """
    from gpusim import report
    from gpusim.measured.comparison import explained, summarise, waiting
    from gpusim.report import comparison

    check_writable(json)
    if _is_published(measured):
        if predicted is not None or gpu is not None:
            raise GpusimError(f"{measured}: published times know their GPU and their predictions: give the name alone")
        _of_published(str(measured), json, only, each=each, fresh=fresh, jobs=jobs)
        return
    if measured.suffix in PROFILES:
        head, found = _of_profile(measured, predicted)
    else:
        how = {"described": described, "jobs": jobs, "fresh": fresh, "arch": arch}
        head, found = _of_measurement(measured, predicted, gpu, only, tuple(kernels or ()), how)
    if not any(found.values()):
        raise GpusimError(f"{measured}: no metric was both measured and predicted")
    flat = [row for rows in found.values() for row in rows]
    summaries = summarise(flat)
    shares = {name: share for name, rows in found.items() if (share := explained(rows)) >= 0}
    if json is not None:
        write_json(
            {"rows": list(map(_plain, flat)), "summary": list(map(_plain, summaries)), "explained": shares}, json
        )
    if is_stdout(json):
        return
    shown: list[Any] = [*head, ""]
    if len(found) > 1:
        shown += comparison.summarised(summaries, flat, shares)
    if each or len(found) == 1:
        shown += [line for name, rows in found.items() for line in comparison.compared(name, rows, waiting(rows))]
    report.show([*shown, *comparison.explained()])


def _is_published(name: Path) -> bool:
    """Whether it is a GPU of which published times come with gpusim, and no file."""
    from gpusim.measured import published

    return _is_name(name) and str(name) in published.names()


def _is_name(file: Path) -> bool:
    """Whether it is one word that is no file's name."""
    return not file.suffix and len(file.parts) == 1 and not os.path.exists(file)  # noqa: PTH110 (False for any text)


def _of_published(name: str, json: Path | None, only: str | None, *, each: bool, fresh: bool, jobs: int | None) -> None:
    """Show published times of a GPU beside what was predicted of them, or is predicted anew."""
    from gpusim import report
    from gpusim.measured import published
    from gpusim.report import published_times

    sets = _chosen(published.of(name), only)
    if fresh:
        sets = [_predicted_anew(one, jobs) for one in sets]
    if json is not None:
        write_json({"sets": [_summed(one) for one in sets]}, json)
    if not is_stdout(json):
        report.show(published_times.compared(sets, each=each or only is not None))


def _chosen(sets: Sequence[DataSet], only: str | None) -> list[DataSet]:
    """The launches whose id, or whose set's name, matches."""
    from dataclasses import replace

    from gpusim.launches import file as launch_file

    if only is None:
        return [*sets]
    wanted = {id(launch) for launch in launch_file.select([x for one in sets for x in one.launches], only)}
    kept = [replace(one, launches=[x for x in one.launches if id(x) in wanted]) for one in sets]
    return [one for one in kept if one.launches]


def _predicted_anew(one: DataSet, jobs: int | None) -> DataSet:
    """The set with predictions of today."""
    from gpusim.launches import file as launch_file
    from gpusim.measured import published

    specs = launch_file.launches([one.entry(x) for x in one.launches], published.FOLDER, one.name, ())
    how = {"described": one.way == "description", "sample": one.sample, "jobs": jobs, "fresh": True}
    found = published.with_predictions(one, _records(specs, one.gpu, how))
    if not found.compared:
        first = found.launches[0]
        raise GpusimError(f"{first.id} could not be predicted: {first.error}")
    return found


def _summed(one: DataSet) -> dict[str, Any]:
    """A data set as JSON has it: everything that is known of it, and how far off it is."""
    from dataclasses import asdict

    from gpusim.measured import published

    found = published.spread(one.compared)._asdict() if one.compared else {}
    known = {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in found.items()}
    return {**asdict(one), "spread": known}


def _plain(row: Row | Summary) -> dict[str, Any]:
    """A row as JSON has it, which knows neither infinity nor NaN."""
    values = row._asdict().items()
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in values}


def _of_profile(measured: Path, predicted: Path | None) -> tuple[list[str], dict[str, list[Row]]]:
    """Rows of a profile of Nsight Compute's, by launch, and what stands above them."""
    from gpusim.measured import nsight
    from gpusim.measured.comparison import rows
    from gpusim.measured.predictions import pair, read_predictions

    if predicted is None:
        raise GpusimError(
            f"{measured} says not what was launched: give a prediction too (gpusim predict or profile with --json FILE)"
        )
    pairs = pair(read_predictions(predicted), nsight.read(measured))
    return [f"{measured} by Nsight Compute, {predicted}"], {p.name: rows(p.metrics, m) for p, m in pairs}


def _of_measurement(
    file: Path, predicted: Path | None, gpu: str | None, only: str | None, folders: tuple[Path, ...],
    how: dict[str, Any],
) -> tuple[list[str], dict[str, list[Row]]]:  # fmt: skip
    """Rows of a measurement, by launch, and what stands above them."""
    from gpusim.launches import empty_kernel as nothing
    from gpusim.launches import file as launch_file
    from gpusim.measured import measurement, published
    from gpusim.measured.comparison import Empty, rows
    from gpusim.measured.predictions import read_predictions
    from gpusim.report.comparison import device_line
    from gpusim.report.kept import kept_line, times_kept

    if _is_name(file):
        names = [*measurement.shipped_names(), *published.names()]
        if str(file) not in names:
            raise UnknownNameError("measurement", str(file), names)
    path = measurement.shipped(str(file)) or file
    found = measurement.read(path)
    chosen = [launch for launch in launch_file.select(found.launches, only) if not launch.error]
    values: Mapping[str, Mapping[str, float]]
    empty, kept = None, ""
    if predicted is None:
        known = _checked(found, gpu)
        target = {} if (arch := how.pop("arch")) is None else {"arch": arch}
        entries = [{**launch.launch, **(target if "source" in launch.launch else {})} for launch in chosen]
        specs = launch_file.launches(entries, path.parent, str(file), folders)
        records = _predict(specs, known, {**how, "cache": found.cache})
        values = {record["id"]: record["metrics"] for record in records}
        kept = kept_line(times_kept(records))
        empty = found.overhead_seconds and Empty(nothing.seconds(known), found.overhead_seconds)
    else:
        values = {each.name: each.metrics for each in read_predictions(predicted)}
    compared = {each.id: rows(values[each.id], each, empty or None) for each in chosen if each.id in values}
    return [device_line(found), *([kept] if kept else [])], compared


def _checked(found: Measurement, gpu: str | None) -> str:
    """The GPU to predict for, which must be the one that was measured, at whatever clock."""
    from gpusim import hardware
    from gpusim.hardware.clocks import split_clock

    device = found.device
    if gpu is None:
        if device.gpu:
            return device.gpu
        raise GpusimError(
            f"gpusim has no specification of an {device.name}: write one (CONTRIBUTING.md), and name it with --gpu"
        )
    name = hardware.load(gpu).name
    if device.gpu and split_clock(name)[0] != device.gpu:
        raise GpusimError(f"measured on an {device.name} ({device.gpu}), not on {name}: leave --gpu out")
    return gpu


def _records(specs: Sequence[AnyLaunch], gpu: str, how: dict[str, Any]) -> list[dict[str, Any]]:
    """Records of the launches, with progress shown."""
    from gpusim.launches.profiling import record_all
    from gpusim.progress import ProgressLine

    with ProgressLine() as progress:
        return record_all(specs, gpu, progress=progress, **how)


def _predict(specs: Sequence[AnyLaunch], gpu: str, how: dict[str, Any]) -> list[dict[str, Any]]:
    """Records of the launches, none of which failed."""
    records = _records(specs, gpu, how)
    failed = [record for record in records if record["error"]]
    if failed:
        raise GpusimError(f"{failed[0]['id']} could not be predicted: {failed[0]['error']}")
    return records
