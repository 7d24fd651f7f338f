"""``gpusim advise``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_writable, is_stdout, show_advice, write_json
from gpusim.cli.options import Cache, Clock, Fresh, Gpus, Jobs, JsonFile, KernelFolders, at_clock, listed_gpus
from gpusim.cli.words import WORDS_HELP, predictions_of
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
        found = [one.predict(**how) for one in predictions_of(words, tuple(kernels or ()), launch, gpus, "advise")]
    advice = advised(found)
    if not is_stdout(json):
        show_advice(advice)
    if json is not None:
        write_json({"advice": [one.to_dict() for one in advice]}, json)


def advised(profiles: Sequence[Profile | ChainProfile]) -> list[Advice | ChainAdvice]:
    """Advice on launches, showing progress on standard error."""
    from gpusim.progress import ProgressLine

    with ProgressLine() as progress:
        return [profile.advice(progress) for profile in profiles]
