"""Advice held against hardware: kernels beside their mended forms, and kernels that are as good as they get.

``python -m calibration.advice`` writes ``docs/advice.md``, and what the package says of how sure its gains are, from
advice that is kept in ``calibration/data/pairs``.  With ``--predict`` it asks for that anew.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import gpusim
from calibration import bench, pairs
from gpusim.advice import Advice
from gpusim.advice.finding import WORTH
from gpusim.launches import file
from gpusim.launches.profiling import profile
from gpusim.measured import measurement
from gpusim.progress import ProgressLine
from gpusim.results.metric import CYCLES

ROOT = Path(__file__).parents[1]
GPU = "h200"
KEPT = pairs.FOLDER / f"{GPU}_advised.json"


class Judged(NamedTuple):
    """A pair, with what was measured of it and advised on its slow one.

    Attributes
    ----------
    name, cause : str
    measured : float
        How many times as fast the mended one is.
    advised : float
        How many times as fast the slow one is without the cause.
    first : str
        The finding that came first.
    best : str
        What brings most of all that the same launch was mended of.
    """

    name: str
    cause: str
    measured: float
    advised: float
    first: str
    best: str

    @property
    def brings(self) -> bool:
        """Whether mending brings anything there."""
        return 1 - 1 / self.measured >= WORTH

    @property
    def is_right(self) -> bool:
        """Whether what came first brings most there; where mending brings nothing, whether that was no advice."""
        return self.first == self.best if self.brings else 1 - 1 / self.advised < WORTH

    @property
    def error(self) -> float:
        """By how much the advised share of time is off, relative to the measured one."""
        return (1 - 1 / self.advised) / (1 - 1 / self.measured) - 1


def predict() -> None:
    """Ask for advice on every slow kernel, and on the good ones, and keep it."""
    specs = {spec.id: spec for spec in file.read(pairs.FOLDER / "launches.json")}
    found: dict[str, Any] = {"pairs": {}, "good": {}}
    with ProgressLine() as progress:
        for name in dict.fromkeys(pair.name for pair in [*pairs.pairs(), *pairs.limits()]):
            found["pairs"][name] = in_short(profile(specs[name], GPU, progress=progress).advice(progress))
        for name in pairs.GOOD:
            found["good"][name] = in_short(profile(specs[name], GPU, progress=progress).advice(progress))
        for name, params in pairs.GOOD_DESCRIBED:
            words = " ".join((name, *(f"{key}={value}" for key, value in params.items())))
            described: Any = gpusim.predict(name, GPU, progress=progress, **params)  # type: ignore[arg-type]
            found["good"][words] = in_short(described.advice(progress))
    KEPT.write_text(json.dumps(found, indent=1) + "\n")


def in_short(advice: Advice) -> dict[str, Any]:
    """Cycles as they are, and without each cause, in the order of advice."""
    without = {finding.cause.value: round(finding.without) for finding in advice.findings}
    return {"cycles": round(advice.profile.cycles), "without": without}


@cache
def kept() -> dict[str, Any]:
    """Advice as it is kept."""
    found: dict[str, Any] = json.loads(KEPT.read_text())
    return found


@cache
def measured() -> dict[str, float]:
    """Cycles that were measured, by launch."""
    return {one.id: float(one.value(CYCLES)) for one in measurement.read(pairs.FOLDER / f"{GPU}.json").launches}


def is_measured(pair: pairs.Pair) -> bool:
    """Whether both of a pair were measured."""
    return {pair.name, pair.mended["id"]} <= measured().keys()


@cache
def judged() -> list[Judged]:
    """Every pair that was measured."""
    return _judged(pairs.pairs())


def _judged(all_pairs: list[pairs.Pair]) -> list[Judged]:
    cycles, found = measured(), []
    known = [pair for pair in all_pairs if is_measured(pair)]
    there = [cycles[pair.name] / cycles[pair.mended["id"]] for pair in known]
    best = {pair.name: pair.cause.value for _, pair in sorted(zip(there, known, strict=True), key=lambda one: one[0])}
    for pair, brought in zip(known, there, strict=True):
        advice, cause = kept()["pairs"][pair.name], pair.cause.value
        advised = advice["cycles"] / advice["without"].get(cause, advice["cycles"])
        first = next(iter(advice["without"]), "")
        found.append(Judged(pair.name, cause, brought, advised, first, best[pair.name]))
    return found


def trust() -> dict[str, Any]:
    """What the package says of how sure gains are."""
    rows = [{"advised": round(one.advised, 3), "measured": round(one.measured, 3)} for one in judged()]
    return {"gpu": GPU, "pairs": rows}


def largest(kept: Mapping[str, Any]) -> tuple[str, float]:
    """The finding that comes first of advice as it is kept, and its share of the time."""
    cause, without = min(kept["without"].items(), key=lambda item: item[1], default=("none", kept["cycles"]))
    return cause, 1 - without / kept["cycles"]


def of_pairs() -> Iterator[str]:
    """The table of pairs, and what it says together."""
    found = judged()
    right = sum(one.is_right for one in found)
    off = statistics.median(abs(one.error) for one in found if one.brings)
    times = statistics.median(abs(one.advised / one.measured - 1) for one in found)
    yield f"- **{len(found)} pairs.** The finding that comes first is right in {right} of them: it is what was mended."
    yield "  Where a launch was mended in several ways, it is the one that brings most. Where mending brings less than"
    yield "  5 %, there must be no advice on it."
    yield f"- **The share of time that goes** is {off:.1%} off in the median, the speed-up {times:.1%}."
    waiting = sum(not is_measured(pair) for pair in [*pairs.pairs(), *pairs.limits()])
    if waiting:
        yield f"- **{waiting} pairs more** are in the launch file beside the kernels, and not measured yet."
    yield ""
    yield "| launch | what costs time | speed-up there | by advice | first finding |"
    yield "|---|---|--:|--:|---|"
    for one in found:
        first = "the same" if one.first == one.cause else one.first
        yield f"| `{one.name}` | {one.cause} | {one.measured:.2f} | {one.advised:.2f} | {first} |"


def of_limits() -> Iterator[str]:
    """The table of pairs of which advice says what they gain at most."""
    yield "| launch | what costs time | speed-up there | by advice at most |"
    yield "|---|---|--:|--:|"
    known = {one.name: one for one in _judged(pairs.limits())}
    for pair in pairs.limits():
        advice = kept()["pairs"].get(pair.name)
        if advice is not None:
            there = f"{known[pair.name].measured:.2f}" if pair.name in known else "not measured"
            limit = advice["cycles"] / advice["without"].get(pair.cause.value, advice["cycles"])
            yield f"| `{pair.name}` | {pair.cause.value} | {there} | {limit:.2f} |"


def of_good() -> Iterator[str]:
    """The table of kernels that are as good as they get."""
    yield "| kernel | largest finding | its share of time |"
    yield "|---|---|--:|"
    for name, advice in kept()["good"].items():
        cause, share = largest(advice)
        yield f"| `{name}` | {cause} | {share:.1%} |"


def page() -> str:
    """The text of docs/advice.md."""
    notes = (bench.NOTES / "advice.md").read_text()
    tables = {"PAIRS": of_pairs(), "GOOD": of_good(), "LIMITS": of_limits()}
    for name, lines in tables.items():
        notes = notes.replace(f"{{{name}}}", "\n".join(lines))
    return notes


def main() -> None:
    """Predict if asked to; write what follows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--predict", action="store_true", help="ask for advice anew")
    if parser.parse_args().predict:
        predict()
    (ROOT / "gpusim" / "data" / f"advice-{GPU}.json").write_text(bench.as_json(trust()) + "\n")
    (ROOT / "docs" / "advice.md").write_text(page())


if __name__ == "__main__":
    main()
