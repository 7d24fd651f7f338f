"""The oldest and the newest numba, with every Python there is that gpusim supports: ``python -m tests.matrix``.

A pair has a virtual environment of its own, in a folder of the cache folder, and keeps it for the next time.  A pair
for which numba has no wheel is left out, and said to be.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from gpusim.engine.compiling.jit import TRIED
from gpusim.folders import cache_folder

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
"""As the classifiers of pyproject.toml."""
TESTS = ("tests/engine/compiling", "tests/engine/alu/test_tensor.py", "tests/engine/load_store/test_atomics.py",
         "gpusim/frontends/described.py")  # fmt: skip
"""Each of these needs another part of what is compiled."""


def interpreters() -> Iterator[tuple[str, str]]:
    """Versions of Python, and where each is: this one, those in the path, and those that pyenv has."""
    found = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in PYTHONS:
        places = [str(path) for path in sorted(found.glob(f"{version}.*/bin/python"))]
        if f"{sys.version_info.major}.{sys.version_info.minor}" == version:
            places.insert(0, sys.executable)
        if where := next(iter(places), shutil.which(f"python{version}")):
            yield version, where


def environment(python: str, folder: Path, numba: str) -> Path | None:
    """The Python of an environment with this numba; None if that cannot be installed."""
    own = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not own.exists():
        subprocess.run([python, "-m", "venv", folder], check=True)
    install = [own, "-m", "pip", "install", "--quiet", "--only-binary=numba,llvmlite", f"numba=={numba}", "-e", ROOT]
    tests = ["pytest>=8.3", "pytest-benchmark>=5.0", "hypothesis>=6.100"]
    return own if subprocess.run([*install, *tests], cwd=ROOT).returncode == 0 else None


def outcome(python: str, folder: Path, numba: str, rest: list[str]) -> str:
    """What became of a pair: passed, failed, or why it was not run."""
    own = environment(python, folder, numba)
    if own is None:
        return "not run: it cannot be installed"
    settings = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    command = [own, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(rest or TESTS)]
    return "failed" if subprocess.run(command, cwd=ROOT, env=settings).returncode else "passed"


def main() -> int:
    """Run the pairs that are asked for, and say what became of each; 1 if one failed or none ran."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numba", action="append", help="a release to try, instead of the oldest and the newest")
    parser.add_argument("--python", action="append", help="a version to try, instead of all")
    parser.add_argument("tests", nargs="*", help="what pytest is to run instead of the few that are chosen")
    asked = parser.parse_args()
    became = {}
    for version, python in interpreters():
        for numba in (asked.numba or [TRIED[0], TRIED[-1]]) if version in (asked.python or PYTHONS) else ():
            folder = cache_folder() / "matrix" / f"python-{version}-numba-{numba}"
            print(f"== Python {version}, numba {numba}", flush=True)
            became[version, numba] = outcome(python, folder, numba, asked.tests)
    for (version, numba), what in became.items():
        print(f"Python {version}, numba {numba}: {what}")
    return int("failed" in became.values() or "passed" not in became.values())


if __name__ == "__main__":
    sys.exit(main())
