"""What every test of this room shares: its own cache folder, its sources, and which tools there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpusim.cuda import toolchain
from gpusim.cuda.cuda_errors import MissingToolError
from gpusim.hardware import library

SOURCES = Path(__file__).parent / "sources"
DROPPED = {"sm_60", "sm_70"}
"""Architectures for which compilers of CUDA 13 make no code."""

KNOWN = {path.stem for path in library.ARCHITECTURES.glob("*.toml")}
ARCHITECTURES = sorted(KNOWN - DROPPED, key=lambda arch: int(arch.removeprefix("sm_")))
"""Those of which gpusim knows something and for which there are compilers."""


@pytest.fixture(scope="session")
def nvcc() -> toolchain.Nvcc:
    """nvcc; skip where there is none."""
    try:
        return toolchain.nvcc()
    except MissingToolError as error:
        pytest.skip(str(error))


@pytest.fixture
def no_nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without nvcc."""

    def missing() -> None:
        raise MissingToolError("nvcc is not installed: pip install nvidia-cuda-nvcc nvidia-cuda-cccl")

    monkeypatch.setattr(toolchain, "nvcc", missing)


@pytest.fixture(scope="session")
def libcu(compiler: None) -> None:
    """Skip where libcu++ is not installed, which cooperative groups need."""
    if not any((folder / "nv/target").is_file() for folder in toolchain.nvrtc().includes):
        pytest.skip("libcu++ is not installed: pip install nvidia-cuda-cccl")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that is empty at first, one for each test."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(folder))
    return folder
