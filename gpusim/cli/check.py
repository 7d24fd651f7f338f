"""``gpusim check``: what is wrong with a launch."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_apart, is_stdout, write, write_json
from gpusim.cli.options import Gpus, JsonFile, KernelFolders, listed_gpus
from gpusim.cli.words import WORDS_HELP, launches_of
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.checks.how import CheckHow
    from gpusim.checks.result import CheckResult
    from gpusim.launches.spec import AnyLaunch

Tools = Annotated[
    list[str] | None,
    typer.Option(
        "--tool", metavar="NAME,...", help="Look for memcheck, racecheck, initcheck, synccheck alone [default: all]."
    ),
]
Blocks = Annotated[
    int | None,
    typer.Option(metavar="N", help="Blocks beyond which only some of each class are run [default: 4096].", min=1),
]
Schedules = Annotated[
    int,
    typer.Option(metavar="N", help="Run so many other orders of warps and blocks, and compare results.", min=0),
]
SarifFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write findings as SARIF 2.1.0, for editors and code hosts.")
]


@sources.takes_launch
def check(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE | KERNEL --PARAMETER VALUE]", help=WORDS_HELP)
    ] = None,
    launches: sources.Launches = None,
    only: sources.Only = None,
    gpu: Gpus = "h200",
    tool: Tools = None,
    blocks: Blocks = None,
    schedules: Schedules = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides what random arrays hold, and the orders.", min=0)] = 0,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Warp instructions after which a kernel is endless.", min=1)
    ] = None,
    json: JsonFile = None,
    sarif: SarifFile = None,
    kernels: KernelFolders = None,
    *,
    launch: sources.Given,
) -> None:
    """Find races, bad accesses, uninitialized reads, wrong barriers.

    As compute-sanitizer does on a GPU. Exits with status 1 where there are findings.

    gpusim check race.cu --grid 1 --block 64 --arg b=zeros:64
    """
    check_apart({"--json": json, "--sarif": sarif})
    how = asked(tool, schedules, seed, blocks, limit)
    gpus = listed_gpus(gpu)
    specs = _specs(words or (), launches, only, tuple(kernels or ()), launch)
    quiet = is_stdout(json) or is_stdout(sarif)
    found, failed = _checked(specs, gpus, how, keeps_on=launches is not None, shows=not quiet)
    if launches is not None and not found:
        raise GpusimError(f"none of {len(failed)} launches could be run: {failed[0]['error'].partition(chr(10))[0]}")
    if json is not None:
        write_json({"checks": [one.to_dict() for one in found], "failed": failed}, json)
    write_sarif(found, sarif, failed)
    for one in failed:
        print(f"gpusim: {one['id']}: {one['error']}", file=sys.stderr)
    end(found, failed)


def asked(
    tool: Sequence[str] | None, schedules: int = 0, seed: int = 0, blocks: int | None = None, limit: int | None = None
) -> CheckHow:
    """How launches are to be checked, as options say it.

    Raises
    ------
    GpusimError
        A tool that there is not.
    """
    from gpusim.checks.how import MOST_BLOCKS, CheckHow, tools_of

    tools = tools_of(",".join(tool) if tool else None)
    return CheckHow(tools, schedules, seed, MOST_BLOCKS if blocks is None else blocks, limit)


def _specs(
    words: Sequence[str], launches: Path | None, only: str | None, folders: tuple[Path, ...], launch: sources.Given
) -> list[AnyLaunch]:
    """What is to be checked."""
    if launches is None:
        sources.refuse({"--only": only}, "is for launch files: it needs --launches FILE")
        if not words:
            raise GpusimError("check needs a CUDA source (.cu), or a kernel (gpusim kernels lists them)")
        return list(launches_of(words, folders, launch, "check"))
    from gpusim.launches import file

    single = {"FILE": words[0] if words else None, **launch}
    sources.refuse(single, "is for a single launch: leave it out, or leave --launches out")
    return list(file.select(file.read(launches), only))


def _checked(
    specs: Iterable[AnyLaunch], gpus: Sequence[str], how: CheckHow, *, keeps_on: bool, shows: bool
) -> tuple[list[CheckResult], list[dict[str, str]]]:
    """Results, shown as they come, and those launches that could not be run, if the others are to go on then."""
    found: list[CheckResult] = []
    failed: list[dict[str, str]] = []
    for spec, gpu in product(specs, gpus):
        try:
            result = of_spec(spec, gpu, how, name=spec.id if keeps_on else "")
        except GpusimError as error:
            if not keeps_on:
                raise
            failed.append({"id": spec.id, "gpu": gpu, "error": str(error)})
            continue
        if shows:
            show([result], after=found)
        found.append(result)
    return found, failed


def of_spec(spec: AnyLaunch, gpu: str, how: CheckHow, *, name: str = "") -> CheckResult:
    """Check a launch on a GPU, showing progress and the compiler's warnings on standard error."""
    from dataclasses import replace

    from gpusim import hardware
    from gpusim.checks import work
    from gpusim.checks.run import checked
    from gpusim.progress import ProgressLine

    loaded, warnings = hardware.load(gpu), dict[str, None]()
    with ProgressLine() as progress:
        given = work.of_spec(spec, loaded, how.seed, warnings.setdefault)
        result = checked(given.work, loaded, replace(how, progress=progress), unwritten=given.unwritten, name=name)
    for text in warnings:
        print(text.rstrip(), file=sys.stderr)
    return result


def show(results: Sequence[CheckResult], after: Sequence[CheckResult] = ()) -> None:
    """Show findings on standard output, below those that are shown already."""
    from gpusim import report
    from gpusim.checks.table import several

    report.show(list(several(results, after)))
    sys.stdout.flush()


def write_sarif(results: Sequence[CheckResult], path: Path | None, failed: Sequence[Mapping[str, str]] = ()) -> None:
    """Write findings as SARIF where a file is given."""
    if path is None:
        return
    from json import dumps

    from gpusim.checks.sarif import log

    told = [f"{one['id']}: not run: {one['error']}" for one in failed]
    write(dumps(log(results, told), indent=1, allow_nan=False) + "\n", path, "--sarif")


def end(results: Sequence[CheckResult], failed: Sequence[Any] = ()) -> None:
    """End with status 1 where there are findings, with 2 where a launch could not be run."""
    from gpusim.checks.outcome import is_clean

    if not is_clean(results):
        raise typer.Exit(1)
    if failed:
        raise typer.Exit(2)
