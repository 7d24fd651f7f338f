"""Does whatever may change a number change which gpusim it is?"""

import shutil
from pathlib import Path

import pytest

import gpusim
from gpusim.kept import package


@pytest.fixture
def copied(tmp_path):
    """A few files of the package."""
    names = (
        "isa/program.py",
        "hardware/specs/h200.toml",
        "data/validation-h200.json",
        "data/quick-h200.json",
        "data/programs-h200.json",
        "data/intervals-h200.json",
        "data/launches.json",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(package.PACKAGE / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "isa/program.py",
        "hardware/specs/h200.toml",
        "data/validation-h200.json",
        "data/quick-h200.json",
        "data/programs-h200.json",
        "data/intervals-h200.json",
    ],
)
def test_code_gpus_and_known_errors_matter(copied, name):
    before = package.digest_of(copied)
    (copied / name).write_text((copied / name).read_text() + "\n")
    assert package.digest_of(copied) != before


def test_a_new_file_and_another_name_matter(copied):
    before = package.digest_of(copied)
    (copied / "isa/new.py").write_text("")
    added = package.digest_of(copied)
    (copied / "isa/new.py").rename(copied / "isa/other.py")
    assert len({before, added, package.digest_of(copied)}) == 3


def test_what_decides_no_number_does_not(copied):
    before = package.digest_of(copied)
    (copied / "data/launches.json").write_text("")
    assert package.digest_of(copied) == before


def test_libraries_matter(copied, monkeypatch):
    before = package.digest_of(copied)
    monkeypatch.setattr(package, "_release", lambda name: "0")
    assert package.digest_of(copied) != before


def test_every_library_that_the_engine_computes_with_is_among_them():
    assert {"numpy", "numba", "llvmlite", "sympy", "ml_dtypes"} <= set(package.NUMERIC)
    assert all(map(package._release, package.NUMERIC))


def test_the_package_s_own_sources_are_looked_at():
    found = {path.relative_to(package.PACKAGE).as_posix() for path in package.sources(package.PACKAGE)}
    assert {"engine/core/machine.py", "lang/trace.py", "hardware/architectures/sm_90.toml"} <= found
    assert Path(gpusim.__file__).parent == package.PACKAGE


def test_a_package_that_changed_after_it_was_imported_is_not_known(monkeypatch):
    package.package_digest.cache_clear()
    try:
        monkeypatch.setattr(gpusim, "IMPORTED_NS", Path(package.__file__).stat().st_mtime_ns)
        assert package.package_digest() is None
    finally:
        package.package_digest.cache_clear()
