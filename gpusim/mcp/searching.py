"""A search as it is asked for: a space of bounded size, and the launch that it is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gpusim.errors import ParameterError

if TYPE_CHECKING:
    from gpusim.decide.tune import Search
    from gpusim.decide.tuning import Tuning
    from gpusim.mcp.asked import Launch
    from gpusim.progress import Progress

MOST_POINTS = 200
"""Of a space that a call searches: small launches, so many of which take less than a minute when predicted quickly."""

MOST_COMBINATIONS = 10_000
"""Of values, whether they meet the conditions or not."""

Over = Annotated[
    dict[str, list[int | float | str]],
    Field(
        description="What to search over: values by the name of a parameter of the kernel, or of a macro of source: "
        "{'tile': [8, 16, 32]}. 200 points at most.",
        min_length=1,
        max_length=20,
    ),
]
Where = Annotated[
    list[str] | None,
    Field(description="Conditions that points must meet: ['BM*BN <= 16384']; of source also of block_x, grid_x.",
          max_length=20),
]  # fmt: skip
Objectives = Annotated[
    list[str] | None,
    Field(
        description="What is to be least: 'time', 'hbm_bytes', a metric, or a sum with weights; the first one ranks. "
        "By default both of these.",
        max_length=5,
    ),
]
Top = Annotated[int, Field(description="Of the best points so many are predicted in full.", ge=1, le=32)]


def searched(
    launch: Launch, over: Mapping[str, list[Any]], where: list[str], gpu: str, search: Search, progress: Progress
) -> Tuning:
    """Search for the values at which a launch takes least.

    Parameters
    ----------
    launch : Launch
        Its parameters, or macros, are the same at every point.
    over : mapping of str to list
    where : list of str
    gpu : str
        By name alone.
    search : Search
    progress : callable

    Raises
    ------
    GpusimError
        It tells of no launch; a space that is empty or too large; a name that is not known.
    """
    from gpusim.decide.space import Space
    from gpusim.decide.sweep import known_at
    from gpusim.decide.tune import search_space

    space = Space(over, where)
    if space.size > MOST_COMBINATIONS:
        raise _too_large(space.size, "combinations of values", MOST_COMBINATIONS)
    with launch.subject(gpu) as (subject, cleaned):
        subject.check(list(space.over))
        if (count := len(space.points(known_at(subject)))) > MOST_POINTS:
            raise _too_large(count, "points", MOST_POINTS)
        found = search_space(subject, space, gpu, search, {"cache": "cold", "fresh": False}, None, progress)
    return replace(found, failed=[replace(row, error=cleaned(row.error)) for row in found.failed])


def _too_large(count: int, what: str, most: int) -> ParameterError:
    """The error of a space that a call is too short for."""
    return ParameterError(
        f"the space has {count} {what}, and a call takes {most} at most: leave values out, search over one name after "
        "the other, or run gpusim tune --trials, which draws some"
    )
