"""Are programs that gpusim starts bounded, told apart by how they end, and never left behind?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpusim.children import Child, ChildError, guard, limited, run
from gpusim.cuda import nvrtc_child
from gpusim.errors import NotEnoughMemoryError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="guards are processes of a POSIX system")

PYTHON = sys.executable
SLEEPS_IN_A_CHILD = "sleep 1000 & echo $!; wait"


def is_alive(process: int) -> bool:
    """Whether a process runs; one that has ended and was waited for by nobody does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(process: int) -> bool:
    """Whether a process ends before long."""
    for _ in range(200):
        if not is_alive(process):
            return True
        time.sleep(0.05)
    return False


def test_what_it_writes_and_its_status_come_back():
    ended = run(["sh", "-c", "echo out; echo err >&2; exit 3"], seconds=60)
    assert ended == (3, b"out\n", b"err\n")


@pytest.mark.parametrize("which", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
def test_a_crash_is_named_by_its_signal(which):
    with pytest.raises(ChildError, match=rf"crashes \({which.name}\)"):
        run(["sh", "-c", f"kill -{which.value} $$"], seconds=60)


def test_what_cannot_be_started_is_said():
    with pytest.raises(ChildError, match=r"cannot be started: /no/such: No such file"):
        run(["/no/such"], seconds=60)


def test_a_limit_below_what_it_may_address_stays():
    asks = "from gpusim.children import run; print(run(['sh', '-c', 'ulimit -v'], seconds=60, memory=8 << 30).output)"
    ended = run(["sh", "-c", f'ulimit -v 4000000; exec {PYTHON} -c "{asks}"'], seconds=60)
    assert ended.output == b"b'4000000\\n'\n"


def test_too_little_memory_to_start_is_told_as_such(tmp_path):
    program = tmp_path / "large"
    program.write_text("#!/bin/sh\necho large: Cannot allocate memory >&2; exit 127\n")
    program.chmod(0o700)
    with pytest.raises(
        NotEnoughMemoryError, match="large cannot be started for lack of memory: large: Cannot allocate"
    ):
        run([str(program)], seconds=60)


def test_it_takes_no_more_time_than_it_may_nor_does_what_it_started(tmp_path):
    noted = tmp_path / "process"
    with pytest.raises(ChildError, match=r"does not end within 2 s"):
        run(["sh", "-c", f"sleep 1000 & echo $! > {noted}; wait"], seconds=2)
    assert ends(int(noted.read_text()))


def test_a_limit_from_outside_holds_where_it_is_less():
    with limited(1), pytest.raises(ChildError, match="within 1 s"):
        run(["sleep", "1000"], seconds=60)
    with limited(60), pytest.raises(ChildError, match="within 1 s"):
        run(["sleep", "1000"], seconds=1)


def test_it_takes_no_more_memory_than_it_may():
    ended = run([PYTHON, "-c", "bytes(1 << 31)"], seconds=60, memory=1 << 30)
    assert b"MemoryError" in ended.errors


def test_what_it_leaves_running_ends_with_it():
    ended = run(["sh", "-c", "sleep 1000 > /dev/null 2>&1 & echo $!"], seconds=60)
    assert ends(int(ended.output))


def test_leaving_it_ends_it():
    with Child(["sh", "-c", SLEEPS_IN_A_CHILD], stdout=subprocess.PIPE, text=True) as child:
        started = int(child.process.stdout.readline())
        assert is_alive(started)
    assert ends(started)


def test_it_dies_with_a_parent_that_is_killed():
    text = (
        "import subprocess; from gpusim.children import Child\n"
        f"with Child(['sh', '-c', {SLEEPS_IN_A_CHILD!r}], stdout=subprocess.PIPE, text=True) as child:\n"
        "    print(child.process.stdout.readline(), flush=True); child.process.wait()"
    )
    with subprocess.Popen([PYTHON, "-c", text], stdout=subprocess.PIPE, text=True) as parent:
        started = int(parent.stdout.readline())
        assert is_alive(started)
        parent.kill()
    assert ends(started)


@pytest.mark.parametrize("script", [guard.__file__, nvrtc_child.__file__])
def test_what_is_started_by_path_imports_next_to_nothing(script):
    text = (
        f"import sys; before = set(sys.modules); exec(open({script!r}).read(), {{'__name__': 'script'}}); "
        "print(*set(sys.modules) - before)"
    )
    told = subprocess.run([PYTHON, "-I", "-S", "-c", text], capture_output=True, text=True, check=True)
    heavy = {"numpy", "numba", "gpusim", "subprocess", "asyncio", "inspect", "json", "tempfile"}
    assert not heavy & set(told.stdout.split())
