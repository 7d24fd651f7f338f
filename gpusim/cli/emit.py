"""``gpusim emit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpusim.cli.files import check_writable, write
from gpusim.cli.words import KernelArguments, KernelFolders, find, one_each, split


def emit(
    arguments: KernelArguments,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to; standard output unless given.")
    ] = Path("-"),
    name: Annotated[str | None, typer.Option(metavar="NAME", help="What to call the function.")] = None,
    kernels: KernelFolders = None,
) -> None:
    """Print a kernel as CUDA C++.

    Tiles are those given, sizes are arguments of the function.  gpusim profile runs what is printed.
    """
    from gpusim import catalog

    kernel, given = split(arguments)
    check_writable(output, "--output")
    algorithm = catalog.get(find(kernel, kernels or []).name, kernels or [])
    bound = algorithm.bind(**one_each(algorithm, "emit", given))
    tiles = {tile: bound[tile] for tile in (*algorithm.kernel.defaults, *algorithm.tiles)}
    write(algorithm.kernel.emit(name=name, **tiles), output, "--output")
