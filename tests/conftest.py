"""What every test shares: how hypothesis searches, and that only this repository's kernels are seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Compiling an engine function may take seconds the first time, so no example has a deadline.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("here"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

os.environ.pop("GPUSIM_KERNELS", None)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile all of the engine once before workers start, which would all do so at the same time."""
    if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses", None):
        return
    root = Path(__file__).resolve().parents[1]
    everything = "from gpusim.simulate import load_engine; load_engine()"
    environment = {**os.environ, "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", everything], check=True, cwd=root, env=environment)
