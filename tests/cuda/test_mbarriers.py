"""Does every instruction on an mbarrier leave of it, and say, what PTX promises, in the bits that compilers look at?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
from gpusim import cuda
from gpusim.isa.mbarrier import MOST_BYTES, State, state_of
from tests.cuda.conftest import SOURCES

ARRIVE, ARRIVE_N, ARRIVE_EXPECT, DROP, DROP_N, DROP_EXPECT, EXPECT, COMPLETE = range(8)


@pytest.fixture(scope="module")
def module(compiler: None) -> cuda.Module:
    return cuda.compile(SOURCES / "mbarriers.cu", gpu="h200")


def after(state: State, what: int, how: int) -> State | None:
    """An mbarrier after one instruction; None where that may not be."""
    arrivals = {ARRIVE: 1, ARRIVE_N: how, ARRIVE_EXPECT: 1, DROP: 1, DROP_N: how, DROP_EXPECT: 1}.get(what, 0)
    nbytes = how if what in (ARRIVE_EXPECT, DROP_EXPECT, EXPECT) else -how if what == COMPLETE else 0
    expected = state.expected - (arrivals if what in (DROP, DROP_N, DROP_EXPECT) else 0)
    new = State(expected, state.pending - arrivals, state.nbytes + nbytes, state.parity)
    if new.pending < 0 or expected < 1 or abs(new.nbytes) > MOST_BYTES:
        return None
    if new.pending == new.nbytes == 0:
        return replace_state(new)
    return new


def replace_state(state: State) -> State:
    """The next phase."""
    return state._replace(pending=state.expected, parity=1 - state.parity)


@st.composite
def scripts(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]], list[State]]:
    """Arrivals of a phase, instructions that may be, and the mbarrier before and after each."""
    count = draw(st.sampled_from([1, 2, 3, 5, 1000, 2**20 - 1]))
    states, script = [State(count, count, 0, 0)], []
    for _ in range(draw(st.integers(1, 12))):
        what = draw(st.integers(0, 7))
        most = states[-1].pending if what in (ARRIVE_N, DROP_N) else MOST_BYTES
        how = draw(
            st.sampled_from([1, 2, 16, abs(states[-1].nbytes), states[-1].pending]) | st.integers(1, max(most, 1))
        )
        found = after(states[-1], what, max(how, 1))
        if found is not None:
            states.append(found)
            script.append((what, max(how, 1)))
    if not script:
        states, script = [*states, after(states[0], EXPECT, 16)], [(EXPECT, 16)]
    return count, script, states


@settings(max_examples=40, deadline=None)
@given(scripts())
def test_every_instruction_leaves_what_it_should(module: cuda.Module, case: tuple) -> None:
    count, script, states = case
    n = len(script)
    what, how = np.array(script, np.int64).T
    held, given_back = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    says, pending = np.zeros(n, np.uint32), np.zeros(n, np.uint32)
    gpusim.profile(
        module.kernel("script"), 1, 1,
        [what.astype(np.int32), how.astype(np.uint32), np.int32(n), np.uint32(count), held, given_back, says, pending],
    )  # fmt: skip
    assert [state_of(int(word)) for word in held] == states[1:]
    for k, (before, now) in enumerate(pairwise(states)):
        assert says[k] & 3 == 1 << (1 - now.parity)  # the parity of the phase before is complete
        if script[k][0] < EXPECT:
            assert state_of(int(given_back[k])) == before
            assert pending[k] == before.pending or before.pending == 0
            assert says[k] >> 2 == (before.parity != now.parity)


def test_words_are_those_of_compiled_code(module: cuda.Module) -> None:
    """``mbarrier.init`` puts 2**20 less the count into two fields, and nothing else."""
    held = np.zeros(1, np.uint64)
    rest = [np.zeros(1, np.uint64), np.zeros(1, np.uint32), np.zeros(1, np.uint32)]
    gpusim.profile(
        module.kernel("script"), 1, 1,
        [np.zeros(1, np.int32), np.ones(1, np.uint32), np.int32(1), np.uint32(3), held, *rest],
    )  # fmt: skip
    assert int(held[0]) == (2**20 - 3) << 1 | (2**20 - 2) << 43


@pytest.mark.parametrize("threads", [32, 96, 256])
def test_all_meet(module: cuda.Module, threads: int) -> None:
    out = np.zeros(threads, np.uint32)
    gpusim.profile(module.kernel("meet"), 1, threads, [out, np.uint32(1000)])
    assert np.all(out == 1)


@pytest.mark.parametrize("noinc", [0, 1])
def test_an_mbarrier_hears_of_copies(module: cuda.Module, noinc: int) -> None:
    source, out = np.arange(512, dtype=np.uint32), np.zeros(512, np.uint32)
    gpusim.profile(module.kernel("after_copies"), 1, 128, [source, out, np.int32(noinc)])
    np.testing.assert_array_equal(out, source)


def test_lanes_of_a_warp_wait_for_each_other(module: cuda.Module) -> None:
    out = np.zeros(32, np.uint32)
    gpusim.profile(module.kernel("divided"), 1, 32, [out])
    np.testing.assert_array_equal(out, np.repeat([1, 2], 16))


LIBRARY = """#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void through(const int* in, int* out) {
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    __shared__ alignas(128) int box[256];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(box, in, cuda::aligned_size_t<16>(sizeof box), barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof box);
    } else token = barrier.arrive();
    barrier.wait(cuda::std::move(token));
    box[threadIdx.x] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    barrier.arrive_and_wait();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, box, sizeof box);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}"""


@pytest.mark.usefixtures("libcu")
def test_barriers_of_the_library_of_cuda() -> None:
    kernel = cuda.compile(LIBRARY, gpu="h200", options=["-std=c++17"]).kernel()
    source, out = np.arange(256, dtype=np.int32), np.zeros(256, np.int32)
    gpusim.profile(kernel, 1, 256, [source, out])
    np.testing.assert_array_equal(out, source + 1)


WRONG = [
    "no mbarrier: nothing has initialised it: shared address 0x408",
    "arrives at an mbarrier whose phase lacks no more arrivals: shared address 0x400",
    "more than 1048575 bytes: shared address 0x400",
    "misaligned: shared address 0x404",
    "out of bounds of shared memory: shared address 0x100400",
    "the one at shared address 0x400 lacks 2 of 2 arrivals and 0 bytes of its phase of parity 0",
    "no mbarrier: nothing has initialised it: shared address 0x400",
]


@pytest.mark.parametrize("how", range(len(WRONG)))
@pytest.mark.parametrize("values", [True, False])
def test_what_is_wrong_is_named(module: cuda.Module, how: int, values: bool) -> None:
    line = next(
        k for k, text in enumerate((SOURCES / "mbarriers.cu").read_text().splitlines(), 1) if f"how == {how})" in text
    )
    with pytest.raises(gpusim.GpusimError) as error:
        gpusim.profile(module.kernel("wrong"), 1, 1, [np.zeros(1, np.uint32), np.int32(how)], values=values)
    assert WRONG[how] in str(error.value)
    assert f"mbarriers.cu:{line}: wrong: thread (0, 0, 0) of block (0, 0, 0)" in str(error.value)
    assert "\n" not in str(error.value)
