"""Compiled code that is kept: whatever becomes of its files, the next process gets right answers."""

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
from gpusim.engine.compiling import baselines, store
from gpusim.engine.compiling.baselines import Baseline
from gpusim.engine.core import machine, out_of_line
from gpusim.folders import keep, load
from tests.engine.kept_functions import ASKED, right_answers

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = Path(gpusim.__file__).parent
ASK = "from tests.engine.kept_functions import answers; print(answers())"
ASK_ALL = "from tests.engine.kept_functions import answer_all; answer_all()"
PARTS = {"squared": 1, "larger": 1, "bounded": 2, "both": 1}
"""How many kinds of arguments each is compiled for (a literal is an integer as any, and none given another kind)."""
N_FILES = sum(PARTS.values()) + len(ASKED)


def start(folder, code=ASK, **how):
    """A process that asks; a crash is its own."""
    environment = {**os.environ, "GPUSIM_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    how = {"stderr": subprocess.PIPE, **how}
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, **how
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
    assert len(files(folder)) == N_FILES
    return folder


def gone(content):
    """Stands for a file that is not there."""


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


class Asker:
    """Processes that have imported all and compiled nothing, one for each question: to import takes the longest."""

    def __init__(self, folder):
        self.folder = folder
        self.server = start(folder, ASK_ALL, stdin=subprocess.PIPE, stderr=None)

    def written_by(self, names):
        """Names of the files that a process writes which is asked these; its answers are right."""
        before = {path.name: path.stat().st_ino for path in self.folder.iterdir()}
        print(json.dumps([str(self.folder), names]), file=self.server.stdin, flush=True)
        assert self.server.stdout.readline() == "0\n"
        return {path.name for path in self.folder.iterdir() if before.get(path.name) != path.stat().st_ino}


@pytest.fixture(scope="module")
def asker(filled, tmp_path_factory):
    """Asks where there is a folder of the same name as the filled one's, which digests of its files hold."""
    found = Asker(tmp_path_factory.mktemp("asked") / files(filled)[0].parent.name)
    yield found
    found.server.communicate(timeout=60)


some_asked = st.permutations(sorted(ASKED)).flatmap(lambda names: st.integers(1, len(names)).map(lambda n: names[:n]))


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be forked there")
@settings(max_examples=20)
@given(st.data(), some_asked)
def test_what_is_missing_or_damaged_is_compiled_again_once(filled, asker, data, names):
    shutil.rmtree(asker.folder, ignore_errors=True)
    asker.folder.mkdir(mode=0o700)
    spoilt = set()
    for path in files(filled):
        content = path.read_bytes()
        damage = data.draw(st.none() | st.just(gone) | damages(len(content)), path.name)
        if damage is not gone:
            (asker.folder / path.name).write_bytes(damage(content) if damage else content)
        if damage:
            spoilt.add(path.name)
    assert asker.written_by(names) <= spoilt
    assert asker.written_by(list(ASKED)) <= spoilt
    assert asker.written_by(list(ASKED)) == set()


def test_code_that_calls_a_part_by_another_name_is_compiled_again(tmp_path):
    other_options = "import tests.engine.kept_functions as k; k.larger.targetoptions['forceinline'] = True"
    check(start(tmp_path, f"{other_options}; print(k.answers())"))
    for path in files(tmp_path):
        if path.name.startswith(tuple(f"tests.engine.kept_functions.{name}" for name in ("larger", "by_", "from_"))):
            path.unlink()
    for _ in range(2):
        assert check(start(tmp_path)) == ""


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
        wholes = [path for path in files(filled) if path.name.startswith("tests.engine.kept_functions.by_address")]
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


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """What the engine is made from, where it can be edited; with a folder more, as deep as anyone may want."""
    package = tmp_path_factory.mktemp("copied") / "gpusim"
    for path in store.sources(PACKAGE):
        there = package / path.relative_to(PACKAGE)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
    deep = package / "engine" / "a" / "b" / "deep.py"
    deep.parent.mkdir(parents=True)
    deep.write_text("ONE = 1\n")
    return package


def test_an_edit_in_any_file_of_any_subfolder_is_another_engine(copied):
    assert {Path(store.__file__), *(PACKAGE / "engine").rglob("*.py")} <= {*store.sources(PACKAGE)}
    digests = {store.source_digest(copied)}
    for n, path in enumerate(store.sources(copied)):
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        digests.add(store.source_digest(copied))
        assert len(digests) == n + 2, path
        path.write_bytes(content)
    assert store.source_digest(copied) in digests


def test_a_file_that_moves_is_another_engine(copied):
    before, path = store.source_digest(copied), copied / "engine" / "a" / "b" / "deep.py"
    path.rename(path.parents[1] / "deep.py")
    try:
        assert store.source_digest(copied) != before
    finally:
        (path.parents[1] / "deep.py").rename(path)


HERE = (sys.executable, "x86-64-v3", "+avx2")


@pytest.mark.parametrize("other", [("0" * 64, *HERE[1:]), (HERE[0], "x86-64-v4", HERE[2]), (*HERE[:2], "-avx2")])
def test_code_of_other_sources_or_another_processor_has_another_name(other):
    assert store.code_name(*HERE) == store.code_name(*HERE) != store.code_name(*other)


ANY, FASTER = Baseline("any"), Baseline("faster", ("a feature",))
CODE = {"core.machine.advance-0123456789abcdef.code": b"code", "alu.integer.mov-0123456789abcdef.code": b"more"}


def carry(folder, patch):
    """The file of a package that carries code which any machine runs."""
    patch.setattr(store, "PACKAGE", folder / "gpusim")
    patch.setattr(store, "FOLDER", folder / "cache" / "engine")
    patch.setattr(baselines, "of_machine", lambda: (FASTER, ANY))
    path = store.shipped_file(store.PACKAGE, ANY)
    keep(path, pickle.dumps(CODE))
    return path


@pytest.fixture
def carried(tmp_path, monkeypatch):
    return carry(tmp_path, monkeypatch)


def test_what_a_wheel_brings_is_found(carried):
    assert store.shipped() == CODE


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_what_a_wheel_brings_is_trusted_as_its_sources_are(carried):
    carried.chmod(0o666)
    assert store.shipped() == CODE


@given(st.data())
def test_what_a_wheel_brings_damaged_is_nothing(data):
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        path = carry(Path(folder), patch)
        content = path.read_bytes()
        path.write_bytes(data.draw(damages(len(content)))(content))
        assert store.shipped() == (CODE if path.read_bytes() == content else {})


@pytest.mark.parametrize("name", ["engine-0123456789abcdef.code", "other.code"])
def test_what_a_wheel_brings_of_another_engine_is_nothing(carried, name):
    carried.rename(carried.with_name(name))
    assert store.shipped() == {}


@pytest.mark.parametrize("its", [(), (FASTER,)])
def test_what_a_wheel_brings_is_nothing_to_a_machine_that_cannot_run_it(carried, its, monkeypatch):
    monkeypatch.setattr(baselines, "of_machine", lambda: its)
    assert store.shipped() == {}


@pytest.mark.parametrize(("features", "code"), [({"a feature": True}, {"fast": b"er"}), ({}, CODE)])
def test_a_machine_takes_the_fastest_that_it_runs(carried, features, code, monkeypatch):
    keep(store.shipped_file(store.PACKAGE, FASTER), pickle.dumps({"fast": b"er"}))
    monkeypatch.setattr(store, "host_features", lambda: features)
    assert store.shipped() == code


def test_where_the_fastest_is_damaged_the_next_is_taken(carried, monkeypatch):
    store.shipped_file(store.PACKAGE, FASTER).write_bytes(b"")
    monkeypatch.setattr(store, "host_features", lambda: {"a feature": True})
    assert store.shipped() == CODE


@pytest.mark.parametrize("setting", ["CPU_NAME", "CPU_FEATURES"])
def test_what_a_wheel_brings_is_nothing_where_numba_is_told_what_to_compile_for(carried, setting, monkeypatch):
    monkeypatch.setattr(numba.config, setting, "")
    assert store.shipped() == {}


def test_what_a_wheel_brings_goes_before_what_was_kept(carried, monkeypatch):
    monkeypatch.setattr(store, "SHIPPED", store.shipped())
    name = next(iter(CODE))
    store.write(name, b"own")
    assert store.read(name) == b"code"
    assert store.read("else.code") is None
    assert store.is_kept(machine.advance.py_func)
    assert not store.is_kept(out_of_line.out_of_line)


BRING = """
from pathlib import Path
from gpusim.engine.compiling import store
store.SHIPPED = {path.name: store.intact(path) for path in Path(FOLDER).iterdir()}
"""


def test_a_process_that_has_all_from_a_wheel_writes_nothing(filled, tmp_path):
    bring = BRING.replace("FOLDER", repr(str(files(filled)[0].parent)))
    assert check(start(tmp_path, bring + ASK)) == ""
    assert files(tmp_path) == []


def test_code_is_kept_under_the_digest_of_this_engine():
    code = "from gpusim.engine.compiling import store; print(store.FOLDER)"
    own = {"GPUSIM_CACHE_DIR": "/cache", "NUMBA_CPU_NAME": "cpu", "NUMBA_CPU_FEATURES": "+all"}
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ | own, capture_output=True, text=True)
    assert Path(run.stdout.strip()) == Path("/cache") / store.code_name(store.source_digest(PACKAGE), "cpu", "+all")
