"""Spaces as words of a command line, which ``sweep`` and ``tune`` take: kernels, ``--over``, ``--where``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources
from gpusim.cli.options import typed
from gpusim.cli.parameters import find, parameter, split
from gpusim.errors import GpusimError
from gpusim.reading import SOURCES

if TYPE_CHECKING:
    from gpusim.decide.space import Space
    from gpusim.decide.subject import Subject

Over = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUES",
        help="Values of a parameter, or of a macro of a CUDA source: 8,16,32 or 1..8, 8..64*2, 0..100+20.",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(metavar="CONDITION", help="A condition that points must meet: 'BM*BN <= 16384'."),
]
Dask = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Predict on a Dask cluster: tcp://HOST:8786 of its scheduler.")
]


def named(words: Sequence[str], launch: sources.Given, folders: Sequence[Path], command: str) -> list[Subject]:
    """The kernels that words name, or the CUDA source.

    Raises
    ------
    GpusimError
        Words or options that do not go together.
    """
    from gpusim.decide.subject import DescribedSubject, SourceSubject

    if not words:
        raise GpusimError(f"{command} needs a kernel (gpusim kernels lists them) or a CUDA source (.cu)")
    if words[0].endswith(SOURCES):
        if len(words) > 1:
            raise GpusimError(
                f"{command} knows no {words[1]} for a CUDA source: it takes one, macros with one value by "
                "-D NAME=VALUE, with several by --over NAME=VALUES"
            )
        sources.demand({name: launch[name] for name in ("--grid",)}, command)
        sources.refuse({"--kernels": folders}, sources.DESCRIBED_ALONE)
        return [SourceSubject(Path(words[0]), sources.texts(launch))]
    sources.refuse(launch, "is for a CUDA source (.cu)")
    texts = [str(folder) for folder in folders]
    return [DescribedSubject(find(name, folders), {}, texts) for name in split(words)[0].split(",")]


def space_of(
    subjects: Sequence[Subject], words: Sequence[str], over: Sequence[str] | None, where: Sequence[str] | None
) -> Space:
    """The space that ``--over`` and parameters with several values span; a parameter with one value is part of it.

    Raises
    ------
    GpusimError
        A name with values twice.
    """
    from gpusim.decide import space

    found: dict[str, list[Any]] = {}
    given = split(words)[1] if len(words) > 1 else {}
    for word, values in (*space.read(over or ()).items(), *given.items()):
        name = _own_name(subjects[0], word)
        if name in found:
            raise GpusimError(f"--{word}: {name} has values already, by --over")
        found[name] = values
    return space.Space(found, tuple(where or ()))


def _own_name(subject: Subject, word: str) -> str:
    """A parameter as its kernel spells it, or a macro as it is typed."""
    from gpusim.decide.subject import DescribedSubject

    return parameter(subject.kernel, word) if isinstance(subject, DescribedSubject) else word


def check_cluster(context: typer.Context, dask: str | None) -> None:
    """Refuse what a cluster decides by itself.

    Raises
    ------
    GpusimError
        Processors of this host, where it predicts nothing.
    """
    if dask is not None:
        sources.refuse(typed(context, "jobs"), "is of this host, and --dask predicts on a cluster: leave one out")


def on_cluster(dask: str | None) -> AbstractContextManager[None]:
    """Where points are predicted."""
    if dask is None:
        return nullcontext()
    from gpusim.decide.dask import cluster

    return cluster(dask)
