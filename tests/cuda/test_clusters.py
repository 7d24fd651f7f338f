"""Do blocks of a cluster see of one another what PTX promises: numbers, shared memory, barriers, mbarriers, copies?"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
from gpusim import TensorMap, cuda
from tests.cuda.conftest import SOURCES

GPU = "h100-sxm"


@pytest.fixture(scope="module")
def module(compiler: None) -> cuda.Module:
    return cuda.compile(SOURCES / "clusters.cu", gpu=GPU)


def run(module: cuda.Module, name: str, grid: Any, block: int, *args: Any, cluster: Any = None, **how: Any) -> Any:
    """The arrays among the arguments, afterwards."""
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    gpusim.profile(module.kernel(name), grid, block, list(args), gpu=GPU, cluster=cluster, **how)
    return arrays[0] if len(arrays) == 1 else arrays


# ------------------------------------------------------------------ who is who


def expected_numbers(grid: tuple[int, int, int], cluster: tuple[int, int, int], explicit: bool) -> np.ndarray:
    found = []
    for z, y, x in np.ndindex(*grid[::-1]):
        at = np.array([x, y, z])
        clusters, within = at // cluster, at % cluster
        rank = within[0] + cluster[0] * (within[1] + cluster[1] * within[2])
        sizes = [*(np.array(grid) // cluster), *within, *cluster]
        found.append([*clusters, *sizes, rank, np.prod(cluster), explicit])
    return np.array(found)


@pytest.mark.parametrize(
    ("grid", "cluster"),
    [
        ((6, 1, 1), None),
        ((6, 1, 1), (2, 1, 1)),
        ((12, 4, 2), (3, 2, 1)),
        ((5, 4, 4), (1, 2, 4)),
        ((16, 1, 1), (16, 1, 1)),
    ],
)
def test_a_block_knows_its_cluster_and_its_place_in_it(
    module: cuda.Module, grid: tuple[int, int, int], cluster: tuple[int, int, int] | None
) -> None:
    out = run(module, "who", grid, 32, np.zeros((np.prod(grid), 16), np.uint32), cluster=cluster)
    np.testing.assert_array_equal(out[:, :15], expected_numbers(grid, cluster or (1, 1, 1), cluster is not None))


def test_a_kernel_says_itself_how_large_its_clusters_are(module: cuda.Module) -> None:
    assert module.kernel("who_six").program(1 << 40).cluster == (2, 3, 1)
    out = run(module, "who_six", (4, 6), 32, np.zeros((24, 16), np.uint32))
    np.testing.assert_array_equal(out[:, :15], expected_numbers((4, 6, 1), (2, 3, 1), True))


def test_a_grid_may_be_counted_in_clusters(compiler: None) -> None:
    text = "__global__ void __block_size__((32, 1, 1), (2, 1, 1)) put(int* out) { out[blockIdx.x] = gridDim.x; }"
    out = np.zeros(16, np.int32)
    gpusim.profile(cuda.compile(text, gpu=GPU).kernel(), 4, 32, [out], gpu=GPU)
    np.testing.assert_array_equal(out, [8] * 8 + [0] * 8)


def test_a_cluster_is_no_larger_than_its_code_was_compiled_for(compiler: None) -> None:
    text = "__global__ void __launch_bounds__(128, 1, 4) put(int* out) { out[blockIdx.x] = 1; }"
    kernel = cuda.compile(text, gpu=GPU).kernel()
    gpusim.profile(kernel, 8, 32, [np.zeros(8, np.int32)], gpu=GPU, cluster=4)
    with pytest.raises(gpusim.GpusimError, match="a cluster of 8x1x1 blocks, but __launch_bounds__ promised at most 4"):
        gpusim.profile(kernel, 8, 32, [np.zeros(8, np.int32)], gpu=GPU, cluster=8)


@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_blocks_of_a_cluster_lie_on_sms_of_one_gpc(module: cuda.Module, size: int) -> None:
    out = run(module, "who", (1024,), 1024, np.zeros((1024, 16), np.uint32), cluster=size, jobs=1)
    gpc = np.array(gpusim.hardware.load(GPU).placement.sm_gpc)
    sms = out[:, 15].reshape(-1, size)
    assert np.all(gpc[sms] == gpc[sms[:, :1]])
    assert all(len(set(row)) == size for row in sms)
    first = sms[: 132 // size // 2]  # there is nothing beside them
    assert size > 4 or np.all(first[:, 0::2] // 2 == first[:, 1::2] // 2)


# ------------------------------------------------------------------ shared memory of other blocks


@pytest.mark.parametrize("cluster", [1, 2, 3, 8])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [("load_bytes", np.uint8), ("load_shorts", np.int16), ("load_words", np.uint32), ("load_doubles", np.float64)],
)
def test_a_load_has_what_another_block_holds(module: cuda.Module, name: str, dtype: Any, cluster: int) -> None:
    blocks = 2 * cluster
    out = run(module, name, blocks, 64, np.zeros((blocks, 64), dtype), cluster=cluster)
    number = np.arange(blocks)
    other = number // cluster * cluster + (number % cluster + 1) % cluster
    expected = (1000 * other[:, None] + 3 * np.arange(64)).astype(np.int64)
    np.testing.assert_array_equal(out, expected.astype(dtype))


def test_a_load_of_16_bytes_has_them_in_order(module: cuda.Module) -> None:
    out = run(module, "load_fours", 4, 64, np.zeros((4, 64, 4), np.uint32), cluster=4)
    other = (np.arange(4) + 1) % 4
    np.testing.assert_array_equal(out, 1000 * other[:, None, None] + np.arange(64)[:, None] + np.arange(4))


@pytest.mark.parametrize("cluster", [2, 4, 16])
def test_lanes_of_a_warp_store_to_different_blocks(module: cuda.Module, cluster: int) -> None:
    out = run(module, "scatter", 2 * cluster, 64, np.zeros((2 * cluster, 16, 64), np.uint32), cluster=cluster)
    expected = np.zeros_like(out)
    for block in range(2 * cluster):
        for thread in range(64):
            to = block // cluster * cluster + thread % cluster
            expected[to, block % cluster, thread] = 100 * block + thread + 1
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("cluster", [1, 2, 8])
def test_atomics_of_all_blocks_add_up(module: cuda.Module, cluster: int) -> None:
    tickets = np.zeros((3, cluster * 64), np.uint32)
    out, tickets = run(module, "add", 3 * cluster, 64, np.zeros((3, 4), np.uint32), tickets, cluster=cluster)
    np.testing.assert_array_equal(out[:, :2], [[64 * cluster, 100 * (cluster - 1) + 63]] * 3)
    assert np.all(out[:, 2] < cluster)
    assert np.all(out[:, 3] == 7)
    np.testing.assert_array_equal(np.sort(tickets), np.arange(64 * cluster)[None].repeat(3, 0))


@pytest.mark.parametrize("cluster", [2, 4])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_packed_halves_of_another_block_are_added_as_words(module: cuda.Module, name: str, cluster: int) -> None:
    """What CUDA 13's compiler makes of ``atom.shared::cluster.add.noftz.f16x2`` adds whole words on an H200."""
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    old, value = (np.arange(64 * k, 64 * k + 64).astype(dtype) for k in range(2))
    out = np.zeros((cluster, 2, 32), np.uint32)
    gpusim.profile(
        module.kernel(f"add_{'f' if name[0] == 'f' else 'bf'}16x2"), cluster, 32,
        [out.reshape(-1), np.concatenate([old, value]).view(np.uint32)], cluster=cluster,
    )  # fmt: skip
    for block in range(cluster):
        own = old.view(np.uint32) + np.uint32(block)
        was = old.view(np.uint32) + np.uint32((block + 1) % cluster)
        np.testing.assert_array_equal(out[block, 0], was)
        np.testing.assert_array_equal(out[block, 1], own + value.view(np.uint32))


