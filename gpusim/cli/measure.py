"""``gpusim measure``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_writable, is_stdout, write
from gpusim.cli.options import Caches, JsonFile, KernelFolders, in_hz
from gpusim.cli.words import WORDS_HELP, launches_of
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.launches.spec import AnyLaunch, DescribedLaunch
    from gpusim.measured.measurement import Measurement


@sources.takes_launch
def measure(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[KERNEL --PARAMETER VALUE | FILE]", help=WORDS_HELP)
    ] = None,
    gpu: Annotated[
        str | None, typer.Option(metavar="NAME", help="Refuse any other GPU [default: whichever is here].")
    ] = None,
    json: JsonFile = None,
    cache: Annotated[
        Caches,
        typer.Option(help="Caches emptied before each launch, as it left them, or an L2 full of what was set before."),
    ] = "cold",
    clock: Annotated[
        str | None, typer.Option(metavar="HZ", help="Refuse what ran at another clock: nvidia-smi locks it.")
    ] = None,
    repeats: Annotated[int, typer.Option(metavar="N", help="Times to time a launch.", min=1)] = 20,
    runs: Annotated[
        int, typer.Option(metavar="N", help="Times to count it with Nsight Compute; 0: not at all.", min=0)
    ] = 3,
    seconds: Annotated[
        float,
        typer.Option("--seconds-per-launch", metavar="S", help="Give a launch up after so long on the GPU.", min=0),
    ] = 60,
    outputs: Annotated[
        bool, typer.Option("--outputs", help="Keep what a launch leaves in small arrays, in the JSON.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure everything, also what the JSON file has from before.")
    ] = False,
    kernels: KernelFolders = None,
    launches: sources.Launches = None,
    only: sources.Only = None,
    scenario: Annotated[
        str | None, typer.Option(metavar="NAME", help="Every launch that a scenario predicts; what follows goes to it.")
    ] = None,
    *,
    launch: sources.Given,
) -> None:
    """Run a kernel on this machine's GPU, timed and counted.

    Its outputs are checked.  Needs CuPy; counters need Nsight Compute (ncu) and the right to read them.
    gpusim compare holds what --json writes against the prediction.  The file is written after every launch: the same
    command goes on where it was stopped.
    """
    from gpusim import measure as room
    from gpusim import report
    from gpusim.progress import ProgressLine
    from gpusim.report import comparison

    check_writable(json)
    specs = tuple(_specs(words or [], launches, only, scenario, tuple(kernels or ()), launch))
    file = None if is_stdout(json) else json
    request = room.Request(
        specs, gpu, cache, repeats, runs, seconds=seconds, folder=file.parent if file else Path(),
        outputs=outputs, before=None if fresh else _before(file), clock=None if clock is None else in_hz(clock),
    )  # fmt: skip

    def keep(now: Measurement) -> None:
        if file is not None:
            write(now.to_text(), file, "--json")

    with ProgressLine() as progress:
        found = room.measure(request, progress=progress, warn=_warn, keep=keep)
    if json is not None:
        write(found.to_text(), json, "--json")
    if not is_stdout(json):
        report.show(comparison.measured(found))
    _fail_if_nothing(found)


def _before(file: Path | None) -> Measurement | None:
    """What a file has from before."""
    from gpusim.measured import measurement

    if file is None or not file.exists():
        return None
    try:
        return measurement.read(file)
    except measurement.MeasurementError as error:
        raise GpusimError(f"{error}: name another file, or write over it with --fresh") from None


def _warn(text: str) -> None:
    print(f"gpusim: {text}", file=sys.stderr)


def _fail_if_nothing(found: Measurement) -> None:
    errors = [launch.error for launch in found.launches if launch.error]
    if len(errors) == len(found.launches):
        raise GpusimError(f"none of {len(errors)} launches could be measured: {errors[0].partition(chr(10))[0]}")


def _specs(
    words: Sequence[str], launches: Path | None, only: str | None, scenario: str | None, folders: tuple[Path, ...],
    single: dict[str, Any],
) -> Iterator[AnyLaunch]:  # fmt: skip
    """What is to be launched."""
    from gpusim.launches import file

    if launches is not None and scenario is not None:
        raise GpusimError("--launches and --scenario exclude each other")
    if launches is not None:
        sources.refuse(
            {"a kernel": list(words), **single}, "is for a single launch: leave it out, or leave --launches out"
        )
        yield from file.select(file.read(launches, folders), only)
        return
    sources.refuse({"--only": only}, "is for launch files: it needs --launches FILE")
    if scenario is not None:
        sources.refuse(single, "is for a CUDA source: leave it out, or leave --scenario out")
        yield from _of_scenario(scenario, words)
    else:
        yield from launches_of(words, folders, single, "measure")


def _of_scenario(name: str, words: Sequence[str]) -> Iterator[DescribedLaunch]:
    """What a scenario predicts, each launch once."""
    from gpusim.cli.scenarios import run_scenario
    from gpusim.launches.of_scenario import predictions

    with predictions() as heard:
        run_scenario(name, words)
    if not heard:
        raise GpusimError(f"the scenario {name} predicts no launch of a described kernel")
    yield from heard.values()
