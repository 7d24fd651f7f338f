"""Does machine code of Triton's run as it is, and does a launch find what Triton noted beside it?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpusimError
from gpusim.launches import file, profiling
from tests.cuda.conftest import SOURCES

pytestmark = pytest.mark.usefixtures("compiler")

FOLDER = SOURCES.parent / "triton"
GPU = "h100-sxm"
ONES, ZEROS, N = {"buffer": "float32", "count": 4032, "init": "ones"}, {"buffer": "float32", "count": 4032}, 1008
ARGS = [ONES, ZEROS, {"int32": N}, {"int32": N}]


def run(name: str, grid, *args) -> gpusim.Profile:
    """A kernel with what Triton adds to its launch; its arrays hold the results."""
    kernel = cuda.compile(FOLDER / f"{name}.cubin", gpu=GPU).kernel()
    blocks = int(np.prod(grid))
    added = [np.zeros(blocks * n, np.uint8) if n else None for n in kernel.noted.scratch]
    shared = kernel.noted.shared_bytes
    return gpusim.profile(kernel, grid, kernel.code.block, [*args, *added], gpu=GPU, dynamic_shared=shared)


def normal(*shape: int, dtype=np.float32, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


# ------------------------------------------------------------------ values


def test_softmax():
    x, y = normal(3, 1000), np.zeros((3, 1000), np.float32)
    run("softmax", 3, x, y, 1000, 1000)
    powers = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(y, powers / powers.sum(1, keepdims=True), rtol=1e-5)


def test_layernorm():
    x, y, weight, bias = normal(3, 512), np.zeros((3, 512), np.float32), normal(512, seed=4), normal(512, seed=5)
    run("layernorm", 3, x, y, weight, bias, 512, np.float32(1e-5))
    exact = x.astype(np.float64)
    wanted = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + 1e-5) * weight + bias
    np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("M", "N", "K"), [(64, 64, 32), (104, 136, 208)])
def test_a_matmul_that_loads_tiles_ahead(M, N, K):
    a, b, c = normal(M, K, dtype=np.float16), normal(K, N, dtype=np.float16, seed=4), np.zeros((M, N), np.float16)
    found = run("matmul", (-(-M // 64), -(-N // 64)), a, b, c, M, N, K)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=2e-3, atol=2e-2)
    blocks, steps = -(-M // 64) * -(-N // 64), -(-K // 32)
    assert found["sm__inst_executed_pipe_tensor_op_gmma.sum"].value == blocks * steps * 4 * 2  # warps, K of 16


def test_a_matmul_by_tensor_maps_of_the_host():
    M, N, K = 104, 136, 208
    a, b, c = normal(M, K, dtype=np.float16), normal(N, K, dtype=np.float16, seed=4), np.zeros((M, N), np.float16)
    args = [*described(a, 0), *described(b, 1), *described(c, 2), K]
    run("matmul_by_maps", (2, 3), *args)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64).T, rtol=2e-3, atol=2e-2)


def described(array: np.ndarray, position: int) -> list:
    """What Triton passes of an array for a tensor map: the map, sizes, elements from one row to the next."""
    told = json.loads((FOLDER / "matmul_by_maps.json").read_text())["tensordesc_meta"][position]
    made = gpusim.TensorMap(array, told["block_size"], swizzle=[None, 32, 64, 128][told["swizzle"]])
    return [made, *map(np.int32, array.shape), np.int64(array.shape[1]), np.int64(1)]


def test_tensor_maps_that_blocks_make_themselves():
    x, y = normal(50, 72), np.zeros((50, 72), np.float32)
    run("added", (2, 3), x, y, 50, 72)
    np.testing.assert_array_equal(y, x + np.float32(1))


def test_causal_attention():
    q, k, v, o = (normal(2, 128, 32, dtype=np.float16, seed=seed) for seed in range(4))
    run("attention", (2, 2), q, k, v, o, np.float32(32**-0.5), 128)
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) / 32**0.5
    powers = np.exp(np.where(np.tri(128) > 0, scores, -np.inf))
    wanted = powers / powers.sum(-1, keepdims=True) @ v.astype(np.float64)
    np.testing.assert_allclose(o, wanted, rtol=2e-3, atol=2e-3)


# ------------------------------------------------------------------ what lies beside a cubin


def launched(folder: Path, **entry: object) -> gpusim.Profile:
    """A launch of the softmax in a folder, from a launch file."""
    full = {"id": "rows", "source": "softmax.cubin", "grid": [4], "args": ARGS, **entry}
    return profiling.profile(file.launches([full], folder, "launches.json")[0], GPU)


def test_a_launch_needs_no_more_than_grid_and_own_arguments():
    told = {"block": [128], "dynamic_shared": 16, "args": [*ARGS, *[{"bytes": "00" * 8}] * 2]}
    short, full = launched(FOLDER), launched(FOLDER, **told)
    assert short.to_dict()["metrics"] == full.to_dict()["metrics"]


def test_scratch_memory_is_there_for_every_block():
    maps = {"source": "added.cubin", "grid": [2, 3]}
    assert launched(FOLDER, **maps, args=[*ARGS[:2], {"int32": 50}, {"int32": 72}]).warp_instructions


def alone(folder: Path, note: object = None) -> Path:
    """The softmax in a folder of its own, with another note beside it."""
    shutil.copy(FOLDER / "softmax.cubin", folder)
    if note is not None:
        (folder / "softmax.json").write_text(json.dumps(note))
    return folder


NOTE = {"name": "softmax", "num_warps": 4, "shared": 16, "global_scratch_size": 0, "profile_scratch_size": 0}


def test_an_older_tritons_note_tells_of_fewer_pointers(tmp_path):
    older = {key: value for key, value in NOTE.items() if key != "profile_scratch_size"}
    kernel = cuda.compile(alone(tmp_path, older) / "softmax.cubin", gpu=GPU).kernel()
    assert kernel.noted.scratch == (0,)


@pytest.mark.parametrize("note", [None, [], {}, {**NOTE, "name": "other"}, {**NOTE, "shared": -1}, {"name": "softmax"}])
def test_what_is_no_note_of_tritons_is_none(tmp_path, note):
    assert cuda.compile(alone(tmp_path, note) / "softmax.cubin", gpu=GPU).kernel().noted is None


def refusal(folder: Path, **entry: object) -> str:
    with pytest.raises(GpusimError) as caught:
        launched(folder, **entry)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_arguments_that_triton_would_have_added_are_named(tmp_path):
    message = refusal(alone(tmp_path))
    assert "softmax takes 6 arguments" in message
    assert "not 4: the last 2 may be pointers to scratch memory that Triton adds" in message


def test_shared_memory_that_triton_would_have_noted_is_asked_for(tmp_path):
    message = refusal(alone(tmp_path), args=[*ARGS, *[{"bytes": "00" * 8}] * 2])
    assert "out of bounds of shared memory" in message
    assert "dynamic_shared (--dynamic-shared)" in message


def test_blocks_have_the_shape_that_the_code_is_for():
    assert (
        refusal(FOLDER, block=[64]) == "softmax: a block of 64 x 1 x 1 threads, but its code is for 128 x 1 x 1 alone"
    )


def test_a_block_that_no_code_tells_of_is_asked_for(tmp_path):
    text = "__global__ void k(int* x) { *x = 1; }"
    (tmp_path / "any.cubin").write_bytes(cuda.compile(text, gpu=GPU).cubin.data)
    message = refusal(tmp_path, source="any.cubin", args=[{"buffer": "int32", "count": 1}])
    assert message == "rows: block is missing, and the code of k is for any block"


def test_a_source_needs_a_block(tmp_path):
    assert refusal(tmp_path, source="k.cu") == "launches.json: [0].block: this is missing"