def test_addresses_say_whose_they_are(module: cuda.Module) -> None:
    out = run(module, "addresses", 4, 32, np.zeros((4, 4), np.uint32), cluster=4)
    np.testing.assert_array_equal(out, [[1, 1, 0, 1], [2, 1, 0, 1], [3, 1, 0, 1], [0, 1, 0, 1]])


def test_cooperative_groups_do_the_same(compiler: None) -> None:
    try:
        module = cuda.compile(SOURCES / "cluster_groups.cu", gpu=GPU)
    except cuda.MissingToolError as error:  # they need libcu++
        pytest.skip(str(error))
    out = run(module, "sum_by_groups", 8, 64, np.zeros(8, np.uint32), cluster=4)
    np.testing.assert_array_equal(out, [10] * 4 + [26] * 4)


# ------------------------------------------------------------------ the barrier


def test_lanes_come_to_the_barrier_on_several_ways(module: cuda.Module) -> None:
    out = run(module, "diverged", 2, 32, np.zeros((2, 32), np.uint32), cluster=2)
    even = np.arange(32) % 2 == 0
    np.testing.assert_array_equal(out, np.array([[1], [0]]) + 100 * even)


def test_who_has_left_is_not_waited_for(module: cuda.Module) -> None:
    out = run(module, "leaving", 4, 128, np.zeros((4, 4, 32), np.uint32), cluster=4)
    stays = np.arange(4)[None] % 2 != np.arange(4)[:, None] % 2
    np.testing.assert_array_equal(out, 2 * stays[..., None] * np.ones(32, int))


