"""Do the README and docs/trust.md say of errors what the tables of today come to?"""

from __future__ import annotations

from pathlib import Path

from calibration import h100, shipped, strangers, unchanged
from calibration.shipped import HBM, L2
from gpusim.measured.comparison import Row, Summary, summarise
from gpusim.measured.measurement import is_held_out
from gpusim.results.metric import CYCLES

ROOT = Path(__file__).parents[2]
README, TRUST = (" ".join((ROOT / name).read_text(encoding="utf-8").split()) for name in ("README.md", "docs/trust.md"))


def summed(found: list[Row]) -> dict[str, Summary]:
    """Errors by metric."""
    return {one.metric: one for one in summarise(found)}


def by_machine_code() -> list[str]:
    found = shipped.compared(unchanged.of("machine_code"))
    of, held = summed(found), summed([row for row in found if is_held_out(row.launch)])
    return [
        (
            f"Cycles are {of[CYCLES].median:.1%} off in the median, {of[CYCLES].mean:.1%} on average, "
            f"{of[CYCLES].max:.0%} at most"
        ),
        f"HBM reads are the same to the byte in half of them, and {of[HBM].mean:.1%} off on average",
        f"L2 reads are the same in {of[L2].identical / of[L2].launches:.0%}, and {of[L2].mean:.1%} off on average",
        (
            f"{held[CYCLES].launches} of them are held out from any calibration. Their cycles are "
            f"{held[CYCLES].median:.1%} off in the median"
        ),
    ]


def by_description() -> list[str]:
    of = summed(shipped.compared(unchanged.of("description")))
    return [f"cycles are {of[CYCLES].median:.1%} off in the median (attention"]


def of_strangers() -> list[str]:
    found = strangers.compared("strangers")
    of = summed([row for one in found for row in one.rows()])[CYCLES]
    same = sum(one.is_identical() for one in found)
    return [f"are identical in {same} of them. Cycles are {of.median:.1%} off in the median, {of.mean:.1%} on average"]


def on_an_h100() -> list[str]:
    of = summed([row for one in h100.compared() for row in one.rows()])[CYCLES]
    return [f"Cycles are {of.median:.1%} off in the median, and within {of.p90:.0%} in nine of ten"]


def in_the_readme() -> list[str]:
    """What is left of it in the four lines of the README."""
    of = summed([row for one in strangers.compared("strangers") for row in one.rows()])[CYCLES]
    there = summed([row for one in h100.compared() for row in one.rows()])[CYCLES]
    return [
        *of_strangers(),
        f"on average, and within {of.p90:.0%} in nine of ten",
        *by_description(),
        f"On an H100 cycles are {there.median:.1%} off in the median",
    ]


def test_its_figures_are_those_of_the_tables() -> None:
    told = [*by_machine_code(), *by_description(), *of_strangers(), *on_an_h100()]
    assert [sentence for sentence in told if sentence.replace("%", " %") not in TRUST] == []


def test_the_four_lines_of_the_readme_are_too() -> None:
    lines = README.replace(". - Cycles", ". Cycles")  # an item each
    assert [sentence for sentence in in_the_readme() if sentence.replace("%", " %") not in lines] == []
