"""Is what was measured kept when measuring is stopped, and does the next one go on there?"""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpusim.catalogue import lookup
from gpusim.cli import main
from gpusim.launches.spec import DescribedLaunch
from gpusim.measure import MeasureError, Request, counters, measure, session
from gpusim.measure.worker import work
from gpusim.measured import measurement, nsight
from tests.measure.standin import H200, StandIn, starting

pytestmark = pytest.mark.usefixtures("compiler")

ROOT = Path(__file__).resolve().parents[2]
SIZES = (64, 100, 128, 200)
SPECS = tuple(DescribedLaunch.of(lookup.get("copy"), {"N": n}) for n in SIZES)
METRIC = "dram__bytes_read.sum"
COMMAND = ["measure", "copy", "--N", ",".join(map(str, SIZES)), "--repeats", "2", "--runs", "0"]


class Stopped(StandIn):
    """An H200 on which Ctrl-C comes when it is to time a launch of so many elements."""

    def __init__(self, at=None, how=KeyboardInterrupt, **given):
        super().__init__(**given)
        self.timed, self._at, self._how = [], at, how

    def launch(self, kernel, grid, block, shared, arguments):
        n = len(arguments[0]) if arguments and hasattr(arguments[0], "__len__") else None
        if n is not None and n not in self.timed:
            if n == self._at:
                raise self._how
            self.timed.append(n)
        super().launch(kernel, grid, block, shared, arguments)


@pytest.fixture
def gpu(monkeypatch):
    """Puts a stand-in in the place of the GPU, with no profiler."""
    monkeypatch.setattr(counters, "version", lambda: "")

    def put(runtime):
        monkeypatch.setattr(session, "start", lambda job, limit: _live(job, runtime))
        return runtime

    return put


def _live(job, runtime):
    """Lines as they are said: what was said before a launch that is stopped is heard."""
    for number in range(len(job.specs)):
        lines = []
        work(replace(job, specs=job.specs[number : number + 1]), runtime, lines.append)
        yield from ({**line, **{key: number for key in ("at", "done") if key in line}} for line in lines)


def sizes(file):
    return [launch.launch["params"]["N"] for launch in measurement.read(file).launches]


@pytest.mark.parametrize(("clock", "again"), [(None, False), (1.98e9, False), (1.41e9, True)])
def test_what_ran_at_another_clock_is_measured_again(clock, again):
    before = measure(Request(SPECS, repeats=2, runs=0), time=starting(StandIn()))
    runtime = Stopped()
    measure(Request(SPECS, repeats=2, runs=0, before=before, clock=clock), time=starting(runtime))
    assert runtime.timed == list(SIZES) * again


@pytest.mark.parametrize("stop", SIZES)
def test_ctrl_c_leaves_what_was_measured_and_the_same_command_goes_on(gpu, capsys, tmp_path, stop):
    file = tmp_path / "m.json"
    before = [n for n in SIZES if n < stop]
    gpu(Stopped(stop))
    assert main([*COMMAND, "--json", str(file)]) == 130
    assert list(tmp_path.iterdir()) == ([file] if before else [])
    assert not before or sizes(file) == before
    capsys.readouterr()

    rest = gpu(Stopped())
    assert main([*COMMAND, "--json", str(file)]) == 0
    assert rest.timed == [n for n in SIZES if n >= stop]
    assert sizes(file) == list(SIZES)
    said = f"{len(before)} of 4 launches are as they were measured before (--fresh measures anew)"
    assert (said in capsys.readouterr().err) == bool(before)


def test_what_is_all_there_needs_no_gpu_and_fresh_measures_it_anew(gpu, capsys, tmp_path, monkeypatch):
    file = tmp_path / "m.json"
    gpu(Stopped())
    assert main([*COMMAND, "--json", str(file)]) == 0
    first = measurement.read(file)
    monkeypatch.setattr(session, "start", None)
    capsys.readouterr()
    assert main([*COMMAND, "--json", str(file)]) == 0
    assert "4 of 4 launches are as they were" in capsys.readouterr().err
    assert measurement.read(file) == first
    again = gpu(Stopped())
    assert main([*COMMAND, "--json", str(file), "--fresh"]) == 0
    assert again.timed == list(SIZES)


