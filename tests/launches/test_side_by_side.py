"""Calls in several processes, one of which is killed."""

import os
import signal
import sys

import pytest

from gpusim.launches.side_by_side import side_by_side


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed otherwise there")
def test_what_is_left_goes_on_in_fewer_processes_where_one_is_killed(tmp_path, capsys):
    mark = tmp_path / "killed"

    def squared(number):
        if number == 2 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number

    found = dict(side_by_side(squared, [{"number": number} for number in range(6)], 3))
    assert found == {number: number * number for number in range(6)}
    assert mark.exists()
    assert "a process was killed" in capsys.readouterr().err


def test_one_process_is_this_one():
    assert dict(side_by_side(os.getpid, [{}, {}], 1)) == dict.fromkeys(range(2), os.getpid())
