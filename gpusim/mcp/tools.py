"""What can be asked: a table of tools, each a function.

A tool's name is its function's, its description the docstring's, its parameters those of the function after the first
one, typed and described as in :mod:`gpusim.mcp.asked`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from gpusim.mcp import answers
from gpusim.mcp.asked import (
    Args,
    Block,
    Cache,
    Defines,
    Detail,
    Gpu,
    Grid,
    Kernel,
    Launch,
    Params,
    Shared,
    Source,
    Symbols,
    Tools,
    check_gpu,
)
from gpusim.mcp.call import Answer, Call
from gpusim.mcp.leasts import Computation, ElementBytes, Extents, MemoryBytes, least
from gpusim.mcp.searching import Objectives, Over, Top, Where, searched

if TYPE_CHECKING:
    from gpusim.progress import Progress

Tool = Callable[..., Answer]


def predict(
    call: Call, kernel: Kernel, params: Params = None, gpu: Gpu = "h200", cache: Cache = "cold",
    detail: Detail = "short",
) -> Answer:  # fmt: skip
    """Predict a kernel of gpusim's catalogue: its time, and requests, sectors and bytes at every level of the memory.

    No GPU is needed. Every number says how far to trust it: exact, modelled, calibrated or extrapolated, with errors.
    """
    return _predicted(call, Launch(kernel=kernel, params=params), gpu, cache, detail)


def profile(
    call: Call, source: Source, grid: Grid, block: Block, args: Args = None, kernel: Kernel = None,
    symbols: Symbols = None, defines: Defines = None, dynamic_shared: Shared = None, gpu: Gpu = "h200",
    cache: Cache = "cold", detail: Detail = "short",
) -> Answer:  # fmt: skip
    """Predict a launch of your own CUDA C++ source, from its machine code: time, traffic by level and by source line.

    No GPU is needed: the code is compiled, executed and counted here. Take sizes that are representative and small.
    """
    launch = Launch(
        kernel=kernel, source=source, grid=grid, block=block, args=args, symbols=symbols, defines=defines,
        dynamic_shared=dynamic_shared,
    )  # fmt: skip
    return _predicted(call, launch, gpu, cache, detail)


def advise(
    call: Call, kernel: Kernel = None, params: Params = None, source: Source = None, grid: Grid = None,
    block: Block = None, args: Args = None, symbols: Symbols = None, defines: Defines = None,
    dynamic_shared: Shared = None, gpu: Gpu = "h200", cache: Cache = "cold", detail: Detail = "short",
) -> Answer:  # fmt: skip
    """Say what would make a kernel faster: each cause of its time, on which line, what it costs, and what mends it.

    The launch is simulated again without each cause, so a gain is what mending it brings, not a guess. It takes a
    kernel of the catalogue (kernel, params), or source with grid, block and args.
    """
    launch = Launch(
        kernel=kernel, params=params, source=source, grid=grid, block=block, args=args, symbols=symbols,
        defines=defines, dynamic_shared=dynamic_shared,
    )  # fmt: skip

    def work(progress: Progress, sample: Any) -> Any:
        return launch.predict(gpu, cache=cache, progress=progress, sample=sample).advice(progress)

    found, remark = call.in_time(work, may_be_quick=_may_be_quick(launch, cache))
    return answers.of_advice(found, remark, full=detail == "full")


def check(
    call: Call, kernel: Kernel = None, params: Params = None, source: Source = None, grid: Grid = None,
    block: Block = None, args: Args = None, symbols: Symbols = None, defines: Defines = None,
    dynamic_shared: Shared = None, tools: Tools = None, gpu: Gpu = "h200", detail: Detail = "short",
) -> Answer:  # fmt: skip
    """Find what is wrong with a kernel, by line: races, accesses out of bounds, uninitialized reads, wrong barriers.

    No GPU is needed. Each finding names both lines, the array, a thread and its block, and what mends it. An array
    that the kernel is to fill is 'empty:COUNT' in args: reading it before is a finding.
    """
    launch = Launch(
        kernel=kernel, params=params, source=source, grid=grid, block=block, args=args, symbols=symbols,
        defines=defines, dynamic_shared=dynamic_shared,
    )  # fmt: skip

    def work(progress: Progress, sample: Any) -> Any:
        return launch.check(gpu, tools, progress)

    found, _ = call.in_time(work, may_be_quick=False)
    return answers.of_check(found, full=detail == "full")


def diff(
    call: Call, before: Annotated[Launch, Field(description="A launch, called A: what is to be changed.")],
    after: Annotated[Launch, Field(description="Another one, called B: what it was changed to.")], gpu: Gpu = "h200",
    cache: Cache = "cold", detail: Detail = "short",
) -> Answer:  # fmt: skip
    """Say what changed from one launch to another: how much faster it is and how sure that is, why, and on which lines.

    Both are predicted, then simulated again without each cause of their time, so why the time changed is no guess.
    """
    from gpusim.decide.diff import diff as compared

    def work(progress: Progress, sample: Any) -> Any:
        sides = [one.predict(gpu, cache=cache, progress=progress, sample=sample) for one in (before, after)]
        return compared(*sides, progress=progress)

    found, remark = call.in_time(work, may_be_quick=all(_may_be_quick(one, cache) for one in (before, after)))
    return answers.of_diff(found, remark, full=detail == "full")


def tune(
    call: Call, over: Over, where: Where = None, objective: Objectives = None, top: Top = 8, kernel: Kernel = None,
    params: Params = None, source: Source = None, grid: Grid = None, block: Block = None, args: Args = None,
    symbols: Symbols = None, defines: Defines = None, dynamic_shared: Shared = None, gpu: Gpu = "h200",
    detail: Detail = "short",
) -> Answer:  # fmt: skip
    """Search for the fastest tiles, block or macros of a kernel, and say which few to measure.

    Every point is predicted quickly, then the best ones in full. It takes a kernel of the catalogue (kernel, params)
    and values of its other parameters, or source and values of macros, which grid and block may name. What is
    predicted is kept: asked again, a search that ran out of time goes on.
    """
    from gpusim.decide.objective import Objective
    from gpusim.decide.tune import DEFAULT_OBJECTIVES, Search

    launch = Launch(
        kernel=kernel, params=params, source=source, grid=grid, block=block, args=args, symbols=symbols,
        defines=defines, dynamic_shared=dynamic_shared,
    )  # fmt: skip
    objectives = [Objective(text) for text in objective or DEFAULT_OBJECTIVES]

    def work(progress: Progress, sample: Any) -> Any:
        search = Search(objectives, top, is_quick=sample is not None)
        return searched(launch, over, where or [], gpu, search, progress)

    found, remark = call.in_time(work, may_be_quick=not launch.is_chain, parts="points")
    return answers.of_tuning(found, remark, full=detail == "full")


def bound(
    call: Call, kernel: Kernel = None, computation: Computation = None, params: Extents = None, gpu: Gpu = "h200",
    memory_bytes: MemoryBytes = None, element_bytes: ElementBytes = None, detail: Detail = "short",
) -> Answer:  # fmt: skip
    """Say what no schedule can do without: the least bytes from each level of the memory, beside what a kernel moves.

    It tells whether anything is left to gain. It takes a kernel of the catalogue, or a computation as text.
    """
    check_gpu(gpu)

    def work(progress: Progress, sample: Any) -> Any:
        return least(kernel, computation, params or {}, gpu, memory_bytes, element_bytes, sample is None, progress)

    found, remark = call.in_time(work)
    return answers.of_bound(found, UNCOUNTED if remark else "", full=detail == "full")


def kernels(
    call: Call,
    words: Annotated[
        str, Field(description="Words that name, family or summary have; a kernel's name: all of it.")
    ] = "",
) -> Answer:
    """List the kernels that can be predicted by name, find some by words, or show one with its parameters."""
    from gpusim.catalogue import lookup
    from gpusim.report.kernels import listing

    asked = words.split()
    shown = listing(asked, lookup.search(asked), lookup.search([], hidden=True))
    if not shown:
        raise lookup.UnknownKernelError("kernel", words, lookup.kernels(), lookup.LISTING)
    return Answer(answers.as_text(shown, full=False), {"kernels": [one.name for one in lookup.search(asked)]})


def gpus(
    call: Call,
    name: Annotated[str | None, Field(description="One of them: what its SMs and memories hold.")] = None,
    detail: Detail = "short",
) -> Answer:
    """List the GPUs that can be predicted, and whether predictions for each were held against measurements."""
    from gpusim import hardware
    from gpusim.hardware import format as layout
    from gpusim.hardware import library
    from gpusim.report import listings
    from gpusim.simulate.known_errors import held_against, validated

    if name is None:
        head, *rows = layout.table()
        shown = listings.gpus([(*head, "validated"), *((*row, validated(row[0])) for row in rows)])
        return Answer(answers.as_text(shown, full=False), {"gpus": library.names()})
    check_gpu(name)
    gpu, full = hardware.load(name), detail == "full"
    head, *numbers = layout.describe(gpu)
    chosen = numbers if full else [row for row in numbers if row[0] in TOLD_OF_A_GPU]
    shown = listings.gpu([head, *chosen], layout.informational, [held_against(gpu.name)])
    return Answer(answers.as_text(shown, full=full), {"gpus": [name]})


TOLD_OF_A_GPU = (
    "name", "full_name", "arch", "sm_count", "sm.max_warps", "sm.max_blocks", "sm.max_threads_per_block",
    "sm.registers", "shared.bytes_per_sm", "shared.max_bytes_per_block", "l1.unified_bytes", "l2.size_bytes",
    "dram.read_bytes_per_s", "dram.size_bytes", "clock.sm_hz",
)  # fmt: skip
"""Numbers of a GPU that a kernel's author goes by; detail='full' has all."""


