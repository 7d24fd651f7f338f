"""Does Triton's autotuner get predicted times of what it might measure, with no array touched?"""

import math

import numpy as np
import pytest

from gpusim.errors import GpusimError

triton = pytest.importorskip("triton", reason="Triton is not installed (gpusim[triton])")

from gpusim.triton import activate, perf_model, profile, pruning, rank
from tests.triton.kernels import copied_tile, doubled, doubled_in_parts, picked

N = 8192


def configs():
    return [triton.Config({"BLOCK": block, "PARTS": parts}) for block in (64, 1024) for parts in (1, 4)]


def grid(meta):
    return (triton.cdiv(N, meta["BLOCK"] * meta["PARTS"]),)


@pytest.fixture
def arrays():
    return np.ones(N, np.float32), np.zeros(N, np.float32)


def test_the_time_is_that_of_the_launch_and_no_array_changes(arrays):
    x, y = arrays
    time = perf_model(doubled, sample=None)(x=x, y=y, n=N, BLOCK=256, num_warps=2, grid=(N // 256,), warmup=False)
    assert not y.any()
    assert time == pytest.approx(profile(doubled, N // 256, x, y, N, BLOCK=256, num_warps=2).seconds)


def test_configurations_are_ranked_by_their_times(arrays):
    found = rank(doubled_in_parts, configs(), grid, *arrays, N)
    assert [time for _, time in found] == sorted(time for _, time in found)
    assert {str(config) for config, _ in found} == {str(config) for config in configs()}
    model = perf_model(doubled_in_parts)
    x, y = arrays
    for config, time in found:
        assert time == model(x=x, y=y, n=N, grid=grid, **config.all_kwargs())


def test_what_the_compiler_or_the_gpu_refuses_takes_for_ever(arrays):
    refused = [triton.Config({"BLOCK": 64, "PARTS": 8}), triton.Config({"BLOCK": 64, "PARTS": 1}, num_warps=64)]
    found = rank(doubled_in_parts, [*refused, *configs()[:1]], grid, *arrays, N)
    assert math.isfinite(found[0][1])
    assert [time for _, time in found[1:]] == [math.inf] * 2


def test_the_autotuner_measures_only_what_is_predicted_to_be_best(arrays):
    measured = []

    def measure(call, quantiles):
        measured.append(call)
        return [1.0] * 3

    tuned = triton.autotune(
        configs(), key=["n"], do_bench=measure,
        prune_configs_by={"perf_model": perf_model(lambda: tuned), "top_k": 2},
    )(doubled_in_parts)  # fmt: skip
    best = [str(config) for config, _ in rank(doubled_in_parts, configs(), grid, *arrays, N)[:2]]
    with activate(summary=False) as gpu:
        tuned[grid](*arrays, N)
    assert len(measured) == 2
    assert [str(config) for config in tuned.configs_timings] == best
    assert len(gpu.launches) == 1  # the model's are none of the session's
    np.testing.assert_array_equal(arrays[1], 2 * arrays[0])


def test_without_a_gpu_triton_is_afterwards_as_it_was(arrays):
    from triton.runtime.jit import driver

    before = vars(driver).get("_active")
    rank(doubled_in_parts, configs()[:1], grid, *arrays, N)
    assert vars(driver).get("_active") is before


def test_heuristics_are_taken_along(arrays):
    decided = triton.heuristics({"PARTS": lambda args: 4})(doubled_in_parts)
    x, y = arrays
    given = {"x": x, "y": y, "n": N, "BLOCK": 64, "grid": grid}
    assert perf_model(decided)(**given) == perf_model(doubled_in_parts)(PARTS=4, **given)


def test_tensors_of_a_gpu_are_not_read_unless_they_may_be_indices(arrays, monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    scattered = torch.randperm(N, generator=torch.Generator().manual_seed(0)).to(torch.int32)
    x, y = map(torch.from_numpy, arrays)
    given = {"BLOCK": 256, "grid": (N // 256,)}
    expected = perf_model(picked)(x=x, where=scattered, y=y, **given)
    monkeypatch.setattr(pruning, "_is_elsewhere", lambda value: isinstance(value, torch.Tensor))
    assert perf_model(picked)(x=x, where=scattered, y=y, **given) == expected
    assert perf_model(picked)(x=x, where=torch.zeros_like(scattered), y=y, **given) != expected
    assert not y.any()


def test_tensors_that_have_but_a_size_do():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from triton.tools.tensor_descriptor import TensorDescriptor

    whole = torch.empty(N + 5, device="meta")
    here = torch.zeros(N + 5)
    times = [
        perf_model(doubled)(x=base[5:], y=base[:N], n=N, BLOCK=256, grid=(N // 256,)) for base in (whole, here)
    ]  # fmt: skip
    assert times[0] == times[1] > 0
    tiles = [
        [TensorDescriptor.from_tensor(torch.zeros(64, 64, device=device), [32, 32]) for _ in range(2)]
        for device in ("meta", "cpu")
    ]
    times = [perf_model(copied_tile)(x=x, y=y, BM=32, BN=32, grid=(1,)) for x, y in tiles]
    assert times[0] == times[1] > 0


def test_what_is_no_kernel_is_refused(arrays):
    x, y = arrays
    with pytest.raises(GpusimError, match=r"triton\.jit"):
        perf_model(7)(x=x, y=y, grid=(1,))
    with pytest.raises(GpusimError, match="h200"):
        perf_model(doubled, "h20")
