"""``gpusim compare``."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_apart, is_stdout, write_json
from gpusim.cli.options import Fresh, Jobs, JsonFile, KernelFolders
from gpusim.cli.pages import HtmlFile, save_page
from gpusim.cli.pictures import PlotFile, check_picture, save_picture
from gpusim.cli.sources import Only
from gpusim.errors import GpusimError, UnknownNameError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.launches.spec import AnyLaunch
    from gpusim.measured.comparison import Empty, Row, Summary, Values
    from gpusim.measured.measurement import MeasuredLaunch, Measurement
    from gpusim.measured.published import DataSet, PublishedLaunch

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
    plot: PlotFile = None,
    html: HtmlFile = None,
    only: Only = None,
    arch: Annotated[
        str | None, typer.Option(metavar="ARCH", help="Target to compile for [default: what each source needs].")
    ] = None,
    described: Annotated[
        bool | None,
        typer.Option(
            "--described/--emitted",
            help="Predict a kernel from its description, or from its emitted CUDA [default: emitted].",
        ),
    ] = None,
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

    check_apart({"--json": json, "--plot": plot, "--html": html})
    check_picture(plot)
    _check_named(measured, predicted)
    how = {"--gpu": gpu, "--arch": arch, _flag(described): described, "--kernels": kernels}
    if _is_published(measured):
        known = "published times know their GPU and their predictions: give the name alone"
        drawn = {"--plot": plot, "--html": html}
        sources.refuse({"a prediction": predicted, **how, **drawn}, f"does not apply to {measured}: {known}")
        _of_published(str(measured), json, only, each=each, fresh=fresh, jobs=jobs)
        return
    if predicted is not None:
        sources.refuse({**how, "--fresh": fresh or None}, f"does not apply: {predicted} has the predictions")
    if measured.suffix in PROFILES:
        sources.refuse({"--only": only}, f"does not apply to {measured}: its launches are those of the prediction")
        head, notes, found = _of_profile(measured, predicted)
    else:
        wanted = _Wanted(gpu, only, arch, described, tuple(kernels or ()), jobs, fresh)
        head, notes, found = _of_measurement(measured, predicted, wanted)
    if not any(found.values()):
        raise GpusimError(f"{measured}: no metric was both measured and predicted")
    flat = [row for rows in found.values() for row in rows]
    summaries = summarise(flat)
    shares = {name: share for name, rows in found.items() if (share := explained(rows)) >= 0}
    if json is not None:
        write_json(
            {
                "rows": list(map(_plain, flat)),
                "summary": list(map(_plain, summaries)),
                "explained": shares,
                "notes": notes,
            },
            json,
        )
    shown: list[Any] = [*head, *notes, ""]
    if len(found) > 1:
        shown += comparison.summarised(summaries, flat, shares)
    if each or len(found) == 1:
        shown += [line for name, rows in found.items() for line in comparison.compared(name, rows, waiting(rows))]
    shown += comparison.explained()
    if not is_stdout(json):
        report.show(shown)
    _draw(found, f"Predictions against {measured.name}", shown, plot, html)


def _draw(
    found: dict[str, list[Row]], title: str, shown: Sequence[RenderableType], plot: Path | None, html: Path | None
) -> None:
    """Draw predictions against what was measured, and write the page about them, where files are given for them."""
    if plot is None and html is None:
        return
    from gpusim.pages import comparison as pages
    from gpusim.pictures.compared import picture

    if plot is not None:
        save_picture(plot, lambda: picture(found))
    if html is not None:
        save_page(html, title, [], pages.sections(found, shown))


def _check_named(*files: Path | None) -> None:
    """Refuse a name that is empty, or that of the folder one is in."""
    from gpusim.measured import measurement, published

    if Path() in files:
        known = ", ".join([*measurement.shipped_names(), *published.names()])
        raise GpusimError(f"a name is needed: compare takes a file, or one of {known}")


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

    sets = _chosen(published.of(name), only, anew=fresh)
    if fresh:
        sets = [_predicted_anew(one, jobs) for one in sets]
    if json is not None:
        write_json({"sets": [_summed(one) for one in sets]}, json)
    if not is_stdout(json):
        report.show(published_times.compared(sets, each=each or only is not None))


def _chosen(sets: Sequence[DataSet], only: str | None, *, anew: bool) -> list[DataSet]:
    """The launches whose id matches; at least one has a prediction, unless all are predicted anew."""
    from dataclasses import replace

    from gpusim.launches import file as launch_file

    if only is None:
        return [*sets]
    matching = {id(x) for one in sets for x in one.launches if launch_file.matches(x, only)}
    kept = [replace(one, launches=[x for x in one.launches if id(x) in matching]) for one in sets]
    if not matching:
        launch_file.select([x for one in sets for x in (one.launches if anew else one.compared)], only)
    if not anew and not any(one.compared for one in kept):
        raise GpusimError(_unpredicted([x for one in kept for x in one.launches], only))
    return [one for one in kept if one.launches]


def _unpredicted(launches: Sequence[PublishedLaunch], only: str) -> str:
    """Why there is no prediction of any of these."""
    failed = [launch for launch in launches if launch.error]
    if len(failed) < len(launches):
        return f"--only {only}: none of these was predicted yet: --fresh predicts them"
    return f"--only {only}: none of these can be predicted: {failed[0].id}: {failed[0].error}"


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


def _flag(described: bool | None) -> str:
    """The option as it was given."""
    return "--described" if described else "--emitted"


class _Compared(NamedTuple):
    """Rows by launch, what stands above them, and what is to be known of them."""

    head: list[str]
    notes: list[str]
    rows: dict[str, list[Row]]


class _Wanted(NamedTuple):
    """What is to be predicted of a measurement, and how."""

    gpu: str | None
    only: str | None
    arch: str | None
    described: bool | None
    folders: tuple[Path, ...]
    jobs: int | None
    fresh: bool


def _of_profile(measured: Path, predicted: Path | None) -> _Compared:
    """Compare a profile of Nsight Compute's with predictions."""
    from gpusim.cli import agreement
    from gpusim.measured import nsight
    from gpusim.measured.comparison import rows
    from gpusim.measured.predictions import pair, read_predictions

    if predicted is None:
        raise GpusimError(
            f"{measured} says not what was launched: give a prediction too (gpusim predict or profile with --json FILE)"
        )
    predictions, launches = read_predictions(predicted), nsight.read(measured)
    agreement.check_profiled(measured, predictions, launches)
    pairs = pair(predictions, launches)
    notes = [*agreement.caches_apart(predictions, ""), *agreement.clocks_apart((p.metrics, m) for p, m in pairs)]
    head = [f"{measured} by Nsight Compute, {predicted}"]
    return _Compared(head, notes, {p.name: rows(p.metrics, m) for p, m in pairs})


