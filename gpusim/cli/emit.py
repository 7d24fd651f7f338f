"""``gpusim emit``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from gpusim.cli.files import check_writable, write
from gpusim.cli.options import KernelArguments, KernelFolders
from gpusim.cli.parameters import find, one_each, split
from gpusim.errors import GpusimError


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
    from gpusim.catalogue import lookup

    if name is not None and not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise GpusimError(f"--name {name}: a function's name is of letters, digits and _, and begins with no digit")
    kernel, given = split(arguments)
    check_writable(output, "--output")
    algorithm = lookup.get(find(kernel, kernels or []).name, kernels or [])
    bound = algorithm.bind(**one_each(algorithm, "emit", given))
    tiles = {tile: bound[tile] for tile in (*algorithm.kernel.defaults, *algorithm.tiles)}
    write(algorithm.kernel.emit(name=name, **tiles), output, "--output")
