"""Is what the package says of its errors in programs of the launches that were measured?"""

from __future__ import annotations

import json
from pathlib import Path

import gpusim
from calibration import programs

TABLE = json.loads((Path(gpusim.__file__).parent / "data" / "programs-h200.json").read_text())


def test_the_table_is_of_the_launches_that_were_measured() -> None:
    launches = programs.measured().launches
    assert TABLE["programs"] <= len({launch.launch["program"] for launch in launches}) <= TABLE["programs"] + 2
    assert len(launches) - 24 < TABLE["all"]["gpc__cycles_elapsed.max"]["n"] <= len(launches)


def test_requests_and_sectors_of_most_launches_are_identical() -> None:
    for metric, row in TABLE["all"].items():
        if metric.startswith(("l1tex__t_requests", "l1tex__t_sectors")) and "lookup" not in metric:
            assert row["identical"] >= 0.9 * row["n"], metric


def test_a_launch_is_identical_where_what_it_executes_and_asks_for_is() -> None:
    (launch, *_) = programs.measured().launches
    same = programs.Predicted({name: launch.value(name) for name in launch.metrics}, reaches_host=False)
    slower = same._replace(metrics={**same.metrics, "gpu__time_duration.sum": 1.0})
    more = same._replace(metrics={**same.metrics, "smsp__inst_executed.sum": 1.0})
    found = [programs.compared("a", [one], [launch]).launches[0] for one in (same, slower, more)]
    assert [programs.is_identical(one) for one in found] == [True, True, False]
