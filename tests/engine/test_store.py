"""Compiled code that is kept: whatever becomes of its files, the next process gets right answers."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.folders import load
from tests.engine.kept_functions import right_answers

ROOT = Path(__file__).resolve().parents[2]
ASK = "from tests.engine.kept_functions import answers; print(answers())"
N_FILES = 5
"""Three parts, one of them for two types of its arguments (a literal is one), and two wholes."""


def start(folder):
    """A process that asks; a crash is its own."""
    environment = {**os.environ, "GPUSIM_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", ASK],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def check(child):
    """Its answers are right; what it wrote to standard error."""
    out, err = child.communicate(timeout=300)
    assert (child.returncode, out.strip()) == (0, right_answers()), err
    return err


def files(folder):
    return sorted(folder.glob("engine-*/*"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache folder in which everything is."""
    folder = tmp_path_factory.mktemp("filled")
    assert check(start(folder)) == ""
    assert len(files(folder)) >= N_FILES
    return folder


def damages(size):
    """Ways to spoil a file of so many bytes."""
    flips = st.lists(st.integers(0, 8 * size - 1), min_size=1, max_size=4, unique=True)
    return st.one_of(
        st.just(lambda content: content),
        st.integers(0, size - 1).map(lambda end: lambda content: content[:end]),
        flips.map(lambda bits: lambda content: flipped(content, bits)),
        st.binary(max_size=200).map(lambda garbage: lambda content: garbage),
    )


def flipped(content, bits):
    spoilt = bytearray(content)
    for bit in bits:
        spoilt[bit // 8] ^= 1 << bit % 8
    return bytes(spoilt)


@pytest.mark.slow
@settings(max_examples=5)
@given(st.data())
def test_damaged_files_are_compiled_again(filled, data):
    contents = {path: path.read_bytes() for path in files(filled)}
    order = data.draw(st.permutations(sorted(contents)) | st.just(sorted(contents)))
    try:
        for path, other in zip(sorted(contents), order, strict=True):
            content = contents[other]
            path.write_bytes(data.draw(damages(len(content)))(content))
        assert check(start(filled)) == ""
        wholes = [path for path in files(filled) if path.name.startswith("kept_functions.by_address")]
        assert [load(path) is not None for path in wholes] == [True]
    finally:
        for path, content in contents.items():
            path.write_bytes(content)


def test_a_second_process_writes_nothing(filled):
    before = {path: path.stat().st_mtime_ns for path in files(filled)}
    check(start(filled))
    assert {path: path.stat().st_mtime_ns for path in files(filled)} == before


def test_what_a_killed_process_has_compiled_is_kept(tmp_path):
    child = start(tmp_path)
    while not any(path.suffix == ".code" for path in files(tmp_path)):
        assert child.poll() is None, child.communicate()
        time.sleep(0.001)
    child.kill()
    child.communicate()
    before = {path: path.stat().st_ino for path in files(tmp_path) if path.suffix == ".code"}
    check(start(tmp_path))
    after = {path: path.stat().st_ino for path in files(tmp_path)}
    assert before.items() <= after.items()


def test_processes_that_compile_at_the_same_time(tmp_path):
    for child in [start(tmp_path) for _ in range(3)]:
        assert check(child) == ""
    assert all(load(path) is not None for path in files(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes there")
def test_a_folder_that_others_can_write_to_is_left_alone(filled):
    before = {path: path.stat().st_mtime_ns for path in files(filled)}
    filled.chmod(0o777)
    try:
        said = check(start(filled))
    finally:
        filled.chmod(0o700)
    assert f"chmod go-w {filled}" in said
    assert said.count("CacheWarning") == 1
    assert {path: path.stat().st_mtime_ns for path in files(filled)} == before


def test_where_nothing_can_be_written_code_is_compiled_in_memory(tmp_path):
    taken = tmp_path / "a file"
    taken.write_text("where a folder should be")
    said = check(start(taken))
    assert "cannot be kept" in said
    assert said.count("CacheWarning") == 1
