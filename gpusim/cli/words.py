"""Launches as words of a command line: a described kernel with its parameters, or a CUDA source with its options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusim.cli import sources
from gpusim.cli.parameters import combinations, find, split
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.launches.spec import AnyLaunch, DescribedLaunch

SOURCES = (".cu", ".cubin")
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
        yield sources.spec({"FILE": Path(words[0]), **single}, command)
        return
    own = {name: value for name, value in single.items() if name == "--block" and value is not None}
    sources.refuse(single | {"--block": None}, "is for a CUDA source (.cu)")
    yield from _described([*words, *(text for pair in own.items() for text in pair)], folders)


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
