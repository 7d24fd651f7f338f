"""Launches as words of a command line: a described kernel with its parameters, or a CUDA source with its options."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.cli import sources
from gpusim.cli.parameters import combinations, find, split
from gpusim.errors import GpusimError
from gpusim.reading import SOURCES

if TYPE_CHECKING:
    from gpusim.launches.spec import AnyLaunch, DescribedLaunch
    from gpusim.profiles.chain import ChainProfile
    from gpusim.profiles.profile import Profile


class Prediction(NamedTuple):
    """A launch or a chain on a GPU, and what predicts it, called with ``cache``, ``progress`` and the like."""

    name: str
    predict: Callable[..., Profile | ChainProfile]


WORDS_HELP = "A kernel and its parameters, as for predict, or a CUDA source (.cu) or cubin, as for profile."


def launches_of(
    words: Sequence[str], folders: tuple[Path, ...], single: dict[str, Any], command: str
) -> Iterator[AnyLaunch]:
    """What words and options tell of.

    Parameters
    ----------
    words : sequence of str
        A kernel and its parameters, or a file.
    folders : tuple of Path
        The user's own folders of kernels.
    single : dict
        Options of a launch of a CUDA source, as :func:`gpusim.cli.sources.takes_launch` gives them.
    command : str
        Whose words they are.

    Raises
    ------
    GpusimError
        Words or options that do not go together.
    """
    if words and words[0].endswith(SOURCES):
        if len(words) > 1:
            raise GpusimError(f"{command} knows no {words[1]} for a CUDA source")
        sources.refuse({"--kernels": folders}, sources.DESCRIBED_ALONE)
        yield sources.spec({"FILE": Path(words[0]), **single}, command)
        return
    own = {name: value for name, value in single.items() if name == "--block" and value is not None}
    sources.refuse(single | {"--block": None}, "is for a CUDA source (.cu)")
    yield from _described([*words, *(text for pair in own.items() for text in pair)], folders)


def predictions_of(
    words: Sequence[str], folders: tuple[Path, ...], single: dict[str, Any], gpus: Sequence[str], command: str
) -> list[Prediction]:
    """What is to be predicted, of launches and of chains, on every GPU.

    Parameters
    ----------
    words, folders, single, command
        As for :func:`launches_of`.
    gpus : sequence of str

    Returns
    -------
    list of Prediction

    Raises
    ------
    GpusimError
        As :func:`launches_of`: before anything is predicted.
    """
    from gpusim.catalogue import lookup
    from gpusim.catalogue.chain import Chain
    from gpusim.frontends.chains import predict_chain
    from gpusim.launches.profiling import profile

    if not words[0].endswith(SOURCES):
        name, given = split(words)
        chain = lookup.find(name, folders)
        if isinstance(chain, Chain):
            find(name, folders)  # says so where the name is another one than its own, as launches_of does of a kernel
            sources.refuse(single, f"is for a CUDA source: {chain.name} is a chain of kernels")
            each = itertools.product(combinations(chain, given), gpus)
            return [
                Prediction(_told(name, params, gpu), partial(predict_chain, chain, gpu, **params))
                for params, gpu in each
            ]
    launches = itertools.product(list(launches_of(words, folders, single, command)), gpus)
    return [Prediction(f"{spec.id} on {gpu}", partial(profile, spec, gpu, described=True)) for spec, gpu in launches]


def predictions_in(file: Path, only: str | None, folders: tuple[Path, ...], gpus: Sequence[str]) -> list[Prediction]:
    """What is to be predicted of a launch file, on every GPU.

    Parameters
    ----------
    file : Path
    only : str or None
        A pattern that ids must match.
    folders : tuple of Path
    gpus : sequence of str

    Raises
    ------
    GpusimError
        A malformed launch file, or no launch of that name.
    """
    from gpusim.launches import file as launch_file
    from gpusim.launches.profiling import profile

    specs = launch_file.select(launch_file.read(file, folders), only)
    each = itertools.product(specs, gpus)
    return [Prediction(f"{spec.id} on {gpu}", partial(profile, spec, gpu, described=True)) for spec, gpu in each]


def _told(name: str, params: Mapping[str, Any], gpu: str) -> str:
    """A chain in words."""
    return " ".join((name, *(f"{key}={value}" for key, value in params.items()), "on", gpu))


def _described(words: Sequence[str], folders: tuple[Path, ...]) -> Iterator[DescribedLaunch]:
    """Every combination of a kernel's parameters; of a chain every step."""
    from gpusim.launches.spec import DescribedLaunch

    name, given = split(words)
    algorithm = find(name, folders)
    found: dict[str, DescribedLaunch] = {}
    for params in combinations(algorithm, given):
        for launch in DescribedLaunch.each(algorithm, params, folders):
            found.setdefault(launch.id, launch)
    yield from found.values()
