"""The command line: ``gpusim predict | formula | kernels | scenario | gpus``.

Every command imports what it needs when it runs, so that ``gpusim --help``
answers at once.  What a user can get wrong ends in one line on standard error
and exit status 2; an interrupted command ends with 130.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.exceptions import TyperException

from gpusim.errors import GpusimError, UnknownNameError

if TYPE_CHECKING:
    from gpusim.algorithm import Algorithm
    from gpusim.report.progress import ProgressLine
    from gpusim.result import Profile

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FREE_FORM = {"ignore_unknown_options": True}
"""Commands that take a kernel's own parameters as options."""

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


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name; those of the process unless given.

    Returns
    -------
    int
        Exit status: 0, 2 for an error of the user's, 130 when interrupted.
    """
    _tolerate_narrow_encodings()
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    try:
        status = app(args=arguments, prog_name="gpusim", standalone_mode=False)
    except TyperException as error:
        return _complain(error.format_message(), error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except ValueError as error:
        if not _is_expected(error):
            raise
        return _complain(str(error), 2)
    if status == INTERRUPTED:
        return _complain("interrupted", INTERRUPTED)
    return status if isinstance(status, int) else 0


INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 + SIGINT, as shells give it."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from gpusim import __version__

        typer.echo(f"gpusim {__version__}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Predict what a GPU kernel moves through the memory hierarchy, on a machine with no GPU."""


@app.command(context_settings=FREE_FORM)
def predict(
    arguments: KernelArguments,
    gpu: Annotated[str, typer.Option(metavar="NAME,...", help="GPUs, by name or TOML file.")] = "h200",
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the numbers; - for standard output.")] = None,
    warm: Annotated[
        bool, typer.Option("--warm/--cold", help="Caches as a first launch leaves them, or empty.")
    ] = False,
    sample: Annotated[
        bool | None,
        typer.Option(
            "--sample/--exact", help="Simulate part of the launch and scale, or all of it [default: by size]."
        ),
    ] = None,
    kernels: KernelFolders = None,
) -> None:
    """Predict requests, sectors, bytes and hit rates at every level, beside the textbook formula.

    Several values, as in --tile 8,16,32 or --gpu h200,a100-40gb, give one row each.
    """
    kernel, given = _split(arguments)
    _check_writable(json)
    cases = list(_combinations(kernel, given, gpu.split(","), kernels or []))
    profiles = _predict_all(kernel, cases, {"cache": "warm" if warm else "cold", "sample": sample, "kernels": kernels})
    if json is None or str(json) != "-":
        from gpusim import report

        report.show(report.table(profiles))
    if json is not None:
        _write_json(profiles, json)


@app.command(context_settings=FREE_FORM)
def formula(arguments: KernelArguments, kernels: KernelFolders = None) -> None:
    """Show a kernel's closed forms: what every array moves, and what the textbook says."""
    from gpusim import catalog, report
    from gpusim.report import listings

    name, given = _split(arguments)
    algorithm = catalog.get(name, kernels or [])
    several = [word for word, values in given.items() if len(values) > 1]
    if several:
        raise GpusimError(f"formula takes one value of a parameter, not {len(given[several[0]])} of --{several[0]}")
    params = {_parameter(algorithm, word): values[0] for word, values in given.items()}
    report.show(listings.formulas(algorithm, params))


@app.command(name="kernels")
def list_kernels(
    kernels: KernelFolders = None,
    everything: Annotated[bool, typer.Option("--all", help="Microbenchmarks too.")] = False,
) -> None:
    """List the kernels, with their parameters."""
    from gpusim import catalog, report
    from gpusim.report import listings

    report.show(listings.kernels(catalog.all(kernels or [], hidden=everything)))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def scenario(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Which to run; without it they are listed.")] = None,
) -> None:
    """Run a scenario: one question, its formula, the prediction and the hardware's answer.

    What follows the name goes to the scenario: gpusim scenario tiling --n 4096 --tile 32.
    """
    files = {path.stem.replace("_", "-"): path for path in sorted(_scenario_folder().glob("[!_]*.py"))}
    if name is None:
        from gpusim import report
        from gpusim.report import listings

        report.show(
            listings.table_of([("scenario", "question"), *((key, _title(path)) for key, path in files.items())])
        )
        return
    path = files.get(name.replace("_", "-"))
    if path is None:
        raise UnknownNameError("scenario", name, files)
    import runpy

    sys.argv = [str(path), *context.args]
    runpy.run_path(str(path), run_name="__main__")


@app.command()
def gpus(
    name: Annotated[str | None, typer.Argument(help="One GPU, by name or TOML file; without it all.")] = None,
) -> None:
    """List the GPUs, or show one with the source of every number."""
    from gpusim import hardware, report
    from gpusim.hardware import format as layout
    from gpusim.report import listings

    if name is None:
        report.show(listings.gpus(layout.table()))
    else:
        report.show(listings.gpu(layout.describe(hardware.load(name))))


