"""``gpusim diff``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_apart, is_stdout, write_json
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
from gpusim.cli.pages import HtmlFile, save_result
from gpusim.cli.parameters import parted
from gpusim.cli.pictures import PlotFile, check_picture, save_picture
from gpusim.cli.words import predictions_of
from gpusim.errors import GpusimError, shown
from gpusim.reading import SOURCES

if TYPE_CHECKING:
    from gpusim.decide.diff_sides import Side
    from gpusim.profiles.chain import ChainProfile
    from gpusim.profiles.profile import Profile

TWO = (
    "A kernel, or one in quotes with parameters of its own ('matmul-tiled --tile 16'), a CUDA source (.cu), or a JSON "
    "file that predict, profile, advise or measure wrote (FILE#2 or FILE#NAME: one of its results)."
)
DOCUMENT = ".json"


class _Asked(NamedTuple):
    """What is to be compared, and how to get it: called with how it is predicted."""

    name: str
    get: Callable[..., Side]


@sources.takes_launch
def diff(
    context: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="A B [--PARAMETER VALUE]", help=TWO)] = None,
    gpu: Gpus = "h200",
    json: JsonFile = None,
    plot: PlotFile = None,
    html: HtmlFile = None,
    no_why: Annotated[
        bool, typer.Option("--no-why", help="Do not simulate launches again to find out why the time changed.")
    ] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="FIGURE>P%",
            help="Exit with status 1 if B has over P % more of it, as in 'time>5%'; may be repeated.",
        ),
    ] = None,
    cache: Cache = "cold",
    clock: Clock = None,
    sample: Sample = None,
    quick: Quick = False,
    jobs: Jobs = None,
    kernels: KernelFolders = None,
    fresh: Fresh = False,
    *,
    launch: sources.Given,
) -> None:
    """Say what changed from A to B, and why the time did.

    By level of the memory, and by line of the source.

    Parameters and options that stand outside of quotes are for both. One kernel with two values of a parameter, or on
    two GPUs, is two things as well.
    """
    from gpusim.decide.diff import compare
    from gpusim.decide.diff_limits import read_limit
    from gpusim.progress import ProgressLine

    check_apart({"--json": json, "--plot": plot, "--html": html})
    check_picture(plot)
    limits = fail_on or []
    for limit in limits:
        read_limit(limit)
    _check_predicted(context, words or ())
    how: dict[str, Any] = {"cache": cache, "fresh": fresh, "jobs": jobs, "sample": chosen_sample(sample, quick)}
    gpus = listed_gpus(at_clock(gpu, clock))
    a, b = _two(list(_asked(words or (), tuple(kernels or ()), launch, gpus)))
    with ProgressLine() as progress:
        sides = [side.get(progress=progress, **how) for side in (a, b)]
    with ProgressLine() as progress:
        found = compare(*sides, why=not no_why, progress=progress)
    broken = found.exceeded(*limits)
    if not is_stdout(json):
        from gpusim import report

        report.show(found.table())
    if json is not None:
        write_json({"diff": found.to_dict(), "exceeded": broken}, json)
    if plot is not None:
        save_picture(plot, found.plot)
    single = [(side.name, side.steps[0]) for side in (found.a, found.b) if len(side.steps) == 1]
    save_result(html, f"From {found.a.name} to {found.b.name}", found.plot, found.table(), 8, single)
    for text in broken:
        print(f"gpusim: {text}", file=sys.stderr)
    if broken:
        raise typer.Exit(1)


OF_PREDICTIONS = ("gpu", "cache", "clock", "sample", "quick", "jobs", "kernels", "fresh")
"""Options that say how something is predicted."""


def _check_predicted(context: typer.Context, words: Sequence[str]) -> None:
    """Refuse options of predictions where none is made."""
    names = parted(words)[0]
    if names and all(map(_is_file, names)):
        sources.refuse(typed(context, *OF_PREDICTIONS), "is for what is predicted: both are results of files")
    elif names and all(_is_file(name) or _is_source(name) for name in names):
        sources.refuse(typed(context, "kernels"), sources.DESCRIBED_ALONE)


def _two(asked: Sequence[_Asked]) -> tuple[_Asked, _Asked]:
    """The two that are compared."""
    if len(asked) != 2:
        from gpusim.names import some

        named = f": {some([one.name for one in asked])}" if asked else ""
        raise GpusimError(f"diff compares two things, not {len(asked) or 'none'}{named}")
    return asked[0], asked[1]


def _asked(
    words: Sequence[str], folders: tuple[Path, ...], launch: sources.Given, gpus: Sequence[str]
) -> Iterator[_Asked]:
    """Everything that words tell of, with the parameters that all kernels share."""
    names, shared = parted(words)
    described = any(not (_is_file(name) or _is_source(name)) for name in names)
    if not any(map(_is_source, names)):
        if described and launch["--block"] is not None:  # which described kernels have, too
            shared += parted(["--block", launch["--block"]])[1]
            launch = {**launch, "--block": None}
        sources.refuse(launch, "is for a CUDA source (.cu)")
    if shared and not described:
        raise GpusimError(f"--{shared[0][0]} is for a described kernel: neither of the two is one")
    _check_once(shared, "both")
    for name in names:
        if _is_file(name):
            yield _of_file(name)
            continue
        source = _is_source(name)
        given = _source_words(name, launch) if source else (_kernel_words(name, shared), dict.fromkeys(launch))
        predictions = predictions_of(given[0], () if source else folders, given[1], gpus, "diff")
        yield from (_Asked(one.name, _predicted(one.predict)) for one in predictions)


def _predicted(prediction: Callable[..., Profile | ChainProfile]) -> Callable[..., Side]:
    def get(**how: Any) -> Side:
        from gpusim.decide.diff_sides import side_of

        return side_of(prediction(**how))

    return get


def _is_file(word: str) -> bool:
    """Whether a word names a JSON file, or a measurement that comes with gpusim and a launch of it."""
    from gpusim.measured import measurement

    name, which = _chosen(word)
    return name.endswith(DOCUMENT) or (bool(which) and measurement.shipped(name) is not None)


def _chosen(word: str) -> tuple[str, str]:
    """A file, and which of its results is meant: what stands behind a #, unless the file itself is called so."""
    name, _, which = word.partition("#")
    return (word, "") if word.endswith(DOCUMENT) and Path(word).is_file() else (name, which)


