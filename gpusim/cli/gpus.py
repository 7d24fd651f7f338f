"""``gpusim gpus``: what GPUs there are, what one is made of, and several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli.files import check_apart, is_stdout, write_json
from gpusim.cli.options import JsonFile
from gpusim.cli.pictures import PlotFile, check_picture, save_picture
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.hardware import Cpu, Gpu


def gpus(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="A GPU or CPU, by name or TOML file; several are compared."),
    ] = None,
    memory: Annotated[
        bool, typer.Option("--memory", help="Of each GPU its memory: capacity, latency, bandwidth, level by level.")
    ] = False,
    json: JsonFile = None,
    plot: PlotFile = None,
) -> None:
    """List GPUs, show one with its sources, or compare several.

    Several stand side by side, with ratios to the first. A CPU is known as a roofline only.
    """
    from gpusim import report
    from gpusim.model.gpu_figures import processor_of

    check_apart({"--json": json, "--plot": plot})
    check_picture(plot)
    if not names:
        if asked := [name for name, on in (("--memory", memory), ("--json", json), ("--plot", plot)) if on]:
            raise GpusimError(f"{asked[0]} needs a GPU: gpusim gpus NAME")
        report.show(_listed())
        return
    found = [processor_of(name) for name in dict.fromkeys(names)]
    _refuse_alike(found)
    if not is_stdout(json):
        report.show(_hierarchies(found) if memory else _shown(found))
    if json is not None:
        write_json({"gpus": _documents(found)}, json)
    if plot is not None:
        _draw(found, plot)


def _draw(found: Sequence[Gpu | Cpu], plot: Path) -> None:
    """Draw the memory hierarchy of a GPU, or the roofs of several."""
    from gpusim.hardware import Cpu
    from gpusim.model.marks import roof_of
    from gpusim.model.memory_hierarchy import levels
    from gpusim.pictures.hierarchy import hierarchy
    from gpusim.pictures.roofline import roofline

    only = found[0]
    if len(found) == 1 and not isinstance(only, Cpu):
        save_picture(plot, lambda: hierarchy(only.name, levels(only)))
    else:
        save_picture(plot, lambda: roofline([roof_of(one.name) for one in found], []))


def _refuse_alike(found: Sequence[Gpu | Cpu]) -> None:
    """Refuse one that stands there twice: columns are told apart by name."""
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise GpusimError(f"{name} is named twice: compare it with another one")


def _listed() -> list[RenderableType]:
    """All GPUs, and the CPUs below."""
    from rich.text import Text

    from gpusim.hardware import cpu_names, load_cpu
    from gpusim.hardware import format as layout
    from gpusim.report import listings
    from gpusim.simulate.known_errors import validated

    head, *rows = layout.table()
    cpus = ", ".join(f"{name} ({load_cpu(name).full_name})" for name in cpu_names())
    about = f"CPUs, as a roofline only (gpusim roofline --gpu cpu): {cpus}."
    return [
        *listings.gpus([(*head, "validated"), *((*row, validated(row[0])) for row in rows)]),
        Text(""),
        Text(about),
    ]


def _shown(found: Sequence[Gpu | Cpu]) -> list[RenderableType]:
    """One with the source of every number, or several side by side."""
    from gpusim.hardware import Cpu
    from gpusim.hardware import format as layout
    from gpusim.model.gpu_tables import comparison
    from gpusim.report import listings
    from gpusim.simulate.known_errors import held_against

    if len(found) > 1:
        return comparison(found)
    only = found[0]
    if isinstance(only, Cpu):
        rows = [("key", "value", "unit", "kind", "source")]
        rows += [(key, layout.show(one.value), *one[1:]) for key, one in only.sources]
        return listings.table_of([*rows, *_peak_rows(only)], right=(1,))
    return listings.gpu(layout.describe(only), layout.informational, [held_against(only.name)])


def _peak_rows(cpu: Cpu) -> list[tuple[str, ...]]:
    """What follows from a CPU's numbers."""
    how = "cores, clock and FLOPs a cycle"
    return [(f"{name} peak", f"{peak:.5g}", "flop/s", "derived", how) for name, peak in cpu.peak_flops.items()]


def _hierarchies(found: Sequence[Gpu | Cpu]) -> list[RenderableType]:
    """The memory of each GPU, one after the other."""
    from gpusim.hardware import Cpu
    from gpusim.model.gpu_tables import hierarchy

    shown: list[RenderableType] = []
    for one in found:
        if isinstance(one, Cpu):
            raise GpusimError(f"--memory is of GPUs: of the CPU {one.name} peak and bandwidth are known alone")
        shown += [*([""] if shown else []), *hierarchy(one)]
    return shown


def _documents(found: Sequence[Gpu | Cpu]) -> list[dict[str, Any]]:
    """Figures of each, with ratios to the first, and its levels of memory."""
    from gpusim.hardware import Cpu
    from gpusim.model.gpu_figures import side_by_side
    from gpusim.model.memory_hierarchy import levels

    rows = side_by_side(found)
    return [
        {
            "gpu": one.name,
            "full_name": one.full_name,
            "figures": [row[number].to_dict(row[0]) for row in rows],
            "memory": [] if isinstance(one, Cpu) else [level.to_dict() for level in levels(one)],
        }
        for number, one in enumerate(found)
    ]
