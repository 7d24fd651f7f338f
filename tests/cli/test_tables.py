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
