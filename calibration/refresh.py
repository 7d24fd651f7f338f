"""Hold predictions against what was measured and write what came out: the package's error table, docs/validation.md.

What intervals of time follow from is written, too, as :mod:`calibration.strangers` does.

Run by hand after the model has changed (five minutes): ``python -m calibration.unchanged --record``, which predicts the
launches that are run whole, then ``python -m calibration.refresh``, which predicts the others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from calibration import bench, handwritten, sampled_launches, shipped, strangers, unchanged
from calibration.microbenchmarks import cache_footprints
from gpusim.measured.comparison import Summary, rows, summarise
from gpusim.processors import JOBS

ROOT = Path(__file__).parents[1]
DRAWING = "validation.png"
DEVICE = "NVIDIA H200, driver 580.159, CUDA 13.0, 1980 MHz, Nsight Compute 2025.3.1, caches flushed, 2026-11"


def table(found: list[Summary]) -> list[str]:
    """Markdown rows, one a metric."""
    lines = ["| metric | launches | identical | median | 90 % | worst | worst launch |"]
    lines.append("|---|--:|--:|--:|--:|--:|---|")
    for s in sorted(found):
        figures = f"{s.median:.2%} | {s.p90:.2%} | {s.max:.2%}"
        lines.append(f"| `{s.metric}` | {s.launches} | {s.identical} | {figures} | {s.worst} |")
    return lines


def compared(predicted: Mapping[str, Mapping[str, float]], measured: dict[str, dict[str, float]]) -> list[Summary]:
    """Errors by metric of launches whose counters stand in a table."""
    of = handwritten.as_measured(measured)
    return summarise(row for name, metrics in predicted.items() if name in of for row in rows(metrics, of[name]))


def micro_rows() -> list[str]:
    """Markdown rows of the microbenchmarks of what caches keep."""
    head = ["| microbenchmark | simulated | measured |", "|---|--:|--:|"]
    shown = map(bench.run, cache_footprints.cases())
    return head + [f"| {r.group} {r.name} | {r.simulated:.3f} | {r.measured:.3f} |" for r in shown]


def main() -> None:
    """Write both files."""
    with ProcessPoolExecutor(initializer=os.environ.update, initargs=({JOBS: "1"},)) as pool:
        part, micros = pool.map(sampled_launches.predict, sampled_launches.counters()), pool.submit(micro_rows)
        parts, shown = map(handwritten.values, part), micros.result()
        sampled = compared(dict(zip(sampled_launches.counters(), parts, strict=True)), sampled_launches.counters())
    known = {way: unchanged.of(way) for way in shipped.WAYS}
    found = compared(known["description"], handwritten.counters())
    ways = {way: shipped.compared(known[way]) for way in shipped.WAYS}
    shipped.keep(ways)
    data = {"gpu": "h200", "device": DEVICE, "launches": len(shipped.measured().launches)}
    data |= {way: shipped.errors(of) for way, of in ways.items()}
    data["families"] = {way: shipped.families(of) for way, of in ways.items()}
    data["sampled"] = {s.metric: shipped.figures(s) for s in sorted(sampled)}
    (ROOT / "gpusim" / "data" / "validation-h200.json").write_text(bench.as_json(data) + "\n")
    shipped.draw(ways, ROOT / "docs" / DRAWING)
    title, head = (bench.NOTES / "validation.md").read_text().split("\n", 1)
    lines = [title, "", *strangers.lead(), head.rstrip(), "", *shipped.section(ways, DRAWING)]
    lines += [
        "",
        "## Launches of hand-written CUDA, by description",
        "",
        f"{max(s.launches for s in found)} launches; {DEVICE}.",
    ]
    lines += ["", *table(found)]
    lines += ["", "## Launches of which only part is run", "", *table(sampled)]
    lines += ["", "## Microbenchmarks", "", *shown, ""]
    (ROOT / "docs" / "validation.md").write_text("\n".join(lines))
    strangers.write()


if __name__ == "__main__":
    main()
