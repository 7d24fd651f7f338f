"""Ratios of predicted times held against hardware: kernels beside their mended forms.

``python -m calibration.ratios`` writes ``docs/diff.md``, and what the package says of how sure the ratio of two times
is, from predictions that are kept in ``calibration/data/pairs``.  With ``--predict`` it predicts anew.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import statistics
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from calibration import advice, bench, pairs, shipped
from gpusim.advice.finding import WORTH
from gpusim.catalogue import lookup
from gpusim.decide.diff import diff
from gpusim.decide.diff_trust import Errors, errors_of
from gpusim.decide.diff_why import Reason
from gpusim.launches import file
from gpusim.launches.profiling import profile
from gpusim.progress import ProgressLine
from gpusim.results.metric import CYCLES
from gpusim.simulate.known_errors import ENOUGH

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm

GPU = advice.GPU
INTERVALS = advice.ROOT / "gpusim" / "data" / f"intervals-{GPU}.json"
KEPT = pairs.FOLDER / f"{GPU}_predicted.json"
DIGITS = 4


class Ratio(NamedTuple):
    """A pair: by how much the mended kernel is shorter.

    Attributes
    ----------
    what : str
        What is mended.
    slow, mended : str
        Names of both launches.
    predicted, measured : float
        Cycles of the mended one over those of the slow one.
    change : float
        Predicted cycles by which the mended one takes longer.
    reasons : tuple of Reason
        Causes of that, as the diff names them; none where no cause was mended, for which it was not asked.
    """

    what: str
    slow: str
    mended: str
    predicted: float
    measured: float
    change: float
    reasons: tuple[Reason, ...]

    @property
    def first(self) -> str:
        """The cause that the diff names first; empty where it names none."""
        return self.reasons[0].cause if self.reasons else ""

    @property
    def names_it(self) -> bool:
        """Whether what was mended is named first; where mending brings less than 5 %, no other cause may be."""
        little = abs(self.measured - 1) < WORTH
        return self.first == self.what or (little and not self.first)

    @property
    def explained(self) -> float:
        """Share of the change that the diff's causes are."""
        return sum(of.change for of in self.reasons) / self.change

    @property
    def error(self) -> float:
        """By how much the predicted ratio is above the measured one, relative to it."""
        return self.predicted / self.measured - 1

    @property
    def is_right(self) -> bool:
        """Whether the prediction says which of both is the quicker one."""
        return (self.predicted < 1) == (self.measured < 1)


def couples() -> Iterator[tuple[str, str, str]]:
    """Every pair: what is mended, and the names of both launches."""
    for pair in pairs.pairs():
        yield pair.cause.value, pair.name, str(pair.mended["id"])


def _both(slow: str, mended: str) -> str:
    """A pair, as what is kept names it."""
    return f"{slow} -> {mended}"


def predict() -> None:
    """Predict every launch of a pair, and ask what changed where a cause was mended; keep cycles and causes.

    What is known is written after each pair, so that nothing is lost if it is stopped.
    """
    specs = {spec.id: spec for spec in file.read(pairs.FOLDER / "launches.json")}
    found: dict[str, dict[str, Any]] = {"cycles": {}, "reasons": {}}
    with ProgressLine() as progress:
        for _, slow, mended in couples():
            a, b = (profile(specs[name], GPU, progress=progress) for name in (slow, mended))
            found["cycles"] |= {slow: round(a.cycles), mended: round(b.cycles)}
            if (why := diff(a, b, progress=progress).why) is not None:
                found["reasons"][_both(slow, mended)] = [[of.cause, round(of.a), round(of.b)] for of in why.reasons]
            KEPT.write_text(json.dumps(found, indent=1) + "\n")


@cache
def kept() -> dict[str, Any]:
    """Predictions as they are kept."""
    found: dict[str, Any] = json.loads(KEPT.read_text())
    return found


def ratios() -> list[Ratio]:
    """Every pair, as it is kept and as it was measured."""
    here, there = kept()["cycles"], advice.measured()
    return [
        Ratio(
            what, slow, mended, here[mended] / here[slow], there[mended] / there[slow], here[mended] - here[slow],
            tuple(Reason(*of) for of in kept()["reasons"].get(_both(slow, mended), ())),
        )
        for what, slow, mended in couples()
        if {slow, mended} <= here.keys() & there.keys()
    ]  # fmt: skip


class Alternative(NamedTuple):
    """Two launches of a family and of the same sizes: one time over the other, by description and as measured."""

    family: str
    predicted: float
    measured: float


@cache
def alternatives() -> list[Alternative]:
    """All of them among the launches that come with gpusim."""
    here = json.loads(shipped.TABLE.read_text())["description"]
    there = {launch.id: launch.value(CYCLES) for launch in shipped.measured(GPU).launches}
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in there:
        alike.setdefault(_family_and_sizes(name), []).append(name)
    return [
        Alternative(key[0], here[b][CYCLES] / here[a][CYCLES], there[b] / there[a])
        for key, names in alike.items()
        for a, b in itertools.combinations(names, 2)
    ]


def _family_and_sizes(launch: str) -> tuple[str, ...]:
    """What the name of a launch says: ``transpose-naive M=512 N=512 T=32``."""
    kernel, *params = launch.split()
    algorithm = described()[kernel]
    return (algorithm.family, *sorted(word for word in params if word.partition("=")[0] in algorithm.sizes))


@cache
def described() -> dict[str, Algorithm]:
    """Kernels by name."""
    return {algorithm.name: algorithm for algorithm in lookup.all(hidden=True)}


