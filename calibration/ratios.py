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
from typing import Any, NamedTuple

from calibration import advice, bench, pairs
from gpusim.decide.diff_trust import Errors, errors_of
from gpusim.launches import file
from gpusim.launches.profiling import profile
from gpusim.progress import ProgressLine

GPU = advice.GPU
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
    """

    what: str
    slow: str
    mended: str
    predicted: float
    measured: float

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
    for what, (slow, mended) in pairs.unseen().items():
        yield what, str(slow["id"]), str(mended["id"])


def predict() -> None:
    """Predict every launch of a pair, and keep its cycles."""
    specs = {spec.id: spec for spec in file.read(pairs.FOLDER / "launches.json")}
    names = dict.fromkeys(itertools.chain.from_iterable(couple[1:] for couple in couples()))
    with ProgressLine() as progress:
        found = {name: round(profile(specs[name], GPU, progress=progress).cycles) for name in names}
    KEPT.write_text(json.dumps(found, indent=1) + "\n")


def ratios() -> list[Ratio]:
    """Every pair, as it is kept and as it was measured."""
    here: dict[str, float] = json.loads(KEPT.read_text())
    there = advice.measured()
    return [
        Ratio(what, slow, mended, here[mended] / here[slow], there[mended] / there[slow])
        for what, slow, mended in couples()
    ]


def trust() -> dict[str, Any]:
    """What the package says of how sure ratios are."""
    rows = [{"predicted": round(of.predicted, DIGITS), "measured": round(of.measured, DIGITS)} for of in ratios()]
    return {"gpu": GPU, "pairs": rows}


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
    here, there = json.loads(KEPT.read_text()), advice.measured()
    off = {name: math.log(here[name] / there[name]) for name in here}
    slow, mended = ([off[couple[place]] for couple in couples()] for place in (1, 2))
    return statistics.median(math.exp(abs(one)) - 1 for one in off.values()), statistics.correlation(slow, mended)


def inside() -> int:
    """Pairs whose ratio lies in the interval that follows from the other ones."""
    known = [(of.predicted, of.measured) for of in ratios()]
    without = ((pair, errors_of([other for other in known if other is not pair])) for pair in known)
    return sum(1 / (1 + off.eighty) <= pair[0] / pair[1] <= 1 + off.eighty for pair, off in without)


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
    yield "| launch | what is mended | ratio there | predicted | off |"
    yield "|---|---|--:|--:|--:|"
    for of in found:
        yield f"| `{of.slow}` | {of.what} | {of.measured:.3g} | {of.predicted:.3g} | {of.error:+.1%} |"


def page() -> str:
    """The text of docs/diff.md."""
    return (bench.NOTES / "diff.md").read_text().replace("{PAIRS}", "\n".join(table()))


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
