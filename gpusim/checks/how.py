"""How launches are to be checked: what is looked for, in how many blocks, in how many orders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpusim.errors import ParameterError, UnknownNameError, listed, shown, whole
from gpusim.progress import Progress
from gpusim.results.faults import Tool

MOST_BLOCKS = 4096
"""Blocks that are run unless more, or all, are asked for: of a larger grid some of each class."""

MOST_ORDERS = 1000
"""Other orders that can be asked for."""


@dataclass(frozen=True)
class CheckHow:
    """How launches are to be checked.

    Attributes
    ----------
    tools : tuple of Tool
        Groups of faults that are looked for.
    schedules : int
        Other orders of warps and blocks whose results are compared.
    seed : int
        Of these orders.
    most_blocks : int or None
        Blocks beyond which only some of each class are run; None: all are run.
    limit : int or None
        Warp instructions beyond which a run is taken not to end.
    progress : callable or None
        Called with (blocks done, blocks, text).

    Raises
    ------
    ParameterError
        A number that cannot be, or a progress that cannot be called.
    """

    tools: tuple[Tool, ...] = tuple(Tool)
    schedules: int = 0
    seed: int = 0
    most_blocks: int | None = MOST_BLOCKS
    limit: int | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        whole("schedules", self.schedules, 0, MOST_ORDERS)
        whole("seed", self.seed, 0, 2**63 - 1)
        if self.most_blocks is not None:
            whole("blocks", self.most_blocks, 1, 2**63 - 1)
        if self.limit is not None:
            whole("limit", self.limit, 1, 2**63 - 1)
        if self.progress is not None and not callable(self.progress):
            raise ParameterError(f"progress must be a function of (done, total, text), not {shown(self.progress)}")


def tools_of(names: str | Iterable[str] | None) -> tuple[Tool, ...]:
    """Give groups of faults by their names.

    Parameters
    ----------
    names : str or iterable of str, optional
        ``"memcheck,racecheck"``, or each name by itself; all groups unless given.

    Raises
    ------
    UnknownNameError
        A group that there is not.
    ParameterError
        No name at all.

    Examples
    --------
    >>> tools_of("racecheck,memcheck")
    (<Tool.MEMCHECK: 'memcheck'>, <Tool.RACECHECK: 'racecheck'>)
    """
    if names is None:
        return tuple(Tool)
    given = names.split(",") if isinstance(names, str) else listed(names, "tools are a list of names", ParameterError)
    asked = [str(name).strip() for name in given if str(name).strip()]
    for name in asked:
        if name not in list(Tool):
            raise UnknownNameError("tool", name, list(Tool))
    if not asked:
        raise ParameterError(f"no tool is named: there are {', '.join(Tool)}")
    return tuple(tool for tool in Tool if tool in asked)
