import io
import re
import time

import pytest
from rich.console import Console

from gpusim.progress import QUIET, Pieces, ProgressLine, compiling


def console(terminal=False, width=80):
    return Console(file=io.StringIO(), force_terminal=terminal, width=width)


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


class Compiling:
    """The engine, half of which is compiled."""

    text, share, seconds_left = "compiling the engine, once", 0.5, 38.0


def test_compilation_says_how_far_it_is_every_few_seconds():
    log = console()
    with ProgressLine(log, patience=0, between=0.5) as progress, progress.compiling(Compiling()):
        wait_until(lambda: log.file.getvalue().count("\n") >= 3)
    assert set(log.file.getvalue().splitlines()[1:]) == {
        "gpusim: compiling the engine, once: 50 % done, about 40 s left ..."
    }


def test_what_is_done_beside_does_not_hide_compilation():
    log = console()
    with ProgressLine(log, patience=0) as progress, progress.compiling(Compiling()):
        wait_until(lambda: "compiling" in log.file.getvalue())
        progress(1, 4, "counting")
    assert "counting" not in log.file.getvalue()


@pytest.mark.parametrize("width", [60, 80])
def test_a_terminal_shows_the_time_that_is_left(width):
    screen = console(terminal=True, width=width)
    with ProgressLine(screen, patience=0) as progress, progress.compiling(Compiling()):
        wait_until(lambda: "50%" in screen.file.getvalue())
        line = screen.file.getvalue().rpartition("\r")[2]
    assert "compiling the engine, once" in line
    assert "about 40 s left" in line


@pytest.mark.parametrize("width", [60, 80])
def test_however_long_its_name_the_share_and_the_seconds_are_whole(width):
    screen = console(terminal=True, width=width)
    with ProgressLine(screen, patience=0) as progress:
        progress(29, 100, "3 of 12: flash-attention-2-backward-causal-f16 B=16 H=16 N=1024 d=128: counting")
        wait_until(lambda: "29%" in screen.file.getvalue())
        line = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.file.getvalue()).rpartition("\r")[2].strip()
    assert re.search(r"3 of 12: flash-att.*… .* 29% \d:\d\d:\d\d$", line)
    assert len(line) <= width


def test_compilation_is_shown_where_progress_is_shown_already():
    log = console()
    with ProgressLine(log, patience=0), compiling(Compiling()):
        wait_until(lambda: "compiling" in log.file.getvalue())


def test_compilation_is_shown_where_nothing_else_is(capsys):
    with compiling(Compiling()):
        assert ProgressLine.current is not None
    assert ProgressLine.current is None
    assert capsys.readouterr().err == ""  # for it took no two seconds


def test_whoever_wants_quiet_has_it(monkeypatch):
    monkeypatch.setenv("GPUSIM_QUIET", "1")
    log = console()
    with ProgressLine(log, patience=0) as progress, progress.compiling(Compiling()):
        progress(1, 4, "counting")
        time.sleep(0.3)
    assert log.file.getvalue() == ""


def wait_until(true, seconds=10):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


class Clock:
    """Tells the time that it is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_pieces_of_work_are_told_of_every_ten_seconds(monkeypatch):
    monkeypatch.delenv(QUIET, raising=False)
    log, clock = console(), Clock()
    pieces = Pieces("launches", log, clock)
    for seconds in (1, 4, 4, 4, 4, 4):
        with pieces():
            clock.now += seconds
    assert log.file.getvalue().splitlines() == ["gpusim: 13 s of launches ..."]
    clock.now += 5  # the program does something else
    with pieces():
        clock.now += 9
    assert len(log.file.getvalue().splitlines()) == 1


def test_a_piece_is_shown_sooner_after_others(monkeypatch):
    monkeypatch.delenv(QUIET, raising=False)
    log, clock = console(), Clock()
    pieces = Pieces("launches", log, clock)
    with pieces():
        clock.now += 5
    with pieces() as progress:
        progress(1, 2, "executing")
        wait_until(lambda: log.file.getvalue())
    assert log.file.getvalue().splitlines() == ["gpusim: executing ..."]
