"""Are errors what they are said to be, and are the right launches held against one another?"""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import report
from gpusim.cli import main
from gpusim.measured.comparison import FLOOR, Empty, Row, explained, relative, rows, summarise
from gpusim.measured.measurement import BEYOND_EMPTY, MeasuredLaunch, Measurement
from gpusim.measured.nsight import Launched
from gpusim.measured.predictions import CompareError, Predicted, base_name, pair, read_predictions
from gpusim.report import comparison
from gpusim.results.figures import CACHES
from gpusim.results.metric import DURATION, STALL_REASON
from tests.measure.standin import H200

CYCLES, HBM = "gpc__cycles_elapsed.max", "dram__bytes_read.sum"
POSITIVE = st.floats(1e-3, 1e12)


@given(POSITIVE, POSITIVE, st.floats(0.01, 100))
def test_an_error_has_no_unit_and_is_0_where_nothing_is_off(predicted, measured, scale):
    error = relative(CYCLES, predicted, measured)
    assert relative(CYCLES, scale * predicted, scale * measured) == pytest.approx(error, rel=1e-9, abs=1e-9)
    assert relative(CYCLES, measured, measured) == 0
    assert (error > 0) == (predicted > measured)


@pytest.mark.parametrize(("metric", "floor"), FLOOR.items())
def test_what_is_next_to_nothing_is_judged_by_its_difference(metric, floor):
    assert relative(metric, floor / 2, 0) == 0.5
    assert relative(metric, floor / 2, floor / 4) == 0.25
    assert relative(metric, 3 * floor, 2 * floor) == 0.5


def test_something_for_nothing_is_beyond_all_bounds():
    assert relative(CYCLES, 1, 0) == math.inf
    assert relative(CYCLES, 0, 0) == 0


def test_rows_are_of_what_both_have_worst_first():
    measured = MeasuredLaunch("a", {}, metrics={CYCLES: [90, 110, 100], HBM: [5e6, 5e6, 5e6], "not_predicted": [1]})
    first, second = rows({CYCLES: 110, HBM: 2.5e6, "not_measured": 3}, measured)
    assert first == ("a", HBM, 2.5e6, 5e6, -0.5, 0)
    assert second == ("a", CYCLES, 110, 100, pytest.approx(0.1), pytest.approx(0.2))


def test_times_between_events_are_compared_by_what_they_are_more_than_an_empty_launch():
    measured = MeasuredLaunch("a", {}, seconds=[5e-6, 6e-6, 8e-6])
    (row,) = rows({"gpu__time_duration.sum": 6e-6}, measured, Empty(predicted=1.5e-6, measured=3e-6))
    assert (row.metric, row.predicted, row.measured) == (BEYOND_EMPTY, pytest.approx(4.5e-6), pytest.approx(3e-6))
    assert (row.error, row.spread) == (pytest.approx(0.5), pytest.approx(1))
    assert rows({"gpu__time_duration.sum": 6e-6}, measured) == []


def test_a_single_run_has_no_spread():
    def launch(*runs):
        return MeasuredLaunch("a", {}, metrics={CYCLES: list(runs)})

    once, twice = (rows({CYCLES: 110}, one)[0] for one in (launch(100), launch(100, 100)))
    assert math.isnan(once.spread)
    assert twice.spread == 0
    assert math.isnan(summarise([once])[0].spread)
    assert summarise([once, twice])[0].spread == 0
    shown = [comparison.compared("a", [row], {}) for row in (once, twice)]
    assert [report.text(one).rstrip().endswith("–") for one in shown] == [True, False]