# ------------------------------------------------------------------ arguments


def _split(arguments: Sequence[str]) -> tuple[str, dict[str, list[Any]]]:
    """Tell the kernel's name from its parameters.

    Parameters
    ----------
    arguments : sequence of str
        ``KERNEL --name value --name=value,value``, in any order.

    Returns
    -------
    str
        The kernel.
    dict
        Parameter names, as typed, to the values given.
    """
    names: list[str] = []
    given: dict[str, list[Any]] = {}
    words = iter(arguments)
    for word in words:
        if not _is_option(word):
            names.append(word)
            continue
        name, equals, text = word.lstrip("-").partition("=")
        value = text if equals else next(words, None)
        if value is None or not value or (not equals and _is_option(value)):
            raise GpusimError(f"option {word} needs a value")
        given.setdefault(name, []).extend(_value(part) for part in value.split(","))
    if len(names) != 1:
        raise GpusimError(
            f"one kernel is needed, not {len(names)}: {' '.join(names)}" if names else "no kernel is named"
        )
    return names[0], given


def _is_option(word: str) -> bool:
    """Whether a word names a parameter (``-5`` is a value)."""
    return word.startswith("-") and not isinstance(_value(word), int | float)


def _value(text: str) -> int | float | str:
    """Read a number where there is one: ``4096``, ``4_096``, ``1e6``, ``0.5``."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return int(number) if isinstance(number, float) and number.is_integer() else number
    return text


def _combinations(
    kernel: str, given: dict[str, list[Any]], gpus: Sequence[str], folders: Sequence[Path]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every GPU with every combination of the parameters' values."""
    from gpusim import catalog

    algorithm = catalog.get(kernel, folders)
    names = [_parameter(algorithm, word) for word in given]
    for gpu in gpus:
        for values in itertools.product(*given.values()):
            yield gpu.strip(), dict(zip(names, values, strict=True))


def _parameter(algorithm: Algorithm, word: str) -> str:
    """The parameter or alias that an option means; letter case matters only where two differ in nothing else."""
    known = [*algorithm.aliases, *algorithm.defaults]
    if word in known:
        return word
    alike = [name for name in known if name.lower() == word.lower()]
    if len(alike) != 1:
        raise UnknownNameError(f"parameter of {algorithm.name}", word, known)
    return alike[0]


# ------------------------------------------------------------------ predictions


def _predict_all(kernel: str, cases: Sequence[tuple[str, dict[str, Any]]], how: dict[str, Any]) -> list[Profile]:
    """Predict one case after the other, showing progress on standard error."""
    from gpusim.report.progress import ProgressLine

    with ProgressLine() as progress:
        return [_predict_one(kernel, *case, _nth(progress, i, len(cases)), how) for i, case in enumerate(cases, 1)]


def _predict_one(kernel: str, gpu: str, params: dict[str, Any], progress: Any, how: dict[str, Any]) -> Profile:
    import gpusim

    return gpusim.predict(kernel, gpu, progress=progress, **how, **params)


def _nth(progress: ProgressLine, index: int, count: int) -> Any:
    """Tell which of several predictions the progress belongs to."""
    if count == 1:
        return progress
    return lambda done, total, text: progress(done, total, f"{index} of {count}: {text}")


# ------------------------------------------------------------------ files


def _check_writable(path: Path | None) -> None:
    """Refuse, before any work is done, a file that could not be written."""
    if path is None or str(path) == "-":
        return
    if path.is_dir():
        raise GpusimError(f"--json {path}: that is a folder")
    if not path.parent.is_dir():
        raise GpusimError(f"--json {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise GpusimError(f"--json {path}: the folder {path.parent} cannot be written to")


def _write_json(profiles: Sequence[Profile], path: Path) -> None:
    """Write the profiles as one JSON document, whole or not at all."""
    import json

    from gpusim import __version__

    document = {"gpusim": __version__, "profiles": [profile.to_dict() for profile in profiles]}
    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    if str(path) == "-":
        sys.stdout.write(text)
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise GpusimError(f"--json {path}: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def _scenario_folder() -> Path:
    """The scenarios that come with gpusim, which lie beside its kernels."""
    from gpusim import catalog

    return catalog.builtin_folder().with_name("scenarios")


def _title(path: Path) -> str:
    """First line of a Python file's docstring."""
    import ast

    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]


# ------------------------------------------------------------------ messages


def _is_expected(error: ValueError) -> bool:
    """Whether gpusim itself defines this kind of error, and so words it for users."""
    return type(error).__module__.partition(".")[0] == "gpusim"


def _complain(message: str, status: int) -> int:
    """Print one line on standard error; give the exit status back."""
    print("gpusim:", " ".join(message.split()), file=sys.stderr)
    return status


def _tolerate_narrow_encodings() -> None:
    """Print a question mark for what a terminal's encoding lacks, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
