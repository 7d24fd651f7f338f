"""Are strangers' kernels compared as they were measured, and do the pages say what came out?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from calibration import kinds, strangers

DOCS = Path(strangers.__file__).parents[1] / "docs"


def test_the_page_is_of_the_predictions_that_are_kept() -> None:
    assert (DOCS / "strangers.md").read_text() == "\n".join(strangers.page())


def test_the_page_of_errors_begins_with_them() -> None:
    assert "\n".join(strangers.lead()) in (DOCS / "validation.md").read_text()


@pytest.mark.parametrize("of", strangers.SETS)
def test_nearly_all_that_was_measured_was_predicted(of: str) -> None:
    launches = strangers.measured(of).launches
    assert len({launch.id for launch in launches}) == len(launches)
    assert len(strangers.compared(of)) >= 0.98 * len(launches)
    assert {launch.id for launch in launches} <= strangers.groups(of).keys()


def test_of_each_kernel_it_is_said_where_it_is() -> None:
    sources = json.loads((strangers.SETS["strangers"] / "sources.json").read_text())
    assert {launch.launch["source"] for launch in strangers.measured("strangers").launches} == sources.keys()
    assert len({source["repository"] for source in sources.values()}) >= 15
    for source in sources.values():
        assert re.fullmatch("[0-9a-f]{40}", source["commit"])
        assert re.fullmatch("[0-9a-f]{64}", source["sha256"])


def test_the_launch_file_is_what_the_kinds_say() -> None:
    told = json.loads((kinds.FOLDER / "launches.json").read_text())
    assert told == [launch for of in kinds.KINDS.values() for launch in of()]


def test_a_launch_is_identical_where_its_counts_are() -> None:
    (launch, *_) = strangers.measured("kinds").launches
    same = {metric: launch.value(metric) for metric in launch.metrics}
    for metric, of in (("smsp__inst_executed.sum", False), ("gpc__cycles_elapsed.max", True)):
        other = strangers.Compared("a", launch, {**same, metric: 2 * same[metric]})
        assert other.is_identical() is of
        assert other.error(metric) == pytest.approx(1)
