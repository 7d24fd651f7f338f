"""Triton and PyTorch, without a GPU: what is there is tested, and what is lacking is said (`gpusim[triton]`)."""

import os

import pytest

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # as it was before Triton asked for it

collect_ignore = ["scripts", "kernels.py"]  # programs that `test_scripts.py` runs; kernels, which need Triton


@pytest.fixture(scope="session", autouse=True)
def _kept_apart(tmp_path_factory):
    """What Triton compiles is not taken from a user's cache, nor put there."""
    before = os.environ.get("TRITON_CACHE_DIR")
    os.environ["TRITON_CACHE_DIR"] = str(tmp_path_factory.mktemp("triton"))
    yield
    if before is None:
        del os.environ["TRITON_CACHE_DIR"]
    else:
        os.environ["TRITON_CACHE_DIR"] = before
