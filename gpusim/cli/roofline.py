"""``gpusim roofline``."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from gpusim.cli.files import check_apart, is_stdout, write_json
from gpusim.cli.options import (
    Cache,
    Clock,
    Fresh,
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
from gpusim.cli.parameters import combinations, find, parted
from gpusim.cli.pictures import PlotFile, check_picture, save_picture
from gpusim.cli.predicting import predicted, told
from gpusim.cli.sources import refuse
from gpusim.errors import GpusimError, shown
from gpusim.reading import SOURCES

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.catalogue.chain import Chain
    from gpusim.profiles.profile import Profile
    from gpusim.results.roofline import Mark, Roof

KERNELS = (
    "Kernels, with parameters for all of them; or in quotes with parameters of its own, such as 'matmul-tiled --tile "
    "16'. Without any: the roofs alone."
)


PREDICTING = ("cache", "sample", "quick", "jobs", "fresh")
"""Options of what is predicted."""


class _Case(NamedTuple):
    """A kernel or chain with parameters, on a GPU or CPU."""

    algorithm: Algorithm | Chain
    params: Mapping[str, Any]
    gpu: str


def roofline(
    context: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="[KERNEL... --PARAMETER VALUE]", help=KERNELS)] = None,
    gpu: Annotated[
        str, typer.Option(metavar="NAME,...", help="GPUs, by name or TOML file; NAME@HZ: at a clock; and CPUs.")
    ] = "h200",
    json: JsonFile = None,
    plot: PlotFile = None,
    html: HtmlFile = None,
    peak: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which peak is the roof, as in 'tensor fp16' [default: by what is used]."),
    ] = None,
    cache: Cache = "cold",
    clock: Clock = None,
    sample: Sample = None,
    quick: Quick = False,
    jobs: Jobs = None,
    kernels: KernelFolders = None,
    fresh: Fresh = False,
) -> None:
    """Show kernels below the roof of a GPU, level by level.

    A row for L1, L2 and device memory each: FLOPs, bytes, FLOP/byte, the rate reached, what the roof allows there, the
    share of it, and what makes the roof. What was measured of the same launch stands below. Of a CPU only the roof is
    known.
    """
    from gpusim import report
    from gpusim.model.marks import roof_of
    from gpusim.report import roofline as tables

    check_apart({"--json": json, "--plot": plot, "--html": html})
    check_picture(plot)
    cpus, gpus = _apart(gpu, clock)
    _refuse(context, words, gpus)
    roofs = [roof_of(name) for name in (*gpus, *cpus)]
    how: dict[str, Any] = {"cache": cache, "sample": chosen_sample(sample, quick), "fresh": fresh}
    how["kernels"] = [str(folder) for folder in kernels or []]
    marks = _marks(list(_cases(words or [], kernels or [], [*gpus, *cpus])), cpus, how, jobs, peak) if words else []
    printed = tables.marks(marks, roofs) if words else tables.roofs(roofs)
    if not is_stdout(json):
        report.show(printed)
    if json is not None:
        write_json({"roofs": [one.to_dict() for one in roofs], "marks": [one.to_dict() for one in marks]}, json)
    _draw(roofs, marks, printed, plot, html)


def _draw(
    roofs: Sequence[Roof],
    marks: Sequence[Mark],
    printed: Sequence[RenderableType],
    plot: Path | None,
    html: Path | None,
) -> None:
    """Draw the marks below the roofs, and write the page about them, where files are given for them."""
    from gpusim.pictures.roofline import roofline as draw

    if plot is not None:
        save_picture(plot, lambda: draw(roofs, marks))
    if html is not None:
        from gpusim.pages.content import Section, items
        from gpusim.pages.launches import drawn

        picture = drawn(partial(draw, roofs, marks), "Roofline", (8.4, 5.4), (5.0, 5.0))
        names = ", ".join(roof.gpu for roof in roofs)
        save_page(html, f"Roofline of {names}", [], [Section("", [*picture, *items(printed)])])


def _refuse(context: typer.Context, words: list[str] | None, gpus: list[str]) -> None:
    """Refuse options that would decide nothing."""
    if not words:
        refuse(typed(context, *PREDICTING, "peak", "kernels"), "is for kernels: gpusim roofline KERNEL")
    if not gpus:
        refuse(typed(context, *PREDICTING, "clock"), "is for GPUs: on a CPU nothing is predicted")


def _apart(text: str, clock: str | None) -> tuple[list[str], list[str]]:
    """The CPUs, and the GPUs, of ``NAME,...``."""
    from gpusim.hardware import cpu_of

    names = [name.strip() for name in text.split(",")]
    cpus = list(dict.fromkeys(cpu for name in names if (cpu := cpu_of(name)) is not None))
    gpus = [name for name in names if cpu_of(name) is None]
    return cpus, listed_gpus(at_clock(",".join(gpus), clock)) if gpus else []


def _cases(words: Sequence[str], folders: Sequence[Path], processors: Sequence[str]) -> Iterator[_Case]:
    """Every kernel with every combination of its parameters, on every GPU and CPU."""
    names, shared = parted(words)
    if not names:
        raise GpusimError("no kernel is named: gpusim kernels lists them")
    for name in names:
        own_names, own = parted(_words(name))
        if len(own_names) != 1:
            raise GpusimError(f"{shown(name)} must name one kernel")
        if own_names[0].endswith(SOURCES):
            raise GpusimError(f"roofline takes no CUDA source: how many FLOPs {own_names[0]} has is not known")
        algorithm, given = find(own_names[0], folders), dict[str, list[Any]]()
        for word, values in (*shared, *own):
            given.setdefault(word, []).extend(values)
        for params, processor in itertools.product(combinations(algorithm, given), processors):
            yield _Case(algorithm, params, processor)


def _words(name: str) -> list[str]:
    try:
        return shlex.split(name)
    except ValueError as error:
        raise GpusimError(f"{shown(name)}: {error}") from None


def _marks(
    cases: Sequence[_Case], cpus: Sequence[str], how: dict[str, Any], jobs: int | None, peak: str | None
) -> list[Mark]:
    """Marks of every case: predicted, as measured, or of a CPU the roof alone."""
    on_gpus = [case for case in cases if case.gpu not in cpus]
    names = [f"{case.algorithm.name} {told(case.gpu, case.params)}" for case in on_gpus]
    rows = iter(predicted([_call(case, how) for case in on_gpus], names, jobs) if on_gpus else [])
    found: list[Mark] = []
    for case in cases:
        if case.gpu in cpus:
            found += _on_cpu(case, peak)
        elif (profile := next(rows)) is not None:
            found += _of(case, profile, peak)
    return found


def _call(case: _Case, how: dict[str, Any]) -> partial[Any]:
    import gpusim
    from gpusim.catalogue.chain import Chain

    if isinstance(case.algorithm, Chain):
        return partial(gpusim.predict_chain, case.algorithm.name, gpu=case.gpu, **how, **case.params)
    return partial(gpusim.predict, case.algorithm.name, gpu=case.gpu, **how, **case.params)


def _of(case: _Case, profile: Any, peak: str | None) -> list[Mark]:
    """What is predicted, and what was measured of the same launch where it was."""
    from gpusim.catalogue.chain import Chain
    from gpusim.model.marks import marks_of

    name = _peak(peak)
    found = marks_of(profile, gpu=case.gpu, peak=name)
    if isinstance(case.algorithm, Chain):
        return found
    measured = _measured(case.algorithm, profile, case.gpu)
    return found if measured is None else found + marks_of(measured, gpu=case.gpu, peak=found[0].peak, measured=True)


def _measured(algorithm: Algorithm, profile: Profile, gpu: str) -> Profile | None:
    """The launch with the counters that a GPU counted of it, where that comes with gpusim."""
    from dataclasses import replace

    from gpusim import hardware
    from gpusim.bounds.measured import counts_of
    from gpusim.results.metric import Claim, Metric

    if profile.cache != "cold":
        return None
    counts = counts_of(algorithm, algorithm.launch(**profile.params), hardware.load(gpu))
    if not counts:
        return None
    return replace(profile, metrics={key: Metric(value, "", Claim.EXACT) for key, value in counts.items()})


def _peak(text: str | None) -> str | None:
    """The name of a peak as roofs have it, however its words are joined."""
    return None if text is None else " ".join(text.lower().replace("-", " ").replace("_", " ").split())


def _on_cpu(case: _Case, peak: str | None) -> list[Mark]:
    """The roof of a kernel on a CPU."""
    from gpusim.catalogue.chain import Chain
    from gpusim.model.marks import least_mark

    if isinstance(case.algorithm, Chain):
        raise GpusimError(f"{case.algorithm.name} is a chain of kernels, and {case.gpu} a CPU: name its kernels")
    launch = case.algorithm.launch(**case.params)
    flops = float(launch.kernel.flops().evaluate(**launch.params))
    nbytes = sum(one.nbytes * (2 if one.intent == "inout" else 1) for one in launch.arrays)
    words = " ".join((case.algorithm.name, *(f"{key}={value}" for key, value in launch.params.items())))
    return [least_mark(words, flops, nbytes, case.gpu, _peak(peak) or "fp32")]
