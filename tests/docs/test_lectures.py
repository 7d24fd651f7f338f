"""Does every line of the lectures have a command that runs, and every scenario a line?"""

import re
import shlex

import pytest

from gpusim.cli import main
from tests.docs.prose import ROOT
from tests.scenarios.running import names

PAGE = (ROOT / "docs" / "lectures.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)
ROWS = [(claim, shown) for claim, shown in ROW.findall(PAGE) if claim != "a lecture says"]
COMMANDS = list(dict.fromkeys(shown.strip("`") for _, shown in ROWS))


def test_a_row_is_a_claim_and_one_command():
    assert len(ROWS) > 40
    lines = [
        line for line in PAGE.splitlines() if line.startswith("|") and line[1:4] != "---" and "a lecture" not in line
    ]
    assert len(lines) == len(ROWS)
    for claim, shown in ROWS:
        assert re.fullmatch(r"`gpusim [^`]+`", shown), claim
    assert len({claim for claim, _ in ROWS}) == len(ROWS)


def test_every_scenario_has_a_row():
    shown = {shlex.split(command)[2].replace("-", "_") for command in COMMANDS if command.startswith("gpusim scenario")}
    assert shown == set(names())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs(command, capsys):
    """Scenarios are run in tests/scenarios: here they are asked what they take, with these options."""
    words = shlex.split(command)[1:]
    try:
        status = main([*words, "--help"] if words[0] == "scenario" else words)
    except SystemExit as ended:
        status = ended.code or 0
    shown = capsys.readouterr()
    assert status == 0, shown.err
    assert shown.out
    for option in words[2:]:
        assert words[0] != "scenario" or not option.startswith("--") or option in shown.out