def test_a_summary_names_the_worst_launch_and_comes_worst_first():
    found = []
    for n, error in enumerate((0, 0, 0.01, -0.2)):
        launch = MeasuredLaunch(f"launch {n}", {}, metrics={CYCLES: [100], HBM: [10]})
        found += rows({CYCLES: 100 * (1 + error), HBM: 10}, launch)
    worst, same = summarise(found)
    assert (worst.metric, worst.launches, worst.identical, worst.worst) == (CYCLES, 4, 2, "launch 3")
    assert [worst.median, worst.mean, worst.p90, worst.max] == pytest.approx([0.005, 0.0525, 0.2, 0.2])
    assert (same.metric, same.identical, same.max) == (HBM, 4, 0)


# ---------------------------------------------------------------- profiles


def launched(kernel="copy_words(float const*, float*, int)", grid=(4, 1, 1), block=(256, 1, 1), **metrics):
    return Launched(kernel, grid, block, metrics or {CYCLES: 100}, {})


def predicted(name="copy", grid=(4, 1, 1), block=(256, 1, 1)):
    return Predicted(name, grid, block, {CYCLES: 90})


def test_launches_that_are_alike_are_runs_of_one():
    others = [launched(grid=(5, 1, 1)), launched(block=(128, 1, 1))]
    ((_, found),) = pair([predicted()], [launched(**{CYCLES: 100}), *others, launched(**{CYCLES: 120})])
    assert found.metrics == {CYCLES: [100, 120]}


def test_the_name_decides_where_sizes_do_not():
    same = [launched("other(int)"), launched("void ns::copy<4>(int)", **{CYCLES: 7})]
    ((_, found),) = pair([predicted()], same)
    assert found.metrics == {CYCLES: [7]}


@pytest.mark.parametrize(
    ("launches", "says"),
    [
        ([launched(grid=(9, 1, 1))], r"nothing profiled is copy of \(4, 1, 1\) x \(256, 1, 1\)"),
        ([launched("one(int)"), launched("two(int)")], "copy could be any of one.int., two.int."),
    ],
)
def test_a_prediction_without_its_launch_is_refused(launches, says):
    with pytest.raises(CompareError, match=says):
        pair([predicted()], launches)


def test_what_no_gpu_gives_is_refused_where_it_would_be_compared():
    with pytest.raises(CompareError, match=r"as profiled: gpc__cycles_elapsed\.max: must be above 0, not -1"):
        pair([predicted()], [launched(**{CYCLES: -1})])
    assert pair([predicted()], [launched(**{CYCLES: 9, HBM: -1})])


def test_names_are_compared_without_what_surrounds_them():
    assert base_name("void ns::k<float, (int)4>(float*)") == base_name("k") == "k"
    assert base_name("flash-attention-2") == "flash_attention_2"


# ---------------------------------------------------------------- why warps wait

REASONS = ("wait", "barrier", "long_scoreboard", "lg_throttle")
RATIOS = st.lists(st.floats(0.01, 100), min_size=4, max_size=4)


def waits(predicted, measured):
    """Rows of stall reasons."""
    metrics = [STALL_REASON.format(reason) for reason in REASONS]
    launch = MeasuredLaunch("a", {}, metrics={name: [value] for name, value in zip(metrics, measured, strict=True)})
    return rows(dict(zip(metrics, predicted, strict=True)), launch)


@given(RATIOS, RATIOS, st.floats(0.1, 10))
def test_waiting_is_explained_as_far_as_it_has_the_same_reasons(predicted, measured, scale):
    share = explained(waits(predicted, measured))
    assert 0 < share <= 1 + 1e-9
    assert share == pytest.approx(explained(waits(measured, predicted)))
    assert explained(waits([scale * ratio for ratio in measured], measured)) == pytest.approx(1)


def test_waiting_for_something_else_is_not_explained():
    assert explained(waits([1, 0, 0, 0], [0, 3, 0, 0])) == 0
    assert explained(waits([1, 1, 0, 0], [0, 3, 0, 0])) == 0.5
    assert math.isnan(explained(waits([0, 0, 0, 0], [1, 0, 0, 0])))
    assert math.isnan(explained([]))


# ---------------------------------------------------------------- the command


