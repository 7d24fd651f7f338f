"""Does the worker launch what it should, in the order it should, and say what came of it?"""

from itertools import pairwise

import numpy as np
import pytest

from gpusim import cuda
from gpusim.catalogue import lookup
from gpusim.launches.arguments import from_json, from_text
from gpusim.launches.spec import DescribedLaunch, LaunchSpec
from gpusim.measure import MeasureError, Request, measure
from gpusim.measure.measurement_errors import OutOfMemoryError
from gpusim.measure.worker import Job, verdict, work
from tests.measure.standin import H200, StandIn, starting

pytestmark = pytest.mark.usefixtures("compiler")


def described(kernel, **params):
    return DescribedLaunch.of(lookup.get(kernel), params)


COPY, SUM = described("copy", N=100, B=32), described("reduce-shuffle", N=100, B=32)
HALVES = described("copy-bf16", N=70, B=32)


def said(runtime, *specs, timed=True, repeats=2, cache="cold", clock=None):
    lines = []
    work(Job(specs, timed, repeats, cache, 0, clock=clock), runtime, lines.append)
    return lines


def done(lines):
    return [line for line in lines if "done" in line]


def test_outputs_on_the_device_are_held_to_the_reference():
    for line in done(said(StandIn(), COPY, SUM, HALVES)):
        assert line["values"] == "match"


def test_a_wrong_output_is_told_by_its_first_place():
    inputs = COPY.inputs()
    wrong = inputs["x"].copy()
    wrong[[7, 9]] += 1
    found = verdict(COPY, {"y": wrong})
    assert found.startswith("2 of 100 elements of y are off by more than 1e-05, the first at (7,): ")
    assert verdict(COPY, {"y": inputs["x"]}) == "match"
    assert "off" in verdict(COPY, {"y": np.full(100, np.nan, np.float32)})


def test_every_time_is_behind_a_flush_and_a_launch_that_keeps_the_device_busy():
    runtime = StandIn()
    said(runtime, COPY, repeats=2)
    assert runtime.calls[-8:] == ["wait", "flush", "spin", "copy_words", "flush", "spin", "copy_words", "release"]
    assert runtime.calls[:3] == ["flush", "spin", "empty"]


def test_warm_launches_are_not_flushed():
    runtime = StandIn()
    said(runtime, COPY, cache="warm")
    assert "flush" not in runtime.calls


def test_flushed_launches_come_after_an_array_was_set():
    runtime = StandIn()
    said(runtime, COPY, repeats=1, cache="flushed")
    assert runtime.calls[:3] == ["set", "spin", "empty"]
    assert runtime.calls[-4:] == ["set", "spin", "copy_words", "release"]
    assert "flush" not in runtime.calls


def test_flushed_launches_are_timed_and_not_counted():
    warned = []
    found = measure(Request((COPY,), cache="flushed", repeats=2), time=starting(StandIn()), warn=warned.append)
    assert found.cache == "flushed"
    assert len(found.launches[0].seconds) == 2
    assert not found.launches[0].metrics
    assert "no counters" in warned[0]


@pytest.mark.parametrize(("clock", "says"), [(1.98e9, None), (1.97e9, None), (1.41e9, "ran at 1980 MHz, not 1410")])
def test_what_ran_at_another_clock_is_no_good(clock, says):
    (line,) = done(said(StandIn(), COPY, clock=clock))
    assert (says in line["error"]) if says else ("error" not in line)


def test_a_clock_that_nobody_can_tell_is_no_good(monkeypatch):
    runtime = StandIn()
    monkeypatch.setattr(runtime, "conditions", lambda: (None, None))
    (line,) = done(said(runtime, COPY, clock=1.98e9))
    assert "nvidia-ml-py" in line["error"]


@pytest.mark.parametrize("timed", [False, True])
def test_what_a_launch_only_reads_stays_where_the_launch_before_left_it(timed, monkeypatch):
    runtime, since = StandIn(), []
    restore = runtime.restore

    def note(there, argument):
        restore(there, argument)
        if isinstance(argument, np.ndarray):
            since.append((len(runtime.calls), "x" if argument.any() else "y"))

    monkeypatch.setattr(runtime, "restore", note)
    said(runtime, COPY, timed=timed, cache="warm")
    launches = [n for n, call in enumerate(runtime.calls) if call == "copy_words"]
    before = [[name for n, name in since if first < n <= launch] for first, launch in pairwise(launches[:3])]
    assert before == [["x", "y"], ["y"]]


@pytest.mark.parametrize("warm", [False, True])
def test_the_profiler_sees_the_launches_alone_each_with_the_first_arguments(warm):
    runtime = StandIn()
    (line,) = done(
        said(runtime, described("attention-mask", M=4, N=4, threads=32), timed=False, cache="warm" if warm else "cold")
    )
    seen = ["wait", "profiler on", "attention_mask", "wait", "profiler off"]
    name = next(call for call in runtime.calls if call not in (*seen, "release"))
    assert runtime.calls == [
        *[name, "wait", name] * warm,
        *[name if call == "attention_mask" else call for call in seen] * 2,
        "release",
    ]
    assert line == {"done": 0}


def test_a_device_that_fails_costs_that_launch_alone():
    request = Request((COPY, SUM, HALVES), runs=0, repeats=2)
    first, second, third = measure(request, time=starting(StandIn(breaks_at="shuffle"))).launches
    assert (first.values, third.values) == ("match", "match")
    assert second.error == "failed on the device: an illegal memory access was encountered"
    assert (second.seconds, second.kernel) == ([], "")


