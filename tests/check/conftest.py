"""A stand-in for the run that notes faults, and a source that it is asked about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpusim.simulate import checking
from tests.check.observed import SOURCE, Checks


@pytest.fixture
def source(tmp_path: Path, compiler: None) -> Path:
    """The kernel of :mod:`tests.check.observed`, in a file."""
    path = tmp_path / "reverse.cu"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def observing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have runs find what a function gives of a launch; the calls are noted."""

    def have(faults: Any = lambda launch: (), **more: Any) -> Checks:
        checks = Checks(faults, **more)
        monkeypatch.setattr(checking, "check", checks)
        return checks

    return have
