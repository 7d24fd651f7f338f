"""--plot and --html: files are whole or not there, and what cannot be is refused before any work is done."""

import pytest

from gpusim import simulate  # noqa: F401 (compiled before anything is timed)
from gpusim.cli import main

MATMUL = ["predict", "matmul-tiled", "--n", "64", "--tile"]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a command in an empty folder; gives its status, and what it says on standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        status = main([*map(str, words)])
        return status, capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["16", "--plot", "a.doc"], "--plot a.doc: a picture's name ends in .png, .svg or .pdf"),
        (["16", "--plot", "-"], "a picture goes to a file"),
        (["16", "--plot", "there/a.png"], "there is no folder there"),
        (["16", "--html", "there/a.html"], "--html there/a.html: there is no folder there"),
        (["16", "--plot", "a.svg", "--html", "a.svg"], "name the same file"),
        (["16", "--json", "a.svg", "--plot", "a.svg"], "name the same file"),
        (["16", "--plot-kind", "waves"], "--plot-kind needs --plot FILE"),
        (["16", "--plot", "a.png", "--plot-kind", "wave"], "did you mean waves"),
        (["8,16", "--plot", "a.png", "--plot-kind", "waves"], "--plot-kind of 2 launches 'waves'"),
        (["16", "--plot", "a.png", "--plot-line", "3"], "--plot-line is for --plot-kind warp"),
        (["16", "--plot", "a.png", "--plot-kind", "warp", "--plot-line", "3"], "line that touches memory '3'"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(run, tmp_path, words, says):
    status, said = run(*MATMUL, *words)
    assert (status, [*tmp_path.iterdir()]) == (2, [])
    assert says in said
    assert said.strip().count("\n") <= 2


@pytest.mark.parametrize("kind", ["overview", "speed-of-light", "memory", "roofline", "waves", "warp", "timeline"])
def test_each_kind_is_a_file(run, tmp_path, kind):
    assert run(*MATMUL, "16", "--fresh", "--plot", "a.svg", "--plot-kind", kind)[0] == 0
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")


def test_several_rows_are_times_or_rooflines(run, tmp_path):
    assert run(*MATMUL, "8,16", "--plot", "times.png")[0] == 0
    assert run(*MATMUL, "8,16", "--plot", "roofs.pdf", "--plot-kind", "roofline")[0] == 0
    assert (tmp_path / "times.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "roofs.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    "words",
    [
        [*MATMUL, "16"], [*MATMUL, "8,16"], ["predict", "attention-standard", "--N", "64"],
        ["sweep", "matmul-tiled", "--n", "64", "--tile", "8,16"],
        ["tune", "matmul-tiled", "--n", "64", "--over", "tile=8,16"], ["bound", "matmul-tiled", "--n", "64"],
        ["diff", "transpose-shared", "transpose-padded", "--n", "64"], ["advise", "transpose-shared", "--n", "128"],
        ["roofline", "matmul-tiled", "--n", "64"], ["compare", "h200", "--only", "transpose-naive M=1000*"],
    ],
)  # fmt: skip
def test_every_command_has_a_page_and_a_picture(run, tmp_path, words):
    status, _ = run(*words, "--html", "page.html", "--plot", "picture.svg")
    assert status == 0
    text = (tmp_path / "page.html").read_text()
    assert text.startswith("<!doctype html>")
    assert text.count("<svg") >= 2
    assert f"gpusim {words[0]}" in text or "How to make this page again" in text
    assert "<svg" in (tmp_path / "picture.svg").read_text()


def test_the_memory_of_a_gpu_and_the_roofs_of_two_are_pictures(run, tmp_path):
    assert run("gpus", "h200", "--plot", "memory.svg")[0] == 0
    assert run("gpus", "h200", "a100-40gb", "cpu", "--plot", "roofs.svg")[0] == 0
    drawn = [(tmp_path / name).read_text() for name in ("memory.svg", "roofs.svg")]
    assert "NVLink" in drawn[0]
    assert "a100-40gb: fp32" in drawn[1]
    status, said = run("gpus", "--plot", "a.svg")
    assert (status, "--plot needs a GPU" in said) == (2, True)
