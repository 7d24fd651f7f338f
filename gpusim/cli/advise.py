"""``gpusim advise``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_writable, is_stdout, show_advice, write_json
from gpusim.cli.options import Cache, Clock, Fresh, Gpus, Jobs, JsonFile, KernelFolders, at_clock, listed_gpus
from gpusim.cli.parameters import combinations, find, split
from gpusim.cli.words import SOURCES, WORDS_HELP, launches_of
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.advice import Advice, ChainAdvice
    from gpusim.profiles.chain import ChainProfile
    from gpusim.profiles.profile import Profile


@sources.takes_launch
def advise(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[KERNEL --PARAMETER VALUE | FILE]", help=WORDS_HELP)
    ] = None,
    gpu: Gpus = "h200",
    json: JsonFile = None,
    cache: Cache = "cold",
    clock: Clock = None,
    jobs: Jobs = None,
    kernels: KernelFolders = None,
    fresh: Fresh = False,
    *,
    launch: sources.Given,
) -> None:
    """Say what would make a kernel faster, where, and by how much.

    The launch is simulated again without each cause of its time, such as bank conflicts or divergence. What costs most
    comes first.
    """
    from gpusim.progress import ProgressLine

    check_writable(json)
    if not words:
        raise GpusimError("advise needs a kernel (gpusim kernels lists them) or a CUDA source (.cu)")
    how: dict[str, Any] = {"cache": cache, "fresh": fresh, "jobs": jobs}
    gpus = listed_gpus(at_clock(gpu, clock))
    with ProgressLine() as progress:
        how["progress"] = progress
        found = list(_predicted(words, tuple(kernels or ()), launch, gpus, how))
    advice = advised(found)
    if not is_stdout(json):
        show_advice(advice)
    if json is not None:
        write_json({"advice": [one.to_dict() for one in advice]}, json)


def _predicted(
    words: Sequence[str], folders: tuple[Path, ...], launch: sources.Given, gpus: Sequence[str], how: dict[str, Any]
) -> Iterator[Profile | ChainProfile]:
    """Every launch or chain that words tell of, on every GPU."""
    from gpusim.catalogue import lookup
    from gpusim.catalogue.chain import Chain
    from gpusim.frontends.chains import predict_chain
    from gpusim.launches.profiling import profile

    if not words[0].endswith(SOURCES):
        name, given = split(words)
        chain = lookup.find(name, folders)
        if isinstance(chain, Chain):
            find(name, folders)  # says so where the name is another one than its own, as launches_of does of a kernel
            sources.refuse(launch, f"is for a CUDA source: {chain.name} is a chain of kernels")
            for params, gpu in itertools.product(combinations(chain, given), gpus):
                yield predict_chain(chain, gpu, **how, **params)
            return
    for spec, gpu in itertools.product(list(launches_of(words, folders, launch, "advise")), gpus):
        yield profile(spec, gpu, described=True, **how)


def advised(profiles: Sequence[Profile | ChainProfile]) -> list[Advice | ChainAdvice]:
    """Advice on launches, showing progress on standard error."""
    from gpusim.progress import ProgressLine

    with ProgressLine() as progress:
        return [profile.advice(progress) for profile in profiles]
