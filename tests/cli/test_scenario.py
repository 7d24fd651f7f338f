"""Does a scenario say what it takes, and refuse the rest in a line?"""

import argparse

import pytest

from gpusim.cli import main
from tests.scenarios.running import names

SCENARIOS = [name.replace("_", "-") for name in names()]


@pytest.mark.parametrize("name", SCENARIOS)
def test_help_after_its_name_is_the_scenarios_own(capsys, name):
    assert main(["scenario", name, "--help"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith(f"usage: gpusim scenario {name} [-h]")
    assert "?" in shown.out
    assert shown.err == ""


def test_its_options_are_listed(capsys):
    assert main(["scenario", "tiling", "-h"]) == 0
    assert "--tile TILE" in capsys.readouterr().out


def test_help_before_a_name_is_of_all_scenarios(capsys):
    assert main(["scenario", "--help"]) == 0
    assert "gpusim scenario [OPTIONS] [name]" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["scenario {} --no-such 3", "measure --scenario {} --no-such 3"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_an_option_that_it_does_not_take_is_refused_in_a_line(capsys, name, command):
    assert main(command.format(name).split()) == 2
    complaint = capsys.readouterr().err
    says = f"unrecognized arguments: --no-such 3 (gpusim scenario {name} --help shows what it takes)"
    assert complaint == f"gpusim: {says}\n"


def test_other_parsers_are_left_as_they_were(capsys):
    assert main(["scenario", "tiling", "--n", "many"]) == 2
    capsys.readouterr()
    with pytest.raises(SystemExit):
        argparse.ArgumentParser(prog="mine").parse_args(["--no-such"])
    assert "mine: error" in capsys.readouterr().err
