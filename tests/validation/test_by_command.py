"""Do microbenchmarks, run again by ``gpusim measure``, come to what the tables say that calibration goes by?"""

from __future__ import annotations

import json
from hashlib import sha256

import numpy as np
import pytest

from gpusim.launches import file
from tests.marks import most_by_hand
from tests.validation import bench, by_command

MEDIANS = {"launches": 0.02, "streams": 0.04}
"""By how much times of launches of a few microseconds differ from day to day; others read clocks, or count."""
REPEATS = 0.005


@pytest.mark.parametrize("name", by_command.FILES)
def test_the_launch_files_tell_what_the_cases_launch(name):
    told = json.loads((bench.SOURCES / name).read_text())
    assert told == [launch for launch, _ in by_command.launches(*by_command.FILES[name])]


@pytest.mark.usefixtures("measured_compiler")
def test_what_was_measured_is_the_machine_code_of_today():
    for state in by_command.SHIPPED:
        for launch, source in by_command.launches(by_command.MODULES, state):
            if source is not None:
                code = bench.module(source).kernel(launch["kernel"]).code.code
                assert by_command.found(launch, state).machine_code == sha256(code).hexdigest(), launch["id"]


def test_launch_files_of_rewritten_code_come_with_it(tmp_path):
    name = "rewritten-clocked.json"
    by_command.write(tmp_path / name, by_command.launches(("beside",), "warm")[:3])
    specs = file.read(tmp_path / name)
    assert [spec.compile("sm_90").kernel(spec.kernel).name.name for spec in specs] == ["beside"] * 3


@pytest.mark.usefixtures("measured_compiler")
@pytest.mark.parametrize("name", most_by_hand(by_command.MODULES, set(by_command.MODULES) - {"requests"}))
def test_the_command_measured_what_the_tables_say(name):
    apart = []
    for case in by_command.cases((name,)):
        value = by_command.on_silicon(case)
        apart.append(abs(value - case.measured) / max(abs(case.measured), case.floor))
    assert np.median(apart) <= MEDIANS.get(name, REPEATS)
