"""What the documents tell a reader to type works, as it stands there."""

import json
import math
import re
import runpy
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import typer.main

from gpusim.cli import main, scenarios
from gpusim.cli.app import app
from gpusim.measured import measurement
from tests.docs.fences import FENCE, TYPED, fences
from tests.marks import most_by_hand
from tests.run.conftest import nvcc  # noqa: F401 (a fixture)

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in TYPED}
BLOCKS = [block for name in DOCUMENTS for block in fences(name) if not (block.is_directive or block.excuse)]
INLINE = re.compile(r"(?<!`)`(gpusim [^`]+)`(?!`)")
LONG = (
    "--n 4096", "--tile 8,16,32", "--n 1024 --tile 32", "layernorm-unfused", "--bm 64,128", "--over TM=4,8",
    "--over THREADS=64,256", "attention-standard --N 512", "compare h200 --jobs", "compare h200 --only",
    "--plot mystery", "--M 25600",
)  # fmt: skip
SLOW = {
    **dict.fromkeys(LONG, pytest.mark.long),
    **dict.fromkeys(("attention-standard", "compare h200", "compare there.json", "--plot"), pytest.mark.slow),
}
"""Parts of commands that take more than ten seconds, or half a minute."""

COMMANDS = typer.main.get_command(app).commands

REDUCED = {
    "gpusim compare h200": "--only 'copy N=*'",
    "gpusim compare h200 --jobs 2": "--only 'copy N=*'",
    "gpusim compare h100-sxm": "--only 'copy*'",
    "gpusim scenario matrix-mystery --plot mystery.png": "--n 96 97",
}
"""Commands that take minutes, and what makes them short."""

NOT_RUN = {
    "python -m pip": "installs gpusim: that is how these tests came here",
    "python -m pytest": "runs tests",
    "ncu": "needs a GPU and Nsight Compute",
}
"""Beginnings of documented commands that are no gpusim, and why they are not run."""


def lines():
    """Every command of a shell block, once: without its comment, parts of && apart."""
    found = (line for block in BLOCKS if block.language == "sh" for line in block.text.splitlines())
    parts = (part.partition("#")[0].strip() for line in found for part in line.split(" && "))
    return list(dict.fromkeys(part for part in parts if part))


def inline():
    """Every command that a sentence or a table names, once."""
    prose = (FENCE.sub("", text) for text in DOCUMENTS.values())
    return list(dict.fromkeys(" ".join(command.split()) for text in prose for command in INLINE.findall(text)))


def open_ended(command):
    """Whether words stand for others, as NAME does, or it ends in dots."""
    return "..." in command or re.search(r"\b[A-Z]{3,}\b", command) is not None or len(command.split()) == 2


WRITTEN = lines()
SHOWN = [command for command in WRITTEN if command.startswith("gpusim ")]
MENTIONED = [command for command in inline() if not open_ended(command) and command not in SHOWN]
ALL = [*SHOWN, *MENTIONED]


def measures(command):
    return command.startswith("gpusim measure ") and "--help" not in command


def made_by(file):
    """The documented command that writes a file."""
    found = [c for c in ALL if re.search(rf"(--json|-o|--plot|--timeline) {re.escape(file)}$", c) and not measures(c)]
    return found[0] if found else None


MEASURING = [command for command in ALL if measures(command)]


