"""Where the lanes of a warp go: addresses, what they cost, and what is said where nobody knows."""

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpusimError, ParameterError


def touches(kernel, block=0, warp=0, **params):
    return gpusim.predict(kernel, fresh=True, **params).touches(block, warp)


def only(found, **wanted):
    (one,) = [touch for touch in found if all(getattr(touch, name) == value for name, value in wanted.items())]
    return one


def test_a_copy_goes_lane_by_lane():
    found = touches("copy", N=256, B=128, block=1, warp=2)
    load, store = only(found, does="load"), only(found, does="store")
    assert load.lanes == store.lanes == {lane: 4 * (128 + 64 + lane) for lane in range(32)}
    assert (load.space, load.array, load.nbytes, load.times) == ("global", "x", 4, 1)
    assert store.array == "y"
    assert len(load.sectors) == load.ideal_sectors == 4
    assert load.line.startswith("pointwise.py:") or ":" in load.line
    assert load.text


def test_lanes_beyond_the_array_take_no_part():
    found = touches("copy", N=100, B=128, warp=3)
    assert set(only(found, does="load").lanes) == set(range(4))


def test_a_column_of_a_tile_is_in_one_bank_and_a_padded_one_in_all():
    shared = {
        kernel: only([t for t in touches(kernel, n=64) if t.space == "shared" and t.does == "load"][:1], space="shared")
        for kernel in ("transpose-shared", "transpose-padded")
    }
    assert (shared["transpose-shared"].wavefronts, shared["transpose-shared"].conflicts) == (32, 31)
    assert (shared["transpose-padded"].wavefronts, shared["transpose-padded"].conflicts) == (1, 0)
    assert {at // 4 % 32 for at in shared["transpose-shared"].lanes.values()} == {0}
    assert {at // 4 % 32 for at in shared["transpose-padded"].lanes.values()} == set(range(32))


def test_a_store_along_a_column_touches_a_sector_a_lane():
    found = only([t for t in touches("transpose-naive", n=64) if t.does == "store"][:1], does="store")
    assert (len(found.sectors), found.ideal_sectors) == (32, 4)
    assert np.diff(found.sectors).tolist() == [256] * 31


@pytest.mark.parametrize("kernel", ["copy", "copy-vec4", "transpose-naive", "transpose-shared", "matmul-tiled"])
def test_what_all_warps_touch_adds_up_to_what_is_counted(kernel):
    profile = gpusim.predict(kernel, fresh=True, **({"N": 4096} if kernel.startswith("copy") else {"n": 64}))
    warps = -(-profile.threads_per_block // 32)
    everything = [t for b in range(profile.blocks) for w in range(warps) for t in profile.touches(b, w)]
    assert all(touch.times == 1 or kernel == "matmul-tiled" for touch in everything)
    sums = {
        (space, does): sum(
            touch.times * cost(touch) for touch in everything if (touch.space, touch.does) == (space, does)
        )
        for space, does, cost in (
            ("global", "load", lambda touch: len(touch.sectors)),
            ("global", "store", lambda touch: len(touch.sectors)),
            ("shared", "load", lambda touch: touch.wavefronts),
            ("shared", "store", lambda touch: touch.wavefronts),
        )
    }
    assert sums["global", "load"] == profile.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
    assert sums["global", "store"] == profile.value("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")
    assert sums["shared", "load"] == profile.value("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")
    assert sums["shared", "store"] == profile.value("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")


COPIES = """
__global__ void stage(const float *x, float *y) {
    __shared__ __align__(16) float tile[128];
    unsigned to = (unsigned)__cvta_generic_to_shared(tile + 4 * threadIdx.x);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + 4 * threadIdx.x));
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x];
}
"""


@pytest.mark.usefixtures("compiler")
def test_of_a_copy_to_shared_memory_both_sides_are_told(tmp_path):
    source = tmp_path / "stage.cu"
    source.write_text(COPIES)
    x, y = np.arange(128, dtype=np.float32), np.zeros(32, np.float32)
    found = gpusim.profile(cuda.compile(source).kernel(), grid=1, block=32, args=[x, y], fresh=True).touches()
    sides = {touch.space: touch for touch in found if touch.nbytes == 16}
    assert set(sides) == {"global", "shared"}
    assert (sides["global"].does, sides["shared"].does) == ("load", "store")
    assert list(sides["shared"].lanes.values()) == [16 * lane for lane in range(32)]
    assert sides["global"].line.startswith("stage.cu:")


@pytest.mark.parametrize("where", [{"block": 2}, {"block": -1}, {"warp": 4}, {"warp": 1.5}, {"block": "one"}])
def test_a_warp_that_is_not_there_is_refused(where):
    with pytest.raises(ParameterError, match=next(iter(where))):
        touches("copy", N=256, B=128, **where)


def test_of_a_profile_that_was_not_predicted_here_nobody_knows():
    import pickle

    profile = pickle.loads(pickle.dumps(gpusim.predict("copy", N=256)))
    with pytest.raises(GpusimError, match="that this process predicted"):
        profile.touches()
