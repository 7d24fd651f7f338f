"""Is a process on the device watched, and does a new one go on where one was lost?"""

import sys
import threading
import time
from dataclasses import replace
from functools import partial

import pytest

from gpusim.catalogue import lookup
from gpusim.launches.spec import DescribedLaunch
from gpusim.measure import counters, processes
from gpusim.measure.measurement_errors import MeasureError
from gpusim.measure.processes import each, start
from gpusim.measure.worker import Job

SPECS = tuple(DescribedLaunch(f"launch {n}", "copy", {"N": n}) for n in range(4))
JOB = Job(SPECS, True, 1, False, 0)

WORKER = """
import json, pickle, sys, time, os, signal
job = pickle.loads(open(sys.argv[1], "rb").read())
say = lambda **line: print(json.dumps(line), flush=True)
say(device={})
print("not for us")
for n, spec in enumerate(job.specs):
    say(at=n)
    say(begins=n)
    TROUBLE
    say(left=n)
    say(done=n, id=spec.id)
"""


@pytest.fixture
def worker(monkeypatch):
    """Puts a program in the place of the worker; what is given happens at each launch."""

    def put(trouble="pass"):
        monkeypatch.setattr(processes, "WORKER", (sys.executable, "-c", WORKER.replace("TROUBLE", trouble)))

    return put


def ids(found):
    return [found[n].get("id") or found[n]["error"] for n in sorted(found)]


def test_lines_come_as_the_worker_says_them(worker):
    worker()
    heard = []
    assert ids(each(JOB, start, heard.append)) == [spec.id for spec in SPECS]
    assert heard[0] == {"device": {}}
    assert [line["at"] for line in heard if "at" in line] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        ("os._exit(3)", "status 3"),
        ("raise SystemError('all broken')", "SystemError: all broken"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "killed: is there too little memory"),
        ("time.sleep(60)", "given up after 0.5 s on the device"),
    ],
)
def test_a_launch_that_takes_the_process_with_it_costs_itself_alone(worker, trouble, says):
    worker(
        f"spec.id == 'launch 1' and ({trouble})" if "raise" not in trouble else f"if spec.id == 'launch 1': {trouble}"
    )
    began = time.monotonic()
    found = ids(each(JOB, partial(start, limit=0.5)))
    assert says in found[1]
    assert [found[n] for n in (0, 2, 3)] == ["launch 0", "launch 2", "launch 3"]
    assert time.monotonic() - began < 30


def test_time_before_the_launch_has_the_gpu_does_not_count(worker, monkeypatch):
    worker()
    text = processes.WORKER[2].replace("say(at=n)", "say(at=n); time.sleep(1)")
    monkeypatch.setattr(processes, "WORKER", (sys.executable, "-c", text))
    found = each(replace(JOB, specs=SPECS[:1]), partial(start, limit=0.5))
    assert ids(found) == ["launch 0"]


def test_a_machine_that_cannot_measure_says_so_once(monkeypatch):
    text = 'print(\'{"impossible": "no NVIDIA driver"}\'); raise SystemExit(1)'
    monkeypatch.setattr(processes, "WORKER", (sys.executable, "-c", text))
    with pytest.raises(MeasureError, match="no NVIDIA driver"):
        each(JOB, start)


def test_a_process_without_a_word_is_an_error(monkeypatch):
    monkeypatch.setattr(processes, "WORKER", (sys.executable, "-c", "pass"))
    with pytest.raises(MeasureError, match="without a word"):
        each(JOB, start)


def test_what_was_started_ends_with_whoever_stops_listening(worker):
    worker("time.sleep(60)")
    lines = start(JOB)
    assert next(lines) == {"device": {}}
    began = time.monotonic()
    lines.close()
    assert time.monotonic() - began < 10


def test_who_stops_listening_while_more_is_said_hears_no_error(worker):
    worker("while True: say(at=n)")
    for _ in range(5):
        lines = start(JOB)
        assert next(lines) == {"device": {}}
        lines.close()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.name.startswith("lines of"):
            thread.join(10)
            assert not thread.is_alive()


# ---------------------------------------------------------------- under the profiler

NCU = """#!{python}
import subprocess, sys
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\\nVersion 2025.3.1.0 (build 1)")
    raise SystemExit
log = arguments[arguments.index("--log-file") + 1]
status = subprocess.call(arguments[arguments.index({python!r}):])
open(log, "w").write({text!r})
raise SystemExit(status)
"""
ROWS = '"ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum"\n"","","","","byte"\n'
ROW = '"{0}","copy","(256, 1, 1)","(1, 1, 1)","{0}"\n'


@pytest.fixture
def ncu(tmp_path, monkeypatch):
    """Puts a program in the place of Nsight Compute that runs what it is given and writes this."""

    def put(text):
        file = tmp_path / "ncu"
        file.write_text(NCU.format(python=sys.executable, text=text))
        file.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

    return put


def test_the_profilers_launches_are_those_of_the_job_in_their_order(worker, ncu):
    worker()
    ncu(ROWS + "".join(ROW.format(n) for n in range(8)))
    profiler = counters.Counted(("dram__bytes_read.sum",), 5.0)
    assert counters.version() == "Nsight Compute 2025.3.1"
    assert len(each(replace(JOB, timed=False, repeats=2), profiler)) == 4
    assert [launch.metrics["dram__bytes_read.sum"] for launch in profiler.launches] == list(range(8))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "NVreg_RestrictProfilingToAdminUsers=0"),
        (ROWS + ROW.format(0), "saw 1 launches, not 4"),
        ("==ERROR== Failed to find metric", "==ERROR== Failed to find metric"),
        ("", "not what ncu --csv prints"),
    ],
)
def test_what_keeps_the_profiler_from_counting_is_said(worker, ncu, text, says):
    worker()
    ncu(text)
    with pytest.raises(ValueError, match=says.replace("==", "==")):
        list(counters.Counted(("dram__bytes_read.sum",), 5.0)(JOB))


def test_there_may_be_no_profiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert counters.version() == ""


def test_the_metrics_are_those_that_gpusim_predicts():
    import gpusim

    predicted = gpusim.predict("copy", N=64, gpu="h200").metrics
    unknown = set(counters.METRICS) - set(predicted)
    assert unknown == {"gpc__cycles_elapsed.avg.per_second"}
    assert len(set(counters.METRICS)) == len(counters.METRICS)
    assert lookup.get("copy").name == "copy"
