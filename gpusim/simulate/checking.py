"""Run a launch for what is wrong with it: every access and every meeting of its threads is looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from gpusim.results.faults import Checked, Tool

if TYPE_CHECKING:
    import numpy as np

    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.progress import Progress
    from gpusim.simulate.launch import Launch
    from gpusim.simulate.stretches import Stretches

ALL_TOOLS = frozenset(Tool)


def check(
    launch: Launch, gpu: Gpu, held: Occupancy, *, tools: Collection[Tool] = ALL_TOOLS,
    progress: Progress | None = None, limit: int | None = None, seed: int | None = None, most_blocks: int | None = None,
    fresh: Stretches | Sequence[tuple[int, int]] = (), freed: Sequence[tuple[int, int]] = (), together: bool = False,
    hear: Callable[[str], None] | None = None,
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
    fresh : Stretches, or sequence of (int, int)
        Addresses between which nobody has written global memory yet, besides outputs; of stretches what the launch
        writes is taken out.
    freed : sequence of (int, int)
        Of global memory, what has been freed: the first byte of each stretch, and one past its last.
    together : bool
        Whether blocks may wait for one another: all are there at once that the GPU holds.
    hear : callable, optional
        Given what device code prints.

    Returns
    -------
    Checked
    """
    raise NotImplementedError


def values_of_order(
    launch: Launch, gpu: Gpu, held: Occupancy, seed: int | None, *, progress: Progress | None = None,
    limit: int | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Run a launch in another legal order of its warps and blocks, for its values.

    Parameters
    ----------
    launch, gpu, held, progress, limit
        As for :func:`check`; the launch's own arrays stay as they are.
    seed : int or None
        Of the order; None: one after another, as :func:`check` runs it.

    Returns
    -------
    dict of str to ndarray
        Every array after the launch, in the shape given.
    """
    raise NotImplementedError
