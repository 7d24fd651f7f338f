"""One launch of a CUDA source, as options of a command line: ``FILE --grid X,Y,Z --block X,Y,Z --arg ...``."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.launches.named import Named
    from gpusim.launches.spec import LaunchSpec

MOST_DIGITS = 20
"""Of a number that is not refused for its length."""

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

Given = dict[str, Any]
"""Those options by name, None where one was not given."""

ALONE = ("advise", "diff")
"""Commands that take no file of launches."""

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
            instead = "" if command in ALONE else " (or --launches FILE)"
            raise GpusimError(f"{name} is missing: {command} needs {what}{instead}")


def spec(given: dict[str, Any], command: str) -> LaunchSpec:
    """The launch that the options tell of."""
    from gpusim.launches import named
    from gpusim.launches.spec import SOURCE, LaunchSpec

    without = {"--block"} if given["FILE"] is not None and given["FILE"].suffix != SOURCE else set()
    demand({name: given[name] for name in ("FILE", "--grid", "--block") if name not in without}, command)
    source = source_of(given["FILE"])
    macros = defines(given["-D"] or ())
    args, known = named.read(given["--arg"] or (), _numbers(macros))
    return LaunchSpec(
        source.name, source, tuple(given["--option"] or ()), given["--kernel"],
        _sizes("--grid", given["--grid"], known),
        _sizes("--block", given["--block"], known) if given["--block"] is not None else (), given["--dynamic-shared"],
        args, macros, tuple(given["-I"] or ()), given["--arch"],
        given["--cluster"] and _sizes("--cluster", given["--cluster"], known),
        _symbols(given["--set"] or (), known),
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


def _sizes(option: str, text: str, known: Mapping[str, int | float]) -> tuple[int, ...]:
    """One to three whole numbers, or expressions of scalars that are told by name."""
    from gpusim.expressions import ExpressionError, evaluate

    parts = [part.strip() for part in re.split(r",(?![^(]*\))", text)]
    wanted = f"{option} {text[:60]}: one to three whole numbers are needed, with commas between them"
    if len(parts) > 3:
        raise GpusimError(wanted)
    found: list[int | float] = []
    for part in parts:
        try:
            found.append(evaluate(part, known))
        except ExpressionError as error:
            raise GpusimError(f"{wanted}: {error}" if part else wanted) from None
    if any(not isinstance(n, int) or not 0 <= n < 10**MOST_DIGITS for n in found):
        raise GpusimError(wanted)
    return tuple(map(int, found))


def _symbols(texts: Sequence[str], known: Mapping[str, int | float]) -> tuple[Named, ...]:
    """What variables hold, each by name."""
    from gpusim.launches import named

    if wrong := next((text for text in texts if not named.is_named(text)), None):
        raise GpusimError(f"--set {wrong[:60]}: a variable is told by name, such as coef=normal or n=5")
    read, _ = named.read(texts, known, "--set")
    return tuple(one for one in read if isinstance(one, named.Named))


def _numbers(defines: Mapping[str, str | None]) -> dict[str, int | float]:
    """Macros that are numbers."""
    return {name: int(value) for name, value in defines.items() if value and value.isdecimal() and value.isascii()}


def defines(texts: Sequence[str]) -> dict[str, str | None]:
    """Macros, with their values where there are any."""
    split = (text.partition("=") for text in texts)
    return {name: value if equals else None for name, equals, value in split}
