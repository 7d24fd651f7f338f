"""``gpusim bound``."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli.files import check_apart, is_stdout, write_json
from gpusim.cli.options import Fresh, Gpus, JsonFile, KernelFolders, listed_gpus, typed
from gpusim.cli.pages import HtmlFile, save_result
from gpusim.cli.parameters import combinations, find, split
from gpusim.cli.pictures import PlotFile, check_picture, save_picture
from gpusim.cli.sources import refuse
from gpusim.errors import GpusimError
from gpusim.reading import SOURCES

if TYPE_CHECKING:
    from gpusim.bounds.result import Bound
    from gpusim.progress import Progress

WORDS = "A kernel and its parameters, as for predict; or a computation in quotes, and how far its loops run."
EXAMPLE = "'C[m,n] += A[m,k] * B[k,n]'"
UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def bound(
    context: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="[KERNEL --PARAMETER VALUE | TEXT]", help=WORDS)] = None,
    gpu: Gpus = "h200",
    json: JsonFile = None,
    plot: PlotFile = None,
    html: HtmlFile = None,
    fast: Annotated[bool, typer.Option("--fast", help="Leave out what is counted: nothing is simulated.")] = False,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Of a computation: one memory, such as 1MB, instead of a GPU's.")
    ] = None,
    element_bytes: Annotated[
        int | None, typer.Option(metavar="N", help="Of a computation: bytes of an element [default: 4].", min=1, max=16)
    ] = None,
    kernels: KernelFolders = None,
    fresh: Fresh = False,
) -> None:
    """Say what no schedule can do without, beside what a kernel moves.

    A row for each level of the memory: the least that is moved, the kernel's formula at its best tile and at its own,
    what is counted, and what was measured.
    """
    from gpusim import report
    from gpusim.progress import ProgressLine

    check_apart({"--json": json, "--plot": plot, "--html": html})
    check_picture(plot)
    if not words:
        raise GpusimError(f"bound needs a kernel (gpusim kernels lists them) or a computation, such as {EXAMPLE}")
    with ProgressLine() as progress:
        if any("[" in word for word in words):
            _refuse_of_text(context, memory)
            found = list(_told(words, gpu, memory, element_bytes))
        else:
            _refuse(memory, element_bytes)
            if fast:
                refuse(typed(context, "fresh"), "is for what is counted, and --fast leaves it out")
            how = {"count": not fast, "fresh": fresh, "kernels": [str(folder) for folder in kernels or []]}
            found = list(_of_kernels(words, kernels or [], listed_gpus(gpu), how, progress))
    if not is_stdout(json):
        for number, one in enumerate(found):
            report.show([*([""] if number else []), *one.table()])
    if json is not None:
        write_json({"bounds": [one.to_dict() for one in found]}, json)
    if plot is not None:
        save_picture(plot, found[0].plot)
    printed = [line for one in found for line in one.table()]
    save_result(html, f"Least traffic of {found[0].name}", found[0].plot, printed, 14)


def _of_kernels(
    words: Sequence[str], folders: Sequence[Path], gpus: Sequence[str], how: dict[str, Any], progress: Progress
) -> Iterator[Bound]:
    """Every combination of a kernel's parameters, on every GPU."""
    from gpusim.bounds.answer import bound as answer

    name, given = split(words)
    if name.endswith(SOURCES):
        raise GpusimError(f"bound takes no CUDA source: say what {name} computes, such as {EXAMPLE}")
    algorithm = find(name, folders)
    for gpu, params in itertools.product(gpus, combinations(algorithm, given)):
        yield answer(algorithm.name, gpu, progress=progress, **how, **params)


def _told(words: Sequence[str], gpu: str, memory: str | None, element_bytes: int | None) -> Iterator[Bound]:
    """A computation that is told, with every combination of extents."""
    from gpusim.bounds.answer import bound as answer

    text, given = split(words)
    nbytes = None if memory is None else memory_bytes(memory)
    for one in listed_gpus(gpu) if nbytes is None else [gpu]:
        for extents in itertools.product(*given.values()):
            params = dict(zip(given, extents, strict=True))
            yield answer(text, one, memory=nbytes, element_bytes=element_bytes or 4, **params)


def _refuse(memory: str | None, element_bytes: int | None) -> None:
    for option, value in (("--memory", memory), ("--element-bytes", element_bytes)):
        if value is not None:
            raise GpusimError(f"{option} is for a computation, such as {EXAMPLE}: a kernel has its own")


def _refuse_of_text(context: typer.Context, memory: str | None) -> None:
    """Refuse what a computation that is told has no use for."""
    refuse(typed(context, "fast", "fresh", "kernels"), "is for a kernel: of a computation nothing is simulated")
    if memory is not None:
        refuse(typed(context, "gpu"), "has levels of its own, and --memory is one memory instead: leave one out")


def memory_bytes(text: str) -> int:
    """Read a size of memory: ``1MB``, ``228KiB``, ``65536``.

    Parameters
    ----------
    text : str

    Raises
    ------
    GpusimError

    Examples
    --------
    >>> memory_bytes("1MB"), memory_bytes("228 KiB")
    (1000000, 233472)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].lower() not in UNITS or not float(match[1]):
        raise GpusimError(f"--memory {text}: must be a size such as 1MB, 228KiB or 65536")
    return int(float(match[1]) * UNITS[match[2].lower()])
