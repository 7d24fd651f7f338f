"""``gpusim predict``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from gpusim.cli.advise import advised
from gpusim.cli.files import check_writable, show_chains, show_profiles
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
from gpusim.cli.pages import HtmlFile, check_page, save_profiles
from gpusim.cli.parameters import combinations, find, split
from gpusim.cli.pictures import Drawing, PlotFile, PlotKind, PlotLine
from gpusim.cli.predicting import predicted, told
from gpusim.cli.timelines import Wanted

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
    check_writable(json)
    algorithm = find(kernel, kernels or [])
    cases = list(itertools.product(listed_gpus(at_clock(gpu, clock)), combinations(algorithm, given)))
    wanted, drawing = Wanted(timeline, timeline_sm, timeline_from), Drawing(plot, plot_kind, plot_line)
    check_page(html, (json, plot, timeline))
    how: dict[str, Any] = {"cache": cache, "sample": chosen_sample(sample, quick), "fresh": fresh}
    how["kernels"] = [str(folder) for folder in kernels or []]
    if isinstance(algorithm, Chain):
        if registers is not None:
            raise ParameterError(f"--registers is of one kernel; {algorithm.name} is a chain of {len(algorithm.steps)}")
        if advise:
            raise ParameterError(f"--advise is of one kernel: gpusim advise {algorithm.name} takes its steps")
        launches = len(cases) * len(algorithm.steps)
        wanted.recording(launches, json)
        drawing.check(launches, (json, html))
        chains = _each(gpusim.predict_chain, {"chain": algorithm.name, **how}, cases, jobs)
        show_chains(chains, json)
        steps = [step for chain in chains for step in chain.steps]
        drawing.save(steps)
        save_profiles(html, steps)
        return
    drawing.check(len(cases), (json, html, timeline))
    recording = wanted.recording(len(cases), json) or drawing.recording()
    how |= {"registers": registers} | ({"timeline": recording} if recording else {})
    jobs = 1 if advise and len(cases) > 1 else jobs  # launches that are to be predicted again stay in this process
    profiles = _each(gpusim.predict, {"kernel": algorithm.name, **how}, cases, jobs)
    advice = advised(profiles) if advise else ()
    show_profiles(profiles, json, advice)
    wanted.save(profiles)
    drawing.save(profiles)
    save_profiles(html, profiles, advice)


def _each(predict: Callable[..., Any], how: Mapping[str, Any], cases: Cases, jobs: int | None) -> list[Any]:
    """Predict every case."""
    calls = [partial(predict, **how, gpu=gpu, **params) for gpu, params in cases]
    return [row for row in predicted(calls, [told(gpu, params) for gpu, params in cases], jobs) if row is not None]
