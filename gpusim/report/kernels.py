"""What can be predicted, on one screen: the families, the kernels with a word in them, or everything about one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from gpusim.report.grid import Grid

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.catalogue.chain import Chain

    Described = Algorithm | Chain

ELEMENT_TYPES = ("f16", "bf16", "fp8")
"""Endings of the names of kernels that differ from another one in nothing but the type of their elements."""


class Kind(NamedTuple):
    """A kernel, and the endings of those that are the same for other element types."""

    algorithm: Described
    types: list[str]


def folded(algorithms: Sequence[Described]) -> list[Kind]:
    """Put kernels that differ in the type of their elements alone together.

    Parameters
    ----------
    algorithms : sequence of Algorithm or Chain

    Returns
    -------
    list of Kind
        In the order given.
    """
    kinds: dict[str, Kind] = {}
    for algorithm in algorithms:
        base, _, ending = algorithm.name.rpartition("-")
        if ending in ELEMENT_TYPES and base in kinds:
            kinds[base].types.append(ending)
        else:
            kinds[algorithm.name] = Kind(algorithm, [])
    return list(kinds.values())


def listing(words: Sequence[str], found: Sequence[Described], known: Sequence[Described]) -> list[RenderableType]:
    """List what has some words: the families where there are none, the kernels, or all about the only one.

    Parameters
    ----------
    words : sequence of str
    found : sequence of Algorithm or Chain
        Those that have them.
    known : sequence of Algorithm or Chain
        All there are: one of them whose name is the only word is the one that is meant.

    Returns
    -------
    list of rich renderables
        Empty where nothing is found.
    """
    if not words:
        return families(found)
    named = [one for one in known if [one.name] == [*words]]
    alone = named or [kind.algorithm for kind in folded(found)]
    if len(alone) == 1:
        return details(alone[0], [one for one in found if one is not alone[0]])
    return matches(found) if found else []


def families(algorithms: Sequence[Described]) -> list[RenderableType]:
    """List families, a line each: how many kernels, and the names of some.

    Parameters
    ----------
    algorithms : sequence of Algorithm or Chain

    Returns
    -------
    list of rich renderables
    """
    members: dict[str, list[Described]] = {}
    for algorithm in algorithms:
        members.setdefault(algorithm.family, []).append(algorithm)
    grid = Grid()
    grid.add_column("family", "name", key=True)
    grid.add_column("kernels")
    grid.add_column("among them", "names")
    for family, all_of_it in members.items():
        kinds = sorted(folded(all_of_it), key=lambda kind: not kind.algorithm.also)  # those with a plain name first
        grid.add_row(family, str(len(all_of_it)), ", ".join(kind.algorithm.name for kind in kinds))
    return [
        grid, Text(""),
        Text("gpusim kernels WORD lists those with WORD in name, family or summary; gpusim kernels NAME shows one."),
    ]  # fmt: skip


def matches(algorithms: Sequence[Described]) -> list[RenderableType]:
    """List kernels, a row each: name, endings of those for other element types, what it does.

    Parameters
    ----------
    algorithms : sequence of Algorithm or Chain

    Returns
    -------
    list of rich renderables
    """
    kinds = folded(algorithms)
    names = [kind.algorithm.name + _endings(kind) for kind in kinds]
    grid = Grid()
    grid.add_column("kernel", "name", key=True)
    grid.add_column("what it does", "text")
    for name, kind in zip(names, kinds, strict=True):
        grid.add_row(name, _summary(kind))
    ending = next((kind.types[0] for kind in kinds if kind.types), "")
    note = f"[-{ending}]: NAME-{ending} is the same with elements of that type. " if ending else ""
    return [grid, Text(""), Text(f"{note}gpusim kernels NAME shows one with its parameters.")]


def _endings(kind: Kind) -> str:
    return f"[-{'|'.join(kind.types)}]" if kind.types else ""


def _summary(kind: Kind) -> str:
    """What it does; without the element type where that is not the only one."""
    return kind.algorithm.summary.removesuffix(" (f32)") if kind.types else kind.algorithm.summary


def details(algorithm: Described, others: Sequence[Described]) -> list[RenderableType]:
    """Show everything a user can name of one kernel, and kernels that are called alike.

    Parameters
    ----------
    algorithm : Algorithm or Chain
    others : sequence of Algorithm or Chain

    Returns
    -------
    list of rich renderables
    """
    grid = Grid()
    grid.add_column("parameter", "name", key=True)
    grid.add_column("default")
    grid.add_column("options that set it", "text")
    for name, value in algorithm.defaults.items():
        grid.add_row(name, str(value), "  ".join(_options(algorithm, name)))
    about = [f"{algorithm.name}: {algorithm.summary}", *_about(algorithm)]
    named = ", ".join(kind.algorithm.name + _endings(kind) for kind in folded(others))
    return [
        Text(about[0], style="bold"), *map(Text, about[1:]), Text(""), grid, Text(""),
        Text(f"gpusim formula {algorithm.name} shows what it moves of every array."),
        *([Text(f"Others of that name: {named}.")] if named else []),
    ]  # fmt: skip


def _about(algorithm: Described) -> Iterator[str]:
    """Lines on its family, its other names, the kernels it is made of, and what must be known."""
    also = f"; also called {' or '.join(algorithm.also)}" if algorithm.also else ""
    yield f"Family {algorithm.family}{also}."
    labels = getattr(algorithm, "labels", ())
    if labels:
        yield f"A chain of {len(labels)} kernels: {', '.join(labels)}."
    if algorithm.notes:
        yield algorithm.notes


def _options(algorithm: Described, parameter: str) -> Iterator[str]:
    """Options of the command line that set a parameter."""
    yield f"--{parameter}"
    yield from (f"--{word}" for word, targets in algorithm.aliases.items() if parameter in targets)
    for word, formulas in algorithm.rules.items():
        if parameter in formulas:
            yield f"--{word} ({formulas[parameter]})"