def _of_measurement(file: Path, predicted: Path | None, wanted: _Wanted) -> _Compared:
    """Compare a measurement with predictions: those of a file, or of now."""
    from gpusim.cli import agreement
    from gpusim.launches import file as launch_file
    from gpusim.measured import measurement
    from gpusim.measured.comparison import rows
    from gpusim.report.comparison import device_line

    path = _found(file)
    found = measurement.read(path)
    if not found.launches:
        raise GpusimError(f"{file}: has no launches: gpusim measure --json {file} adds some")
    chosen = [launch for launch in launch_file.select(found.launches, wanted.only) if not launch.error]
    if predicted is None:
        values, kept, empty = _predicted_now(found, chosen, path, wanted)
        notes: list[str] = []
    else:
        values, notes = _predicted_before(predicted, found, chosen)
        kept, empty = [], None
    pairs = [(values[each.id], each) for each in chosen if each.id in values]
    notes += agreement.clocks_apart(pairs)
    return _Compared([device_line(found), *kept], notes, {each.id: rows(of, each, empty) for of, each in pairs})


def _found(file: Path) -> Path:
    """The file of a measurement, which may be one that comes with gpusim."""
    from gpusim.measured import measurement, published

    if _is_name(file):
        names = [*measurement.shipped_names(), *published.names()]
        if str(file) not in names:
            raise UnknownNameError("measurement", str(file), names)
    return measurement.shipped(str(file)) or file


def _predicted_before(
    file: Path, found: Measurement, chosen: Sequence[MeasuredLaunch]
) -> tuple[dict[str, Values], list[str]]:
    """Predictions of a file for the launches that were chosen, and where their caches differ."""
    from gpusim.cli import agreement
    from gpusim.measured.predictions import read_predictions

    names = {launch.id for launch in chosen}
    predictions = [one for one in read_predictions(file) if one.name in names]
    agreement.check_measured(file, predictions, found.device)
    return {one.name: one.metrics for one in predictions}, [*agreement.caches_apart(predictions, found.cache)]


def _predicted_now(
    found: Measurement, chosen: Sequence[MeasuredLaunch], path: Path, wanted: _Wanted
) -> tuple[dict[str, Values], list[str], Empty | None]:
    """Predictions of the launches that were chosen, which of them were kept, and what an empty launch takes."""
    from gpusim.launches import empty_kernel as nothing
    from gpusim.launches import file as launch_file
    from gpusim.measured.comparison import Empty
    from gpusim.report.kept import kept_line, times_kept

    known = _checked(found, wanted.gpu)
    _check_applies(chosen, wanted)
    target = {} if wanted.arch is None else {"arch": wanted.arch}
    entries = [{**launch.launch, **(target if "source" in launch.launch else {})} for launch in chosen]
    specs = launch_file.launches(entries, path.parent, str(path), wanted.folders)
    how = {"described": bool(wanted.described), "jobs": wanted.jobs, "fresh": wanted.fresh, "cache": found.cache}
    records = _predict(specs, known, how)
    kept = kept_line(times_kept(records))
    empty = Empty(nothing.seconds(known), found.overhead_seconds) if found.overhead_seconds else None
    return {record["id"]: record["metrics"] for record in records}, [kept] if kept else [], empty


def _check_applies(chosen: Sequence[MeasuredLaunch], wanted: _Wanted) -> None:
    """Refuse what applies to none of the launches."""
    sources_there = [launch for launch in chosen if "source" in launch.launch]
    if not sources_there:
        sources.refuse({"--arch": wanted.arch}, "is for launches of CUDA sources: none of those chosen is one")
    if len(sources_there) == len(chosen):
        flag = {_flag(wanted.described): wanted.described}
        sources.refuse(flag, "is for kernels with a description: none of those chosen has one")


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
