"""Does a GPU at another clock take as long as that clock says, under a name of its own?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim.cli import main
from gpusim.hardware import SpecError, load
from gpusim.hardware.clocks import split_clock
from gpusim.hardware.library import names
from gpusim.hardware.spec import values

CYCLES, SECONDS = "gpc__cycles_elapsed.max", "gpu__time_duration.sum"


@pytest.mark.parametrize("text", ["h200@1410MHz", "h200@1.41GHz", "h200@1.41e9", "h200@1410000kHz", "H200@1410000000"])
def test_a_clock_stands_behind_the_name(text):
    assert load(text).name == "h200@1410MHz"
    assert load(text).clock.sm_hz == 1.41e9
    assert load(text) is load("h200@1410MHz")


@given(st.integers(250, 15000))
def test_the_name_of_such_a_gpu_is_one_that_can_be_given(mhz):
    gpu = load(f"h200@{mhz}MHz")
    assert load(gpu.name) is gpu
    assert split_clock(gpu.name) == ("h200", pytest.approx(mhz * 1e6))


@pytest.mark.parametrize("text", ["h200@", "h200@fast", "@1e9", "h200@1.41THz"])
def test_what_is_no_clock_is_no_gpu(text):
    with pytest.raises(SpecError, match="unknown GPU"):
        load(text)


@pytest.mark.parametrize("hz", ["1410", "2e8", "1e11"])
def test_a_clock_at_which_none_runs_is_refused(hz):
    with pytest.raises(SpecError, match=r"its SMs run at 1\.98e\+09 Hz"):
        load(f"h200@{hz}")


def test_a_file_of_ones_own_has_clocks_too(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "h200"\n[identity]\nname = "mine"\nfull_name = "Mine"\n')
    assert load(f"{path}@1GHz").name == "mine@1000MHz"


def test_all_else_keeps_its_speed():
    fast, slow = load("h200"), load("h200@990MHz")
    assert slow.throughput.fp32_flops == fast.throughput.fp32_flops / 2
    assert slow.dram == fast.dram
    assert slow.clock.l2_hz == fast.clock.l2_hz
    assert slow.latency.dram_cycles == pytest.approx(fast.latency.dram_cycles / 2, abs=1)
    assert slow.clock.tensor_load_hz == 990e6
    assert not slow.measured


@pytest.mark.parametrize("name", [*names()])
def test_numbers_are_shown_as_they_are_at_the_clock_and_say_so(name):
    usual = load(name)
    slow = load(f"{name}@{usual.clock.sm_hz / 2e6:g}MHz")
    before, now = values(usual), values(slow)
    assert {key: entry.value for key, entry in slow.sources} == {key: now[key] for key, _ in usual.sources}
    changed = {key for key, _ in usual.sources if before[key] != now[key]}
    assert {"clock.sm_hz", "latency.dram_cycles", "throughput.fp32_flops"} <= changed
    for key, entry in slow.sources:
        if key not in changed:
            assert entry == usual.provenance(key)
        else:
            says = "what SMs are locked to" if key == "clock.sm_hz" else f"at SMs of {slow.clock.sm_hz / 1e6:g} MHz"
            assert (entry.kind, says in entry.source) == ("assumed", True)


def test_the_command_shows_the_gpu_at_its_clock(capsys):
    assert main(["gpus", "h200@1410MHz"]) == 0
    (row,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("clock.sm_hz")]
    assert row[1:4] == ["1.41e+09", "Hz", "assumed"]


@pytest.mark.long
def test_what_computes_takes_the_longer_and_what_waits_for_memory_does_not():
    compute, memory = {"n": 256}, {"N": 1 << 24}
    slower = [
        gpusim.predict(kernel, "h200@990MHz", **sizes).seconds / gpusim.predict(kernel, "h200", **sizes).seconds
        for kernel, sizes in (("matmul-register-tiled", compute), ("vector-add", memory))
    ]
    assert slower[0] > 1.6
    assert slower[1] < 1.4  # 4 bytes a thread: the wires into slower SMs are narrower than HBM


def test_counts_are_those_of_any_clock():
    fast, slow = (gpusim.predict("matmul-tiled", gpu, n=128) for gpu in ("h200", "h200@990MHz"))
    counts = [name for name in fast.metrics if name.startswith(("smsp__inst", "l1tex__t_requests", "smsp__sass"))]
    assert [slow.value(name) for name in counts] == [fast.value(name) for name in counts]
    assert slow.value(SECONDS) == pytest.approx(slow.value(CYCLES) / 990e6, rel=1e-3)
    assert slow[CYCLES].error is None


def test_the_command_locks_every_gpu(capsys):
    assert main(["predict", "copy", "--N", "65536", "--gpu", "h200,a100-40gb", "--clock", "1.2GHz"]) == 0
    printed = capsys.readouterr().out
    assert "h200@1200MHz" in printed
    assert "a100-40gb@1200MHz" in printed


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--clock", "fast"], "--clock fast: must be in Hz"),
        (["--clock", "1e9", "--gpu", "h200@1e9"], "h200@1e9 has a clock already"),
        (["--clock", "1410"], "did you mean 1410MHz?"),
    ],
)
def test_a_wrong_clock_is_one_line(words, says, capsys):
    assert main(["predict", "copy", "--N", "64", *words]) == 2
    assert says in capsys.readouterr().err
