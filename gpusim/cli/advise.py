"""``gpusim advise``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_apart, is_stdout, show_advice, write_json
from gpusim.cli.guesses import Guess, guessed
from gpusim.cli.options import (
    Cache,
    Clock,
    Fresh,
    Gpus,
    Jobs,
    JsonFile,
    KernelFolders,
    Quick,
    Sample,
    at_clock,
    chosen_sample,
    listed_gpus,
)
from gpusim.cli.pages import HtmlFile, save_result
from gpusim.cli.pictures import PlotFile, check_picture, save_picture
from gpusim.cli.words import WORDS_HELP, Prediction, predictions_in, predictions_of
from gpusim.errors import GpusimError
from gpusim.reading import SOURCES

if TYPE_CHECKING:
    from gpusim.advice import Advice, ChainAdvice
    from gpusim.profiles.chain import ChainProfile
    from gpusim.profiles.profile import Profile


@sources.takes_launch
def advise(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[KERNEL --PARAMETER VALUE | FILE]", help=WORDS_HELP)
    ] = None,
    launches: sources.Launches = None,
    only: sources.Only = None,
    gpu: Gpus = "h200",
    json: JsonFile = None,
    plot: PlotFile = None,
    html: HtmlFile = None,
    cache: Cache = "cold",
    clock: Clock = None,
    sample: Sample = None,
    quick: Quick = False,
    jobs: Jobs = None,
    kernels: KernelFolders = None,
    fresh: Fresh = False,
    guess: Guess = False,
    *,
    launch: sources.Given,
) -> None:
    """Say what would make a kernel faster, where, and by how much.

    The launch is simulated again without each cause of its time, such as bank conflicts or divergence. What costs most
    comes first.
    """
    check_apart({"--json": json, "--plot": plot, "--html": html})
    check_picture(plot)
    how: dict[str, Any] = {"cache": cache, "fresh": fresh, "jobs": jobs, "sample": chosen_sample(sample, quick)}
    gpus, folders = listed_gpus(at_clock(gpu, clock)), tuple(kernels or ())
    if launches is not None:
        single = {"a kernel": words, **launch, "--guess": guess or None}
        sources.refuse(single, "is for a single launch: leave it out, or leave --launches out")
        asked = predictions_in(launches, only, folders, gpus)
    else:
        sources.refuse({"--only": only}, "is for launch files: it needs --launches FILE")
        if not words:
            raise GpusimError("advise needs a kernel (gpusim kernels lists them) or a CUDA source (.cu)")
        if guess:
            launch = _guessed(words, launch, gpus[0], how)
        asked = predictions_of(words, folders, launch, gpus, "advise")
    advice = advised(list(_predicted(asked, how)))
    if not is_stdout(json):
        show_advice(advice)
    if json is not None:
        write_json({"advice": [one.to_dict() for one in advice]}, json)
    if plot is not None:
        save_picture(plot, advice[0].plot)
    printed = [line for one in advice for line in ("", *one.table())]
    save_result(html, "What would make it faster", advice[0].plot, printed, max(len(advice[0].findings), 1))


def _guessed(words: Sequence[str], launch: sources.Given, gpu: str, how: dict[str, Any]) -> sources.Given:
    """The options of a launch with what is guessed."""
    if not words[0].endswith(SOURCES):
        raise GpusimError("--guess is for a CUDA source (.cu): a described kernel has values of its own")
    told, _ = guessed({"FILE": Path(words[0]), **launch}, gpu, how, "advise")
    return {name: told[name] for name in launch}


def _predicted(asked: Sequence[Prediction], how: dict[str, Any]) -> Iterator[Profile | ChainProfile]:
    """Launches as they are; of several, one that fails is told of on standard error, and the others go on.

    Raises
    ------
    GpusimError
        Not one of them can be predicted.
    """
    from gpusim.progress import ProgressLine

    failed: dict[str, GpusimError] = {}
    with ProgressLine() as progress:
        for one in asked:
            try:
                found = one.predict(progress=progress, **how)
            except GpusimError as error:
                failed[one.name] = error
            else:
                yield found
    if len(failed) == len(asked):
        raise next(iter(failed.values()))
    for name, why in failed.items():
        print(f"gpusim: {name}: {why}", file=sys.stderr)


def advised(profiles: Sequence[Profile | ChainProfile]) -> list[Advice | ChainAdvice]:
    """Advice on launches, showing progress on standard error."""
    from gpusim.progress import ProgressLine

    with ProgressLine() as progress:
        return [profile.advice(progress) for profile in profiles]
