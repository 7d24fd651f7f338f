"""``gpusim tune``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_apart, is_stdout, write, write_json
from gpusim.cli.options import Cache, Clock, Fresh, Jobs, JsonFile, KernelFolders, at_clock, listed_gpus, typed
from gpusim.cli.pages import HtmlFile, save_result
from gpusim.cli.pictures import PlotFile, check_picture, save_picture
from gpusim.cli.spaces import Dask, Over, Where, check_cluster, named, on_cluster, space_of
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.decide.subject import Subject
    from gpusim.decide.tuning import Tuning


@sources.takes_launch
def tune(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KERNEL --PARAMETER VALUE | FILE]",
            help="A kernel and its parameters, or a CUDA source (.cu) whose macros --over sets.",
        ),
    ] = None,
    over: Over = None,
    where: Where = None,
    objective: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIGURE",
            help="What is to be least: time, hbm_bytes, a metric, or a sum with weights; of several the first one "
            "ranks [default: time, hbm_bytes].",
        ),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", help="Predict so many of the best in full.", min=1)] = 8,
    quick: Annotated[bool, typer.Option("--quick", help="Predict none of them in full.")] = False,
    trials: Annotated[
        int | None, typer.Option(metavar="N", help="Draw so many points, where the space is too large.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides which points are drawn.", min=0)] = 0,
    gpu: Annotated[str, typer.Option(metavar="NAME", help="GPU, by name or TOML file; NAME@HZ: at a clock.")] = "h200",
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a row a point; - for standard output.")
    ] = None,
    to_measure: Annotated[
        Path | None,
        typer.Option("--to-measure", metavar="FILE", help="Write a launch file of those to measure (gpusim measure)."),
    ] = None,
    json: JsonFile = None,
    plot: PlotFile = None,
    html: HtmlFile = None,
    cache: Cache = "cold",
    clock: Clock = None,
    jobs: Jobs = None,
    dask: Dask = None,
    kernels: KernelFolders = None,
    fresh: Fresh = False,
    *,
    launch: sources.Given,
) -> None:
    """Find the fastest launch of a space, and what to measure.

    gpusim tune matmul-tiled --n 4096 --over tile=8,16,32

    gpusim tune conv.cu --over BX=16..64*2 --over BY=1..8*2 --where "BX*BY <= 256" --grid ... --block "BX,BY" --arg ...
    """
    from gpusim.decide.objective import Objective
    from gpusim.decide.tune import DEFAULT_OBJECTIVES, Search, search_space
    from gpusim.progress import ProgressLine

    check_apart({"--csv": csv, "--json": json, "--to-measure": to_measure, "--plot": plot, "--html": html})
    check_picture(plot)
    if trials is None:
        sources.refuse(typed(context, "seed"), "decides which points --trials draws: it needs --trials N")
    if quick:
        sources.refuse(typed(context, "top"), "is how many are predicted in full, and --quick predicts none so")
    check_cluster(context, dask)
    (subject, *more) = named(words or [], launch, kernels or [], "tune")
    gpus = listed_gpus(at_clock(gpu, clock))
    if more or len(gpus) > 1:
        raise GpusimError("tune is of one kernel on one GPU: gpusim sweep takes several")
    space = space_of([subject], words or [], over, where)
    search = Search([Objective(text) for text in objective or DEFAULT_OBJECTIVES], top, quick, trials, seed)
    with ProgressLine() as progress, on_cluster(dask):
        found = search_space(subject, space, gpus[0], search, {"cache": cache, "fresh": fresh}, jobs, progress)
    _write(found, subject, csv, json, to_measure)
    if plot is not None:
        save_picture(plot, found.plot)
    save_result(html, f"Search of {subject.name} on {gpus[0]}", found.plot, found.table(), len(found.candidates[:20]))
    if not any(map(is_stdout, (csv, json, to_measure))):
        from gpusim import report

        report.show(found.table())


def _write(found: Tuning, subject: Subject, csv: Path | None, json: Path | None, to_measure: Path | None) -> None:
    """Write the files that are asked for."""
    from json import dumps

    if csv is not None:
        write(found.to_dataframe().to_csv(index=False), csv, "--csv")
    if json is not None:
        write_json({"tuning": found.to_dict()}, json)
    if to_measure is not None:
        folder = Path.cwd() if is_stdout(to_measure) else to_measure.resolve().parent
        launches = [entry for one in found.measure for entry in subject.entries(one.point, folder)]
        write(dumps(launches, indent=1) + "\n", to_measure, "--to-measure")