def _is_source(word: str) -> bool:
    return any(part.endswith(SOURCES) for part in _parts(word)[:1])


def _parts(word: str) -> list[str]:
    """The words within quotes."""
    try:
        return shlex.split(word)
    except ValueError as error:
        raise GpusimError(f"{shown(word)}: {error}") from None


def _source_words(word: str, launch: sources.Given) -> tuple[list[str], sources.Given]:
    """A source, and the options of its launch: its own, and those of both."""
    path, own = sources.read_words(_parts(word))
    return [str(path)], sources.both(launch, own, word)


def _kernel_words(word: str, shared: Sequence[tuple[str, list[Any]]]) -> list[str]:
    """A kernel, with its own parameters and those of both."""
    names, own = parted(_parts(word))
    if not names:
        raise GpusimError(f"{shown(word)} names no kernel: gpusim kernels lists them")
    _check_once([*shared, *own], shown(word))
    options = [f"--{name}={','.join(map(str, values))}" for name, values in (*shared, *own)]
    return [*names, *options]


def _check_once(given: Sequence[tuple[str, list[Any]]], whose: str) -> None:
    """Refuse a parameter that is given twice."""
    seen: set[str] = set()
    for name, _ in given:
        if name in seen:
            raise GpusimError(f"--{name} is given twice for {whose}: two values are --{name}=A,B")
        seen.add(name)


def _of_file(word: str) -> _Asked:
    """A result that a file holds."""
    from gpusim.decide.diff_files import read_side
    from gpusim.measured import measurement

    name, which = _chosen(word)
    side = read_side(measurement.shipped(name) or Path(name), which)

    def get(**_: Any) -> Side:
        return side

    return _Asked(word, get)
