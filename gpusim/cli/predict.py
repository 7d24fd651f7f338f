"""``gpusim predict``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.cli.advise import advised
from gpusim.cli.files import check_apart, show_chains, show_profiles
from gpusim.cli.options import (
    Advise,
    Cache,
    Clock,
    Fresh,
    Gpus,
    Jobs,
    JsonFile,
    KernelArguments,
    KernelFolders,
    Quick,
    Registers,
    Sample,
    TimelineFile,
    TimelineFrom,
    TimelineSm,
    at_clock,
    chosen_sample,
    listed_gpus,
)
from gpusim.cli.pages import HtmlFile, save_profiles
from gpusim.cli.parameters import combinations, find, split
from gpusim.cli.pictures import Drawing, PlotFile, PlotKind, PlotLine
from gpusim.cli.predicting import predicted, told
from gpusim.cli.timelines import Wanted

if TYPE_CHECKING:
    from gpusim.catalogue.chain import Chain
    from gpusim.profiles.profile import Profile
    from gpusim.results.timeline import Recording

Cases = Sequence[tuple[str, dict[str, Any]]]
"""A GPU and parameters, of each row."""


def predict(
    arguments: KernelArguments,
    gpu: Gpus = "h200",
    json: JsonFile = None,
    cache: Cache = "cold",
    clock: Clock = None,
    sample: Sample = None,
    quick: Quick = False,
    jobs: Jobs = None,
    kernels: KernelFolders = None,
    registers: Registers = None,
    timeline: TimelineFile = None,
    timeline_sm: TimelineSm = None,
    timeline_from: TimelineFrom = None,
    plot: PlotFile = None,
    plot_kind: PlotKind = None,
    plot_line: PlotLine = None,
    html: HtmlFile = None,
    fresh: Fresh = False,
    advise: Advise = False,
) -> None:
    """Predict a kernel's time, and its traffic at every level.

    Requests, sectors, bytes and hit rates stand beside the textbook's formula.

    Several values, as in --tile 8,16,32 or --gpu h200,a100-40gb, give one row each. Rows are predicted side by side.
    """
    import gpusim
    from gpusim.catalogue.chain import Chain
    from gpusim.errors import ParameterError

    kernel, given = split(arguments)
    check_apart({"--json": json, "--plot": plot, "--html": html, "--timeline": timeline})
    algorithm = find(kernel, kernels or [])
    cases = list(itertools.product(listed_gpus(at_clock(gpu, clock)), combinations(algorithm, given)))
    out = _Out(json, html, Wanted(timeline, timeline_sm, timeline_from), Drawing(plot, plot_kind, plot_line))
    how: dict[str, Any] = {"cache": cache, "sample": chosen_sample(sample, quick), "fresh": fresh}
    how["kernels"] = [str(folder) for folder in kernels or []]
    if isinstance(algorithm, Chain):
        if registers is not None:
            raise ParameterError(f"--registers is of one kernel; {algorithm.name} is a chain of {len(algorithm.steps)}")
        if advise:
            raise ParameterError(f"--advise is of one kernel: gpusim advise {algorithm.name} takes its steps")
        _chains(algorithm, how, cases, jobs, out)
        return
    recording = out.recording(len(cases))
    how |= {"registers": registers} | ({"timeline": recording} if recording else {})
    jobs = 1 if len(cases) > 1 and (advise or html) else jobs  # launches that are predicted again stay in this process
    profiles = _each(gpusim.predict, {"kernel": algorithm.name, **how}, cases, jobs)
    advice = advised(profiles) if advise else ()
    show_profiles(profiles, json, advice)
    out.save(profiles, advice)


class _Out(NamedTuple):
    """What is written besides the table."""

    json: Path | None
    html: Path | None
    wanted: Wanted
    drawing: Drawing

    def recording(self, launches: int) -> Recording | None:
        """Refuse, before any work is done, what cannot be written; gives what has to be recorded for it."""
        found = self.wanted.recording(launches)
        self.drawing.check(launches)
        return found or self.drawing.recording()

    def save(self, profiles: Sequence[Profile], advice: Sequence[Any] = ()) -> None:
        """Write all of it."""
        self.wanted.save(profiles)
        self.drawing.save(profiles)
        save_profiles(self.html, profiles, advice)


def _chains(algorithm: Chain, how: Mapping[str, Any], cases: Cases, jobs: int | None, out: _Out) -> None:
    """Predict a chain, show it, and write what is asked for of all its launches."""
    import gpusim

    out.recording(len(cases) * len(algorithm.steps))
    chains = _each(gpusim.predict_chain, {"chain": algorithm.name, **how}, cases, jobs)
    show_chains(chains, out.json)
    out.save([step for chain in chains for step in chain.steps])


def _each(predict: Callable[..., Any], how: Mapping[str, Any], cases: Cases, jobs: int | None) -> list[Any]:
    """Predict every case."""
    calls = [partial(predict, **how, gpu=gpu, **params) for gpu, params in cases]
    return [row for row in predicted(calls, [told(gpu, params) for gpu, params in cases], jobs) if row is not None]
