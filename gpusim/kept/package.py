"""Which gpusim it is: a digest of all in the package, and under it, that can change a number."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

import gpusim
from gpusim.folders import digest_of_files

PACKAGE = Path(__file__).parents[1]

NUMERIC = ("llvmlite", "ml_dtypes", "networkx", "numba", "numpy", "sympy")
"""Distributions whose release may change a number."""

OF_ERRORS = ("validation", "quick", "programs", "published", "strangers", "intervals")
ERRORS = tuple(f"data/{of}-*.json" for of in OF_ERRORS)
"""Files of the errors that stand beside results."""


def sources(package: Path) -> list[Path]:
    """Every file of a package that can change a number: code, GPUs, known errors.

    Parameters
    ----------
    package : Path
    """
    errors = (path for pattern in ERRORS for path in package.glob(pattern))
    return sorted([*package.rglob("*.py"), *package.rglob("*.toml"), *errors])


def digest_of(package: Path) -> str:
    """Digest of a package's files, and of the releases of what it computes with.

    Parameters
    ----------
    package : Path

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    return digest_of_files([*_platform()], package, sources(package))


@cache
def package_digest() -> str | None:
    """Digest of the gpusim that runs (:func:`digest_of`); None where files of it have changed since it was imported."""
    newest = max(path.stat().st_mtime_ns for path in sources(PACKAGE))
    return digest_of(PACKAGE) if newest < gpusim.IMPORTED_NS else None


def _platform() -> Iterator[str]:
    yield from (sys.version, platform.system(), platform.machine())
    yield from map(_release, NUMERIC)


def _release(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
