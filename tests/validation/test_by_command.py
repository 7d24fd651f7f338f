"""Do microbenchmarks, run again by ``gpusim measure``, come to what the tables say that calibration goes by?"""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.validation import bench, by_command
from tests.validation.exact import other_compiler

MEDIANS = {"launches": 0.02, "streams": 0.04}
"""By how much times of launches of a few microseconds differ from day to day; others read clocks, or count."""
REPEATS = 0.005
NOT_TOLD = {"tensor": 6}
"""Cases whose fragments are pairs of halves for a kernel that takes integers."""


@pytest.mark.parametrize(("modules", "name"), by_command.FILES.items(), ids=by_command.FILES.values())
def test_the_launch_files_tell_what_the_cases_launch(modules, name):
    told = json.loads((bench.SOURCES / name).read_text())
    assert told == by_command.launches(modules)


@pytest.mark.skipif(bool(other_compiler()), reason=other_compiler())
@pytest.mark.parametrize("name", by_command.MODULES)
def test_the_command_measured_what_the_tables_say(name):
    apart, missing = [], 0
    for case in by_command.cases((name,)):
        try:
            value = by_command.on_silicon(case)
        except by_command.Unknown:
            missing += 1
        else:
            apart.append(abs(value - case.measured) / max(abs(case.measured), case.floor))
    assert missing == NOT_TOLD.get(name, 0)
    assert np.median(apart) <= MEDIANS.get(name, REPEATS)
