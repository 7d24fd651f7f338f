"""Run every microbenchmark through the simulator: each constant, and how far off an H200 the simulator is with them.

Run by hand after the model has changed: ``python -m calibration.calibrate``.  Prints the tables and writes
docs/calibration.  With ``--constants`` it runs nothing, and writes the constants as they are now; which cases show
one, and how far off these are, is left as the last run found it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from calibration import bench, constants, launch_files, pages
from gpusim.launches.side_by_side import side_by_side
from gpusim.processors import processors
from gpusim.progress import ProgressLine

FOLDER = Path(__file__).parents[1] / "docs" / "calibration"
FILES = (
    "cache_footprints",
    "bandwidths",
    "block_scheduling",
    "wave_tail",
    "streams",
    "launch_overhead",
    "l1_replacement",
    "gpc_coalescer",
    "atomics",
    "request_merging",
    "warp_scheduling",
    "arithmetic_pipes",
    "loads_among_arithmetic",
    "instruction_sequences",
    "operand_reads",
    "shared_loads_among_ffmas",
    "special_registers",
    "constant_loads",
    "instruction_fetch",
    "predicated_off",
    "tensor_cores",
    "mio_instructions",
    "load_latency",
    "pointer_chase",
    "waits_for_hbm",
    "warp_drift",
    "instruction_latency",
    "bank_conflicts",
    "peak_rates",
    *launch_files.QUESTIONS,
)
"""Modules with microbenchmarks, those that take longest first."""

TOGETHER = 8
"""Cases that one process runs one after another; neighbours have launches in common."""


def cases(name: str) -> list[bench.Case]:
    """Every case of one module."""
    return list(launch_files.cases((name,)))


def run_some(name: str, begin: int) -> list[bench.Row]:
    """Run some cases of one module."""
    return [bench.run(case) for case in cases(name)[begin : begin + TOGETHER]]


def run_all() -> list[bench.Row]:
    """Run every case of every module, side by side."""
    calls = [{"name": name, "begin": k} for name in FILES for k in range(0, len(cases(name)), TOGETHER)]
    rows: dict[int, list[bench.Row]] = {}
    with ProgressLine() as progress:
        for number, found in side_by_side(run_some, calls, processors()):
            rows[number] = found
            progress(len(rows), len(calls), f"{calls[number]['name']} done")
    return [row for number in range(len(calls)) for row in rows[number]]


def drawn(title: str, lines: Sequence[pages.Cells]) -> Table:
    """A table for a terminal."""
    found = Table(*lines[0], title=title, box=box.SIMPLE, title_justify="left")
    for line in lines[1:]:
        found.add_row(*line)
    return found


def main() -> None:
    """Run everything, print it, write the pages."""
    rows = run_all()
    summed = pages.summary(rows)
    every = (constants.of_generation(), constants.of_gpu())
    generation, specification = (pages.table_of(found, partial(pages.shown_in, rows)) for found in every)
    tables = {group: pages.residuals(members) for group, members in pages.by_group(rows).items()}
    console = Console()
    shown = {
        "Summary": [summed],
        pages.GENERATION: [generation],
        pages.SPECIFICATION: [specification],
    }
    for heading, found in (shown | tables).items():
        for lines in found:
            console.print(drawn(heading, lines))
    for name, text in pages.every_page(summed, generation, specification, tables).items():
        (FOLDER / f"{name}.md").write_text(text)


def of_constants_now() -> dict[str, str]:
    """The pages of constants as they are now, with what the pages say of their cases."""
    found = {}
    for name, title, every in (
        ("constants", pages.GENERATION, constants.of_generation()),
        ("specification", pages.SPECIFICATION, constants.of_gpu()),
    ):
        before = (FOLDER / f"{name}.md").read_text()
        found[name] = pages.of_constants(title, pages.table_of(every, partial(pages.shown_before, before)))
    return found


if __name__ == "__main__":
    if sys.argv[1:] == ["--constants"]:
        for name, text in of_constants_now().items():
            (FOLDER / f"{name}.md").write_text(text)
    else:
        main()
