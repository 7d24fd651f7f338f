"""``gpusim formula | kernels | scenario | gpus``: what there is, and what is known of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpusim.cli.words import KernelArguments, KernelFolders, find, one_each, split
from gpusim.errors import UnknownNameError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.algorithm import Algorithm
    from gpusim.chain import Chain


def formula(arguments: KernelArguments, kernels: KernelFolders = None) -> None:
    """Show a kernel's closed forms: what every array moves, what the textbook and what papers say."""
    from gpusim import report
    from gpusim.chain import Chain
    from gpusim.report import listings

    name, given = split(arguments)
    algorithm = find(name, kernels or [])
    params = one_each(algorithm, "formula", given)
    if isinstance(algorithm, Chain):
        shown = listings.chain_formulas(algorithm, params)
    else:
        shown = listings.formulas(algorithm, params)
    report.show([*shown, *(_judged(algorithm) if algorithm.published is not None else [])])


def _judged(algorithm: Algorithm | Chain) -> list[RenderableType]:
    """The published formula beside the derived one."""
    from gpusim import published
    from gpusim.report.published import published as lines

    return lines(
        algorithm.published, published.compare(algorithm), published.table(algorithm), published.exponents(algorithm)
    )


def list_kernels(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD...]", help="Those with each word in name, family or summary; a name: all of it."),
    ] = None,
    kernels: KernelFolders = None,
    everything: Annotated[bool, typer.Option("--all", help="Microbenchmarks too.")] = False,
) -> None:
    """List the kernels by family, find some by a word, or show one with its parameters."""
    from gpusim import catalog, report
    from gpusim.report import kernels as listing

    found = catalog.search(words or [], kernels or [], hidden=everything)
    if not words:
        report.show(listing.families(found))
        return
    named = [one for one in catalog.search([], kernels or [], hidden=True) if one.name == words[0] and len(words) == 1]
    alone = named or [kind.algorithm for kind in listing.folded(found)]
    if len(alone) == 1:
        report.show(listing.details(alone[0], [one for one in found if one is not alone[0]]))
    elif found:
        report.show(listing.matches(found))
    else:
        raise catalog.UnknownKernelError("kernel", " ".join(words), catalog.names(kernels or []), catalog.LISTING)


def scenario(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Which to run; without it they are listed.")] = None,
) -> None:
    """Run a scenario: one question, its formula, the prediction and the hardware's answer.

    What follows the name goes to the scenario: gpusim scenario tiling --n 4096 --tile 32.
    """
    if name is not None:
        run_scenario(name, context.args)
        return
    from gpusim import report
    from gpusim.report import listings

    titles = ((key, _title(path)) for key, path in _scenarios().items())
    report.show(listings.table_of([("scenario", "question"), *titles]))


def run_scenario(name: str, arguments: Sequence[str]) -> None:
    """Run a scenario as a program of its own.

    Parameters
    ----------
    name : str
        As ``gpusim scenario`` lists it.
    arguments : sequence of str
        Its command line.

    Raises
    ------
    UnknownNameError
        There is none of that name.
    """
    import runpy

    files = _scenarios()
    path = files.get(name.replace("_", "-"))
    if path is None:
        raise UnknownNameError("scenario", name, files)
    sys.argv = [str(path), *arguments]
    runpy.run_path(str(path), run_name="__main__")


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


def _scenarios() -> dict[str, Path]:
    """The scenarios that come with gpusim, which lie beside its kernels, by name."""
    from gpusim import catalog

    folder = catalog.builtin_folder().with_name("scenarios")
    return {path.stem.replace("_", "-"): path for path in sorted(folder.glob("[!_]*.py"))}


def _title(path: Path) -> str:
    """First line of a Python file's docstring."""
    import ast

    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]
