"""``gpusim profile``: one launch of a user's CUDA source."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import launches as many
from gpusim.cli import sources
from gpusim.cli.advise import advised
from gpusim.cli.check import asked, end, of_spec, show
from gpusim.cli.files import check_apart, show_profiles
from gpusim.cli.guesses import Guess, guessed
from gpusim.cli.options import (
    Advise,
    Cache,
    Clock,
    Fresh,
    Gpus,
    Jobs,
    JsonFile,
    Quick,
    Sample,
    TimelineFile,
    TimelineFrom,
    TimelineSm,
    at_clock,
    chosen_sample,
    listed_gpus,
)
from gpusim.cli.pages import HtmlFile, save_profiles
from gpusim.cli.pictures import Drawing, PlotFile, PlotKind, PlotLine
from gpusim.cli.timelines import Wanted
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.checks.result import CheckResult
    from gpusim.launches.spec import LaunchSpec
    from gpusim.profiles.profile import Profile


@sources.takes_launch
def profile(
    launch: sources.Given,
    source: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="CUDA source (.cu), PTX, cubin, or a program with device code."),
    ] = None,
    launches: sources.Launches = None,
    only: sources.Only = None,
    jobs: Jobs = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds-per-launch", metavar="S", help="Give a launch up after so long.", min=0)
    ] = None,
    gpu: Gpus = "h200",
    json: JsonFile = None,
    cache: Cache = "cold",
    clock: Clock = None,
    sample: Sample = None,
    quick: Quick = False,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Warp instructions after which a kernel is endless.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides what random arrays hold.", min=0)] = 0,
    timeline: TimelineFile = None,
    timeline_sm: TimelineSm = None,
    timeline_from: TimelineFrom = None,
    plot: PlotFile = None,
    plot_kind: PlotKind = None,
    plot_line: PlotLine = None,
    html: HtmlFile = None,
    fresh: Fresh = False,
    advise: Advise = False,
    guess: Guess = False,
    check: Annotated[
        bool, typer.Option("--check", help="Say also what is wrong with it, as gpusim check does.")
    ] = False,
) -> None:
    """Predict the same of your own CUDA, from its machine code.

    gpusim profile saxpy.cu --grid 4096 --block 256 --arg int32:1048576 --arg float32:2.5
    --arg float32:normal:1048576 --arg float32:normal:1048576
    """
    check_apart({"--json": json, "--plot": plot, "--html": html, "--timeline": timeline})
    gpu = at_clock(gpu, clock)
    how: dict[str, Any] = {
        "cache": cache,
        "sample": chosen_sample(sample, quick),
        "limit": limit,
        "fresh": fresh,
    }
    how |= {"seed": seed, "seconds": seconds}
    timelines = {"--timeline": timeline, "--timeline-sm": timeline_sm, "--timeline-from": timeline_from}
    single = {"FILE": source, **launch, **timelines, "--advise": advise or None, "--guess": guess or None}
    single |= {"--check": check or None, "--plot": plot, "--html": html}
    if launches is not None:
        sources.refuse(single, "is for a single launch: leave it out, or leave --launches out")
        many.run(many.Request(launches, only, gpu, json, jobs), how)
        return
    sources.refuse({"--only": only}, "is for launch files: it needs --launches FILE")
    wanted = Wanted(timeline, timeline_sm, timeline_from)
    gpus = listed_gpus(gpu)
    drawing = Drawing(plot, plot_kind, plot_line)
    drawing.check(len(gpus))
    recording = wanted.recording(len(gpus)) or drawing.recording()
    how |= {"timeline": recording, "jobs": jobs}
    told, notes = guessed(single, gpus[0], how, "profile") if guess else (single, ())
    checked = _checked(told, gpus[0], how) if check else []
    found = _profiles_after(checked, sources.spec(told, "profile"), gpus, how)
    if guess:  # the guess itself has run it a moment ago
        found = [replace(profile, kept=None, notes=(*profile.notes, *notes)) for profile in found]
    advice = advised(found) if advise else ()
    show_profiles(found, json, advice, checked, with_lines=True)
    wanted.save(found)
    drawing.save(found)
    save_profiles(html, found, advice)
    if str(json) != "-":
        _show_checked(checked)
    end(checked)


def _checked(told: dict[str, Any], gpu: str, how: dict[str, Any]) -> list[CheckResult]:
    """What is wrong with the launch, on the first GPU."""
    return [of_spec(sources.spec(told, "profile"), gpu, asked(None, seed=how["seed"], limit=how["limit"]))]


def _profiles_after(
    checked: Sequence[CheckResult], spec: LaunchSpec, gpus: Sequence[str], how: dict[str, Any]
) -> list[Profile]:
    """Profiles; where there are none because of what is wrong, that is shown all the same."""
    try:
        return _profiles(spec, gpus, how)
    except GpusimError:
        _show_checked(checked)
        raise


def _show_checked(checked: Sequence[CheckResult]) -> None:
    """Show findings below tables."""
    if checked:
        print()
        show(checked)


def _profiles(spec: LaunchSpec, gpus: Sequence[str], how: dict[str, Any]) -> list[Profile]:
    """The launch on one GPU after the other, showing progress and the compiler's warnings on standard error."""
    from gpusim.launches.profiling import profile
    from gpusim.progress import ProgressLine

    with ProgressLine() as progress:
        warnings: dict[str, None] = {}
        found = [profile(spec, gpu, progress=progress, warn=warnings.setdefault, **how) for gpu in gpus]
    for text in warnings:
        print(text.rstrip(), file=sys.stderr)
    return found
