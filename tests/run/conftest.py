"""What programs need to run: nvcc and the host's compiler."""

from __future__ import annotations

import pytest

from gpusim.cuda import toolchain
from gpusim.cuda.cuda_errors import MissingToolError
from gpusim.programs import toolkit


@pytest.fixture(scope="session")
def nvcc() -> toolchain.Nvcc:
    """Skip where there is no nvcc, or no compiler of the host."""
    try:
        toolkit.host_compiler()
        found = toolchain.nvcc()
        toolkit.headers(toolkit.release_of(found))
        toolchain.nvdisasm()
    except MissingToolError as error:
        pytest.skip(str(error))
    return found