def by_description() -> list[Errors]:
    """By how much ratios are off of kernels predicted from descriptions: of all, then of each family with enough."""
    families = sorted({of.family for of in alternatives()})
    of_family = {name: [of[1:] for of in alternatives() if of.family == name] for name in families}
    kernels = {name: sorted(one.name for one in described().values() if one.family == name) for name in families}
    found = (errors_of(pairs, name, kernels[name]) for name, pairs in of_family.items() if len(pairs) >= ENOUGH)
    return [errors_of([of[1:] for of in alternatives()]), *found]


def trust() -> dict[str, Any]:
    """What the package says of how sure ratios are, by what intervals of predictions made so follow from."""
    learnt_from = {way: str(of["among"]) for way, of in json.loads(INTERVALS.read_text())["ways"].items()}
    ways = {"machine_code": [errors()], "description": by_description()}
    return {
        "gpu": GPU,
        "ways": [
            {"learnt_from": learnt_from[way], "errors": [_rounded(one) for one in of]} for way, of in ways.items()
        ],
    }


def _rounded(one: Errors) -> dict[str, Any]:
    rounded = {name: round(getattr(one, name), DIGITS) for name in ("median", "eighty", "ninety")}
    return one._asdict() | rounded | {"kernels": list(one.kernels)}


def errors() -> Errors:
    """By how much ratios are off."""
    return errors_of([(of.predicted, of.measured) for of in ratios()])


def of_times() -> tuple[float, float]:
    """By how much the times of these launches are off in the median, and how far errors of two of a pair go together.

    Returns
    -------
    float, float
        The median error, and the correlation of the logarithms of both ratios to what was measured.
    """
    here, there = kept()["cycles"], advice.measured()
    off = {name: math.log(here[name] / there[name]) for name in here if name in there}
    slow, mended = (
        [off[name] for name in names] for names in zip(*((of.slow, of.mended) for of in ratios()), strict=True)
    )
    return statistics.median(math.exp(abs(one)) - 1 for one in off.values()), statistics.correlation(slow, mended)


def inside() -> int:
    """Pairs whose ratio lies in the interval that follows from the other ones."""
    known = [(of.predicted, of.measured) for of in ratios()]
    without = ((pair, errors_of([other for other in known if other is not pair])) for pair in known)
    return sum(1 / (1 + off.eighty) <= pair[0] / pair[1] <= 1 + off.eighty for pair, off in without)


def causes() -> list[Ratio]:
    """Pairs of which the diff was asked why."""
    return [of for of in ratios() if _both(of.slow, of.mended) in kept()["reasons"]]


def of_causes() -> Iterator[str]:
    """What the causes of these diffs say together."""
    found = causes()
    shares = statistics.median(of.explained for of in found if of.first)
    right = sum(of.names_it for of in found)
    yield f"- **{len(found)} of these pairs** are mended of such a cause. The diff names it first in {right}."
    yield f"- **Causes named** are {shares:.0%} of the change in the median; the rest is `other`."


def table() -> Iterator[str]:
    """The table of pairs, and what it says together."""
    found, off, (alone, together) = ratios(), errors(), of_times()
    right = sum(of.is_right for of in found)
    yield f"- **{len(found)} pairs.** The prediction says which of both is quicker in {right} of them."
    yield f"- **The ratio of the times** is {off.median:.1%} off in the median. In eight of ten pairs it is off by"
    yield f"  {off.eighty:.1%} at most, in nine of ten by {off.ninety:.1%}."
    yield f"- **The times themselves** are {alone:.1%} off in the median. Their errors go together: the correlation is"
    yield f"  {together:.2f}. So a ratio is about as far off as a time."
    yield f"- **Left out.** {inside()} of {len(found)} lie in the interval that follows from the others."
    yield ""
    yield "| launch | what is mended | ratio there | predicted | off | cause named first | all named |"
    yield "|---|---|--:|--:|--:|---|--:|"
    for of in found:
        yield f"| `{of.slow}` | {of.what} | {of.measured:.3g} | {of.predicted:.3g} | {of.error:+.1%} | {_why(of)} |"


def _why(of: Ratio) -> str:
    """Cells of the cause that is named first, and of how much all are."""
    if of.first:
        return f"{'the same' if of.first == of.what else of.first} | {of.explained:.0%}"
    return "none | 0%" if of in causes() else "not asked |"


def of_families() -> Iterator[str]:
    """The table of kernels predicted from descriptions, by family."""
    yield "| kernels | pairs | median | eight in ten | nine in ten |"
    yield "|---|--:|--:|--:|--:|"
    for one in by_description():
        yield f"| {one.family or 'all'} | {one.pairs} | {one.median:.1%} | {one.eighty:.1%} | {one.ninety:.1%} |"


def page() -> str:
    """The text of docs/diff.md."""
    notes = (bench.NOTES / "diff.md").read_text()
    for name, lines in {"CAUSES": of_causes(), "PAIRS": table(), "FAMILIES": of_families()}.items():
        notes = notes.replace(f"{{{name}}}", "\n".join(lines))
    return notes


def main() -> None:
    """Predict if asked to; write what follows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--predict", action="store_true", help="predict anew")
    if parser.parse_args().predict:
        predict()
    (advice.ROOT / "gpusim" / "data" / f"ratios-{GPU}.json").write_text(bench.as_json(trust()) + "\n")
    (advice.ROOT / "docs" / "diff.md").write_text(page())


if __name__ == "__main__":
    main()
