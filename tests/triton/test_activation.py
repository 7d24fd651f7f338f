"""What a session launches on: arrays of NumPy, addresses, errors, predicted times."""

import numpy as np
import pytest

pytest.importorskip("triton", reason="gpusim[triton] is not installed")

import triton
from triton import testing

import gpusim
from gpusim.errors import GpusimError, ParameterError
from gpusim.triton import activate, profile
from tests.triton.kernels import doubled, gathered, shifted, typed

ON = "h100-sxm"


def numbers(count):
    return np.arange(count, dtype=np.float32)


def test_profile_gives_the_launch_and_the_values():
    x, y = numbers(1024), np.zeros(1024, np.float32)
    found = profile(doubled, lambda meta: (triton.cdiv(1024, meta["BLOCK"]),), x, y, 1024, BLOCK=256, gpu=ON)
    np.testing.assert_array_equal(y, 2 * x)
    assert (found.kernel, found.gpu, found.grid, found.block) == ("doubled", ON, (4, 1, 1), (128, 1, 1))
    assert found.global_store_bytes == 4096
    assert {one.name for one in found.arrays} >= {"x", "y"}


def test_profile_leaves_triton_as_it_was():
    before, run = triton.runtime.driver._active, triton.runtime.jit.JITFunction.run
    code = testing.do_bench.__code__
    profile(doubled, 1, numbers(256), numbers(256), 256, BLOCK=256, gpu=ON)
    assert triton.runtime.driver._active is before
    assert triton.runtime.jit.JITFunction.run is run
    assert testing.do_bench.__code__ is code


def test_another_gpu_gets_code_of_its_own():
    for gpu, arch in ((ON, "sm_90"), ("a100-80gb", "sm_80"), (ON, "sm_90")):
        with activate(gpu, summary=False) as on:
            y = np.zeros(256, np.float32)
            compiled = doubled[(1,)](numbers(256), y, 256, BLOCK=256)
            np.testing.assert_array_equal(y, 2 * numbers(256))
            assert compiled.function.arch.rstrip("a") == arch
            assert on.launches[-1].gpu == gpu


def test_every_launch_is_of_the_values_that_are_there():
    with activate(ON, summary=False) as gpu:
        x = numbers(256)
        for _ in range(3):
            doubled[(1,)](x, x, 256, BLOCK=256)
        np.testing.assert_array_equal(x, 8 * numbers(256))
        assert len(gpu.launches) == 3


def test_a_view_lies_within_what_it_is_a_view_of():
    whole, y = numbers(512), np.zeros(128, np.float32)
    with activate(ON, summary=False):
        shifted[(1,)](whole[256:384], y, -200, BLOCK=128)
        np.testing.assert_array_equal(y, whole[56:184])
        shifted[(1,)](whole[256:384], y, 100, BLOCK=128)
        np.testing.assert_array_equal(y, whole[356:484])


def test_an_access_beyond_an_array_names_it():
    with activate(ON, summary=False), pytest.raises(GpusimError, match=r"past the end of x \(512 bytes"):
        shifted[(1,)](numbers(128), numbers(128), 1, BLOCK=128)


def test_numbers_are_passed_in_their_types():
    y = np.zeros(128, np.float32)
    with activate(ON, summary=False):
        typed[(1,)](y, -300, 0.1, True, BLOCK=128)
        np.testing.assert_array_equal(y, np.float32(-300) + np.float32(np.float16(0.1)))
        typed[(1,)](y, 1, 1.0, False, BLOCK=128)
        assert not y.any()


def test_what_only_gives_itself_by_dlpack_is_an_array():
    class Given:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **how):
            return self.array.__dlpack__(**how)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    y = np.zeros(256, np.float32)
    profile(doubled, 1, Given(numbers(256)), Given(y), 256, BLOCK=256, gpu=ON)
    np.testing.assert_array_equal(y, 2 * numbers(256))


def test_an_array_that_is_read_only_may_be_read_and_not_written():
    x, y = numbers(256), numbers(256)
    x.flags.writeable = False
    profile(doubled, 1, x, y, 256, BLOCK=256, gpu=ON)
    with pytest.raises(ParameterError, match="doubled writes to y, but its array is read-only"):
        profile(doubled, 1, y, x, 256, BLOCK=256, gpu=ON)


def test_an_address_that_no_array_has_is_out_of_bounds():
    with activate(ON, summary=False), pytest.raises(GpusimError, match="out of bounds"):
        gathered[(1,)](np.array([16], np.int64), numbers(128), BLOCK=128)


def test_a_benchmark_gives_the_predicted_time_however_it_is_called():
    with activate(ON, summary=False) as gpu:
        x = numbers(256)
        times = [
            testing.do_bench(lambda: doubled[(1,)](x, x, 256, BLOCK=256)),
            *testing.do_bench(lambda: doubled[(1,)](x, x, 256, BLOCK=256), 1, 10, None, [0.5, 0.9]),
            *testing.do_bench_cudagraph(lambda: doubled[(1,)](x, x, 256, BLOCK=256), return_mode="all"),
        ]
        assert set(times) == {gpu.launches[0].seconds * 1000}
        np.testing.assert_array_equal(x, 8 * numbers(256))
        assert np.isnan(testing.do_bench(lambda: None))


def test_two_sessions_at_once_are_refused():
    with activate(ON, summary=False), pytest.raises(ParameterError, match="h100-sxm is active"):
        activate("h200")


def test_an_older_triton_is_refused(monkeypatch):
    monkeypatch.setattr(triton, "__version__", "3.3.1")
    with pytest.raises(GpusimError, match=r"Triton 3\.3\.1 is too old: 3\.5 or newer"):
        activate(ON)


def test_a_grid_of_nothing_launches_nothing():
    with pytest.raises(ParameterError, match="nothing was launched"):
        profile(doubled, (0,), numbers(1), numbers(1), 1, BLOCK=256, gpu=ON)


def test_the_package_offers_it():
    assert gpusim.triton.activate is activate