@settings(max_examples=10, deadline=None)
@given(cluster=st.sampled_from([1, 2, 3, 5, 8]), rounds=st.integers(1, 6), warps=st.sampled_from([1, 3, 8]))
def test_phases_follow_one_another(module: cuda.Module, cluster: int, rounds: int, warps: int) -> None:
    out = run(
        module, "between", 2 * cluster, 32 * warps, np.zeros((2 * cluster, rounds), np.uint32), np.uint32(rounds),
        cluster=cluster,
    )  # fmt: skip
    other = (np.arange(2 * cluster) % cluster + 1) % cluster
    np.testing.assert_array_equal(out, 10 * np.arange(rounds) + other[:, None])


# ------------------------------------------------------------------ mbarriers, copies


@settings(max_examples=8, deadline=None)
@given(cluster=st.sampled_from([2, 3, 4, 8]), rounds=st.integers(1, 5))
def test_a_token_goes_round(module: cuda.Module, cluster: int, rounds: int) -> None:
    out = run(module, "token", 2 * cluster, 32, np.zeros(2, np.uint32), np.uint32(rounds), cluster=cluster)
    np.testing.assert_array_equal(out, [rounds * cluster * (cluster + 1) // 2] * 2)


@pytest.mark.parametrize("cluster", [2, 4, 8])
def test_asynchronous_stores_have_come_when_the_mbarrier_says_so(module: cuda.Module, cluster: int) -> None:
    out = run(module, "store_async", 2 * cluster, 32, np.zeros((2 * cluster, 16, 32), np.uint32), cluster=cluster)
    expected = 1000 * np.arange(cluster)[:, None] + np.arange(32)
    np.testing.assert_array_equal(out[:, :cluster], expected[None].repeat(2 * cluster, 0))
    assert np.all(out[:, 15] == 5 + cluster * (cluster + 1) // 2)


def test_asynchronous_stores_of_several_words(module: cuda.Module) -> None:
    fours, pairs = np.zeros((4, 32, 4), np.uint32), np.zeros((4, 32), np.uint64)
    run(module, "store_wide", 4, 32, fours, pairs, cluster=4)
    value = 100 * ((np.arange(4) - 1) % 4)[:, None] + np.arange(32)
    np.testing.assert_array_equal(fours, np.stack([value, value + 1, value, value + 1], -1))
    np.testing.assert_array_equal(pairs, (value.astype(np.uint64) << np.uint64(32)) + np.uint64(1 << 40))


@pytest.mark.parametrize("reduce", [0, 1])
@pytest.mark.parametrize("cluster", [1, 2, 8])
def test_copies_go_from_block_to_block(module: cuda.Module, cluster: int, reduce: int) -> None:
    blocks = 2 * cluster
    out = run(module, "pass_on", blocks, 32, np.zeros((blocks, 256), np.uint32), np.int32(reduce), cluster=cluster)
    number = np.arange(blocks)
    other = number // cluster * cluster + (number % cluster - 1) % cluster
    np.testing.assert_array_equal(out, 1000 * other[:, None] + np.arange(256) + 7 * reduce)


@settings(max_examples=8, deadline=None)
@given(data=st.data(), cluster=st.sampled_from([1, 2, 4, 8, 16]))
def test_a_copy_to_several_blocks_comes_to_each_of_them(module: cuda.Module, data: st.DataObject, cluster: int) -> None:
    mask = data.draw(st.integers(1, 2**cluster - 1))
    blocks = 2 * cluster
    given = np.arange(64 * blocks, dtype=np.uint32) + 1
    out, _ = run(
        module, "multicast", blocks, 32, np.zeros((blocks, 16, 64), np.uint32), given, np.uint16(mask), cluster=cluster
    )
    expected = np.zeros_like(out)
    for block in range(blocks):
        first = block // cluster * cluster
        if mask >> (block - first) & 1:
            expected[block, :cluster] = given.reshape(blocks, 64)[first : first + cluster]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("swizzle", [0, 128])
@pytest.mark.parametrize("cluster", [2, 4])
def test_a_box_for_several_blocks(module: cuda.Module, cluster: int, swizzle: int) -> None:
    tensor = np.arange(8 * cluster * 32, dtype=np.uint32).reshape(8 * cluster, 32)
    out = np.zeros((cluster, 8 * cluster, 8, 4), np.uint32)
    boxes = TensorMap(tensor, box=(8, 32), swizzle=swizzle or None)
    run(module, "multicast_box", cluster, 32, boxes, out, cluster=cluster)
    row, chunk = np.arange(8 * cluster)[:, None], np.arange(8)
    where = chunk ^ row % 8 if swizzle else chunk + 0 * row
    np.testing.assert_array_equal(out, tensor.reshape(-1, 8, 4)[row, where][None].repeat(cluster, 0))


def test_a_launch_that_depends_on_none_goes_on(module: cuda.Module) -> None:
    out = run(module, "dependent", 2, 64, np.zeros((2, 64), np.uint32))
    np.testing.assert_array_equal(out, np.arange(64)[None].repeat(2, 0))


# ------------------------------------------------------------------ what may not be


@pytest.mark.parametrize(
    ("name", "threads", "told"),
    [
        ("reads_the_gone", 32, "touches shared memory of a block of its cluster that has ended: .* block 1 of the 2"),
        ("no_such_block", 32, "touches shared memory of a block that its cluster does not have: .* block 5 of the 2"),
        ("never_arrives", 64, r"block \(1, 0, 0\): deadlock: waits for a phase of an mbarrier"),
        ("too_few", 64, r"block \(1, 0, 0\): deadlock: waits at a barrier that too few threads come to"),
        ("arrives_twice", 32, "arrives at the barrier of its cluster again, and has not waited since"),
        ("waits_alone", 32, "waits at the barrier of its cluster, at which it has not arrived"),
        ("no_mbarrier", 32, "no mbarrier: nothing has initialised it"),
    ],
)
def test_what_cannot_go_on_is_named(module: cuda.Module, name: str, threads: int, told: str) -> None:
    with pytest.raises(gpusim.GpusimError, match=told):
        run(module, name, 4, threads, np.zeros(64, np.uint32), cluster=2)


@pytest.mark.parametrize(
    ("gpu", "kernel", "grid", "cluster", "told"),
    [
        (GPU, "who", (5,), 2, "grid.x = 5 is no multiple of the 2 blocks of a cluster in x"),
        (GPU, "who", (2, 5), (1, 2), "grid.y = 5 is no multiple of the 2 blocks of a cluster in y"),
        (GPU, "who", (32,), 32, "cluster.x = 32: a cluster has 1 to 16 in x"),
        (GPU, "who", (8, 8), (8, 4), "a cluster of 8x4x1 blocks: it has 16 at most"),
        (GPU, "who_six", (4, 6), 2, "a cluster of 2, but __cluster_dims__ says 2,3,1"),
        (GPU, "who", (4,), 0, "cluster.x = 0: a cluster has 1 to 16 in x"),
        (GPU, "who", (4,), "2", "cluster must be one to three whole numbers, not '2'"),
    ],
)
def test_clusters_that_cannot_be_are_refused(
    module: cuda.Module, gpu: str, kernel: str, grid: Any, cluster: Any, told: str
) -> None:
    with pytest.raises(gpusim.GpusimError, match=told):
        gpusim.profile(module.kernel(kernel), grid, 32, [np.zeros((256, 16), np.uint32)], gpu=gpu, cluster=cluster)


def test_other_generations_have_no_clusters(compiler: None) -> None:
    text = "__global__ void put(int* out) { out[blockIdx.x] = 1; }"
    kernel = cuda.compile(text, gpu="a100-40gb").kernel()
    with pytest.raises(gpusim.GpusimError, match="a100-40gb has no clusters"):
        gpusim.profile(kernel, 4, 32, [np.zeros(4, np.int32)], gpu="a100-40gb", cluster=2)


# ------------------------------------------------------------------ a part stands for the whole


@pytest.mark.parametrize(("grid", "cluster"), [((4096,), 4), ((64, 64), (2, 2))])
def test_a_sample_has_whole_clusters(module: cuda.Module, grid: tuple[int, ...], cluster: Any) -> None:
    blocks = int(np.prod(grid))
    how = {"gpu": GPU, "cluster": cluster, "values": False, "fresh": True, "dynamic_shared": 100_000}
    given = [np.zeros((blocks, 64), np.uint32)]
    found = [
        gpusim.profile(module.kernel("load_words"), grid, 64, given, sample=sample, **how) for sample in (True, False)
    ]
    assert ["blocks went through the caches" in " ".join(one.notes) for one in found] == [True, False]
    for name in ("smsp__inst_executed.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"):
        assert found[0].metrics[name].value == found[1].metrics[name].value
    cycles = [profile.metrics["gpc__cycles_elapsed.max"].value for profile in found]
    assert abs(cycles[0] / cycles[1] - 1) < 0.1


# ------------------------------------------------------------------ no number depends on who computes it


def test_any_number_of_threads_comes_to_the_same(module: cuda.Module) -> None:
    found = []
    for jobs in (1, 2):
        out = np.zeros((264, 16, 32), np.uint32)
        profile = gpusim.profile(
            module.kernel("store_async"), 264, 32, [out], gpu=GPU, cluster=4, jobs=jobs, fresh=True
        )
        found.append((out.tobytes(), {name: metric.value for name, metric in profile.metrics.items()}))
    assert found[0] == found[1]
