"""Launches that an H100 counted, beside what is predicted for it.

``python -m calibration.h100`` writes the errors that the package says of an H100, and the page of them, from the
predictions that are kept; with ``--predict`` it predicts them anew.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import cache

from calibration import bench, handwritten, shipped, strangers
from calibration.described import MEASURED
from calibration.strangers import Compared
from gpusim.measured.comparison import Row
from gpusim.measured.measurement import Measurement

GPU = "h100-sxm"
FOLDER = shipped.PLAN.parent
"""Where the launches' sources are."""
BY_CODE, BY_DESCRIPTION = (bench.DATA / f"h100_{way}.csv" for way in ("predicted", "described"))
PACKAGE, PAGE = (strangers.ROOT / path for path in (f"gpusim/data/validation-{GPU}.json", "docs/h100.md"))
OTHERS = "cases.cu"
HANDWRITTEN, OTHER_KINDS = "hand-written", "of other kinds"
DESCRIBED = "hand-written, by description"


@cache
def measured() -> Measurement:
    """What was measured."""
    return shipped.measured(GPU)


@cache
def compared() -> list[Compared]:
    """Every launch beside what was predicted of it by machine code."""
    found = measured()
    kind = {one.id: OTHER_KINDS if one.launch["source"].endswith(OTHERS) else HANDWRITTEN for one in found.launches}
    return strangers.beside(found, BY_CODE, kind)


@cache
def described() -> list[Compared]:
    """The hand-written launches beside what was predicted of kernels that are described and do the same."""
    return strangers.beside(measured(), BY_DESCRIPTION, dict.fromkeys(MEASURED, DESCRIBED))


def predict(jobs: int | None) -> None:
    """Predict every launch in both ways, and keep what is compared."""
    strangers.predict(measured(), FOLDER, BY_CODE, jobs)
    found = {launch: handwritten.values(handwritten.predict(launch, GPU)) for launch in MEASURED}
    strangers.keep(measured(), found, BY_DESCRIPTION)


def judged(found: Sequence[Compared]) -> list[Row]:
    """Every metric of launches that was measured."""
    return shipped.compared({one.launch.id: one.predicted for one in found}, [one.launch for one in found])


def errors() -> dict[str, object]:
    """What the package says of its own errors on an H100."""
    device = measured().device
    said = f"{device.name}, driver {device.driver}, {measured().profiler}, caches flushed, {measured().date}"
    ways = {"machine_code": compared(), "description": described()}
    return {
        "gpu": GPU, "device": said, "launches": len(measured().launches),
        **{way: shipped.errors(judged(found)) for way, found in ways.items()},
    }  # fmt: skip


def summary() -> list[str]:
    """The table by kind and way."""
    found = [*compared(), *described()]
    parts = {kind: [one for one in found if one.group == kind] for kind in (HANDWRITTEN, OTHER_KINDS, DESCRIBED)}
    return [*strangers.head("launches on an H100"), *(strangers.row(kind, part) for kind, part in parts.items())]


def page() -> Iterator[str]:
    """Lines of docs/h100.md."""
    yield from (bench.NOTES / "h100.md").read_text().rstrip().splitlines()
    yield from ("", *summary(), "", "The furthest off in cycles:", "", *strangers.worst(compared()), "")


def main() -> None:
    """Predict if that is asked for; write the errors and the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--predict", action="store_true", help="predict the launches anew (a quarter of an hour)")
    parser.add_argument("--jobs", type=int, help="processors [default: all]")
    given = parser.parse_args()
    if given.predict:
        predict(given.jobs)
    PACKAGE.write_text(bench.as_json(errors()) + "\n")
    PAGE.write_text("\n".join(page()))


if __name__ == "__main__":
    main()
