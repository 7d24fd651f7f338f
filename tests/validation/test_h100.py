"""Do the page and the package say of an H100 what the kept predictions come to?"""

from __future__ import annotations

import json
from pathlib import Path

from calibration import bench, h100
from calibration.described import MEASURED
from gpusim.launches import file
from gpusim.results.metric import CYCLES
from gpusim.simulate.known_errors import known_errors


def test_the_page_and_the_errors_are_of_the_predictions_that_are_kept() -> None:
    assert h100.PAGE.read_text() == "\n".join(h100.page())
    assert h100.PACKAGE.read_text() == bench.as_json(h100.errors()) + "\n"


def test_every_launch_was_predicted() -> None:
    launches = {launch.id for launch in h100.measured().launches}
    assert {one.launch.id for one in h100.compared()} == launches
    assert {one.launch.id for one in h100.described()} == set(MEASURED)


def test_counts_are_an_h100s_but_where_part_of_unequal_blocks_is_run() -> None:
    assert [one.launch.id for one in h100.compared() if not one.is_identical()] == ["triangle_thread_512x48"]


def test_sources_come_with_the_package() -> None:
    specs = file.launches([launch.launch for launch in h100.measured().launches], h100.FOLDER, "h100-sxm")
    assert len(specs) == len(h100.measured().launches)
    assert {Path(launch.launch["source"]).parent.name for launch in h100.measured().launches} == {"sources"}


def test_predictions_for_an_h100_have_its_errors() -> None:
    kept = json.loads(h100.PACKAGE.read_text())
    for way in ("machine_code", "description"):
        found = known_errors("h100-sxm", way)[CYCLES]
        assert found.error == kept[way][CYCLES]["median"]
        assert "on h100-sxm" in found.among
