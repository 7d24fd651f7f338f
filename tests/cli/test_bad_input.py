"""What a user gets wrong, all the way through: one line, exit status 2, no traceback, no file."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from gpusim.cli import main

ROOT = Path(__file__).resolve().parents[2]

DESCRIPTION = """
import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 64),), block=lambda p: (64,))
def kernel(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"]):
    N = gl.sizes("N")
    i = gl.ctaid.x * 64 + gl.tid.x
    {body}


mine = Algorithm(name="mine", summary="", kernel=kernel, sizes={{"N": 256}}, reference=lambda x, **p: {{}})
"""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("matmul-tilde", ["unknown kernel 'matmul-tilde'", "matmul-tiled"]),
        ("matmul-tiled --gpu h20", ["unknown GPU 'h20'", "h200"]),
        ("matmul-tiled --gpu nowhere.toml", ["nowhere.toml", "cannot be read"]),
        ("matmul-tiled --tiel 8", ["unknown parameter of matmul-tiled 'tiel'", "tile"]),
        ("matmul-tiled --n 0", ["n must be at least 1, not 0"]),
        ("matmul-tiled --n=-4", ["n must be at least 1, not -4"]),
        ("matmul-tiled --n -4", ["n must be at least 1, not -4"]),
        ("matmul-tiled --n 3000000000", ["n = 3000000000 does not fit", "2147483647"]),
        ("matmul-tiled --n 1.5", ["n must be an integer, not 1.5"]),
        ("matmul-tiled --n big", ["n must be an integer, not 'big'"]),
        ("matmul-tiled --n 256 --tile 64", ["1024"]),
        ("matmul-register-tiled --n 512 --bk 64 --gpu p100", ["65536", "49152"]),
        ("copy-vec4 --n 1022", ["multiple of 4"]),
    ],
)
def test_a_wrong_request_is_refused(capsys, arguments, says):
    assert main(["predict", *arguments.split()]) == 2
    complaint = only_line(capsys)
    assert all(words in complaint for words in says), complaint


@pytest.mark.parametrize(
    ("body", "says"),
    [
        pytest.param(["y[i + 1] = x[i]  # wrong"], "out of bounds", id="out-of-bounds"),
        pytest.param(["s = gl.shared(gl.f32, 64)", "y[i] = s[gl.tid.x]  # wrong"], "never stored to", id="unwritten"),
        pytest.param(
            [
                "s = gl.shared(gl.f32, 64)",
                "s[gl.tid.x] = x[i]",
                "gl.barrier()",
                "s[gl.tid.x] = s[(gl.tid.x + 33) % 64]  # wrong",
                "gl.barrier()",
                "y[i] = s[gl.tid.x]",
            ],
            "race",
            id="race",
        ),
        pytest.param(
            ["with gl.if_(gl.tid.x < 7):", "    gl.barrier()  # wrong", "y[i] = x[i]"],
            "barrier",
            id="divergent-barrier",
        ),
    ],
)
def test_a_wrong_description_is_refused_by_its_line(capsys, tmp_path, body, says):
    text = DESCRIPTION.format(body="\n    ".join(body))
    (tmp_path / "mine.py").write_text(text)
    assert main(["predict", "mine", "--kernels", str(tmp_path)]) == 2
    complaint = only_line(capsys)
    assert says in complaint
    line = 1 + next(number for number, line in enumerate(text.split("\n")) if line.endswith("# wrong"))
    assert f"mine.py:{line}:" in complaint


@pytest.mark.parametrize(("text", "says"), [("def f(:\n", "line 1"), ("import nothing_of_the_kind\n", "line 1")])
def test_a_broken_kernel_file_is_refused_by_its_line(capsys, tmp_path, text, says):
    (tmp_path / "mine.py").write_text(text)
    assert main(["predict", "mine", "--kernels", str(tmp_path)]) == 2
    assert f"mine.py, {says}" in only_line(capsys)


@pytest.mark.slow
def test_ctrl_c_ends_a_running_prediction_without_a_file(tmp_path):
    command = [
        sys.executable,
        "-m",
        "gpusim",
        "predict",
        "matmul-tiled",
        "--n",
        "4096",
        "--exact",
        "--json",
        "out.json",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # a shell that starts something in the background has it ignore SIGINT, and whatever that starts
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, cwd=tmp_path, env=environment, text=True, preexec_fn=listen, **pipes) as run:
        assert run.stderr is not None
        assert run.stderr.readline().startswith("gpusim: ")  # two seconds have passed: it is at work
        time.sleep(3)
        run.send_signal(signal.SIGINT)
        _, complaint = run.communicate(timeout=60)
    assert run.returncode == 130
    assert complaint.splitlines()[-1] == "gpusim: interrupted"
    assert "Traceback" not in complaint
    assert not list(tmp_path.iterdir())


def only_line(capsys):
    """The one line that is not progress."""
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.endswith(" ...")]
    assert len(lines) == 1, lines
    assert lines[0].startswith("gpusim: ")
    return lines[0]
