"""What the documents tell a reader to type works, as it stands there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md", "docs/usage.md")
}
FENCE = re.compile(
    r"^ *```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^ *```$", re.DOTALL | re.MULTILINE
)
BLOCKS = [(name, match) for name, text in DOCUMENTS.items() for match in FENCE.finditer(text)]


def commands():
    """Every line of a shell block that starts with gpusim, or whose part after && does, once."""
    lines = (line for _, block in BLOCKS if block["language"] == "sh" for line in block["text"].splitlines())
    parts = (part.partition("#")[0].strip() for line in lines for part in line.split(" && "))
    return list(dict.fromkeys(part for part in parts if part.startswith("gpusim ")))


def on_a_gpu(command):
    """Whether it measures, or reads what was measured there."""
    return "measure" in command or "there." in command


@pytest.fixture
def folder(tmp_path):
    """A folder with every file that the documents spell out."""
    for _, block in BLOCKS:
        if block["title"]:
            path = tmp_path / block["title"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"], encoding="utf-8")
    return tmp_path


def run(folder, *command):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    result = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=folder, env=environment, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_documents_have_commands_files_and_python():
    assert len(commands()) >= 15
    assert sum(bool(block["title"]) for _, block in BLOCKS) == 5


@pytest.mark.slow
@pytest.mark.parametrize("command", [command for command in commands() if not on_a_gpu(command)])
def test_command(folder, command, request):
    if "profile" in command or "compare" in command:
        request.getfixturevalue("compiler")
    words = shlex.split(command)
    lines = run(folder, "-m", *words).splitlines()
    assert lines or "-o" in words
    assert max(map(len, lines), default=0) <= 100


@pytest.mark.parametrize("command", [command for command in commands() if "measure " in command])
def test_a_command_that_measures_lacks_nothing_but_a_gpu(tmp_path, command):
    without = tmp_path / "cupy.py"
    without.write_text("raise ImportError('no CuPy here')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    words = shlex.split(re.sub(r"--json \S+", f"--json {tmp_path}/there.json", command))
    result = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=300
    )
    assert result.returncode == 2
    assert "measuring needs CuPy (no CuPy here)" in result.stderr
    assert not (tmp_path / "there.json").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("document", ["README.md", "docs/usage.md"])
def test_python(folder, document):
    code = [block["text"] for name, block in BLOCKS if name == document and block["language"] == "python"]
    run(folder, "-c", "\n".join(["print()", *code]))


def test_the_scenario_runs(folder):
    assert "32 wavefronts a load" in run(folder, "scenarios/padding_a_tile.py")
