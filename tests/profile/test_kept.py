"""Are a user's arrays filled every time, and is a run without values given again only where arrays hold the same?"""

import numpy as np
import pytest

import gpusim
from gpusim.kept.store import FORGET
from tests.profile.running import SAXPY, kernel

pytestmark = pytest.mark.usefixtures("compiler")

GATHER = """
__global__ void gather(const int* at, const float* x, float* y) {
    y[threadIdx.x] = x[at[threadIdx.x]];
}
"""
N = 64


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache folder of each test's own."""
    monkeypatch.delenv(FORGET, raising=False)
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(tmp_path))


def saxpy(x, y, **how):
    return gpusim.profile(kernel(SAXPY), 1, N, [N, 2.5, x, y], **how)


def test_arrays_are_filled_every_time():
    for _ in range(2):
        x, y = np.ones(N, np.float32), np.zeros(N, np.float32)
        assert saxpy(x, y).kept is None
        assert (y == 2.5).all()


def test_without_values_the_second_is_kept_and_arrays_stay():
    x, y = np.ones(N, np.float32), np.zeros(N, np.float32)
    first, second = (saxpy(x, y, values=False) for _ in range(2))
    assert first.kept is None
    assert second.kept is not None
    assert second == first
    assert not y.any()
    assert saxpy(x, y, values=False, fresh=True).kept is None


def test_contents_that_decide_no_address_make_no_difference():
    y = np.zeros(N, np.float32)
    saxpy(np.ones(N, np.float32), y, values=False)
    assert saxpy(np.zeros(N, np.float32), y, values=False).kept is not None
    assert saxpy(np.ones(2 * N, np.float32), y, values=False).kept is None


def test_contents_that_decide_addresses_do():
    compiled, x, y = kernel(GATHER), np.ones(32 * N, np.float32), np.zeros(N, np.float32)

    def gathered(step):
        at = (np.arange(N) * step).astype(np.int32)
        return gpusim.profile(compiled, 1, N, [at, x, y], values=False)

    near, far, again = gathered(1), gathered(32), gathered(1)
    assert far.kept is None
    assert again.kept is not None
    assert again == near
    assert far.global_load_bytes > near.global_load_bytes


def test_scalars_and_shared_places_do():
    x = np.ones(2 * N, np.float32)
    saxpy(x[:N], x[N:], values=False)
    assert saxpy(x[:N], x[N:], values=False).kept is not None
    assert saxpy(x[:N], x[:N], values=False).kept is None
    assert gpusim.profile(kernel(SAXPY), 1, N, [N, 3.5, x[:N], x[N:]], values=False).kept is None
