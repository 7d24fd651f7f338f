"""Bounds held against what GPUs counted, what is predicted, and what others published.

``python -m calibration.bounds`` writes ``docs/bounds.md``. No bound may be above what any launch moved.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from calibration import bench, handwritten
from calibration.described import MEASURED
from gpusim import hardware
from gpusim.bounds.kernels import least_of
from gpusim.bounds.levels import Level, levels
from gpusim.bounds.published import ROWS, Row, ratio, verdict
from gpusim.catalogue import lookup
from gpusim.measured import measurement

GPUS = ("h200", "h100-sxm")
LEVELS = ("HBM", "L2", "L1")


class Held(NamedTuple):
    """A bound beside what was moved.

    Attributes
    ----------
    source : str
        Who counted.
    kernel, launch, level, reason : str
    bound, moved : float
        Bytes.
    """

    source: str
    kernel: str
    launch: str
    level: str
    reason: str
    bound: float
    moved: float

    @property
    def factor(self) -> float:
        """How many times the bound was moved."""
        return self.moved / self.bound

    @property
    def is_violated(self) -> bool:
        """Whether less was moved than the bound allows."""
        return self.moved < self.bound


@cache
def of_gpu(gpu: str) -> tuple[Level, ...]:
    """Levels of a GPU."""
    return levels(hardware.load(gpu))


def hold(
    source: str, name: str, kernel: str, params: Mapping[str, Any], metrics: Mapping[str, float], gpu: str
) -> Iterator[Held]:
    """A launch's bounds beside its counters, at every level that they have."""
    for level, (bound, reason) in zip(of_gpu(gpu), bounds(kernel, tuple(sorted(params.items())), gpu), strict=True):
        moved = level.counted(metrics)
        if moved is not None:
            yield Held(source, kernel, name, level.name, reason, bound, moved)


@cache
def bounds(kernel: str, params: tuple[tuple[str, Any], ...], gpu: str) -> list[tuple[float, str]]:
    """Bounds of a described launch, and which they are."""
    algorithm = lookup.get(kernel)
    launch = algorithm.launch(**dict(params))
    found = [(level, least_of(algorithm, launch, level)) for level in of_gpu(gpu)]
    return [(level.bound(least), least.reason) for level, least in found]


def measured() -> Iterator[Held]:
    """Described launches that were counted on an H200, by the least of their runs."""
    path = measurement.shipped("h200")
    assert path is not None
    for one in measurement.read(path).launches:
        metrics = {name: min(runs) for name, runs in one.metrics.items()}
        yield from hold("h200", one.id, one.launch["kernel"], one.launch["params"], metrics, "h200")


def large() -> Iterator[Held]:
    """Large ones."""
    lines = (bench.DATA / "h200_large.csv").read_text().splitlines()
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        params = {name: int(value) for name, _, value in (word.partition("=") for word in row["params"].split())}
        metrics = {name: float(value) for name, value in row.items() if "__" in name and value}
        yield from hold("h200, large", f"{row['kernel']} {row['params']}", row["kernel"], params, metrics, "h200")


def by_hand() -> Iterator[Held]:
    """Kernels written by hand, on an H200 and an H100."""
    for gpu, counted in {"h200": handwritten.counters(), "h100-sxm": _of_h100()}.items():
        for name, metrics in counted.items():
            if case := MEASURED.get(name):
                yield from hold(f"{gpu}, by hand", name, case.kernel, case.params, metrics, gpu)


def _of_h100() -> dict[str, dict[str, float]]:
    path = measurement.shipped("h100-sxm")
    assert path is not None
    launches = measurement.read(path).launches
    return {one.id: {name: min(runs) for name, runs in one.metrics.items()} for one in launches}


def predicted() -> Iterator[Held]:
    """Predictions of the launches that were measured, by description and by machine code."""
    path = measurement.shipped("h200")
    assert path is not None
    known = {one.id: one.launch for one in measurement.read(path).launches}
    with (bench.DATA / "h200_predictions.csv").open() as file:
        for row in csv.DictReader(file):
            if row["launch"] in known:
                launch = known[row["launch"]]
                metrics = {name: float(value) for name, value in row.items() if "__" in name and value}
                source = f"predicted, {row['way'].replace('_', ' ')}"
                yield from hold(source, row["launch"], launch["kernel"], launch["params"], metrics, "h200")


