"""The launches that come with gpusim, predicted: tables and drawings of how far off, held-out ones by themselves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gpusim.catalogue import lookup
from gpusim.measured import measurement
from gpusim.measured.comparison import Row, Summary, rows, summarise
from gpusim.measured.measurement import MeasuredLaunch, Measurement, is_held_out
from gpusim.results.metric import CYCLES, STALL_REASON, STALL_SHARE
from gpusim.simulate.known_errors import ENOUGH, Way

TABLE = Path(__file__).parent / "data" / "h200_shipped.json"
PLAN = Path(measurement.__file__).parents[1] / "data" / "launches.json"
WAYS: dict[Way, str] = {"machine_code": "machine code of the CUDA emitted from it", "description": "its description"}
HBM, L2 = "dram__bytes_read.sum", "lts__t_sectors_srcunit_tex_op_read.sum"
KEPT = {CYCLES: "cycles", HBM: "HBM bytes read", L2: "L2 sectors read"}
"""Metrics whose predictions are kept by launch."""
ATOMICS = "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum"
L2_SECTORS = "lts__t_sectors_srcunit_tex_{}.sum"
UNSHOWN = "smsp__average_warps_issue_stalled_"
Parts = dict[str, tuple[Summary, Summary]]


def measured(gpu: str = "h200") -> Measurement:
    """What was measured of the launches that come with gpusim."""
    path = measurement.shipped(gpu)
    assert path is not None
    return measurement.read(path)


def compared(
    predicted: Mapping[str, Mapping[str, float]], launches: Sequence[MeasuredLaunch] | None = None
) -> list[Row]:
    """Every metric of every launch, of those that come with gpusim or of others, and what follows from them."""
    among = measured().launches if launches is None else launches
    return [row for launch in among for row in rows(_with_shares(predicted[launch.id]), _derived(launch))]


def _with_shares(values: Mapping[str, float]) -> dict[str, float]:
    """Metrics, and with the ratios of stall reasons the shares of their time that warps wait."""
    before, after = STALL_REASON.split("{}")
    ratios = {name: value for name, value in values.items() if name.startswith(before) and name.endswith(after)}
    every = 1 + sum(ratios.values())
    reasons = {name.removeprefix(before).removesuffix(after): value for name, value in ratios.items()}
    return {**values, **{STALL_SHARE.format(reason): 100 * value / every for reason, value in reasons.items()}}


def _derived(launch: MeasuredLaunch) -> MeasuredLaunch:
    """A launch with shares of waiting, and where nothing is changed by atomics with L2's hits of reads.

    L2 takes every write: copies of all sizes hit as many sectors as they write.
    """
    medians = {name: launch.value(name) for name in launch.metrics}
    found = {name: value for name, value in _with_shares(medians).items() if name not in medians}
    if not any(medians[ATOMICS.format(kind)] for kind in ("atom", "red")):
        written, hits, misses = (medians[L2_SECTORS.format(what)] for what in ("op_write", "lookup_hit", "lookup_miss"))
        found[L2_SECTORS.format("op_read_lookup_hit")] = max(hits - written, 0)
        found[L2_SECTORS.format("op_read_lookup_miss")] = misses
    return replace(launch, metrics={**launch.metrics, **{name: [value] for name, value in found.items()}})


def errors(found: Sequence[Row]) -> dict[str, dict[str, float | int | None]]:
    """What the package says of its own errors: by metric, and the median of what is held out beside that of all."""
    held = {s.metric: s.median for s in summarise(row for row in found if is_held_out(row.launch))}
    return {
        s.metric: figures(s) | {"held_out": None if s.metric not in held else round(held[s.metric], 6)}
        for s in sorted(summarise(row for row in found if not row.metric.startswith(UNSHOWN)))
    }


def families(found: Sequence[Row]) -> dict[str, dict[str, dict[str, float | int | None]]]:
    """The same for each family of kernels; a metric of fewer than ENOUGH launches says nothing of its family."""
    of = {algorithm.name: algorithm.family for algorithm in lookup.all(hidden=True)}
    by: dict[str, list[Row]] = {}
    for row in found:
        by.setdefault(of[row.launch.partition(" ")[0]], []).append(row)
    judged = {family: errors(rows) for family, rows in sorted(by.items())}
    enough = {
        family: {metric: row for metric, row in of_family.items() if (row["n"] or 0) >= ENOUGH}
        for family, of_family in judged.items()
    }
    return {family: rows for family, rows in enough.items() if rows}


def figures(found: Summary) -> dict[str, float | int | None]:
    """The figures of a metric that the package keeps."""
    parts = {"median": found.median, "p90": found.p90, "max": found.max}
    return {"n": found.launches, "identical": found.identical} | {name: round(x, 6) for name, x in parts.items()}


def _parts(found: Sequence[Row]) -> Parts:
    """By metric, in their order: what calibration may see, and what is held out."""
    seen, kept = (
        {summary.metric: summary for summary in summarise(row for row in found if is_held_out(row.launch) is held)}
        for held in (False, True)
    )
    return {metric: (seen[metric], kept[metric]) for metric in sorted(seen) if not metric.startswith(UNSHOWN)}


def keep(ways: Mapping[Way, list[Row]]) -> None:
    """Write the predictions that tests hold new ones against."""
    kept = {way: _by_launch(found) for way, found in ways.items()}
    text = ",\n".join(
        f' "{way}": {{\n  ' + ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in of.items()) + "\n }"
        for way, of in kept.items()
    )
    TABLE.write_text(f"{{\n{text}\n}}\n")


def _by_launch(found: Iterable[Row]) -> dict[str, dict[str, float]]:
    by: dict[str, dict[str, float]] = {}
    for row in found:
        if row.metric in KEPT:
            by.setdefault(row.launch, {})[row.metric] = row.predicted
    return by


# ---------------------------------------------------------------- the page


def section(ways: Mapping[Way, list[Row]], drawing: str) -> Iterator[str]:
    """Lines of Markdown."""
    found = measured()
    held = sum(launch.held_out for launch in found.launches)
    device = found.device
    yield "## Launches that come with gpusim"
    yield ""
    conditions = (
        f"{device.name}, driver {device.driver}, {found.profiler}, {found.compiler}, caches flushed, {found.date}"
    )
    yield (
        f"{len(found.launches)} launches of every kernel, as CUDA emitted from its description, measured by `gpusim "
        f"measure --launches gpusim/data/launches.json`: {conditions}. Outputs equal the references in all of them. "
        f"{held} are held out, by the digest of their names; constants come from microbenchmarks and have seen neither "
        "part. Figures are of the others / of those held out."
    )
    yield ""
    yield f"![predicted against measured]({drawing})"
    for way, what in WAYS.items():
        yield from ("", f"### Each by {what}", "", *_by_metric(ways[way]), "", *_by_family(ways[way]))


def _by_metric(found: Sequence[Row]) -> Iterator[str]:
    yield "| metric | identical | median | mean | 90 % | worst | worst launch |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    same = []
    for metric, (seen, kept) in _parts(found).items():
        if seen.max == kept.max == 0:
            same.append(f"`{metric}`")
        else:
            yield _metric_row(seen, kept)
    yield ""
    yield f"Identical in every launch: {', '.join(same)}."


def _metric_row(seen: Summary, kept: Summary) -> str:
    """One metric: figures of what calibration may see / of what is held out."""
    pairs = [(seen.median, kept.median), (seen.mean, kept.mean), (seen.p90, kept.p90), (seen.max, kept.max)]
    figures = " | ".join(f"{100 * a:.2f} / {100 * b:.2f} %" for a, b in pairs)
    same = f"{seen.identical} of {seen.launches} / {kept.identical} of {kept.launches}"
    return f"| `{seen.metric}` | {same} | {figures} | {max(seen, kept, key=lambda summary: summary.max).worst} |"


def _by_family(found: Sequence[Row]) -> Iterator[str]:
    families = {algorithm.name: algorithm.family for algorithm in lookup.all(hidden=True)}
    names = dict.fromkeys(families[row.launch.partition(" ")[0]] for row in found)
    yield "| family | launches | " + " | ".join(f"{name}, median | worst" for name in KEPT.values()) + " |"
    yield "|---|--:" + "|--:|--:" * len(KEPT) + "|"
    for family in names:
        of = [row for row in found if families[row.launch.partition(" ")[0]] == family]
        sums = {summary.metric: summary for summary in summarise(row for row in of if row.metric in KEPT)}
        cells = " | ".join(f"{sums[metric].median:.1%} | {sums[metric].max:.1%}" for metric in KEPT)
        yield f"| {family} | {sums[CYCLES].launches} | {cells} |"


def draw(ways: Mapping[Way, list[Row]], path: Path) -> None:
    """Predicted against measured, a point a launch."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 7.5), layout="constrained")
    axes = figure.subplots(len(ways), len(KEPT))
    for along, (way, found) in zip(axes, ways.items(), strict=True):
        for ax, (metric, name) in zip(along, KEPT.items(), strict=True):
            points = [row for row in found if row.metric == metric and row.measured > 0 < row.predicted]
            for held, colour, label in ((False, "tab:blue", "others"), (True, "tab:orange", "held out")):
                part = [row for row in points if is_held_out(row.launch) is held]
                ax.scatter([r.measured for r in part], [r.predicted for r in part], s=9, color=colour, label=label)
            ends = [min(r.measured for r in points), max(r.measured for r in points)]
            ax.plot(ends, ends, color="0.6", linewidth=0.8, zorder=0)
            ax.set(
                xscale="log", yscale="log", xlabel=f"{name}, measured", ylabel=f"predicted by {way.replace('_', ' ')}"
            )
    axes[0, 0].legend(fontsize="small")
    figure.savefig(path, metadata={"Software": None})
