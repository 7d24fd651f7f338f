"""What every test shares: how hypothesis searches, what is skipped without a compiler, which kernels are seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.thinning import thin_out

# Compiling an engine function may take seconds the first time, so no example has a deadline.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("here"), derandomize=True, print_blob=True, max_examples=20)
settings.load_profile("ci" if os.environ.get("CI") else "here")

for variable in ("GPUSIM_KERNELS", "GPUSIM_QUIET"):  # what a user has set is not what is tested
    os.environ.pop(variable, None)
os.environ["GPUSIM_JOBS"] = "1"  # tests run side by side; those of threads ask for them
os.environ["GPUSIM_FORGET"] = "1"  # a test is of what runs now; those of what is kept unset it


# No modules of tests: they need Triton, and Warp.
collect_ignore = ["cuda/triton/kernels.py", "profile/warp_kernels.py"]

MEASURED_WITH = "13.0"
"""Release of NVRTC that the machine code is from which was measured."""


@pytest.fixture(scope="session")
def compiler() -> None:
    """Skip where the extra ``cuda`` is not installed."""
    from gpusim.cuda import toolchain
    from gpusim.cuda.cuda_errors import MissingToolError

    try:
        toolchain.nvrtc()
        toolchain.nvdisasm()
    except MissingToolError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def measured_compiler(compiler: None) -> None:
    """Skip where machine code cannot be held against what was measured, for it is another compiler's."""
    from gpusim.cuda import nvrtc

    if MEASURED_WITH not in nvrtc.name():
        pytest.skip(f"measured with NVRTC {MEASURED_WITH}, not with {nvrtc.name()}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave some of many like cases to ``-m long``."""
    thin_out(items)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile all of the engine once before workers start, which would all do so at the same time."""
    if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses", None):
        return
    root = Path(__file__).resolve().parents[1]
    everything = "from gpusim.simulate import load_engine; load_engine()"
    environment = {**os.environ, "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", everything], check=True, cwd=root, env=environment)
