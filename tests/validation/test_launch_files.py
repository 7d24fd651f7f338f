"""Do microbenchmarks, run again by ``gpusim measure``, come to what the tables say that calibration goes by?"""

from __future__ import annotations

import json
from hashlib import sha256

import numpy as np
import pytest

from calibration import bench, launch_files
from gpusim.launches import file
from gpusim.measured import measurement
from gpusim.measured.measurement import Device, MeasuredLaunch, Measurement

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


@pytest.mark.long
@pytest.mark.usefixtures("measured_compiler")
def test_what_gpus_answered_is_the_machine_code_of_today():
    for (_, state), path in launch_files.ANSWERS.items():
        answered = {launch.id: launch for launch in measurement.read(path).launches} if path.exists() else {}
        for launch, source in launch_files.launches(launch_files.QUESTIONS, state):
            if launch["id"] in answered:
                code = bench.module(source).kernel(launch["kernel"]).code.code
                assert answered[launch["id"]].machine_code == sha256(code).hexdigest(), launch["id"]


def test_launch_files_of_rewritten_code_come_with_it(tmp_path):
    name = "rewritten-clocked.json"
    launch_files.write(tmp_path / name, launch_files.launches(("shared_loads_among_ffmas",), "warm")[:3])
    specs = file.read(tmp_path / name)
    assert [spec.compile("sm_90").kernel(spec.kernel).name.name for spec in specs] == ["beside"] * 3


def test_what_a_gpu_answered_becomes_a_case(tmp_path, monkeypatch):
    gpu, state = "h100-sxm", "cold"
    kept = tmp_path / "kept.json"
    monkeypatch.setattr(launch_files, "ANSWERS", {(gpu, state): kept, (gpu, "warm"): tmp_path / "none.json"})
    asked = [told.launch for told in launch_files.launches(("mbarriers",)) if told.launch["kernel"] == "turns"]
    answers = [
        MeasuredLaunch(launch["id"], launch, "turns", outputs={"out": [100, 200 + 144 * rounds] * 2}, seconds=[1e-6])
        for launch in asked
        for rounds in [launch["args"][0]["int32"]]
    ]
    device = Device("NVIDIA H100 80GB HBM3", gpu, "sm_90", 132, "580", "13.0")
    launch_files.take_in([Measurement(device, "2026-11-28", state, "NVRTC 13.0", "", 1e-6, answers)])
    assert [launch.id for launch in measurement.read(kept).launches] == [launch["id"] for launch in asked]
    (case,) = launch_files.cases(("mbarriers",))
    assert (case.group, case.name, case.measured) == ("mbarriers, h100-sxm", "turns, 2 warps", 72)


@pytest.mark.usefixtures("measured_compiler")
@pytest.mark.parametrize("name", launch_files.MODULES)
def test_the_command_measured_what_the_tables_say(name):
    apart = []
    for case in launch_files.cases((name,)):
        value = launch_files.on_silicon(case)
        apart.append(abs(value - case.measured) / max(abs(case.measured), case.floor))
    assert np.median(apart) <= MEDIANS.get(name, REPEATS)
