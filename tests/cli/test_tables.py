"""Is every table that the command line prints whole, however narrow the screen?"""

import pytest

from gpusim import report
from gpusim.cli import main
from tests.report.cells import WIDTHS, assert_whole

COMMANDS = [
    "kernels", "kernels matmul", "kernels flash backward", "kernels matmul-tiled", "kernels --all e", "gpus",
    "gpus h200", "formula matmul-tiled", "formula attention-standard", "scenario",
    "predict copy --N 4096", "predict copy --N 4096,8192 --gpu h200,a100-40gb", "predict gelu-unfused --N 4096",
    "scenario wave-quantisation",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_no_table_loses_a_character_of_a_cell(command, monkeypatch):
    shown = []
    with monkeypatch.context() as patched:
        patched.setattr(report, "show", lambda renderables, *_: shown.extend(renderables))
        assert main(command.split()) == 0
    assert shown
    for width in WIDTHS:
        assert_whole(shown, width)
        assert max(map(len, report.text(shown, width).split("\n"))) <= width


def test_gpus_say_what_predictions_were_held_against(capsys):
    assert main(["gpus"]) == 0
    last = {line.split()[0]: line.split()[-1] for line in capsys.readouterr().out.splitlines() if line.split()}
    known = {"h200": "measured", "h100-sxm": "measured", "a100-40gb": "published", "h100-pcie": "no"}
    assert {name: last[name] for name in known} == known


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("h100-sxm", "held against 92 launches that were measured on it (gpusim compare h100-sxm)"),
        ("a100-40gb@765MHz", "held against 318 times that others published (gpusim compare a100-40gb)"),
        ("h200@1410MHz", "held against nothing at this clock"),
        ("v100", "held against nothing."),
    ],
)
def test_a_gpu_says_what_its_predictions_were_held_against(capsys, name, says):
    assert main(["gpus", name]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"Predictions for it were {says}" in shown
    assert " measured no " not in shown
