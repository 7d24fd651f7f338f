"""``gpusim profile``: one launch of a user's CUDA source."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import launches as many
from gpusim.cli.files import check_writable, show_profiles
from gpusim.cli.timelines import Wanted
from gpusim.cli.words import Gpus, JsonFile, Sample, TimelineFile, TimelineFrom, TimelineSm, Warm
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.launches.spec import LaunchSpec
    from gpusim.result import Profile

ARGUMENT_HELP = "An argument, DTYPE:VALUE (int32:512) or DTYPE:FILL:COUNT (float32:normal:4096); one for each."


def profile(
    source: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="CUDA source (.cu) or cubin.")] = None,
    kernel: Annotated[
        str | None, typer.Option(metavar="NAME", help="Its name, or an instance such as 'sgemm<128,8>'.")
    ] = None,
    grid: Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Blocks.")] = None,
    block: Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Threads of a block.")] = None,
    dynamic_shared: Annotated[int | None, typer.Option(metavar="BYTES", help="Dynamic shared memory.", min=0)] = None,
    arg: Annotated[list[str] | None, typer.Option(metavar="ARGUMENT", help=ARGUMENT_HELP)] = None,
    define: Annotated[list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro.")] = None,
    include: Annotated[list[Path] | None, typer.Option("-I", metavar="DIR", help="A folder with headers.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="OPTION", help="For the compiler: --option=-ftz=true.")
    ] = None,
    launches: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Many launches, from a launch file, instead of one.")
    ] = None,
    only: Annotated[str | None, typer.Option(metavar="GLOB", help="Only launches whose id matches.")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Processes for a launch file.", min=1)] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds-per-launch", metavar="S", help="Give a launch up after so long.", min=0)
    ] = None,
    gpu: Gpus = "h200",
    json: JsonFile = None,
    warm: Warm = False,
    sample: Sample = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Warp instructions after which a kernel is endless.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides what random arrays hold.", min=0)] = 0,
    timeline: TimelineFile = None,
    timeline_sm: TimelineSm = None,
    timeline_from: TimelineFrom = None,
) -> None:
    """Count what a CUDA kernel of yours moves at every level, from its machine code.

    gpusim profile saxpy.cu --grid 4096 --block 256 --arg int32:1048576 --arg float32:2.5
    --arg float32:normal:1048576 --arg float32:normal:1048576
    """
    check_writable(json)
    how = {"cache": "warm" if warm else "cold", "sample": sample, "limit": limit, "seed": seed, "seconds": seconds}
    single = {
        "FILE": source, "--kernel": kernel, "--grid": grid, "--block": block, "--dynamic-shared": dynamic_shared,
        "--arg": arg, "-D": define, "-I": include, "--option": option, "--timeline": timeline,
        "--timeline-sm": timeline_sm, "--timeline-from": timeline_from,
    }  # fmt: skip
    if launches is not None:
        _refuse(single, "is for a single launch: leave it out, or leave --launches out")
        many.run(many.Request(launches, only, gpu, json, jobs or 1), how)
        return
    _refuse({"--only": only, "--jobs": jobs}, "is for launch files: it needs --launches FILE")
    wanted = Wanted(timeline, timeline_sm, timeline_from)
    recording = wanted.recording(gpu.count(",") + 1)
    found = _profiles(_spec(single), gpu.split(","), how | {"timeline": recording})
    show_profiles(found, json)
    wanted.save(found)
    if len(found) == 1 and str(json) != "-":
        from gpusim import report

        report.show(list(report.where(found[0])))


def _refuse(given: dict[str, Any], why: str) -> None:
    """Complain of the first option that was given."""
    for name, value in given.items():
        if value is not None and value != []:
            raise GpusimError(f"{name} {why}")


def _spec(given: dict[str, Any]) -> LaunchSpec:
    """The launch that the options tell of."""
    from gpusim import arguments
    from gpusim.launches.spec import LaunchSpec

    for name, what in {"FILE": "a .cu file", "--grid": "X,Y,Z", "--block": "X,Y,Z"}.items():
        if given[name] is None:
            raise GpusimError(f"{name} is missing: profile needs {what} (or --launches FILE)")
    source = _source(given["FILE"])
    return LaunchSpec(
        source.name, source, tuple(given["--option"] or ()), given["--kernel"],
        _sizes("--grid", given["--grid"]), _sizes("--block", given["--block"]), given["--dynamic-shared"] or 0,
        tuple(arguments.from_text(text) for text in given["--arg"] or ()), _defines(given["-D"] or ()),
        tuple(given["-I"] or ()),
    )  # fmt: skip


def _source(given: Path) -> Path:
    """The file, or the source of that name among the kernels that come with gpusim."""
    from gpusim.catalog import builtin_folder

    builtin = builtin_folder() / given
    return builtin if not given.exists() and builtin.suffix == ".cu" and builtin.is_file() else given


def _sizes(option: str, text: str) -> tuple[int, ...]:
    """One to three whole numbers."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 3 or not all(part.isdecimal() and part.isascii() for part in parts):
        raise GpusimError(f"{option} {text}: one to three whole numbers are needed, with commas between them")
    return tuple(map(int, parts))


def _defines(texts: Sequence[str]) -> dict[str, str | None]:
    """Macros, with their values where there are any."""
    split = (text.partition("=") for text in texts)
    return {name: value if equals else None for name, equals, value in split}


def _profiles(spec: LaunchSpec, gpus: Sequence[str], how: dict[str, Any]) -> list[Profile]:
    """The launch on one GPU after the other, showing progress and the compiler's warnings on standard error."""
    from gpusim.launches.run import profile
    from gpusim.report.progress import ProgressLine

    with ProgressLine() as progress:
        warnings: dict[str, None] = {}
        found = [profile(spec, gpu.strip(), progress=progress, warn=warnings.setdefault, **how) for gpu in gpus]
    for text in warnings:
        print(text.rstrip(), file=sys.stderr)
    return found