def write(folder, name, *launches, device=H200, cache="cold"):
    file = folder / name
    found = Measurement(device, "2026-11-25", cache, "NVRTC 13.0", "Nsight Compute 2025.3.1", 2e-6, list(launches))
    file.write_text(found.to_text())
    return str(file)


def measured_copy(name="copy N=1000 B=256", **metrics):
    entry = {"id": name, "kernel": "copy", "params": {"N": 1000, "B": 256}}
    return MeasuredLaunch(name, entry, "copy_words", (4, 1, 1), (256, 1, 1), "", metrics)


def predictions(folder, **metrics):
    file = folder / "predicted.json"
    file.write_text(json.dumps({"launches": [{"id": "copy N=1000 B=256", "metrics": metrics}]}))
    return str(file)


def test_a_measurement_against_predictions_of_a_file(tmp_path, capsys):
    there = write(tmp_path, "m.json", measured_copy(**{CYCLES: [100, 104, 102], HBM: [4000]}))
    assert main(["compare", there, predictions(tmp_path, **{CYCLES: 51, HBM: 4000})]) == 0
    shown = capsys.readouterr().out
    assert "NVIDIA H200, driver 580.159" in shown
    assert [line.split() for line in shown.splitlines() if CYCLES in line] == [
        [CYCLES, "51", "102", "-50.0", "%", "3.92", "%"],
    ]
    assert f"Identical, 1 of 2: {HBM} 4.00 kB." in shown


def test_a_measurement_is_predicted_where_no_file_is_given(tmp_path, capsys):
    exact = "smsp__inst_executed_op_global_ld.sum"
    there = write(tmp_path, "m.json", measured_copy(**{exact: [32], HBM: [4000]}))
    assert main(["compare", there, "--described", "--json", str(tmp_path / "rows.json")]) == 0
    found = {row["metric"]: row for row in json.loads((tmp_path / "rows.json").read_text())["rows"]}
    assert (found[exact]["predicted"], found[exact]["error"]) == (32, 0)
    assert "Identical" in capsys.readouterr().out


@pytest.mark.parametrize("cache", CACHES)
def test_a_prediction_finds_the_caches_as_the_measured_launch_did(tmp_path, cache):
    there = write(tmp_path, "m.json", measured_copy(**{HBM: [4000], CYCLES: [2000]}), cache=cache)
    assert main(["compare", there, "--described", "--json", str(tmp_path / "rows.json")]) == 0
    found = {row["metric"]: row["predicted"] for row in json.loads((tmp_path / "rows.json").read_text())["rows"]}
    wanted = gpusim.predict("copy", cache=cache, N=1000, B=256)
    assert found == {name: wanted.value(name) for name in found}
    assert (found[HBM] == 0) == (cache == "warm")


def test_a_prediction_may_be_at_the_clock_that_was_measured(tmp_path):
    there = write(tmp_path, "m.json", measured_copy(**{CYCLES: [2000], "gpu__time_duration.sum": [2e-6]}))
    out = tmp_path / "rows.json"
    assert main(["compare", there, "--described", "--gpu", "h200@1410MHz", "--json", str(out)]) == 0
    found = {row["metric"]: row["predicted"] for row in json.loads(out.read_text())["rows"]}
    wanted = gpusim.predict("copy", "h200@1410MHz", N=1000, B=256)
    assert found == {name: wanted.value(name) for name in found}


def test_many_launches_are_summed_up(tmp_path, capsys):
    several = [measured_copy(f"copy {n}", **{CYCLES: [100 + n]}) for n in range(3)]
    (tmp_path / "p.json").write_text(
        json.dumps({"launches": [{"id": launch.id, "metrics": {CYCLES: 110}} for launch in several]})
    )
    assert main(["compare", write(tmp_path, "m.json", *several), str(tmp_path / "p.json")]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[:4] for line in shown.splitlines() if line.startswith(CYCLES)] == [[CYCLES, "0", "of", "3"]]
    assert shown.index("copy 0") < shown.index("copy 1") < shown.index("copy 2")


