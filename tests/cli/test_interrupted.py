"""Is Ctrl-C heard wherever it comes?"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl-C there")
ROOT = Path(__file__).resolve().parents[2]

CALLED_BACK = """
import ctypes, os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
from gpusim.cli import app, main

@ctypes.CFUNCTYPE(None)
def called_back():
    os.kill(os.getpid(), signal.SIGINT)

def command(arguments):
    called_back()
    for _ in range(1000):
        time.sleep(0.01)
    return 0

app._run_command = command
sys.exit(main(["gpus"]))
"""

IMPORTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from gpusim.cli import app, main

def command(arguments):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("numpy._core.umath failed to import") from None

app._run_command = command
sys.exit(main(["gpus"]))
"""


TOLD_TO_END = """
import os, signal, sys
from gpusim.cli import app, main

def command(arguments):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        print("left nothing behind", file=sys.stderr)

app._run_command = command
sys.exit(main(["gpus"]))
"""


@pytest.mark.parametrize("code", [CALLED_BACK, IMPORTED], ids=["in what a library calls back", "as numpy is imported"])
def test_it_ends_a_command(code):
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (130, "gpusim: interrupted\n")


def test_a_command_that_is_told_to_end_leaves_nothing_behind():
    run = subprocess.run([sys.executable, "-c", TOLD_TO_END], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (143, "left nothing behind\ngpusim: terminated\n")


TWICE = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from gpusim.cli import app, main

def command(arguments):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        time.sleep(0.005)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.005)
        print("ended what was begun", file=sys.stderr)

app._run_command = command
sys.exit(main(["gpus"]))
"""


def test_a_second_ctrl_c_at_once_does_not_interrupt_the_end():
    ended = subprocess.run([sys.executable, "-c", TWICE], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 130
    assert ended.stderr == "ended what was begun\ngpusim: interrupted\n"
