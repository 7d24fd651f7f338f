"""Are GPUs of one name told apart, or refused?"""

from __future__ import annotations

from pathlib import Path

import pytest

import gpusim
from gpusim.cli import main
from gpusim.errors import GpusimError

MINE = """\
base = "h200"

[identity]
name = "mine"
full_name = "what if"
arch = "sm_90"

[l2]
size_bytes = { value = SIZE, unit = "byte", kind = "assumed", source = "a guess" }
"""


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two files of one name, and what names them."""
    monkeypatch.chdir(tmp_path)
    for folder, size in (("first", 31457280), ("second", 15728640)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.toml").write_text(MINE.replace("SIZE", str(size)))
    return "first/mine.toml,second/mine.toml"


@pytest.mark.parametrize(
    "words",
    [
        ["sweep", "copy", "--over", "B=64"],
        ["predict", "copy"],
        ["diff", "copy"],
        ["advise", "copy"],
        ["bound", "copy", "--fast"],
        ["tune", "copy", "--over", "B=64"],
        ["profile", "mine.cu", "--grid", "1", "--block", "32"],
    ],
)
def test_two_gpus_of_one_name_are_refused_in_a_line(
    words: list[str], two: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--gpu", two]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("gpusim: first/mine.toml and second/mine.toml are two GPUs of one name, mine")


def test_the_same_gpu_twice_is_one(two: str) -> None:
    first, second = two.split(",")
    found = gpusim.sweep("copy", {"B": [64]}, [first, "./" + first, "h200", "H200", gpusim.load_gpu("h200")], N=1024)
    assert [row.gpu for row in found.rows] == [first, "h200"]
    with pytest.raises(GpusimError, match="are two GPUs of one name, mine"):
        gpusim.sweep("copy", {"B": [64]}, [gpusim.load_gpu(first), second], N=1024)


def test_a_clock_is_part_of_a_name() -> None:
    found = gpusim.sweep("copy", {"B": [64]}, ["h200", "h200@1410MHz"], N=1024)
    assert len(found.profiles) == 2
    assert "h200@1410MHz" in repr(found)