def test_time_cycles_bytes_and_sectors_come_first_and_waiting_last(tmp_path, capsys):
    instructions, sectors = "smsp__inst_executed.sum", "lts__t_sectors_srcunit_tex_op_read.sum"
    wait, barrier = (STALL_REASON.format(reason) for reason in ("wait", "barrier"))
    there = {CYCLES: [100], HBM: [4000], sectors: [100], instructions: [10], wait: [0.03], barrier: [0.01]}
    here = {CYCLES: 101, HBM: 4100, sectors: 105, instructions: 99, wait: 0.01, barrier: 0.01}
    launches = [measured_copy(f"copy {n}", **there) for n in range(2)]
    (tmp_path / "p.json").write_text(json.dumps({"launches": [{"id": one.id, "metrics": here} for one in launches]}))
    assert main(["compare", write(tmp_path, "m.json", *launches), str(tmp_path / "p.json"), "--each"]) == 0
    shown = capsys.readouterr().out
    for part in (shown, shown[shown.index("\ncopy 0\n") :]):
        places = [part.index(name) for name in (CYCLES, HBM, sectors, instructions, "Share of waiting")]
        assert places == sorted(places)
    assert "smsp__average_warps" not in shown
    assert "Share of waiting that is explained: 75 % in the median" in shown
    assert "Share of waiting that is explained: 75 %." in shown
    assert ["wait", "50", "%", "75", "%"] in [line.split() for line in shown.splitlines()]


def test_a_users_own_profile_against_a_prediction(tmp_path, capsys):
    csv = '"ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum"\n"","","","","Kbyte"\n'
    (tmp_path / "mine.csv").write_text(csv + '"0","copy_words(float*)","(256, 1, 1)","(4, 1, 1)","5.0"\n')
    assert main(["predict", "copy", "--N", "1000", "--json", str(tmp_path / "p.json")]) == 0
    capsys.readouterr()
    assert main(["compare", str(tmp_path / "mine.csv"), str(tmp_path / "p.json")]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith(HBM)]
    assert "5.00 kB" in line


def profiled(folder, heads="", units="", values=""):
    """A profile of a copy, with columns besides."""
    rows = (f'"ID","Kernel Name","Block Size","Grid Size","{HBM}"{heads}', f'"","","","","byte"{units}')
    row = f'"0","copy_words(float*)","(256, 1, 1)","(4, 1, 1)","5000"{values}'
    (folder / "mine.csv").write_text("\n".join((*rows, row, "")))
    return str(folder / "mine.csv")


def told(folder, **more):
    """A prediction of that copy which says more of itself."""
    step = {"kernel": "copy", "grid": [4, 1, 1], "block": [256, 1, 1], "metrics": {HBM: 4000}, **more}
    (folder / "p.json").write_text(json.dumps({"profiles": [step]}))
    return str(folder / "p.json")


NAMED, COUNTED = (f"device__attribute_{what}" for what in ("display_name", "multiprocessor_count"))


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("CC", "8.0", "profiled on a GPU of compute capability 8.0, and predicted for h200"),
        (COUNTED, "114", "profiled on a GPU with 114 SMs, and predicted for h200"),
        (NAMED, "NVIDIA H100 80GB HBM3", "profiled on an NVIDIA H100 80GB HBM3, and predicted for h200"),
    ],
)
def test_a_profile_of_another_gpu_is_refused(tmp_path, capsys, column, value, says):
    there = profiled(tmp_path, f',"{column}"', ',""', f',"{value}"')
    assert main(["compare", there, told(tmp_path, gpu="h200")]) == 2
    assert says in capsys.readouterr().err


