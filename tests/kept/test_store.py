"""Is what is kept given back as it was, or not at all; and does it stay within its bounds?"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpusim.folders import CacheWarning
from gpusim.kept.store import FORGET, Store

ROOT = Path(__file__).parents[2]


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store of some kilobytes in a folder of its own."""
    monkeypatch.delenv(FORGET, raising=False)
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(tmp_path / "cache"))
    return Store("things", 10_000)


def only_file(store):
    (path,) = store.folder.iterdir()
    return path


def test_what_was_made_is_not_made_again(store):
    made = []
    for _ in range(2):
        assert store.remembered(("a", 1), lambda: made.append(1) or {"x": (1, 2.5)}) == {"x": (1, 2.5)}
    assert made == [1]
    assert store.remembered(("a", 2), lambda: "other") == "other"


def test_what_fails_or_is_interrupted_leaves_nothing(store):
    for kind in (ValueError, KeyboardInterrupt):
        with pytest.raises(kind):
            store.remembered("a", lambda kind=kind: (_ for _ in ()).throw(kind))
    assert not store.folder.exists()


def test_what_cannot_be_told_apart_is_made_every_time(store):
    made = []
    for _ in range(2):
        store.remembered(len, lambda: made.append(1) or 1)
    assert made == [1, 1]
    assert not store.folder.exists()


def test_nothing_is_used_and_nothing_kept_where_the_user_says_so(store, monkeypatch):
    store.remembered("a", lambda: "before")
    monkeypatch.setenv(FORGET, "1")
    assert store.remembered("a", lambda: "now") == "now"
    assert store.remembered("b", lambda: "now") == "now"
    monkeypatch.delenv(FORGET)
    assert store.remembered("a", lambda: "later") == "before"
    assert store.remembered("b", lambda: "later") == "later"


@pytest.mark.parametrize("damage", [lambda body: body[:-1], lambda body: body[:70] + b"?" + body[71:], lambda _: b""])
def test_a_damaged_file_is_made_anew(store, damage):
    store.remembered("a", lambda: "first")
    path = only_file(store)
    path.write_bytes(damage(path.read_bytes()))
    assert store.remembered("a", lambda: "second") == "second"
    assert store.remembered("a", lambda: "third") == "second"


def test_a_file_under_another_name_is_none(store):
    store.remembered("a", lambda: "first")
    only_file(store).rename(store.folder / f"{store.key('b')}.kept")
    assert store.remembered("b", lambda: "second") == "second"


@pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing there")
def test_what_others_can_write_is_not_read(store):
    store.remembered("a", lambda: "first")
    only_file(store).chmod(0o666)
    assert store.remembered("a", lambda: "second") == "second"
    store.folder.chmod(0o777)
    with pytest.warns(CacheWarning):
        assert store.remembered("a", lambda: "third") == "third"


def used_at(store, key, second):
    os.utime(store.folder / f"{store.key(key)}.kept", (second, second))


def test_what_was_not_used_for_longest_gives_way(store):
    for second, key in enumerate("abc", 1):
        store.keep(store.key(key), bytes(3000))
        used_at(store, key, second)
    assert store.load(store.key("a")) == bytes(3000)  # and is now the most recently used
    store.keep(store.key("d"), bytes(3000))
    found = {key for key in "abcd" if store.load(store.key(key)) is not None}
    assert found == {"a", "c", "d"}


def test_what_is_larger_than_all_that_may_be_kept_is_not(store):
    store.keep(store.key("a"), bytes(20_000))
    assert list(store.folder.iterdir()) == []


def test_what_another_process_writes_stays_and_what_one_left_behind_goes(store):
    store.keep(store.key("a"), 1)
    written, left = store.folder / "now.tmp", store.folder / "then.tmp"
    for path in (written, left):
        path.write_bytes(bytes(20_000))
    os.utime(left, (1, 1))
    store.keep(store.key("b"), bytes(1000))
    assert written.exists()
    assert not left.exists()


RUN = """
import sys
from gpusim.kept.store import Store
store = Store("things", 10_000)
for turn in range(150):
    for key in range(8):
        expected = (key, bytes(2000))
        assert store.remembered(key, lambda: expected) == expected
print("done")
"""


def test_processes_may_use_it_at_once(store):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", RUN], env=environment, stdout=-1, stderr=-1, text=True)
        for _ in range(3)
    ]
    for one in running:
        assert one.communicate(timeout=60) == ("done\n", "")
    assert sum(path.stat().st_size for path in store.folder.iterdir()) <= store.most_bytes
    assert not [path for path in store.folder.iterdir() if path.suffix != ".kept"]
