"""Do microbenchmarks, run again by ``gpusim measure``, come to what the tables say that calibration goes by?"""

from __future__ import annotations

import json
from hashlib import sha256

import numpy as np
import pytest

from calibration import bench, launch_files
from gpusim.launches import file

MEDIANS = {"launch_overhead": 0.02, "streams": 0.04}
"""By how much times of launches of a few microseconds differ from day to day; others read clocks, or count."""
REPEATS = 0.005


@pytest.mark.parametrize("name", launch_files.FILES)
def test_the_launch_files_tell_what_the_cases_launch(name):
    told = json.loads((bench.SOURCES / name).read_text())
    assert told == [launch for launch, _ in launch_files.launches(*launch_files.FILES[name])]


@pytest.mark.long
@pytest.mark.usefixtures("measured_compiler")
def test_what_was_measured_is_the_machine_code_of_today():
    for state in launch_files.SHIPPED:
        for launch, source in launch_files.launches(launch_files.MODULES, state):
            if source is not None:
                code = bench.module(source).kernel(launch["kernel"]).code.code
                assert launch_files.found(launch, state).machine_code == sha256(code).hexdigest(), launch["id"]


def test_launch_files_of_rewritten_code_come_with_it(tmp_path):
    name = "rewritten-clocked.json"
    launch_files.write(tmp_path / name, launch_files.launches(("shared_loads_among_ffmas",), "warm")[:3])
    specs = file.read(tmp_path / name)
    assert [spec.compile("sm_90").kernel(spec.kernel).name.name for spec in specs] == ["beside"] * 3


@pytest.mark.usefixtures("measured_compiler")
@pytest.mark.parametrize("name", launch_files.MODULES)
def test_the_command_measured_what_the_tables_say(name):
    apart = []
    for case in launch_files.cases((name,)):
        value = launch_files.on_silicon(case)
        apart.append(abs(value - case.measured) / max(abs(case.measured), case.floor))
    assert np.median(apart) <= MEDIANS.get(name, REPEATS)
