"""A stand-in for ``gpusim.predict``, for tests of the command line alone."""

from __future__ import annotations

from typing import Any

import pytest

import gpusim
from tests.report.profiles import tiled_matmul


class Calls(list):
    """Arguments of every call, in order; set `error` for the next call to raise it."""

    error: BaseException | None = None

    def __call__(self, kernel: str, gpu: str = "h200", **options: Any) -> gpusim.Profile:
        self.append({"kernel": kernel, "gpu": gpu, **options})
        if self.error is not None:
            raise self.error
        return tiled_matmul(gpu=gpu, tile=options.get("tile", 32), n=options.get("n", 4096))


@pytest.fixture
def predicted(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Calls that the command line makes to ``gpusim.predict``."""
    calls = Calls()
    monkeypatch.setitem(vars(gpusim), "predict", calls)
    return calls
