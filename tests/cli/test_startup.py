"""What it costs to start: a cold process, as a user's shell starts it."""

import subprocess
import sys
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

HEAVY = ("numpy", "numba", "sympy", "pandas", "networkx", "rich", "pydantic", "matplotlib")


def python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, timeout=60)


def imported(*arguments):
    """Modules that a run imports."""
    report = python("-X", "importtime", *arguments).stderr
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in report.splitlines()}


@pytest.mark.parametrize("arguments", [("-c", "import gpusim"), ("-m", "gpusim", "--help")])
def test_nothing_heavy_is_imported_to_start(arguments):
    assert not imported(*arguments) & set(HEAVY)


def test_help_comes_within_half_a_second():
    assert best_of_five("-m", "gpusim", "--help") <= 0.5


def test_import_takes_a_tenth_of_a_second():
    bare = best_of_five("-c", "pass")
    assert best_of_five("-c", "import gpusim") - bare <= 0.1


def best_of_five(*arguments):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        python(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.parametrize("command", ["predict", "profile", "formula", "kernels", "emit", "scenario", "gpus"])
def test_every_command_explains_itself(command):
    assert f"Usage: gpusim {command}" in python("-m", "gpusim", command, "--help").stdout


def test_version():
    assert python("-m", "gpusim", "--version").stdout == "gpusim 0.1.0\n"


def test_no_arguments_is_help():
    assert python("-m", "gpusim").stdout == python("-m", "gpusim", "--help").stdout


def test_a_reader_that_stops_early_is_no_error():
    run = subprocess.run(
        f"{sys.executable} -m gpusim --help | head -n 1", shell=True, capture_output=True, text=True, timeout=60
    )
    assert run.stdout.startswith("Usage: gpusim")
    assert run.stderr == ""


def test_only_the_command_line_s_own_package_is_imported_before_it_can_be_interrupted():
    code = "import sys; before = set(sys.modules); import gpusim.cli; print(*sorted(set(sys.modules) - before))"
    assert python("-c", code).stdout.split() == ["__future__", "gpusim", "gpusim.cli"]


INTERRUPTED_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
from gpusim.cli import main
left = int(sys.argv.pop(1))
def interrupt(event, arguments):
    global left
    left -= event == "import"
    if event == "import" and left == 0:
        os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(interrupt)
status = main(["--version"])
sys.exit(3 if left > 0 else status)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl-C there")
@settings(max_examples=8)
@example(1)
@given(st.integers(1, 60))
def test_ctrl_c_at_any_import_ends_quietly(nth):
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT, str(nth)], capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "gpusim: interrupted\n")