def test_a_profile_of_the_same_gpu_or_of_who_knows_which_is_compared(tmp_path):
    same = profiled(tmp_path, f',"CC","{COUNTED}","{NAMED}"', ',"","",""', ',"9.0","132","NVIDIA H200"')
    assert main(["compare", same, told(tmp_path, gpu="h200@1410MHz")]) == 0
    assert main(["compare", same, told(tmp_path, gpu="mine")]) == 0
    assert main(["compare", profiled(tmp_path), told(tmp_path, gpu="a100-40gb")]) == 0


@pytest.mark.parametrize("cache", CACHES)
def test_other_caches_than_the_profilers_are_said(tmp_path, capsys, cache):
    assert main(["compare", profiled(tmp_path), told(tmp_path, cache=cache)]) == 0
    said = f"Caches are {cache} in the prediction. Nsight Compute empties them before a launch"
    assert (said in " ".join(capsys.readouterr().out.split())) == (cache != "cold")


@pytest.mark.parametrize(("hz", "said"), [(1.98e9, False), (1.95e9, False), (1.41e9, True)])
def test_another_clock_than_the_profiled_one_is_said(tmp_path, capsys, hz, said):
    there = profiled(tmp_path, f',"{CYCLES}","{DURATION}"', ',"cycle","s"', f',"19800","{19800 / hz}"')
    assert main(["compare", there, told(tmp_path, metrics={CYCLES: 19800, DURATION: 1e-5})]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert ("SMs ran at 1410 MHz when measured, and at 1980 MHz in the prediction." in shown) == said


def of_launches(folder, **more):
    launches = [{"id": "copy N=1000 B=256", "metrics": {CYCLES: 1980, DURATION: 1e-6}}]
    (folder / "of.json").write_text(json.dumps({**more, "launches": launches}))
    return str(folder / "of.json")


def test_a_measurement_and_predictions_for_another_gpu_are_refused(tmp_path, capsys):
    there = write(tmp_path, "m.json", measured_copy(**{CYCLES: [2000]}))
    assert main(["compare", there, of_launches(tmp_path, gpu="h200@1410MHz")]) == 0
    assert main(["compare", there, of_launches(tmp_path, gpu="h100-sxm")]) == 2
    assert "is predicted for h100-sxm, and measured on an NVIDIA H200 (h200)" in capsys.readouterr().err


def test_caches_and_clock_that_differ_from_those_measured_are_said_and_written(tmp_path, capsys):
    there = write(tmp_path, "m.json", replace(measured_copy(**{CYCLES: [2000]}), sm_hz=1.41e9), cache="warm")
    out = tmp_path / "rows.json"
    assert main(["compare", there, of_launches(tmp_path, gpu="h200", cache="cold"), "--json", str(out)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    notes = json.loads(out.read_text())["notes"]
    assert [note.split(".")[0] for note in notes] == [
        "Caches were warm when measured, and are cold in the prediction",
        "SMs ran at 1410 MHz when measured, and at 1980 MHz in the prediction",
    ]
    assert all(note in shown for note in notes)


OPTIONS = ("--gpu h200", "--arch sm_90", "--described", "--emitted", "--kernels .", "--fresh")


@pytest.mark.parametrize("option", OPTIONS)
def test_predictions_of_a_file_are_not_made_in_another_way(tmp_path, capsys, option):
    predicted = of_launches(tmp_path)
    for there in (write(tmp_path, "m.json", measured_copy(**{CYCLES: [2000]})), profiled(tmp_path)):
        assert main(["compare", there, predicted, *option.split()]) == 2
        says = f"{option.split()[0]} does not apply: {predicted} has the predictions"
        assert says in capsys.readouterr().err


def test_launches_of_a_profile_are_not_chosen(tmp_path, capsys):
    assert main(["compare", profiled(tmp_path), told(tmp_path), "--only", "copy*"]) == 2
    assert "--only does not apply to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kernel", "option", "says"),
    [
        ({"source": "copy.cu"}, "--described", "is for kernels with a description: none of those chosen has one"),
        ({"params": {"N": 8}}, "--arch sm_90", "is for launches of CUDA sources: none of those chosen is one"),
    ],
)
def test_an_option_that_applies_to_no_launch_is_refused(tmp_path, capsys, kernel, option, says):
    there = write(tmp_path, "m.json", MeasuredLaunch("a", kernel, metrics={CYCLES: [1]}))
    assert main(["compare", there, *option.split()]) == 2
    assert f"{option.split()[0]} {says}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("none.json", "none.json: cannot be read: No such file"),
        ("m.json --gpu a100-40gb", "measured on an NVIDIA H200 (h200), not on a100-40gb: leave --gpu out"),
        ("m.json --gpu a100-40gb@1410MHz", "(h200), not on a100-40gb@1410MHz: leave --gpu out"),
        ("m.json none.json", "none.json: cannot be read: No such file"),
        ("m.json m.json", "not a prediction: gpusim predict --json"),
        ("empty.json", "empty.json: has no launches: gpusim measure --json empty.json adds some"),
        ("m.json p.json --only none*", "no launch matches 'none*'"),
        ("m.json other.json", "no metric was both measured and predicted"),
        ("a.csv", "says not what was launched: give a prediction too"),
        ("unknown.json", "gpusim has no specification of an NVIDIA L4"),
        ("failed.json", "no metric was both measured and predicted"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(tmp_path, capsys, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "m.json", measured_copy(**{CYCLES: [100]}))
    write(tmp_path, "unknown.json", measured_copy(**{CYCLES: [100]}), device=H200.__class__(
        "NVIDIA L4", "", "sm_89", 58, "580.159", "13.0"
    ))  # fmt: skip
    write(tmp_path, "failed.json", replace(measured_copy(), error="failed on the device"))
    write(tmp_path, "empty.json")
    (tmp_path / "p.json").write_text('{"profiles": []}')
    (tmp_path / "other.json").write_text('{"launches": [{"id": "other", "metrics": {}}]}')
    assert main(["compare", *words.split(), "--json", "rows.json"]) == 2
    complaint = capsys.readouterr().err
    assert says in complaint
    assert complaint.count("\n") == 1
    assert not (tmp_path / "rows.json").exists()


@pytest.mark.parametrize("words", [[""], ["h200", ""]])
def test_a_name_is_needed(words, capsys):
    assert main(["compare", *words]) == 2
    assert "a name is needed: compare takes a file, or one of h100-sxm, h200, a100-40gb" in capsys.readouterr().err


def test_all_kinds_of_predictions_are_read(tmp_path):
    file = tmp_path / "p.json"
    step = {
        "kernel": "k",
        "grid": [1, 1, 1],
        "block": [32, 1, 1],
        "metrics": {CYCLES: {"value": 5}, HBM: {"value": None}},
    }
    for raw in ({"profiles": [step]}, {"chains": [{"steps": [step]}]}):
        file.write_text(json.dumps(raw))
        assert read_predictions(file) == [Predicted("k", (1, 1, 1), (32, 1, 1), {CYCLES: 5})]


def test_the_measurements_that_come_with_gpusim_are_compared_as_json(tmp_path):
    out = tmp_path / "out.json"
    assert main(["compare", "h200", "--only", "vector-add N=300000*", "--described", "--json", str(out)]) == 0
    content = json.loads(out.read_text())
    assert {row["launch"] for row in content["rows"]} == {"vector-add N=300000 B=128"}
    assert len(content["summary"]) == len({row["metric"] for row in content["rows"]})


def test_a_list_of_nothing_is_not_begun(capsys):
    zeros = [Row("mine", "x.sum", 0.0, 0.0, 0.0, math.nan)]
    report.show(comparison.compared("mine", zeros, {}))
    assert "Identical, 1 of 1: 1 are 0 both ways." in capsys.readouterr().out
