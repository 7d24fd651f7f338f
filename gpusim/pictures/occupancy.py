"""Occupancy against what limits it: registers, threads of a block, shared memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gpusim.hardware.errors import OccupancyError
from gpusim.hardware.occupancy import WARP
from gpusim.hardware.occupancy import occupancy as held
from gpusim.pictures.canvas import BLUE, RED, axes_of, divided, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.hardware.spec import Gpu

SIZE = (10.0, 3.4)
KIB = 1024
FINE = 64
"""Amounts of shared memory that are tried, at least."""


@styled()
def occupancy(
    gpu: Gpu, threads_per_block: int, registers_per_thread: int, shared_bytes_per_block: int, ax: Axes | None = None
) -> Axes:
    """Draw the occupancy of a launch against each of what limits it, the others as they are.

    Parameters
    ----------
    gpu : Gpu
    threads_per_block, registers_per_thread : int
    shared_bytes_per_block : int
        Static and dynamic together, bytes.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        It holds the three others.

    Raises
    ------
    OccupancyError
        No SM can hold one block.
    """
    here = held(gpu, threads_per_block, registers_per_thread, shared_bytes_per_block).occupancy_pct
    axes = axes_of(ax, SIZE)
    axes.set_title(f"Occupancy on {gpu.name}: {here:.0f} %")
    left, middle, right = divided(axes, [(0.0, 0.0, 0.29, 0.95), (0.355, 0.0, 0.29, 0.95), (0.71, 0.0, 0.29, 0.95)])
    most = gpu.sm.max_registers_per_thread
    _curve(left, range(gpu.limits.fewest_registers, most + 1), registers_per_thread,
           lambda n: held(gpu, threads_per_block, n, shared_bytes_per_block).occupancy_pct)  # fmt: skip
    left.set_xlabel("registers a thread")
    left.set_ylabel("occupancy, %")
    _curve(middle, range(WARP, gpu.sm.max_threads_per_block + 1, WARP), threads_per_block,
           lambda n: held(gpu, n, registers_per_thread, shared_bytes_per_block).occupancy_pct)  # fmt: skip
    middle.set_xlabel("threads a block")
    largest = gpu.shared.max_bytes_per_block
    _curve(right, range(0, largest + 1, KIB), shared_bytes_per_block,
           lambda n: held(gpu, threads_per_block, registers_per_thread, n).occupancy_pct, KIB)  # fmt: skip
    right.set_xlabel("shared memory a block, KiB")
    return axes


def _curve(ax: Axes, values: Sequence[int], here: int, percent: Callable[[int], float], unit: int = 1) -> None:
    """Occupancy over some values, 0 where no block fits, and a mark where the launch is."""

    def of(value: int) -> float:
        try:
            return percent(value)
        except OccupancyError:
            return 0.0

    ax.plot([value / unit for value in values], [of(value) for value in values], color=BLUE, drawstyle="steps-mid")
    ax.plot([here / unit], [of(here)], marker="o", color=RED, markersize=8)
    ax.annotate(f"{here / unit:g}", (here / unit, of(here)), (6, 6), textcoords="offset points", color=RED)
    ax.set_ylim(0, 108)
    ax.grid(axis="y")
