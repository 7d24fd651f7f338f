"""A launch is run for what is wrong with it, and what was noted becomes findings."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from gpusim.checks.apart import apart
from gpusim.checks.findings import Checkable, findings, merged
from gpusim.checks.kinds import SCHEDULES
from gpusim.checks.orders import differences
from gpusim.checks.result import CheckResult
from gpusim.checks.variables import variables
from gpusim.simulate import checking
from gpusim.simulate.guard import fitting

if TYPE_CHECKING:
    from gpusim.checks.how import CheckHow
    from gpusim.hardware.spec import Gpu
    from gpusim.simulate.work import Work


def checked(work: Work, gpu: Gpu, how: CheckHow, *, unwritten: Collection[str] = (), name: str = "") -> CheckResult:
    """Check one launch.

    Parameters
    ----------
    work : Work
        With every buffer as an array; they stay as they are.
    gpu : Gpu
    how : CheckHow
    unwritten : collection of str
        Parameters whose arrays nobody has written before the launch.
    name : str
        The launch's id in a file of launches.

    Returns
    -------
    CheckResult

    Raises
    ------
    GpusimError
        The launch does not fit the GPU, or cannot be run.
    """
    launch = apart(work.launch)
    launch = replace(launch, outputs=tuple({*launch.outputs, *unwritten}))
    held = fitting(launch, gpu, work.name)
    found = checking.check(
        launch, gpu, held, tools=how.tools, progress=how.progress, limit=how.limit, most_blocks=how.most_blocks
    )
    listed = findings(Checkable(launch, work.name, variables=variables(work.source)), found.faults)
    if how.schedules and not found.ended:
        listed = merged([*listed, *differences(launch, work.name, gpu, held, how)])
    tools = (*map(str, how.tools), *([SCHEDULES] if how.schedules else []))
    return CheckResult(
        work.name, gpu.name, launch.grid, launch.block, tuple(listed), tools, found.blocks_run, found.blocks,
        found.ended, found.unseen, 0 if found.ended else how.schedules, id=name, notes=work.notes,
    )  # fmt: skip