# ---------------------------------------------------------------- the folder in which a reader types


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with every file that the documents spell out, and what a GPU would have left there."""
    for block in BLOCKS:
        if block.title:
            path = tmp_path / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    known = scenarios._scenarios()
    own = {"padding-a-tile": tmp_path / "scenarios/padding_a_tile.py"}
    monkeypatch.setattr(scenarios, "_scenarios", lambda: known | own)
    measured = measurement.read(measurement.shipped("h200"))
    small = min(measured.launches, key=lambda launch: (math.prod(launch.grid), launch.id))
    (tmp_path / "there.json").write_text(replace(measured, launches=[small]).to_text())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def profiled_elsewhere(folder):
    """Write what ncu would print for the launch of here.json."""
    (launch,) = json.loads((folder / "here.json").read_text())["profiles"]
    metrics = {name: m for name, m in launch["metrics"].items() if m["unit"] in ("inst", "sector", "request")}
    head = ["ID", "Kernel Name", "Block Size", "Grid Size", *metrics]
    rows = [
        head,
        ["", "", "", "", *(metric["unit"] for metric in metrics.values())],
        ["0", f"{launch['kernel']}(int, float, const float *, float *)", str(tuple(launch["block"])),
         str(tuple(launch["grid"])), *(str(metric["value"]) for metric in metrics.values())],
    ]  # fmt: skip
    (folder / "there.csv").write_text("".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows))


def typed(command, capsys):
    """What a command prints, typed in the folder one is in."""
    try:
        status = main(shlex.split(command)[1:])
    except SystemExit as ended:  # a scenario's --help
        status = ended.code or 0
    shown = capsys.readouterr()
    assert status == 0, shown.err
    return shown.out.splitlines()


# ---------------------------------------------------------------- commands


def test_every_line_of_every_shell_block_is_looked_at():
    assert len(SHOWN) >= 35
    assert len(MENTIONED) >= 6
    for line in WRITTEN:
        makes = line.startswith("make ") and f"\n{line.split()[1]}:" in (ROOT / "Makefile").read_text()
        assert line in SHOWN or makes or line.startswith(tuple(NOT_RUN)), line


@pytest.mark.parametrize("command", [line for line in WRITTEN if line.startswith(tuple(NOT_RUN))])
def test_what_is_no_gpusim_is_not_run(command):
    pytest.skip(next(why for beginning, why in NOT_RUN.items() if command.startswith(beginning)))


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=[mark for part, mark in SLOW.items() if part in command])
        for command in ALL
        if not measures(command)
    ],
)
def test_command(folder, command, request, capsys):
    words = shlex.split(command)
    if words[1] in ("profile", "check", "compare") or any(word.endswith(".cu") for word in words):
        request.getfixturevalue("compiler")
    if words[1] == "run":
        request.getfixturevalue("nvcc")
    if "--plot" in words:
        pytest.importorskip("matplotlib")
    for file in words[2:]:
        producer = made_by(file)
        if producer is not None and producer != command:
            typed(producer, capsys)
    if "there.csv" in words:
        profiled_elsewhere(folder)
    printed = typed(f"{command} {REDUCED.get(command, '')}", capsys)
    assert printed or "-o" in words
    assert max(map(len, printed), default=0) <= 100


@pytest.mark.parametrize("command", most_by_hand(MEASURING, MEASURING[::4]))
def test_a_command_that_measures_lacks_nothing_but_a_gpu(tmp_path, command, capsys, monkeypatch):
    (tmp_path / "cupy.py").write_text("raise ImportError('no CuPy here')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(ROOT)
    words = shlex.split(re.sub(r"--json \S+", f"--json {tmp_path}/there.json", command))
    assert main(words[1:]) == 2
    assert "measuring needs CuPy (no CuPy here)" in capsys.readouterr().err
    assert not (tmp_path / "there.json").exists()


@pytest.mark.parametrize("command", [command for command in inline() if open_ended(command)])
def test_a_command_with_words_to_put_in_has_the_options_it_names(command):
    name = command.split()[1]
    assert name in COMMANDS
    if "--kernel" not in command and name not in (
        "scenario",
        "predict",
    ):  # what goes to a scenario or a kernel is theirs
        assert set(re.findall(r"--[\w-]+", command)) <= options(name)


# ---------------------------------------------------------------- options


def options(name):
    """Options of a command."""
    return {word for p in COMMANDS[name].params for word in (*p.opts, *p.secondary_opts) if word.startswith("-")}


TABLES = {
    "predict": "## Predict", "profile": "## Your own CUDA", "measure": "## On a real GPU", "diff": "## What changed",
    "check": "## What is wrong",
}  # fmt: skip


@pytest.mark.parametrize(("name", "heading"), TABLES.items())
def test_an_option_that_a_table_explains_is_the_commands(name, heading):
    section = DOCUMENTS["docs/usage.md"].split(f"\n{heading}\n")[1].split("\n## ")[0]
    explained = {word for row in re.findall(r"^\| (`-.*?) \|", section, re.MULTILINE) for word in words_of(row)}
    assert len(explained) >= 6
    assert explained <= options(name)


def words_of(row):
    """Options in a table's first cell."""
    return re.findall(r"(?<![\w-])(--?[A-Za-z][\w-]*)", re.sub(r"=\S+", "", row))


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_option_of_a_command_is_documented(name):
    text = DOCUMENTS["docs/usage.md"]
    hidden = {"--emitted", "--output", "--help", "-h"}  # the default, and the long form of -o
    missing = [word for word in options(name) - hidden if not re.search(rf"(?<![\w-]){word}(?![\w-])", text)]
    assert not missing


# ---------------------------------------------------------------- Python


SNIPPETS = [(block.page, block.text) for block in BLOCKS if block.language == "python" and not block.title]


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    ("document", "code"),
    [
        pytest.param(name, code, id=f"{name}-{k}", marks=[pytest.mark.long] * ("profile.advice()" in code))
        for k, (name, code) in enumerate(SNIPPETS)
    ],
)
def test_python_copied_alone(folder, document, code, capsys):
    (folder / "typed.py").write_text(code)
    runpy.run_path(str(folder / "typed.py"))
    assert max(map(len, capsys.readouterr().out.splitlines()), default=0) <= 100


def test_every_block_is_a_command_a_file_or_python():
    for block in BLOCKS:
        assert block.language in ("sh", "python") or block.title
    titles = [block.title for block in BLOCKS if block.title]
    assert len(titles) >= 11
    assert len(set(titles)) == len(titles)  # they lie in one folder


@pytest.mark.long
def test_the_scenario_runs_as_a_file(folder):
    result = subprocess.run(
        [sys.executable, "-W", "error", "scenarios/padding_a_tile.py"], capture_output=True, text=True, cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(Path.home())}, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "32 wavefronts a load" in result.stdout