UNCOUNTED = "What the kernel moves is not counted: to simulate it takes longer than this call may."

TOOLS: dict[str, Tool] = {
    tool.__name__: tool for tool in (predict, profile, advise, check, diff, tune, bound, kernels, gpus)
}
"""By name: another one is a function, and its name here."""


@cache
def parameters(name: str) -> type[BaseModel]:
    """Give what a tool takes, as a model that checks it.

    Parameters
    ----------
    name : str
        Of :data:`TOOLS`.
    """
    _, *taken = inspect.signature(TOOLS[name], eval_str=True).parameters.values()
    fields: dict[str, Any] = {
        one.name: (one.annotation, ... if one.default is one.empty else one.default) for one in taken
    }
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


def _predicted(call: Call, launch: Launch, gpu: str, cache: str, detail: str) -> Answer:
    """A launch as it is predicted in the time that there is."""

    def work(progress: Progress, sample: Any) -> Any:
        return launch.predict(gpu, cache=cache, progress=progress, sample=sample)

    found, remark = call.in_time(work, may_be_quick=_may_be_quick(launch, cache))
    return answers.of_prediction(found, remark, full=detail == "full")


def _may_be_quick(launch: Launch, cache: str) -> bool:
    """Whether little of a launch may stand for it."""
    return cache == "cold" and not launch.is_chain