KILLED = """
import os, signal, sys
from gpusim.cli import main
from gpusim.measure import counters, session
from tests.measure.test_resume import COMMAND, Stopped, _live

class Killed(BaseException):
    def __init__(self):
        os.kill(os.getpid(), signal.SIGKILL)

runtime = Stopped(int(sys.argv[2]) or None, Killed)
counters.version = lambda: ""
session.start = lambda job, limit: _live(job, runtime)
status = main([*COMMAND, "--json", sys.argv[1]])
print(runtime.timed)
raise SystemExit(status)
"""


def test_a_process_that_is_killed_leaves_a_whole_file(tmp_path):
    file = tmp_path / "m.json"

    def child(stop):
        return subprocess.run(
            [sys.executable, "-c", KILLED, str(file), str(stop)], cwd=ROOT, capture_output=True, text=True, timeout=300,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    assert child(128).returncode == -signal.SIGKILL
    assert sizes(file) == [64, 100]
    ended = child(0)
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "[128, 200]"), ended.stderr
    assert sizes(file) == list(SIZES)
    assert list(tmp_path.iterdir()) == [file]


SOURCE = "__global__ void scale(float* x) { x[threadIdx.x] *= FACTOR; }\n"


def test_a_launch_that_changed_is_measured_again(gpu, tmp_path):
    (tmp_path / "scale.cu").write_text(SOURCE)
    file, listed = tmp_path / "m.json", tmp_path / "launches.json"

    def measured(*entries):
        entries = [
            {"id": name, "source": "scale.cu", "options": [f"-DFACTOR={factor}"], "grid": [1], "block": [n],
             "args": [{"buffer": "float32", "count": n}]}
            for name, factor, n in entries
        ]  # fmt: skip
        listed.write_text(json.dumps(entries))
        runtime = gpu(Stopped())
        assert main(["measure", "--launches", str(listed), "--repeats", "2", "--runs", "0", "--json", str(file)]) == 0
        return runtime.timed

    assert measured(("a", 2, 32), ("b", 2, 64)) == [32, 64]
    assert measured(("a", 2, 32), ("b", 2, 64), ("c", 2, 96)) == [96]
    assert measured(("a", 3, 32), ("b", 2, 64), ("c", 2, 97)) == [32, 97]  # other machine code, other arguments
    (tmp_path / "scale.cu").write_text(SOURCE.replace("*=", "+="))
    assert measured(("b", 2, 64)) == [64]
    assert [launch.id for launch in measurement.read(file).launches] == ["b", "a", "c"]  # the others stay
    (tmp_path / "scale.cu").write_text(f"// a comment\n{SOURCE.replace('*=', '+=')}")
    assert measured(("b", 2, 64)) == []


def test_a_launch_that_failed_is_tried_again(gpu, tmp_path, monkeypatch):
    file = tmp_path / "m.json"
    monkeypatch.setattr(counters, "version", lambda: "")
    monkeypatch.setattr(session, "start", lambda job, limit: starting(StandIn(breaks_at="copy_words"))(job))
    assert main([*COMMAND, "--json", str(file)]) == 2
    assert all(launch.error for launch in measurement.read(file).launches)
    assert gpu(Stopped()).timed == []
    assert main([*COMMAND, "--json", str(file)]) == 0
    assert not any(launch.error for launch in measurement.read(file).launches)


