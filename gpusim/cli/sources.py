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

MOST_DIGITS = 20
"""Of a number that is not refused for its length."""

ARGUMENT_HELP = "An argument, DTYPE:VALUE (int32:512) or DTYPE:FILL:COUNT (float32:normal:4096); one for each."

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

Given = dict[str, Any]
"""Those options by name, None where one was not given."""

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


def refuse(given: dict[str, Any], why: str) -> None:
    """Complain of the first option that was given."""
    for name, value in given.items():
        if value is not None and value != []:
            raise GpusimError(f"{name} {why}")


def spec(given: dict[str, Any], command: str) -> LaunchSpec:
    """The launch that the options tell of."""
    from gpusim.launches import arguments
    from gpusim.launches.spec import CUBIN, LaunchSpec

    for name, what in {"FILE": "a .cu file", "--grid": "X,Y,Z", "--block": "X,Y,Z"}.items():
        if given[name] is None and not (name == "--block" and given["FILE"].suffix == CUBIN):
            raise GpusimError(f"{name} is missing: {command} needs {what} (or --launches FILE)")
    source = source_of(given["FILE"])
    return LaunchSpec(
        source.name, source, tuple(given["--option"] or ()), given["--kernel"],
        _sizes("--grid", given["--grid"]), _sizes("--block", given["--block"]) if given["--block"] is not None else (),
        given["--dynamic-shared"],
        tuple(arguments.from_text(text) for text in given["--arg"] or ()), _defines(given["-D"] or ()),
        tuple(given["-I"] or ()), given["--arch"], given["--cluster"] and _sizes("--cluster", given["--cluster"]),
    )  # fmt: skip


def source_of(given: Path) -> Path:
    """Give the file, or the source of that name among the kernels that come with gpusim.

    Parameters
    ----------
    given : Path

    Returns
    -------
    Path
    """
    from gpusim.catalogue.lookup import builtin_folder

    builtin = builtin_folder() / given
    return builtin if not given.exists() and builtin.suffix == ".cu" and builtin.is_file() else given


def _sizes(option: str, text: str) -> tuple[int, ...]:
    """One to three whole numbers."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 3 or not all(part.isdecimal() and part.isascii() and len(part) <= MOST_DIGITS for part in parts):
        raise GpusimError(f"{option} {text[:60]}: one to three whole numbers are needed, with commas between them")
    return tuple(map(int, parts))


def _defines(texts: Sequence[str]) -> dict[str, str | None]:
    """Macros, with their values where there are any."""
    split = (text.partition("=") for text in texts)
    return {name: value if equals else None for name, equals, value in split}
