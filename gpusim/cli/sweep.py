"""``gpusim sweep``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_apart, is_stdout, write, write_bytes, write_json
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
    typed,
)
from gpusim.cli.pages import HtmlFile, save_page
from gpusim.cli.pictures import check_picture, save_picture
from gpusim.cli.spaces import Dask, Over, Where, check_cluster, named, on_cluster, space_of
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.decide.sweep import Sweep


@sources.takes_launch
def sweep(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KERNEL,... --PARAMETER VALUE,... | FILE]",
            help="Kernels and their parameters, or a CUDA source (.cu) whose macros --over sets.",
        ),
    ] = None,
    over: Over = None,
    where: Where = None,
    gpu: Gpus = "h200",
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a row a point; - for standard output.")
    ] = None,
    parquet: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the same as Parquet.")] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw --metric over the first name, into a .png, .svg or .pdf."),
    ] = None,
    html: HtmlFile = None,
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="What --plot draws: a metric, or a figure such as dram_bytes_read.")
    ] = "seconds",
    json: JsonFile = None,
    cache: Cache = "cold",
    clock: Clock = None,
    sample: Sample = None,
    quick: Quick = False,
    jobs: Jobs = None,
    dask: Dask = None,
    kernels: KernelFolders = None,
    fresh: Fresh = False,
    *,
    launch: sources.Given,
) -> None:
    """Predict every combination of parameters, a row each.

    gpusim sweep matmul-tiled --n 512,1024 --tile 8,16,32 --gpu h200,a100-40gb --csv tiles.csv

    gpusim sweep stencil.cu --over TILE=8..64*2 --grid "ceildiv(4096,TILE)" --block TILE --arg ...
    """
    from gpusim.decide.sweep import sweep_subjects
    from gpusim.progress import ProgressLine

    check_apart({"--csv": csv, "--parquet": parquet, "--plot": plot, "--json": json, "--html": html})
    check_picture(plot)
    _check_parquet(parquet)
    if plot is None:
        sources.refuse(typed(context, "metric"), "is what --plot draws: it needs --plot FILE")
    check_cluster(context, dask)
    subjects = named(words or [], launch, kernels or [], "sweep")
    space = space_of(subjects, words or [], over, where)
    how: dict[str, Any] = {"cache": cache, "sample": chosen_sample(sample, quick), "fresh": fresh}
    with ProgressLine() as progress, on_cluster(dask):
        found = sweep_subjects(subjects, space, listed_gpus(at_clock(gpu, clock)), how, jobs, progress)
    if not found.profiles:
        raise GpusimError(f"of {len(found.rows)} points none could be predicted: {found.failed[0].error}")
    _write(found, csv, parquet, json)
    if plot is not None:
        save_picture(plot, lambda: found.plot(metric))
    _save_page(html, found, metric)
    if not any(map(is_stdout, (csv, json, html))):
        from gpusim import report

        report.show(found.table())


def _check_parquet(parquet: Path | None) -> None:
    """Refuse, before any work is done, what a package that is missing would have to write."""
    import importlib.util

    if parquet is not None and importlib.util.find_spec("pyarrow") is None:
        raise GpusimError('--parquet needs pyarrow: pip install "gpusim[parquet]"')


def _save_page(html: Path | None, found: Sweep, metric: str) -> None:
    """Write a page about a sweep: the figure, the table, a part for each of the slowest points."""
    if html is None:
        return
    from gpusim.pages.launches import sweep as of_sweep

    save_page(html, *of_sweep(found.profiles, found.table(), lambda ax: found.plot(metric, ax=ax)))


def _write(found: Sweep, csv: Path | None, parquet: Path | None, json: Path | None) -> None:
    """Write the files that are asked for."""
    if csv is not None:
        write(found.to_dataframe().to_csv(index=False), csv, "--csv")
    if parquet is not None:
        write_bytes(found.to_dataframe().to_parquet(index=False), parquet, "--parquet")
    if json is not None:
        write_json(found.to_dict(), json)
