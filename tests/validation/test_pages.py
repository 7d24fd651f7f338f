"""Do the pages of docs/calibration have every microbenchmark, each once, in pages that can be read?"""

from pathlib import Path

import pytest

from calibration import bench, calibrate, constants, launch_files, pages

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "calibration"
NAMES = {"index", "constants", "specification", *pages.UNITS}


@pytest.mark.long
def test_every_group_of_microbenchmarks_has_one_page():
    groups = [group for unit in pages.UNITS.values() for group in unit.groups]
    assert sorted(groups) == sorted({case.group for case in launch_files.cases(calibrate.FILES)})


def test_every_pattern_of_a_constant_is_of_a_group_that_is_there():
    groups = {group for unit in pages.UNITS.values() for group in unit.groups}
    assert {pattern.partition("/")[0] for patterns in constants.SHOWN_BY.values() for pattern in patterns} <= groups


def test_the_pages_are_those_that_are_written():
    assert {path.stem for path in FOLDER.glob("*.md")} == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_page_can_be_read_at_once(name):
    assert (FOLDER / f"{name}.md").stat().st_size < 45_000


def test_numbers_of_warps_stand_beside_one_another():
    rows = [
        bench.Row("g", "a, 1 warps", "cycle", 2, 2.5, 0.25),
        bench.Row("g", "a, 8 warps", "cycle", 4, 4, 0),
        bench.Row("g", "b, 8 warps", "cycle", 8, 6, -0.25),
    ]
    only, both = pages.residuals(rows)
    assert only == [("microbenchmark, in cycles", "8 warps: H200", "simulated", "residual"), ("b", "8", "6", "-25.0%")]
    assert both[1] == ("a", "2", "2.5", "+25.0%", "4", "4", "+0.0%")


def test_other_cases_have_a_row_each():
    ((head, row),) = pages.residuals([bench.Row("g", "a | b", "1", 0.5, 0.25, -0.25)])
    assert pages.markdown([head, row]).splitlines()[-1] == "| `a \\| b` | 1 | 0.5 | 0.25 | -25.0% |"


def test_a_group_without_a_page_is_named():
    with pytest.raises(KeyError, match="no page"):
        pages.place_of("what nobody placed")


def test_every_constant_stands_on_its_page_as_it_is_now():
    for name, text in calibrate.of_constants_now().items():
        assert (FOLDER / f"{name}.md").read_text() == text, "python -m calibration.calibrate --constants"


def test_what_a_page_says_of_the_cases_of_a_constant_is_kept():
    head = ("constant", "value", "unit", "kind", "meaning and source", "shown by", "residual")
    lines = [
        head,
        ("a.b", "1", "1", "measured", "x | y", "atomics/red_*", "5.9%"),
        ("c", "2", "1", "fitted", "", "–", "–"),
    ]
    page = pages.of_constants("t", lines)
    assert "These are 2 constants." in page
    assert [pages.shown_before(page, name) for name in ("a.b", "c", "d")] == [
        ("atomics/red_*", "5.9%"), ("–", "–"), ("–", "–")
    ]  # fmt: skip
