"""Is whatever a user may get wrong, in words, numbers and files, one line and an exit status, and never a traceback?"""

import contextlib
import importlib
import io
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

import gpusim
from gpusim.cli import main
from gpusim.errors import GpusimError
from tests.cli import malformed
from tests.marks import most_by_hand

EXAMPLES = int(os.environ.get("GPUSIM_EXAMPLES", "50"))
"""By hand, before a release: some thousands."""
ROOT = Path(__file__).resolve().parents[2]
WHERE_GPUSIM_LIES = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """A folder with every kind of file, where the commands run."""
    place = tmp_path_factory.mktemp("malformed")
    malformed.files(place)
    with contextlib.chdir(place):
        yield place


def run(arguments):
    """Status, and the lines on standard error that are no progress."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    return status, [line for line in err.getvalue().splitlines() if not line.endswith(" ...")]


@settings(max_examples=EXAMPLES)
@given(arguments=malformed.command_lines())
def test_a_command_line_of_anything_ends_in_one_line(folder, arguments):
    written = folder / "out.json"
    written.unlink(missing_ok=True)
    status, said = run(arguments)
    assert status in (0, 1, 2)
    if status:
        assert said[0].startswith("gpusim: ")
        assert len(said) == 1 or "does not compile" in said[0], said
    assert not (status and written.exists())
    assert not list(folder.glob("*.part"))


@pytest.mark.parametrize("line", [line for line in malformed.RIGHT if not line.startswith("measure")])
def test_the_command_lines_that_are_made_malformed_are_right(line):
    malformed.write_contents(Path())  # as they were, whatever other commands wrote
    status, said = run(line.split())
    Path("out.json").unlink(missing_ok=True)
    assert (status, [words for words in said if not words.startswith("out.json: ")]) == (0, [])


@pytest.mark.parametrize("line", ["gpus", "kernels", "formula matmul-tiled", "predict copy --n 64 --json -"])
def test_a_full_disk_is_one_line(line, monkeypatch):
    with Path("/dev/full").open("w") as full, contextlib.redirect_stderr(io.StringIO()) as err:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(line.split()) == 1
    assert err.getvalue().splitlines()[-1].startswith("gpusim: cannot write what is printed: ")


@pytest.mark.skipif(sys.platform == "win32", reason="closes streams as a POSIX shell does")
def test_a_compiler_starts_though_all_streams_are_closed(tmp_path):
    from tests.profile.running import SAXPY

    pytest.importorskip("nvidia.cu13")
    (tmp_path / "saxpy.cu").write_text(SAXPY + "\n// not compiled before\n")
    words = [sys.executable, "-m", "gpusim", "profile", str(tmp_path / "saxpy.cu"), "--grid", "1", "--block", "64"]
    words += "--arg int32:64 --arg float32:2.5 --arg float32:ones:64 --arg float32:ones:64".split()
    out = tmp_path / "out.json"
    closed = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *words, "--json", str(out)]
    assert subprocess.run(closed, env=WHERE_GPUSIM_LIES, check=False).returncode == 0
    assert out.exists()


@pytest.mark.parametrize(
    "command", ["predict copy --n 64 --timeline", "emit copy --output", "predict copy --n 64 --json"]
)
def test_a_link_to_itself_is_one_line(command, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(link)
    status, said = run([*command.split(), str(link)])
    assert (status, said) == (2, [f"gpusim: {command.split()[-1]} {link}: Too many levels of symbolic links"])


FILES = ["predict copy --n 64 --json", "predict copy --n 64 --timeline", "emit matmul-tiled --tile 16 --output"]


@pytest.mark.parametrize("line", FILES)
def test_a_full_disk_under_a_file_is_one_line_too(line):
    status, said = run([*line.split(), "/dev/full"])
    assert (status, said) == (1, [f"gpusim: {line.split()[-1]} /dev/full: No space left on device"])


@pytest.mark.parametrize("command", most_by_hand(["gpus", "--help", "predict copy --n 64 --json -"], ["gpus"]))
def test_a_closed_pipe_or_stream_is_no_fault(command):
    words = [sys.executable, "-m", "gpusim", *command.split()]
    reads, writes = os.pipe()
    os.close(reads)
    ended = subprocess.run(words, stdout=writes, stderr=subprocess.PIPE, text=True, env=WHERE_GPUSIM_LIES, check=False)
    os.close(writes)
    assert ended.returncode == 1
    assert not [line for line in ended.stderr.splitlines() if not line.endswith(" ...")]
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *words]
    assert subprocess.run(closed, env=WHERE_GPUSIM_LIES, check=False).returncode == 0


def test_every_error_that_users_cause_is_one_kind():
    modules = [each.name for each in pkgutil.walk_packages(gpusim.__path__, "gpusim.") if "__main__" not in each.name]
    found = set()
    for name in modules:
        with contextlib.suppress(ImportError):  # CuPy
            found |= {value for value in vars(importlib.import_module(name)).values() if isinstance(value, type)}
    errors = {each for each in found if str(each.__module__).startswith("gpusim.") and issubclass(each, ValueError)}
    assert len(errors) > 25
    assert all(issubclass(each, GpusimError) for each in errors)