@pytest.mark.parametrize(
    ("more", "here", "says"),
    [
        (
            ["--cache", "warm"],
            H200,
            "measured before with cold caches, not warm: name another file, or measure all of it anew",
        ),
        (
            ["--N", "7"],
            replace(H200, driver="590.1"),
            "measured before on an NVIDIA H200 (driver 580.159",
        ),
        (["--gpu", "a100-40gb"], H200, "the GPU here is an NVIDIA H200 (h200), not a100-40gb"),
    ],
)
def test_what_does_not_belong_together_is_refused_and_the_file_is_left(gpu, capsys, tmp_path, more, here, says):
    file = tmp_path / "m.json"
    gpu(Stopped())
    assert main([*COMMAND, "--json", str(file)]) == 0
    before = file.read_bytes()
    gpu(Stopped(device=here))
    capsys.readouterr()
    assert main([*COMMAND, *more, "--json", str(file)]) == 2
    assert says in capsys.readouterr().err
    assert file.read_bytes() == before


def test_a_file_that_is_no_measurement_is_not_written_over(gpu, capsys, tmp_path):
    file = tmp_path / "m.json"
    file.write_text('{"mine": 1}')
    gpu(Stopped())
    assert main([*COMMAND, "--json", str(file)]) == 2
    assert (
        "m.json: not a measurement: gpusim measure --json writes one: name another file, or write over it with --fr"
        in (capsys.readouterr().err)
    )
    assert file.read_text() == '{"mine": 1}'
    assert main([*COMMAND, "--json", str(file), "--fresh"]) == 0
    assert sizes(file) == list(SIZES)


# ---------------------------------------------------------------- counters


class Counting:
    """A profiler that reads the number of elements, and is stopped when it is started once more than that."""

    def __init__(self, stopped_at=None):
        self.launches, self.asked, self._stopped_at = [], [], stopped_at

    def __call__(self, job):
        if len(self.asked) == self._stopped_at:
            raise KeyboardInterrupt
        self.asked.append([spec.params["N"] for spec in job.specs])
        for number, spec in enumerate(job.specs):
            read = nsight.Launched("copy", spec.grid, spec.block, {METRIC: float(spec.params["N"])}, {METRIC: "byte"})
            self.launches += [read] * job.repeats
            yield {"at": number}
            yield {"done": number}


def counted(before=None, stopped_at=None, runs=2, kept=None):
    request = Request(SPECS, repeats=2, runs=runs, metrics=(METRIC,), before=before)
    runtime, profiler = Stopped(), Counting(stopped_at)
    found = measure(request, time=starting(runtime), count=profiler, keep=(kept if kept is not None else []).append)
    return found, runtime.timed, profiler.asked


def test_counters_are_kept_some_launches_at_a_time_and_the_rest_is_counted_later(monkeypatch):
    monkeypatch.setattr(session, "TOGETHER", 3)
    kept = []
    with pytest.raises(KeyboardInterrupt):
        counted(stopped_at=1, kept=kept)
    assert [len(each.launches) for each in kept] == [1, 2, 3, 4, 4]
    stopped = measurement.parse(kept[-1].to_text(), "m.json")
    assert [launch.runs for launch in stopped.launches] == [2, 2, 2, 0]
    found, timed, asked = counted(stopped)
    assert (timed, asked) == ([], [[200]])
    assert [launch.value(METRIC) for launch in found.launches] == list(SIZES)


def test_as_many_runs_are_kept_and_another_number_is_counted_anew(monkeypatch):
    first, *_ = counted()
    before = measurement.parse(first.to_text(), "m.json")
    assert counted(before)[1:] == ([], [])
    assert counted(before, runs=0)[0].launches == before.launches
    found, timed, asked = counted(before, runs=3)
    assert (timed, asked) == ([], [list(SIZES)])
    assert {launch.runs for launch in found.launches} == {3}


def test_counters_stay_where_the_profiler_fails(monkeypatch):
    before = measurement.parse(counted()[0].to_text(), "m.json")

    def refused(job):
        raise MeasureError("not permitted")
        yield

    request = Request(SPECS, repeats=2, runs=3, metrics=(METRIC,), before=before)
    told = []
    refused.launches = []
    found = measure(request, time=starting(StandIn()), count=refused, warn=told.append)
    assert found.launches == before.launches
    assert told[-1] == "no counters: not permitted"
