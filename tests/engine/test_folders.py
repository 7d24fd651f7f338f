"""The cache folder: what is kept comes back whole or not at all, and only what this user wrote."""

import errno
import os
import stat
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim import folders
from gpusim.folders import CacheWarning, cache_folder, keep, load

modes = pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes there")


@pytest.fixture(autouse=True)
def _warns_again():
    folders._warn.cache_clear()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "kind" / "name.code"


def test_what_is_kept_comes_back(path):
    for body in (b"", b"\n", b"code\n\0more"):
        keep(path, body)
        assert load(path) == body
    assert load(path.with_name("other.code")) is None


@given(st.binary(max_size=50), st.data())
def test_what_is_damaged_is_none(body, data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kind" / "name.code"
        keep(path, body)
        content = path.read_bytes()
        bit = data.draw(st.integers(0, 8 * len(content) - 1))
        spoilt = bytearray(content)
        spoilt[bit // 8] ^= 1 << bit % 8
        for bad in (bytes(spoilt), content[: bit // 8], b"", data.draw(st.binary())):
            path.write_bytes(bad)
            assert load(path) is None


def test_a_file_under_another_name_is_none(path):
    keep(path, b"code")
    for other in (path.with_name("other.code"), path.parent.with_name("other") / path.name):
        other.parent.mkdir(exist_ok=True)
        path.rename(other)
        assert load(other) is None
        other.rename(path)
    assert load(path) == b"code"


@modes
@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_nobody_else_may_write_whatever_the_umask(path, umask):
    before = os.umask(umask)
    try:
        keep(path, b"code")
    finally:
        os.umask(before)
    for each in (path, path.parent, path.parent.parent):
        assert not each.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    assert load(path) == b"code"


@modes
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o720])
@pytest.mark.parametrize("which", [0, 1])
def test_a_folder_that_others_can_write_to_is_neither_read_nor_written(path, which, mode):
    keep(path, b"code")
    folder = path.parents[which]
    folder.chmod(mode)
    with pytest.warns(CacheWarning, match=f"chmod go-w {folder}"):
        assert load(path) is None
    folders._warn.cache_clear()
    with pytest.warns(CacheWarning):
        keep(path, b"other")
    folder.chmod(0o700)
    assert load(path) == b"code"


@modes
def test_a_file_that_others_can_write_to_is_none(path):
    keep(path, b"code")
    path.chmod(0o602)
    assert load(path) is None
    keep(path, b"new")
    assert load(path) == b"new"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("which", [0, 1])
def test_a_folder_of_another_user_is_not_trusted(path, which):
    keep(path, b"code")
    os.chown(path.parents[which], 12345, -1)
    with pytest.warns(CacheWarning, match="belongs to another user"):
        assert load(path) is None


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_where_nothing_can_be_kept_one_line_says_so(path, error, monkeypatch):
    def fails(*_, **__):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(tempfile, "mkstemp", fails)
    with pytest.warns(CacheWarning, match=os.strerror(error)):
        keep(path, b"code")
    keep(path.with_name("more.code"), b"code")  # has been said
    assert load(path) is None


def test_a_disk_that_fills_up_leaves_nothing_behind(path, monkeypatch):
    def fills_up(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", fills_up)
    with pytest.warns(CacheWarning):
        keep(path, b"code")
    assert list(path.parent.iterdir()) == []


def test_a_user_without_a_home_has_a_cache_folder(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    for name in ("GPUSIM_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder().parent == Path(tempfile.gettempdir())
