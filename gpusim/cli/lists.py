"""``gpusim formula | kernels``: what there is, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpusim.cli import sources
from gpusim.cli.options import KernelArguments, KernelFolders
from gpusim.cli.parameters import find, one_each, split

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.catalogue.chain import Chain
    from gpusim.cuda import Kernel


def formula(arguments: KernelArguments, kernels: KernelFolders = None) -> None:
    """Show what a kernel moves, as formulas.

    What every array moves, and what the textbook and papers say.
    """
    from gpusim import report
    from gpusim.catalogue.chain import Chain
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
    from gpusim.catalogue import published
    from gpusim.frontends.elements import count_elements
    from gpusim.report.published import published as lines

    return lines(
        algorithm.published,
        published.compare(algorithm),
        published.table(algorithm, count_elements),
        published.exponents(algorithm),
    )


def list_kernels(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD...]", help="Those with each word in name, family or summary; a name: all of it; a file."
        ),
    ] = None,
    kernels: KernelFolders = None,
    everything: Annotated[bool, typer.Option("--all", help="Microbenchmarks too.")] = False,
    gpu: Annotated[str, typer.Option("--gpu", help="What a file is compiled for.")] = "h200",
    define: Annotated[
        list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro, for a file.")
    ] = None,
    include: Annotated[
        list[Path] | None, typer.Option("-I", metavar="DIR", help="A folder with headers, for a file.")
    ] = None,
) -> None:
    """List kernels, find some by a word, or show one.

    Of a .cu file or cubin, what is inside: parameters, registers and shared memory.  Nothing is run.
    """
    from gpusim import report
    from gpusim.catalogue import lookup
    from gpusim.launches import told
    from gpusim.report import kernels as listing

    if words and len(words) == 1 and _is_file_with_kernels(path := told.source_of(Path(words[0]))):
        report.show(_inside(path, gpu, told.defines(define or ()), include or ()))
        return
    sources.refuse({"-D": define, "-I": include}, "is for a file: gpusim kernels FILE -I DIR -D NAME=VALUE")
    asked, folders = words or [], kernels or []
    found = lookup.search(asked, folders, hidden=everything)
    shown = listing.listing(asked, found, lookup.search([], folders, hidden=True))
    if not shown:
        raise lookup.UnknownKernelError("kernel", " ".join(asked), lookup.kernels(folders), lookup.LISTING)
    report.show(shown)


def _is_file_with_kernels(path: Path) -> bool:
    """Whether it is a source, machine code, or a file of another name that begins as a program does."""
    if path.suffix in (".cu", ".cubin", ".ptx", ".fatbin"):
        return True
    return path.is_file() and path.open("rb").read(len(ELF)) == ELF


ELF = b"\x7fELF"
"""How programs, libraries and object files begin."""


def _inside(path: Path, gpu: str, defines: Mapping[str, str | None], include: Sequence[Path]) -> list[RenderableType]:
    """Kernels of a file, numbered, with what their code needs."""
    from gpusim import cuda
    from gpusim.cuda import names
    from gpusim.report import listings

    module = cuda.compile(path, gpu=gpu, defines=defines, include=include)
    known = {symbol: kernel.name for symbol, kernel in module.kernels.items()}
    if not known:
        raise cuda.KernelNameError(f"{path} has no kernel")
    kernels = [module.kernels[symbol] for symbol in names.ordered(known)]
    rows = [(names.short(one.name), _parameters(one), one.code.registers, one.code.shared_bytes) for one in kernels]
    return listings.inside(rows)


def _parameters(kernel: Kernel) -> str:
    """Parameters of a kernel with short types."""
    from gpusim.cuda.names import short_type

    return ", ".join(short_type(str(parameter)) for parameter in kernel.parameters)
