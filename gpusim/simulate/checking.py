"""Run a launch for what is wrong with it: every access and every meeting of its threads is looked at."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from gpusim.results.faults import Checked, Tool

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.progress import Progress
    from gpusim.simulate.launch import Launch

ALL_TOOLS = frozenset(Tool)


def check(
    launch: Launch, gpu: Gpu, held: Occupancy, *, tools: Collection[Tool] = ALL_TOOLS,
    progress: Progress | None = None, limit: int | None = None, seed: int | None = None, most_blocks: int | None = None,
) -> Checked:  # fmt: skip
    """Run a launch, and note whatever is wrong with it without ending at the first fault.

    Parameters
    ----------
    launch : Launch
        With every buffer as an array, or with its memory (a program's launch, whose values are changed in place).
    gpu, held
        Where it runs; only what a block may hold matters.
    tools : collection of Tool
        Groups of faults that are looked for.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    limit : int, optional
        Warp instructions beyond which the run is taken not to end.
    seed : int, optional
        Of the order in which warps and blocks run; unless given, one after another.
    most_blocks : int, optional
        Blocks beyond which only some of each class are run.

    Returns
    -------
    Checked
    """
    raise NotImplementedError
