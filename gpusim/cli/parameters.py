"""Kernels with parameters of their own, as words of a command line: ``matmul-tiled --n 4096 --tile=8,16``."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError, UnknownNameError
from gpusim.expressions import number
from gpusim.names import some

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.catalogue.chain import Chain
    from gpusim.catalogue.parameters import Parametrised


def split(arguments: Sequence[str]) -> tuple[str, dict[str, list[Any]]]:
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
    names, options = parted(arguments)
    given: dict[str, list[Any]] = {}
    for name, values in options:
        given.setdefault(name, []).extend(values)
    if len(names) != 1:
        raise GpusimError(
            f"one kernel is needed, not {len(names)}: {' '.join(names)}" if names else "no kernel is named"
        )
    return names[0], given


def parted(arguments: Sequence[str]) -> tuple[list[str], list[tuple[str, list[Any]]]]:
    """Tell names from parameters and their values.

    Parameters
    ----------
    arguments : sequence of str
        As for :func:`split`, with any number of names.

    Returns
    -------
    list of str
        The names.
    list of (str, list)
        Parameters as typed, each time with the values given.

    Raises
    ------
    GpusimError
        A parameter without a value.
    """
    names: list[str] = []
    given: list[tuple[str, list[Any]]] = []
    words = iter(arguments)
    for word in words:
        if not is_option(word):
            names.append(word)
            continue
        name, equals, text = word.lstrip("-").partition("=")
        value = text if equals else next(words, None)
        if value is None or not value or (not equals and is_option(value)):
            raise GpusimError(f"option {word} needs a value")
        given.append((name, [number(part) for part in value.split(",")]))
    return names, given


def find(name: str, folders: Sequence[Path]) -> Algorithm | Chain:
    """Find a kernel or chain; where the name is another one than its own, say which it is and what else there is.

    Parameters
    ----------
    name : str
        As typed.
    folders : sequence of Path
        The user's own folders of kernels.

    Raises
    ------
    UnknownKernelError
        As :func:`gpusim.catalogue.lookup.find`.
    """
    from gpusim.catalogue import lookup

    found = lookup.find(name, folders)
    if found.name != name:
        from gpusim.report.kernels import folded

        alike = (kind.algorithm.name for kind in folded(lookup.search([name], folders)))
        others = [other for other in alike if other != found.name]
        more = f"; there are also {some(others)} ({lookup.LISTING} {name})" if others else ""
        print(f"gpusim: {name} is taken to be {found.name}{more}", file=sys.stderr)
    return found


def is_option(word: str) -> bool:
    """Whether a word names a parameter (``-5`` is a value)."""
    return word.startswith("-") and not isinstance(number(word), int | float)


def parameter(algorithm: Parametrised, word: str) -> str:
    """The parameter or alias that an option means; letter case matters only where two differ in nothing else."""
    known = algorithm.words
    if word in known:
        return word
    alike = [name for name in known if name.lower() == word.lower()]
    if len(alike) != 1:
        raise UnknownNameError(f"parameter of {algorithm.name}", word, known)
    return alike[0]


def combinations(algorithm: Algorithm | Chain, given: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination of the values given for a kernel's parameters, once.

    Raises
    ------
    ParameterError
        If one of them cannot be launched: before any is simulated.
    """
    names = [parameter(algorithm, word) for word in given]
    found = [dict(zip(names, values, strict=True)) for values in itertools.product(*map(dict.fromkeys, given.values()))]
    for params in found if len(found) > 1 else ():
        algorithm.launch(**params)
    return found


def one_each(algorithm: Parametrised, command: str, given: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Parameters for a command that takes one value of each."""
    several = [word for word, values in given.items() if len(values) > 1]
    if several:
        raise GpusimError(f"{command} takes one value of a parameter, not {len(given[several[0]])} of --{several[0]}")
    return {parameter(algorithm, word): values[0] for word, values in given.items()}
