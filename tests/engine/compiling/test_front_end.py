"""What is remembered of one whole is not taken for another, nor for what others compile with numba."""

import numba
import pytest

from gpusim.engine.compiling import store
from gpusim.engine.compiling.jit import MODE, cold, jit, whole

own_parts = pytest.mark.skipif(MODE.__name__.endswith("plain"), reason="numba alone decides")


@jit
def ratio(x, y):
    return x // y


@cold
def rarely(x):
    return x * x


@jit
def calls_both(x, y):
    return rarely(x) + ratio(rarely(y), max(x, y)) + rarely(3)


def divided(x, y):
    return max(x, y) // y


@pytest.fixture(autouse=True)
def kept_apart(tmp_path, monkeypatch):
    """Code of these functions is not kept with the engine's: that folder's name does not change with this file."""
    monkeypatch.setattr(store, "FOLDER", tmp_path / "engine-of-tests")


def test_what_others_compile_raises_what_numba_raises():
    assert whole(calls_both)(7, -2) == 49 + 4 // 7 + 9
    others = numba.njit(divided)
    assert others(7, 2) == 3
    with pytest.raises(ZeroDivisionError):
        others(7, 0)
    assert whole(ratio)(7, 2) == 3
    assert whole(ratio)(7.0, 2.0) == 3.0
    assert whole(ratio)(7, 0) == 0  # the engine divides as NumPy does
    with pytest.raises(ZeroDivisionError):
        numba.njit(divided)(7, 0)


@own_parts
def test_what_is_rarely_run_is_called():
    from gpusim.engine.compiling.parts import _WholeLibrary

    seen = []
    before = _WholeLibrary._optimize_final_module

    def optimise(library):
        before(library)
        seen.append(str(library._final_module))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_WholeLibrary, "_optimize_final_module", optimise)
        whole(calls_both).compile((numba.float64, numba.float64))
    calls = [line for line in seen[-1].splitlines() if " call " in line]
    assert any("6rarely" in line for line in calls)
    assert not any("5ratio" in line for line in calls)
