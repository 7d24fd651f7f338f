"""``gpusim run``: a whole program, its host part here, its kernels simulated."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources
from gpusim.cli.check import SarifFile, Tools
from gpusim.cli.files import check_apart, is_stdout, write_json
from gpusim.cli.options import Clock, Jobs, JsonFile, Quick, Sample, at_clock, chosen_sample
from gpusim.cli.pages import HtmlFile, save_page
from gpusim.cli.pictures import PlotFile, check_picture, save_picture
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpusim.programs.checks import Checks
    from gpusim.results.program import Program


def run(
    context: typer.Context,
    program: Annotated[Path, typer.Argument(metavar="PROGRAM [ARGUMENT]...", help="A .cu file or an executable.")],
    gpu: Annotated[str, typer.Option(metavar="NAME", help="GPU, by name or TOML file.")] = "h200",
    functional: Annotated[bool, typer.Option("--functional", help="Compute all launches, time none.")] = False,
    every: Annotated[
        bool, typer.Option("--every", help="Time each launch, even if an earlier one did the same.")
    ] = False,
    kernel: Annotated[
        str | None, typer.Option(metavar="GLOB", help="Profile launches of these kernels, such as '*gemm*'.")
    ] = None,
    skip: Annotated[int, typer.Option("--launch-skip", metavar="N", help="Profile none of the first N.", min=0)] = 0,
    count: Annotated[
        int | None, typer.Option("--launch-count", metavar="N", help="Profile no more than N.", min=1)
    ] = None,
    skip_library: Annotated[
        bool, typer.Option("--skip-library", help="Let NumPy compute what cuBLAS is called for, in no time.")
    ] = False,
    beside: Annotated[
        list[Path] | None, typer.Option("--add", metavar="FILE", help="Another source, object or library of it.")
    ] = None,
    define: Annotated[list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro.")] = None,
    include: Annotated[list[Path] | None, typer.Option("-I", metavar="DIR", help="A folder with headers.")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", metavar="OPTION", help="An option of nvcc.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Look for what is wrong with each launch, as gpusim check does; time none.")
    ] = False,
    tool: Tools = None,
    json: JsonFile = None,
    plot: PlotFile = None,
    html: HtmlFile = None,
    sarif: SarifFile = None,
    clock: Clock = None,
    sample: Sample = None,
    quick: Quick = False,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Warp instructions after which a kernel is endless.", min=1)
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Run a whole program, its kernels simulated.

    gpusim run vectorAdd.cu
    """
    from gpusim.launches.told import defines
    from gpusim.programs.launches import Wanted
    from gpusim.programs.program import Asked

    check_apart({"--json": json, "--sarif": sarif, "--plot": plot, "--html": html})
    check_picture(plot)
    timed = {"--functional": functional, "--every": every, "--plot": plot is not None, "--html": html is not None}
    checks = _checks(gpu, tool, limit, timed, sarif, check=check)
    if functional and (plot or html):
        raise GpusimError("--functional times no launch: leave it out, or --plot and --html")
    if functional and (every or kernel is not None or skip or count is not None):
        raise GpusimError(
            "--functional times no launch: leave it out, or --every, --kernel, --launch-skip, --launch-count"
        )
    _tell_of_misplaced(context)
    asked = Asked(program, tuple(beside or ()), tuple(option or ()), defines(define or ()), tuple(include or ()))
    wanted = Wanted(functional, every, kernel, skip, count)
    how = {"sample": chosen_sample(sample, quick), "limit": limit, "jobs": jobs}
    found = _ran(asked, at_clock(gpu, clock), context.args, wanted, how, skips_libraries=skip_library, checks=checks)
    if checks is not None:
        _end_checked(found, checks, json, sarif)
    _show(found, json, full=wanted.chosen, quick=quick)
    _draw(found, plot, html, quick=quick)
    _tell_of_none(found, wanted)
    raise typer.Exit(found.status)


def _checks(
    gpu: str, tool: list[str] | None, limit: int | None, timed: dict[str, bool], sarif: Path | None, *, check: bool
) -> Checks | None:
    """What notes what is wrong, where that is asked for."""
    if not check:
        sources.refuse({"--tool": tool, "--sarif": sarif}, "is for --check: leave it out, or ask for that")
        return None
    sources.refuse({name: value or None for name, value in timed.items()}, "is of times, and --check times no launch")
    from gpusim import hardware
    from gpusim.cli.check import asked
    from gpusim.programs.checks import Checks

    return Checks(hardware.load(gpu), asked(tool).tools, limit)