@cache
def held() -> list[Held]:
    """Every bound beside what was moved."""
    return [*measured(), *large(), *by_hand(), *predicted()]


def summary() -> Iterator[str]:
    """The table of who counted."""
    yield "| counted by | launches | comparisons | the bound holds | closest, HBM | closest, L2 | closest, L1 |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for source in dict.fromkeys(one.source for one in held()):
        of = [one for one in held() if one.source == source]
        right = sum(not one.is_violated for one in of)
        cells = " | ".join(_closest(one for one in of if one.level == level) for level in LEVELS)
        yield f"| {source} | {len({one.launch for one in of})} | {len(of)} | {right} | {cells} |"


def _closest(found: Iterable[Held]) -> str:
    factors = [one.factor for one in found]
    return f"{min(factors):.3f}" if factors else "–"


def by_kernel() -> Iterator[str]:
    """The table of kernels, of launches on an H200: the one that comes closest to its bound."""
    yield "| kernel | launches | HBM | L2 | L1 | L2's bound is |"
    yield "|---|--:|--:|--:|--:|---|"
    found = [one for one in held() if one.source == "h200"]
    for kernel in dict.fromkeys(one.kernel for one in found):
        of = [one for one in found if one.kernel == kernel]
        cells = " | ".join(_few(one for one in of if one.level == level) for level in LEVELS)
        reasons = ", ".join(dict.fromkeys(one.reason for one in of if one.level == "L2"))
        yield f"| `{kernel}` | {len({one.launch for one in of})} | {cells} | {reasons} |"


def _few(found: Iterable[Held]) -> str:
    factor = min(one.factor for one in found)
    return f"{factor:.2f}" if factor < 9.995 else f"{factor:.0f}"


def checked() -> Iterator[str]:
    """The table of bounds that were published, of which the formulas were checked."""
    yield "| program | published | where | checked against | ours |"
    yield "|---|---|---|---|---|"
    for row in ROWS:
        if row.source.checked and not row.higher:
            yield f"| {row.program} | {_formula(row)} | {row.source.name} | {row.source.checked} | {_verdict(row)} |"


def remembered() -> Iterator[str]:
    """The table of those that are as remembered."""
    yield "| program | formula as remembered | where | ours |"
    yield "|---|---|---|---|"
    for row in ROWS:
        if not row.source.checked:
            yield f"| {row.program} | {_formula(row)} | {row.source.name} | {_verdict(row)} |"


def higher() -> Iterator[str]:
    """The table of those that are higher than ours."""
    yield "| program | published | where | ours | why |"
    yield "|---|---|---|---|---|"
    for row in ROWS:
        if row.higher:
            yield f"| {row.program} | {_formula(row)} | {row.source.name} | {_verdict(row)} | {row.higher} |"


def _formula(row: Row) -> str:
    formula = row.formula.replace("**", "^").replace("*", " ")
    return f"Ω({formula})" if row.order else formula


def _verdict(row: Row) -> str:
    return verdict(ratio(row), order=row.order)


def page() -> str:
    """The text of docs/bounds.md."""
    notes = (bench.NOTES / "bounds.md").read_text()
    tables = {
        "SUMMARY": summary(),
        "KERNELS": by_kernel(),
        "CHECKED": checked(),
        "REMEMBERED": remembered(),
        "HIGHER": higher(),
    }
    for name, lines in tables.items():
        notes = notes.replace(f"{{{name}}}", "\n".join(lines))
    violated = sum(one.is_violated for one in held())
    return notes.replace("{COMPARISONS}", f"{len(held())}").replace("{VIOLATIONS}", f"{violated or 'no'}")


def main() -> None:
    """Write the page."""
    (bench.DATA.parents[1] / "docs" / "bounds.md").write_text(page())


if __name__ == "__main__":
    main()
