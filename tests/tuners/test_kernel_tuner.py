"""Does Kernel Tuner tune by predicted times as it does by measured ones, and is what cannot be refused in a line?"""

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpusimError
from gpusim.tuners.kernel_tuner import counters, run_kernel, tune_kernel

util = pytest.importorskip("kernel_tuner.util", reason="Kernel Tuner is not installed (gpusim[kernel-tuner])")
pytestmark = [
    pytest.mark.usefixtures("compiler"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # what Kernel Tuner itself uses
]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tuners.md"
N = 4096
ADD = """
__global__ void add(float* c, const float* a, const float* b, int n) {
    for (int k = 0; k < per_thread; ++k) {
        int i = (blockIdx.x * per_thread + k) * block_size_x + threadIdx.x;
        if (i < n) c[i] = a[i] + b[i];
    }
}
"""
OVER = {"block_size_x": [64, 256], "per_thread": [1, 2]}

TIGHT = """
__constant__ float w[4];
__global__ void __launch_bounds__(512) tight(float* c, const float* a, int n) {
    extern __shared__ float dynamic[];
    __shared__ float s[SHARED];
    int i = blockIdx.x * threads + threadIdx.x;
    s[threadIdx.x] = a[i];
    dynamic[threadIdx.x] = s[threadIdx.x] * w[threadIdx.x % 4];
    __syncthreads();
    c[i] = dynamic[threads - 1 - threadIdx.x];
}
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # Kernel Tuner leaves the source of what fails there


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(N).astype(np.float32) for _ in range(2))
    return np.zeros(N, np.float32), a, b, np.int32(N)


def tuned(arrays, source=ADD, over=OVER, **options):
    how = {"grid_div_x": ["block_size_x", "per_thread"], "quiet": True}
    return tune_kernel("add", source, N, list(arrays), over, **(how | options))


def points(results):
    return sorted((one["block_size_x"], one["per_thread"]) for one in results)


def test_every_point_gets_the_time_that_profile_predicts(arrays):
    results, environment = tuned(arrays)
    assert points(results) == sorted(itertools.product(*OVER.values()))
    for one in results:
        over = {name: one[name] for name in OVER}
        kernel = cuda.compile(ADD, gpu="h200", defines=over).kernel()
        grid = N // (one["block_size_x"] * one["per_thread"])
        alone = gpusim.profile(kernel, grid, one["block_size_x"], list(arrays), values=False, sample="quick")
        assert one["time"] == pytest.approx(1000 * alone.seconds)
        assert one["time_low"] < one["time_high"]
        assert one["claim"] == "calibrated"
    assert environment["best_config"]["time"] == min(one["time"] for one in results)
    assert environment["device_name"] == "h200 (gpusim)"
    assert not arrays[0].any()


@pytest.mark.parametrize("strategy", ["random_sample", "genetic_algorithm", "mls", "simulated_annealing"])
def test_strategies_find_points_of_the_space(arrays, strategy):
    results, _ = tuned(arrays, strategy=strategy, strategy_options={"max_fevals": 2}, seed=1)
    assert results
    assert set(points(results)) <= set(itertools.product(*OVER.values()))


def test_a_source_may_be_a_file_or_a_function(arrays, tmp_path):
    file = tmp_path / "add.cu"
    file.write_text(ADD)
    over = {"block_size_x": [64], "per_thread": [1]}
    given = [ADD, str(file), lambda params: ADD]
    times = [tuned(arrays, source, over, lang="CUDA")[0][0]["time"] for source in given]
    assert len(set(times)) == 1
    with pytest.raises(GpusimError, match="lang='CUDA'"):
        tuned(arrays, given[-1], over)


def test_restrictions_metrics_defines_and_names_of_sizes_are_heeded(arrays):
    over = {"threads": [64, 128, 256], "each": [1, 2]}
    results, _ = tune_kernel(
        "add", ADD, "length", list(arrays), {"length": [N], **over}, grid_div_x=["threads * each"], quiet=True,
        block_size_names=["threads"], restrictions=["threads * each <= 256"], sample=None,
        defines={"block_size_x": "threads", "per_thread": lambda params: params["each"]},
        metrics={"GB/s": lambda point: 3 * 4 * N / point["time"] / 1e6},
    )  # fmt: skip
    assert sorted((one["threads"], one["each"]) for one in results) == [(64, 1), (64, 2), (128, 1), (128, 2), (256, 1)]
    for one in results:
        assert one["GB/s"] == pytest.approx(3 * 4 * N / one["time"] / 1e6)


def test_counters_stand_beside_the_time_and_may_be_the_objective(arrays):
    name = "dram__bytes_read.sum"
    results, environment = tuned(
        arrays, observers=[counters([name])], objective=name, objective_higher_is_better=False
    )  # fmt: skip
    assert all(one[name] >= 2 * arrays[1].nbytes for one in results)
    assert environment["best_config"][name] == min(one[name] for one in results)
    with pytest.raises(GpusimError, match=r"dram__bytes_read\.sum"):
        tuned(arrays, observers=[counters(["dram__bytes_reed.sum"])])


def test_values_are_checked_against_the_answer_and_by_a_function(arrays):
    c, a, b, _ = arrays
    tuned(arrays, answer=[a + b, None, None, None])
    seen = []

    def verify(answer, results, atol=None):
        seen.append(answer)
        return np.array_equal(results[0], a + b)

    tuned(arrays, verify=verify)
    assert seen == [None] * 4
    with pytest.raises(RuntimeError, match="verification failed"):
        tuned(arrays, answer=[a - b, None, None, None])
    assert not c.any()


def test_what_the_compiler_or_the_gpu_refuses_is_recorded_as_kernel_tuner_does():
    """Static shared memory beyond 48 KiB, dynamic beyond what a block has, threads beyond the launch bounds."""
    a = np.ones(N, np.float32)
    over = {"threads": [512, 1024], "SHARED": [1024, 65536], "kib": [4, 400]}
    results, _ = tune_kernel(
        "tight", TIGHT, N, [np.zeros_like(a), a, np.int32(N)], over, grid_div_x=["threads"], quiet=True,
        block_size_names=["threads"], smem_args={"size": lambda point: 1024 * point["kib"]},
        cmem_args={"w": np.arange(4, dtype=np.float32)},
    )  # fmt: skip
    for one in results:
        if one["SHARED"] == 65536:
            assert isinstance(one["__error__"], util.CompilationFailedConfig)
        elif one["threads"] == 1024 or one["kib"] == 400:
            assert isinstance(one["__error__"], util.RuntimeFailedConfig)
        else:
            assert one["time"] > 0


def test_constants_reach_the_kernel():
    a, w = np.ones(N, np.float32), np.arange(4, dtype=np.float32)
    found = run_kernel(
        "tight", TIGHT, N, [np.zeros_like(a), a, np.int32(N)], {"threads": 128, "SHARED": 128}, quiet=True,
        grid_div_x=["threads"], block_size_names=["threads", "y", "z"], smem_args={"size": 512}, cmem_args={"w": w},
    )[0]  # fmt: skip
    np.testing.assert_array_equal(found, np.tile(w[::-1], N // 4))


def test_a_cache_file_is_taken_up_again_and_simulated_from(arrays, tmp_path):
    path = str(tmp_path / "points.json")
    results, _ = tuned(arrays, cache=path)
    held = json.loads((tmp_path / "points.json").read_text())
    assert held["device_name"] == "h200 (gpusim)"
    assert len(held["cache"]) == 4
    again, _ = tuned(arrays, cache=path)
    replayed, _ = tuned(arrays, cache=path, simulation_mode=True)
    times = sorted(one["time"] for one in results)
    assert times == sorted(one["time"] for one in again) == sorted(one["time"] for one in replayed)


def test_the_architecture_that_a_script_compiles_for_gives_way_to_the_gpu(arrays):
    over = {"block_size_x": [64], "per_thread": [1]}
    results, environment = tuned(
        arrays, over=over, gpu="a100-40gb", compiler_options=["-arch", "sm_70", "--use_fast_math"]
    )  # fmt: skip
    assert results[0]["time"] > 0
    assert environment["compiler_options"] == ["--use_fast_math"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"texmem_args": {"t": np.ones(4, np.float32)}}, "texmem_args"),
        ({"parallel": 2}, "parallel"),
        ({"lang": "OpenCL"}, "OPENCL"),
        ({"gpu": "h20"}, "h200"),
        ({"stratagem": 1}, "stratagem"),
        ({"caches": "warm"}, "quick"),
        ({"over": {"block_size_x": [64], "per_thread": [1], "cuda_sm_percentage": [50]}}, "cuda_sm_percentage"),
    ],
)
def test_what_cannot_be_is_refused(arrays, options, message):
    with pytest.raises(GpusimError, match=message):
        tuned(arrays, **options)


def test_kernel_tuner_is_afterwards_as_it_was(arrays):
    from kernel_tuner import core
    from kernel_tuner.runners import sequential

    before = core._select_default_cuda_backend, sequential.SequentialRunner
    with pytest.raises(GpusimError):
        tuned(arrays, gpu="h20")
    tuned(arrays, over={"block_size_x": [64], "per_thread": [1]})
    assert (core._select_default_cuda_backend, sequential.SequentialRunner) == before


def test_the_documented_script_runs(capsys):
    script = re.search(r'```python title="tune_add.py"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.S)
    exec(compile(script.group(1), "tune_add.py", "exec"), {})
    assert capsys.readouterr().out.splitlines()[-1] in {"64", "256", "1024"}