def _end_checked(found: Program, checks: Checks, json: Path | None, sarif: Path | None) -> None:
    """Show and write what is wrong; end as the program did, or with status 1 where there are findings."""
    from gpusim.checks.outcome import is_clean
    from gpusim.checks.programs import of_program
    from gpusim.cli.check import show, write_sarif

    results = of_program(checks, found.name)
    if not is_stdout(json) and not is_stdout(sarif):
        show(results)
    if json is not None:
        write_json(_plain(found) | {"checks": [one.to_dict() for one in results]}, json)
    write_sarif(results, sarif)
    raise typer.Exit(found.status or int(not is_clean(results)))


def _tell_of_none(found: Program, wanted: Any) -> None:
    """Note that of the launches none is one of those chosen."""
    if wanted.chosen and found.launches and all(launch.profile is None for launch in found.launches):
        names = ", ".join(dict.fromkeys(launch.kernel for launch in found.launches))
        chosen = f"is one of those chosen ({len(found.launches)} of {names})"
        typer.echo(f"note: no launch {chosen}: see --kernel, --launch-skip, --launch-count", err=True)


def _tell_of_misplaced(context: typer.Context) -> None:
    """Note options of ours that the program gets, because they stand after it."""
    known = {name for one in context.command.params for name in one.opts if name.startswith("--")}
    if mine := [word for word in context.args if word.partition("=")[0] in known]:
        note = f"note: {mine[0]} stands after the program, which is given it; options of gpusim run stand before"
        typer.echo(note, err=True)


def _ran(
    asked: Any,
    gpu: str,
    arguments: list[str],
    wanted: Any,
    how: dict[str, Any],
    *,
    skips_libraries: bool,
    checks: Checks | None = None,
) -> Program:
    """Compile the program, if it is a source, and run it to its end."""
    import sys

    from gpusim import hardware
    from gpusim.programs.program import made
    from gpusim.programs.session import Session, to_standard_error
    from gpusim.progress import Pieces
    from gpusim.simulate.work import How

    spec, pieces = hardware.load(gpu), Pieces("launches") if sys.stderr.isatty() else None
    with pieces("compiling") if pieces else nullcontext():
        program = made(asked, spec, host_lines=checks is not None)
    if program.log:
        print(program.log, file=sys.stderr)
    own: dict[str, Any] = {"showing": pieces} if pieces else {}  # elsewhere what the program writes stays alone
    own |= {"skips_libraries": skips_libraries, "checks": checks}
    return Session(program, spec, wanted, How(**how), to_standard_error, **own).run(arguments)


TOLD = "Each timed launch finds L2 as the one before left it. Copies take no time."
TOLD_OF_QUICK = (
    "Each timed launch was predicted from a few million warp instructions, with an empty L2. Copies take no time."
)


def _remarks(found: Program, *, quick: bool) -> Iterator[str]:
    """What a reader of the table must know."""
    from gpusim.programs.launches import reaches_host

    yield TOLD_OF_QUICK if quick else TOLD
    timed = {launch.kernel: launch.profile for launch in found.launches if launch.profile is not None}
    if names := ", ".join(name for name, one in timed.items() if reaches_host(one)):
        yield f"Memory of the host is touched by {names}: a GPU needs far longer, for PCIe is not modelled."


def _show(found: Program, path: Path | None, *, full: bool, quick: bool) -> None:
    """Show what was launched, chosen launches in full; write all of it where a file is given."""
    from gpusim import report
    from gpusim.report.program import program

    if not is_stdout(path):
        for launch in found.launches if full else ():
            if launch.profile is not None and launch.as_launch == launch.number:
                print(f"launch {launch.number}")
                report.show(report.table(launch.profile))
        report.show(program(found, _remarks(found, quick=quick)))
    if path is not None:
        write_json(_plain(found), path)


def _draw(found: Program, plot: Path | None, html: Path | None, *, quick: bool) -> None:
    """Draw where the time goes, and write a page about the launches, where files are given for them."""
    if plot is not None:
        from gpusim.pictures.times import kernels

        save_picture(plot, lambda: kernels(found))
    if html is not None:
        from gpusim.pages.launches import program as of_program
        from gpusim.report.program import program

        save_page(html, *of_program(found, program(found, _remarks(found, quick=quick))))


def _plain(found: Program) -> dict[str, Any]:
    """What was launched as JSON has it: profiles once, by the number of the launch that was timed."""
    profiles: dict[int, Any] = {one.number: one.profile for one in found.launches if one.as_launch == one.number}
    rows = [
        {
            "number": one.number, "kernel": one.kernel, "grid": list(one.grid), "block": list(one.block),
            "stream": one.stream, "seconds": one.seconds, "as_launch": one.as_launch,
        }
        for one in found.launches
    ]  # fmt: skip
    return {
        "program": found.name,
        "gpu": found.gpu,
        "status": found.status,
        "launches": rows,
        "skipped": dict(found.skipped),
        "profiles": {str(number): profile.to_dict() for number, profile in profiles.items() if profile is not None},
    }
