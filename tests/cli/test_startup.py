"""What it costs to start: a cold process, as a user's shell starts it."""

import subprocess
import sys
import time

import pytest

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
