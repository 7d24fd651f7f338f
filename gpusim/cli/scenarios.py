"""``gpusim scenario``: one question each, run as a program of its own."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from gpusim.cli.options import Fresh
from gpusim.errors import GpusimError, UnknownNameError

LISTING = "gpusim scenario"


def scenario(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Which to run; without it they are listed.")] = None,
    fresh: Fresh = False,
) -> None:
    """Ask one question, or list those that can be asked.

    A scenario shows its formula, the prediction and the hardware's answer.

    What follows the name goes to the scenario: gpusim scenario tiling --n 4096 --tile 32.
    gpusim scenario tiling --help shows its options.
    """
    if name is not None:
        run_scenario(name, context.args, fresh=fresh)
        return
    from gpusim import report
    from gpusim.report import listings

    titles = ((key, _title(path)) for key, path in _scenarios().items())
    report.show(listings.table_of([("scenario", "question"), *titles]))


def run_scenario(name: str, arguments: Sequence[str], *, fresh: bool = False) -> None:
    """Run a scenario as a program of its own.

    Parameters
    ----------
    name : str
        As ``gpusim scenario`` lists it.
    arguments : sequence of str
        Its command line.
    fresh : bool
        Simulate anew what results are kept of.

    Raises
    ------
    UnknownNameError
        There is none of that name.
    GpusimError
        It does not take these arguments.
    """
    import runpy

    files = _scenarios()
    name = name.replace("_", "-")
    path = files.get(name)
    if path is None:
        raise UnknownNameError("scenario", name, files, LISTING)
    sys.argv = [str(path), *arguments]
    with _called(f"{LISTING} {name}"), _predicting(fresh=fresh):
        runpy.run_path(str(path), run_name="__main__")


@contextlib.contextmanager
def _predicting(*, fresh: bool) -> Iterator[None]:
    """Simulate anew what results are kept of, or say at the end that they were shown."""
    from gpusim.report.kept import kept_line
    from gpusim.simulate.prediction import noting, simulating_anew

    with noting() as times, simulating_anew() if fresh else contextlib.nullcontext():
        yield
        if kept := kept_line(times):
            print(f"gpusim: {kept}", file=sys.stderr)


@contextlib.contextmanager
def _called(command: str) -> Iterator[None]:
    """Have parsers of command lines call the program by the command that runs it, and complain in one line."""
    parser = argparse.ArgumentParser
    begin, complain = parser.__init__, parser.error

    def begin_so(self: argparse.ArgumentParser, *args: Any, **how: Any) -> None:
        begin(self, *args, **{"prog": command} | how)

    def complain_so(self: argparse.ArgumentParser, message: str) -> NoReturn:
        raise GpusimError(f"{message} ({command} --help shows what it takes)")

    parser.__init__, parser.error = begin_so, complain_so  # type: ignore[method-assign]
    try:
        yield
    finally:
        parser.__init__, parser.error = begin, complain  # type: ignore[method-assign]


def _scenarios() -> dict[str, Path]:
    """The scenarios that come with gpusim, which lie beside its kernels, by name."""
    from gpusim.catalogue import lookup

    folder = lookup.builtin_folder().with_name("scenarios")
    return {path.stem.replace("_", "-"): path for path in sorted(folder.glob("[!_]*.py"))}


def _title(path: Path) -> str:
    """First line of a Python file's docstring."""
    import ast

    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]
