import io
import time

from rich.console import Console

from gpusim.report.progress import ProgressLine


def console(terminal=False):
    return Console(file=io.StringIO(), force_terminal=terminal, width=80)


def test_short_work_shows_nothing():
    quiet = console()
    with ProgressLine(quiet, patience=60) as progress:
        progress(1, 2, "counting")
    assert quiet.file.getvalue() == ""


def test_long_work_says_each_stage_once():
    log = console()
    with ProgressLine(log, patience=0) as progress:
        wait_until(lambda: log.file.getvalue())
        for text in ("tracing", "counting", "counting", "scaling"):
            progress(1, 4, text)
    assert log.file.getvalue().split("\n")[1:] == [
        "gpusim: tracing ...",
        "gpusim: counting ...",
        "gpusim: scaling ...",
        "",
    ]


def test_work_that_never_reports_is_shown_all_the_same():
    log = console()
    with ProgressLine(log, patience=0):
        wait_until(lambda: log.file.getvalue())
    assert log.file.getvalue() == "gpusim: working ...\n"


def test_a_terminal_gets_a_bar_that_vanishes():
    screen = console(terminal=True)
    with ProgressLine(screen, patience=0) as progress:
        wait_until(lambda: progress._bar is not None)
        progress(1, 2, "counting")
        wait_until(lambda: "counting" in screen.file.getvalue())
    assert screen.file.getvalue().endswith("\x1b[2K")


def wait_until(true, seconds=10):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
