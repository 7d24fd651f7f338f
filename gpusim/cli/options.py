"""Options that several commands have, as typer reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gpusim.processors import MOST

if TYPE_CHECKING:
    from gpusim.simulate.work import Sample as HowMuch

Caches = Literal["cold", "warm", "flushed"]
Gpus = Annotated[str, typer.Option(metavar="NAME,...", help="GPUs, by name or TOML file; NAME@HZ: at a clock.")]
Clock = Annotated[
    str | None,
    typer.Option(metavar="HZ", help="Clock the SMs are locked to, as in 1.41e9 [default: the boost clock]."),
]
JsonFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the numbers; - for standard output.")]
Cache = Annotated[
    Caches,
    typer.Option(
        help="What a launch finds: empty caches, what itself left, or an L2 full of other data, not yet written."
    ),
]
Sample = Annotated[
    bool | None,
    typer.Option("--sample/--exact", help="Simulate part of the launch and scale, or all of it [default: by size]."),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Simulate little of the launch, in about a second: for sweeps; less accurate.")
]
Registers = Annotated[
    int | None,
    typer.Option(metavar="N", help="Registers a thread, as ptxas -v says of your own [default: as lowered].", min=1),
]
Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", help="Processors to work with [default: all].", min=1, max=MOST),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Simulate anew, even if the result of an earlier run is kept.")]
Advise = Annotated[bool, typer.Option("--advise", help="Say also what would make it faster, as gpusim advise does.")]
TimelineFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write what one SM does, cycle by cycle, for ui.perfetto.dev.")
]
TimelineSm = Annotated[
    int | None,
    typer.Option("--timeline-sm", metavar="N", help="Which SM [default: that of the first block].", min=0),
]
TimelineFrom = Annotated[
    int | None,
    typer.Option("--timeline-from", metavar="CYCLE", help="First cycle of the timeline [default: 0].", min=0),
]
KernelArguments = Annotated[
    list[str],
    typer.Argument(
        metavar="KERNEL [--PARAMETER VALUE]",
        help="A kernel and its parameters (gpusim kernels lists them), such as: matmul-tiled --n 4096 --tile 8,16,32",
        show_default=False,
    ),
]
KernelFolders = Annotated[
    list[Path] | None,
    typer.Option("--kernels", metavar="DIR", help="A folder with kernels of your own; may be repeated."),
]


def typed(context: typer.Context, *names: str) -> dict[str, Any]:
    """Those of some options that stand on the command line, with their values, for :func:`gpusim.cli.sources.refuse`.

    Parameters
    ----------
    context : typer.Context
        Of the command.
    *names : str
        As its function calls them.
    """
    found = {}
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name == "COMMANDLINE":
            value = context.params[parameter.name]
            spelt = parameter.secondary_opts if value is False and parameter.secondary_opts else parameter.opts
            found[spelt[0]] = value
    return found


def chosen_sample(sample: bool | None, quick: bool) -> HowMuch:
    """How much of a launch is run.

    Raises
    ------
    GpusimError
        If two things are asked for.
    """
    from gpusim.errors import GpusimError

    if quick and sample is not None:
        raise GpusimError(f"--quick and --{'sample' if sample else 'exact'}: take one of them")
    return "quick" if quick else sample


def listed_gpus(text: str) -> list[str]:
    """The GPUs of ``NAME,...``, each once.

    Raises
    ------
    GpusimError
        If one of them is not known, or its file is wrong; if two have one name.
    """
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    if len(names) == 1:
        return names
    from gpusim.launches.gpus import each_once

    return [str(name) for name in each_once(names)]


def at_clock(gpus: str, clock: str | None) -> str:
    """The names of ``NAME,...`` with a clock behind each, where one is given.

    Raises
    ------
    GpusimError
        If it is no clock, or a name has one.
    """
    from gpusim.errors import GpusimError
    from gpusim.hardware.clocks import split_clock

    if clock is None:
        return gpus
    in_hz(clock)
    names = gpus.split(",")
    if mine := [name for name in names if split_clock(name)[1] is not None]:
        raise GpusimError(f"--clock {clock}: {mine[0].strip()} has a clock already")
    return ",".join(f"{name.strip()}@{clock}" for name in names)


def in_hz(clock: str) -> float:
    """A clock as it is typed, in Hz.

    Raises
    ------
    GpusimError
        If it is none.
    """
    from gpusim.errors import GpusimError
    from gpusim.hardware.clocks import split_clock

    hz = split_clock(f"GPU@{clock}")[1]
    if hz is None:
        raise GpusimError(f"--clock {clock}: must be in Hz, as in 1.41e9, or with its unit, as in 1410MHz")
    return hz
