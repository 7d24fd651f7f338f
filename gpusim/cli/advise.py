"""``gpusim advise``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources
from gpusim.cli.files import check_writable, is_stdout, write_json
from gpusim.cli.options import Cache, Clock, Fresh, Gpus, Jobs, JsonFile, KernelFolders, at_clock, listed_gpus
from gpusim.cli.words import WORDS_HELP, launches_of
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from pathlib import Path

    from gpusim.profiles.profile import Profile


@sources.takes_launch
def advise(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="KERNEL --PARAMETER VALUE | FILE", help=WORDS_HELP)
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
    """Say what would make a kernel faster, and by how much.

    The launch is simulated again without each cause of its time: bank conflicts, excess sectors, spills, divergence,
    barriers, atomics, few warps, latency, the last wave, too few blocks, L2's capacity. What gains most comes first.
    """
    from gpusim.launches.profiling import profile
    from gpusim.progress import ProgressLine

    check_writable(json)
    if not words:
        raise GpusimError("advise needs a kernel (gpusim kernels lists them) or a .cu file")
    specs = list(launches_of(words, tuple(kernels or ()), launch, "advise"))
    gpus = listed_gpus(at_clock(gpu, clock))
    how: dict[str, Any] = {"cache": cache, "fresh": fresh, "jobs": jobs, "described": True}
    with ProgressLine() as progress:
        found = [profile(spec, name, progress=progress, **how) for spec in specs for name in gpus]
    show_advice(found, json)


def show_advice(profiles: Sequence[Profile], path: Path | None) -> None:
    """Show advice on launches, and write it as one JSON document where a file is given."""
    from gpusim import report
    from gpusim.advice.table import table
    from gpusim.progress import ProgressLine

    found = []
    for number, profile in enumerate(profiles):
        with ProgressLine() as progress:
            found.append(profile.advice(progress))
        if not is_stdout(path):
            report.show([*([""] if number else []), *table(found[-1])])
    if path is not None:
        write_json({"advice": [advice.to_dict() for advice in found]}, path)
