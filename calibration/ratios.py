"""Ratios of predicted times held against hardware: kernels beside their mended forms.

``python -m calibration.ratios`` writes ``docs/diff.md``, and what the package says of how sure a ratio of two times is,
from predictions that are kept in ``calibration/data/pairs``.  With ``--predict`` it predicts anew.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

from calibration import advice, pairs
from gpusim.launches import file
from gpusim.launches.profiling import profile
from gpusim.progress import ProgressLine

KEPT = pairs.FOLDER / f"{advice.GPU}_predicted.json"


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
        found = {name: round(profile(specs[name], advice.GPU, progress=progress, jobs=1).cycles) for name in names}
    KEPT.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    predict()
