"""Does the first help screen say what each command does?"""

import pytest

from gpusim.cli import main


@pytest.mark.parametrize("width", [80, 100])
def test_no_summary_of_a_command_is_cut(width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    commands = lines[lines.index("Commands:") + 1 :]
    assert len(commands) == 19
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)
    assert max(map(len, lines)) <= width
