"""Sections of a page about one launch: what binds it, pictures, tables, source lines, advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError
from gpusim.pages.content import Item, Paragraph, Picture, Section, Table, items, picture
from gpusim.pages.source import source
from gpusim.report import table, where
from gpusim.report.busy import shown
from gpusim.report.prose import joined
from gpusim.report.tables import heading, launch_line
from gpusim.report.time import duration, why

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.profiles.profile import Profile
    from gpusim.results.figures import Figures

CAPTIONS = {
    "speed-of-light": "Speed of light: how busy each unit is, of the most it can do.",
    "memory": "Memory chart: bytes that move between the levels of the memory hierarchy.",
    "roofline": "Roofline: what arithmetic and each level of memory allow; hollow marks are predicted.",
    "waves": "Waves: blocks that run at once; the last wave may leave SMs without work.",
    "occupancy": "Occupancy: against registers, block size and shared memory, the others as they are.",
}


def launch(
    profile: Profile, advice: Sequence[Any] = (), *, measured: Figures | None = None, brief: bool = False
) -> list[Section]:
    """Give the sections of a page about one launch.

    Parameters
    ----------
    profile : Profile
    advice : sequence of Advice
        On it, where it was asked for.
    measured : Figures, optional
        The same launch as hardware counted it.
    brief : bool
        Whether it is one of several: bars and the memory chart are all that is drawn.

    Returns
    -------
    list of Section
    """
    more = () if brief else ("roofline",), () if brief else ("waves", "occupancy")
    found = [
        Section("What binds it", pictures(profile, ("speed-of-light",))),
        Section("What moves", pictures(profile, ("memory",), measured) + _tables(profile)),
        Section("How near the roof", pictures(profile, more[0], measured)),
        Section("Where it comes from", _where(profile)),
        Section("What would make it faster", items(line for one in advice for line in one.table())),
        Section("How it fills the GPU", pictures(profile, more[1])),
        Section("All counters", [counters(profile)], folded=True),
    ]
    return [section for section in found if section.items]


def head(profile: Profile) -> tuple[str, list[str]]:
    """Give the title of a page about a launch, and the lines below it.

    Parameters
    ----------
    profile : Profile
    """
    lines = [launch_line(profile), duration(profile), why(profile), profile.sentence]
    return heading(profile), [line for line in lines if line]


def _tables(profile: Profile) -> list[Item]:
    """What the command prints, without the lines at its head and the bars, which the page has as a picture."""
    bars = 1 if shown(profile) else 0
    found = items(table(profile))
    tables = [k for k, item in enumerate(found) if isinstance(item, Table)]
    first = tables[bars] if len(tables) > bars else len(found)
    said = joined(profile.sentence)
    return [item for item in found[first:] if not (isinstance(item, Paragraph) and item.text == said)]


def _where(profile: Profile) -> list[Item]:
    """The source with its counters, then arrays and sentences; the page's own table of lines is the longer one."""
    lines, found = source(profile), items(where(profile))
    return lines + [
        item for item in found if not (lines and isinstance(item, Table) and item.headings[0] == "source line")
    ]


SIZES: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "memory": ((10.0, 4.6), (5.0, 7.2)),
    "roofline": ((8.4, 5.4), (5.0, 5.0)),
    "waves": ((8.0, 3.0), (5.0, 3.0)),
    "occupancy": ((10.0, 3.4), (7.0, 3.2)),
}
"""Of pictures, for wide and for narrow pages, inches."""


def pictures(profile: Figures, kinds: Sequence[str], measured: Figures | None = None) -> list[Item]:
    """Draw those kinds of pictures of a launch that can be drawn of it.

    Parameters
    ----------
    profile : Profile
    kinds : sequence of str
        As :meth:`gpusim.Profile.plot` takes them.
    measured : Figures, optional
        The same launch as hardware counted it.
    """
    return list(_pictures(profile, kinds, measured))


def _pictures(profile: Figures, kinds: Sequence[str], measured: Figures | None) -> Iterator[Picture]:
    for kind in kinds:
        high = 0.9 + 0.3 * len(shown(profile))
        wide, narrow = SIZES.get(kind, ((8.0, high), (5.2, high)))
        draw, more = _drawing(profile, kind, measured)
        label = f"{CAPTIONS[kind].partition(':')[0]} of {heading(profile)}"
        try:
            yield picture(draw, label, wide, narrow, CAPTIONS[kind], **more)
        except GpusimError:
            continue  # the profile does not know what it shows, such as FLOPs of machine code


def _drawing(profile: Figures, kind: str, measured: Figures | None) -> tuple[Callable[..., Axes], dict[str, Any]]:
    """What draws a kind, and how it is drawn otherwise on narrow pages."""
    if kind == "memory":
        from gpusim.pictures.memory_chart import memory_chart

        return partial(memory_chart, profile, measured=measured), {"direction": "down"}
    from gpusim.pictures.launch import draw

    return partial(draw, profile, kind, measured=measured if kind == "roofline" else None), {}


def counters(profile: Profile) -> Table:
    """Give every counter of a launch with its claim, as a table.

    Parameters
    ----------
    profile : Profile
    """
    from gpusim.pages.content import Cell
    from gpusim.report.units import format_number

    rows = [
        [Cell(name, name), Cell(format_number(metric.value), float(metric.value)), Cell(metric.unit, metric.unit),
         Cell(metric.claim_text, metric.claim_text)]
        for name, metric in profile.metrics.items()
    ]  # fmt: skip
    return Table(["counter", "value", "unit", "claim"], ["name", "number", "name", "name"], rows)
