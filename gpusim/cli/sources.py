"""One launch of a CUDA source, as options of a command line: ``FILE --grid X,Y,Z --block X,Y,Z --arg ...``."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.launches.spec import LaunchSpec

ARGUMENT_HELP = (
    "An argument by its name, N=512 or A=normal:N*N, or in order, DTYPE:VALUE (int32:512) or DTYPE:FILL:COUNT "
    "(float32:normal:4096)."
)
SYMBOL_HELP = "What a __constant__ or __device__ variable holds: n=5, coef=normal or coef=[1,2,3]."

OPTIONS: dict[str, tuple[str, Any]] = {
    "kernel": ("--kernel", Annotated[
        str | None, typer.Option(metavar="NAME", help="Its name, or an instance such as 'sgemm<128,8>'.")
    ]),
    "grid": ("--grid", Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Blocks.")]),
    "block": ("--block", Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Threads of a block.")]),
    "cluster": ("--cluster", Annotated[
        str | None, typer.Option(metavar="X,Y,Z", help="Blocks of a cluster [default: what the kernel says].")
    ]),
    "dynamic_shared": ("--dynamic-shared", Annotated[
        int | None, typer.Option(metavar="BYTES", help="Dynamic shared memory.", min=0)
    ]),
    "arg": ("--arg", Annotated[list[str] | None, typer.Option(metavar="ARGUMENT", help=ARGUMENT_HELP)]),
    "set": ("--set", Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help=SYMBOL_HELP)]),
    "define": ("-D", Annotated[list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro.")]),
    "include": ("-I", Annotated[list[Path] | None, typer.Option("-I", metavar="DIR", help="A folder with headers.")]),
    "arch": ("--arch", Annotated[
        str | None, typer.Option(metavar="ARCH", help="Target to compile for [default: what the source needs].")
    ]),
    "option": ("--option", Annotated[
        list[str] | None, typer.Option(metavar="OPTION", help="For the compiler: --option=-ftz=true.")
    ]),
}  # fmt: skip
"""What tells of a launch besides its source: parameter of a command, option, and the type that typer reads."""

ONE_VALUE = {"kernel", "grid", "block", "cluster", "dynamic_shared", "arch"}
"""Those of them that are given once."""

Given = dict[str, Any]
"""Those options by name, None where one was not given."""

WITH_FILES = ("check", "measure", "profile")
"""Commands that take a launch file instead of one launch."""

Launches = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Many launches, from a launch file, instead of one.")
]
Only = Annotated[str | None, typer.Option(metavar="GLOB", help="Only launches whose id matches.")]


def takes_launch(command: Callable[..., None]) -> Callable[..., None]:
    """Have a command take the options of a launch, where it has a parameter ``launch``, which gets them by name.

    Parameters
    ----------
    command : callable
        With a parameter ``launch``.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, (_, kind) in OPTIONS.items()
    ]
    each = [options if one.name == "launch" else [one.replace(kind=one.KEYWORD_ONLY)] for one in own]
    parameters = list(itertools.chain.from_iterable(each))

    @functools.wraps(command)
    def with_options(**values: Any) -> None:
        launch = {option: values.pop(name) for name, (option, _) in OPTIONS.items()}
        command(launch=launch, **values)

    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in parameters}
    return with_options


def read_words(words: Sequence[str]) -> tuple[Path, Given]:
    """Read a source with options of its launch, as they would stand on a command line.

    Parameters
    ----------
    words : sequence of str
        ``FILE --kernel NAME ...``, in any order.

    Returns
    -------
    Path
        The source.
    dict
        The options by name.

    Raises
    ------
    TyperException
        Words that are no such options; the command line says so in one line.
    """
    found: list[tuple[Path, Given]] = []

    def hear(source: Path, launch: Given) -> None:
        found.append((source, launch))

    hear.__annotations__ = {"source": Path, "launch": Given, "return": None}
    hints: dict[str, list[str]] = {"help_option_names": []}
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, context_settings=hints)
    alone.command()(takes_launch(hear))
    alone(args=list(words), prog_name=words[0], standalone_mode=False)
    return found[0]


def both(shared: Given, own: Given, whose: str) -> Given:
    """Put options together that several launches share and those of one.

    Parameters
    ----------
    shared, own : dict
        By name; what may be repeated is added to.
    whose : str
        What messages call the launch.

    Raises
    ------
    GpusimError
        An option that has one value is given twice.
    """
    found = {}
    for name, value in own.items():
        lists = isinstance(value, list) or isinstance(shared[name], list)
        if not lists and value is not None and shared[name] is not None:
            raise GpusimError(f"{name} is given twice: for {whose}, and for both")
        found[name] = [*(shared[name] or ()), *(value or ())] if lists else shared[name] if value is None else value
    return found


def refuse(given: dict[str, Any], why: str) -> None:
    """Complain of the first option that was given."""
    for name, value in given.items():
        if value is not None and value != []:
            raise GpusimError(f"{name} {why}")


def demand(given: dict[str, Any], command: str) -> None:
    """Complain of the first option that is missing."""
    for name, value in given.items():
        if value is None:
            what = "a .cu file" if name == "FILE" else "X,Y,Z"
            instead = " (or --launches FILE)" if command in WITH_FILES else ""
            raise GpusimError(f"{name} is missing: {command} needs {what}{instead}")


def spec(given: dict[str, Any], command: str) -> LaunchSpec:
    """The launch that the options tell of."""
    from gpusim.launches import told
    from gpusim.reading import SOURCE

    without = {"--block"} if given["FILE"] is not None and given["FILE"].suffix != SOURCE else set()
    demand({name: given[name] for name in ("FILE", "--grid", "--block") if name not in without}, command)
    return told.launch(told.source_of(given["FILE"]), **texts(given), dashes="--")


def texts(given: dict[str, Any]) -> dict[str, Any]:
    """What the options say, as :func:`gpusim.launches.told.launch` takes it."""
    from gpusim.launches import told

    own = {name: given[option] for name, (option, _) in OPTIONS.items() if name in ONE_VALUE}
    several = {"args": "--arg", "symbols": "--set", "include": "-I", "options": "--option"}
    found = {name: tuple(given[option] or ()) for name, option in several.items()}
    return {**own, **found, "defines": told.defines(given["-D"] or ())}