def test_too_large_an_array_costs_that_launch_alone(monkeypatch):
    runtime = StandIn()

    def upload(argument):
        if getattr(argument, "size", 0) == 1000:
            raise OutOfMemoryError("out of memory on the device (150 GB): no room for an array of 4000 bytes")
        return argument.copy() if isinstance(argument, np.ndarray) else argument

    monkeypatch.setattr(runtime, "upload", upload)
    lines = done(said(runtime, COPY, described("copy", N=1000), SUM))
    assert [line.get("values") for line in lines] == ["match", None, "match"]
    assert "no room" in lines[1]["error"]


def test_what_does_not_compile_costs_that_launch_alone(tmp_path):
    (tmp_path / "bad.cu").write_text("__global__ void k(float* x) { x[0] = y; }\n")
    bad = LaunchSpec("bad", tmp_path / "bad.cu", (), None, (1, 1, 1), (32, 1, 1), args=(from_text("float32:ones:1"),))
    lines = done(said(StandIn(), bad, COPY))
    assert '"y" is undefined' in lines[0]["error"]
    assert lines[1]["values"] == "match"


def test_a_source_of_ones_own_runs_as_the_options_say(tmp_path):
    (tmp_path / "mine.cu").write_text("__global__ void k(int* x) { extern __shared__ int s[]; x[threadIdx.x] = N; }\n")
    args = (from_text("int32:zeros:64"),)
    spec = LaunchSpec("mine", tmp_path / "mine.cu", (), "k", (1, 1, 1), (64, 1, 1), 256, args, {"N": "3"})
    found = measure(Request((spec,), runs=0, folder=tmp_path), time=starting(StandIn())).launches[0]
    assert (found.kernel, found.block, found.values, found.error) == ("k", (64, 1, 1), "", None)
    assert found.launch["source"] == "mine.cu"
    assert found.launch["options"] == ["-DN=3"]


@pytest.mark.long
def test_another_gpu_is_refused_before_anything_is_launched():
    runtime = StandIn()
    with pytest.raises(MeasureError, match=r"NVIDIA H200 \(h200\), not a100-40gb: leave --gpu out"):
        measure(Request((COPY,), gpu="a100-40gb", runs=0), time=starting(runtime))
    assert measure(Request((COPY,), gpu="h200", runs=0), time=starting(runtime)).device == H200


@pytest.mark.long
def test_small_arrays_that_a_launch_changes_can_be_kept(tmp_path):
    text = (
        "__global__ void k(const int* a, int* b, float* c) { b[threadIdx.x] = 2 * a[threadIdx.x]; c[0] = 1.f / 0.f; }\n"
    )
    (tmp_path / "mine.cu").write_text(text)
    args = (
        from_json({"buffer": "int32", "values": [3, 1, 2]}, "a"),
        from_text("int32:zeros:3"),
        from_text("float32:ones:1"),
    )
    spec = LaunchSpec("mine", tmp_path / "mine.cu", (), None, (1, 1, 1), (3, 1, 1), args=args)
    request = Request((spec,), runs=0, outputs=True, folder=tmp_path)
    found = measure(request, time=starting(StandIn())).launches[0]
    assert found.outputs == {"b": [6, 2, 4]}
    assert found.launch["args"][0] == {"buffer": "int32", "values": [3, 1, 2]}
    assert measure(Request((spec,), runs=0), time=starting(StandIn())).launches[0].outputs == {}


def test_arrays_whose_parameters_have_no_names_are_kept_by_their_number(tmp_path):
    text = "__global__ void k(int* a, int n, int* b) { a[threadIdx.x] = n; b[threadIdx.x] = n + 1; }\n"
    (tmp_path / "mine.cu").write_text(text)
    code = cuda.compile(tmp_path / "mine.cu", gpu="sm_90")
    (tmp_path / "mine.cubin").write_bytes(code.cubin.data)
    args = tuple(from_text(argument) for argument in ("int32:zeros:2", "int32:5", "int32:zeros:2"))
    spec = LaunchSpec("mine", tmp_path / "mine.cubin", (), None, (1, 1, 1), (2, 1, 1), args=args)
    found = measure(Request((spec,), runs=0, outputs=True, folder=tmp_path), time=starting(StandIn())).launches[0]
    assert found.outputs == {"p0": [5, 5], "p2": [6, 6]}


MAPPED = """
struct alignas(64) TensorMap { char bytes[128]; };
extern "C" __global__ void one_box(const __grid_constant__ TensorMap x, float* y) {
    __shared__ alignas(128) float box[64];
    __shared__ unsigned long long full;
    const unsigned at = __cvta_generic_to_shared(&full), to = __cvta_generic_to_shared(box);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(at));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&x), "r"(4), "r"(2), "r"(at) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(at));
    y[threadIdx.x] = box[threadIdx.x];
}
"""


def test_a_tensor_map_is_of_the_array_on_the_device(tmp_path):
    source = tmp_path / "mapped.cu"
    source.write_text(MAPPED)
    x = from_json({"tensormap": "float32", "shape": [16, 32], "box": [8, 8], "init": "arange"}, "x")
    y = from_json({"buffer": "float32", "count": 64}, "y")
    spec = LaunchSpec("mapped", source, (), None, (1, 1, 1), (64, 1, 1), 0, (x, y))
    lines = []
    work(Job((spec,), True, 1, False, 0, True), StandIn(), lines.append)
    expected = np.arange(16 * 32).reshape(16, 32)[2:10, 4:12]
    assert done(lines)[0]["outputs"]["y"] == expected.ravel().tolist()
