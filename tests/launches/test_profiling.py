"""Does every launch come to a record, whatever becomes of it?"""

import numpy as np
import pytest

import gpusim
from gpusim.cuda import nvrtc
from gpusim.frontends import cuda as cuda_frontend
from gpusim.launches import profiling
from gpusim.launches.arguments import from_text
from gpusim.launches.spec import LaunchSpec
from tests.profile.running import SAXPY, kernel

pytestmark = pytest.mark.usefixtures("compiler")

TEXTS = ("int32:1024", "float32:2", "float32:normal:1024", "float32:ones:1024")
ENDLESS = "__global__ void spin(volatile int* x) { while (x[0] == 0) {} }\n"
GATHER = "__global__ void gather(const int* at, const float* x, float* y) { y[threadIdx.x] = x[at[threadIdx.x]]; }\n"


def spec(folder, name="good", text=SAXPY, texts=TEXTS, **changed):
    path = folder / f"{name}.cu"
    path.write_text(text)
    fields = {"options": (), "kernel": None, "grid": (4,), "block": (256,)}
    return LaunchSpec(name, path, args=tuple(map(from_text, texts)), **{**fields, **changed})


def test_the_numbers_are_those_of_profile(tmp_path):
    found = profiling.record(spec(tmp_path), "h200")
    x = np.ones(1024, np.float32)
    wanted = gpusim.profile(kernel(SAXPY), 4, 256, [1024, 2.0, x, x.copy()], values=False)
    assert found["error"] is None
    assert found["metrics"] == {name: metric.value for name, metric in wanted.metrics.items()}
    assert found["warp_instructions"] == wanted.warp_instructions > 0
    assert found["wall_s"] > 0


def test_definitions_and_options_reach_the_compiler(tmp_path):
    text = SAXPY.replace("i < n", "i < LIMIT")
    assert "LIMIT" in profiling.record(spec(tmp_path, text=text), "h200")["error"]
    assert profiling.record(spec(tmp_path, text=text, defines={"LIMIT": "512"}), "h200")["error"] is None
    assert profiling.record(spec(tmp_path, text=text, options=("-DLIMIT=512",)), "h200")["error"] is None


def test_arrays_are_filled_only_where_it_matters_what_they_hold(tmp_path):
    untouched = spec(tmp_path, "big", texts=("int32:1024", "float32:2", *["float32:normal:4000000000"] * 2))
    assert profiling.record(untouched, "h200")["error"] is None
    texts = ("int32:randint:32:32", "float32:normal:32", "float32:zeros:32")
    scattered = spec(tmp_path, "gather", GATHER, texts, grid=(1,), block=(32,))
    assert profiling.record(scattered, "h200")["error"] is None
    outside = spec(tmp_path, "outside", GATHER, ("int32:randint:32000:32", *texts[1:]), grid=(1,), block=(32,))
    assert "out of bounds" in profiling.record(outside, "h200")["error"]


@pytest.mark.long
def test_time_is_limited(tmp_path):
    endless = spec(tmp_path, "endless", ENDLESS, ["int32:zeros:1"], grid=(1,), block=(32,))
    assert "given up after 0.2 s: 0 of 1 blocks done" in profiling.record(endless, "h200", seconds=0.2)["error"]
    assert "a larger limit allows more" in profiling.record(endless, "h200", limit=10_000)["error"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_that_fails_does_not_stop_the_rest(tmp_path, jobs):
    specs = [
        spec(tmp_path, "broken", "__global__ void k() { x }\n"),
        spec(tmp_path, "few", texts=TEXTS[:2]),
        spec(tmp_path, "good"),
    ]
    told = []
    records = profiling.record_all(specs, "h200", jobs=jobs, progress=lambda *report: told.append(report))
    assert [record["id"] for record in records] == ["broken", "few", "good"]
    assert "does not compile" in records[0]["error"]
    assert 'error: identifier "x" is undefined' in records[0]["error"].split("\n", 1)[1]
    assert "takes 4 arguments" in records[1]["error"]
    assert (records[1]["metrics"], records[1]["warp_instructions"]) == ({}, 0)
    assert records[2]["error"] is None
    assert {total for _, total, _ in told} <= {3}
    assert jobs == 1 or told[-1][0] == 3


@pytest.mark.long
def test_as_many_processes_as_may_be_find_the_same(tmp_path):
    specs = [spec(tmp_path, f"grid{n}", grid=(n,)) for n in (1, 2, 4)]
    alone, together = (profiling.record_all(specs, "h200", jobs=jobs) for jobs in (1, 2))
    assert [{**r, "wall_s": 0} for r in alone] == [{**r, "wall_s": 0} for r in together]
    assert all(r["metrics"]["gpc__cycles_elapsed.max"] > 0 for r in alone)


def test_a_bug_is_recorded_under_its_name(tmp_path, monkeypatch):
    def broken(*_, **__):
        raise KeyError("what")

    monkeypatch.setattr(cuda_frontend, "profile", broken)
    assert profiling.record(spec(tmp_path), "h200")["error"] == "KeyError: 'what'"


def test_a_compiler_that_crashes_costs_its_launch_alone(tmp_path, monkeypatch):
    script = tmp_path / "compiles.py"
    script.write_text(
        "import os, runpy, signal, sys\n"
        "if b'CRASH' in open(sys.argv[1], 'rb').read(): os.kill(os.getpid(), signal.SIGSEGV)\n"
        f"runpy.run_path({nvrtc.nvrtc_child.__file__!r}, run_name='__main__')\n"
    )
    monkeypatch.setattr(nvrtc.nvrtc_child, "__file__", str(script))
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(tmp_path))
    bad, good = spec(tmp_path, "bad", f"// CRASH\n{SAXPY}"), spec(tmp_path)
    first, second = profiling.record_all([bad, good], "h200")
    assert first["error"].endswith("crashes (SIGSEGV)")
    assert "bad.cu is not compiled for sm_90" in first["error"]
    assert second["error"] is None
    assert second["metrics"]
