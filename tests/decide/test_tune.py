"""A search ranks points, keeps its front, says what to measure, and finds the best of spaces that were measured."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from calibration import tuning
from gpusim.cli import main
from gpusim.decide.apart import Apart, apart
from gpusim.decide.objective import OF_LAUNCHES, UNITS, Objective
from gpusim.decide.objective_units import UnlikeUnitsError
from gpusim.decide.ranking import ALIKE, Candidate, Ranking
from gpusim.decide.sweep import Row
from gpusim.errors import UnknownNameError
from gpusim.expressions import ExpressionError
from gpusim.frontends.described import predict


def ranking(values, *objectives, factor=1.1, most=8):
    """Candidates with these values of the objectives."""
    found = [
        Candidate(Row("k", {"x": n}, "h200", object()), value, is_full=False) for n, value in enumerate(values)
    ]  # fmt: skip
    found.sort(key=lambda one: one.values[0])
    return Ranking(found, [], [Objective(text) for text in objectives], ["x"], Apart(factor, "nothing", True), most)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=1, max_size=20))
def test_nothing_is_better_than_the_front_and_all_else_is_worse_than_some_of_it(values):
    found = ranking(values, "time", "dram_bytes")
    front = [one.values for one in found.pareto]
    for value in values:
        assert any(all(a <= b * ALIKE for a, b in zip(other, value, strict=True)) for other in front)
    for one, other in itertools.permutations(front, 2):
        assert one[0] < other[0] or one[1] < other[1]


def test_what_is_not_told_apart_is_to_be_measured_but_no_more_than_a_few():
    found = ranking([(100,), (105,), (109,), (112,)], "time", most=2)
    assert [one.values[0] for one in found.alike] == [100, 105, 109]
    assert [one.values[0] for one in found.measure] == [100, 105]
    assert len(ranking([(100,), (105,)], "dram_bytes").alike) == 1  # counts are told apart however near they are


def test_objectives_are_figures_metrics_and_sums_of_them():
    profile = predict("copy", n=65536)
    assert Objective("time").value(profile) == profile.seconds
    assert Objective("hbm_bytes").value(profile) == profile.dram_bytes
    weighted = Objective("20*dram_bytes + 4*l2_read_bytes + dram__bytes_read.sum")
    wanted = 20 * profile.dram_bytes + 4 * profile.l2_read_bytes + profile.dram_bytes_read
    assert weighted.value(profile) == wanted
    with pytest.raises(UnknownNameError, match="unknown figure of an objective 'tme': did you mean time"):
        Objective("tme")
    with pytest.raises(ExpressionError, match="names no figure"):
        Objective("3")
    with pytest.raises(ExpressionError, match=r"did you mean dram__bytes_read\.sum"):
        Objective("dram__bytes_red.sum").value(profile)


@pytest.mark.parametrize(
    "text",
    [
        "time + hbm_bytes", "hbm_bytes - time", "time + 2*(cycles + hbm_bytes)", "max(time, hbm_bytes)",
        "time + dram_bytes + 2*flops", "time/cycles + hbm_bytes", "-time + flops", "l1_hit_rate + time",
    ],
)  # fmt: skip
def test_unlike_units_do_not_add_up_without_weights(text):
    with pytest.raises(UnlikeUnitsError, match="give weights") as caught:
        Objective(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "4e12*time + hbm_bytes", "time + hbm_bytes/1e12", "20*dram_bytes + 4*l2_read_bytes + flops", "time*hbm_bytes",
        "dram_bytes_read + dram_bytes_written", "-time", "time + 1", "1*time + hbm_bytes", "seconds + time",
        "time*l2_hit_rate", "2*time + 3*hbm_bytes + 4*flops", "hbm_bytes/dram_bytes + l1_hit_rate/l2_hit_rate",
    ],
)  # fmt: skip
def test_sums_with_weights_or_of_one_unit_are_objectives(text):
    assert Objective(text).value(predict("copy", n=65536)) != 0


def test_units_of_metrics_are_those_of_the_launch():
    profile = predict("copy", n=65536)
    with pytest.raises(UnlikeUnitsError, match="adds seconds and sector"):
        Objective("time + lts__t_sectors_srcunit_tex_op_read.sum").value(profile)
    assert Objective("dram__bytes_read.sum + dram__bytes_write.sum").value(profile) > 0


def test_every_figure_of_an_objective_has_a_unit():
    assert set(OF_LAUNCHES) <= UNITS.keys()


def test_the_best_is_predicted_in_full_and_ranked_before_the_others():
    found = gpusim.tune("matmul-tiled", {"tile": [4, 8, 16, 32]}, n=128, top=2)
    assert [one.is_full for one in found.candidates] == [True, True, False, False]
    times = {one.point["tile"]: one.values[0] for one in found.candidates}
    assert times[found.best.point["tile"]] == min(times.values())
    for one in found.candidates[:2]:
        assert one.values[0] == predict("matmul-tiled", n=128, **one.point).seconds


def test_points_without_a_launch_are_told_and_the_rest_goes_on():
    found = gpusim.tune("copy", {"B": [64, 256, 4096]}, N=4096)
    assert {one.point["B"] for one in found.candidates} == {64, 256}
    assert [row.point for row in found.failed] == [{"B": 4096}]
    assert "B=4096 on h200" in repr(found)


def test_a_chain_is_searched_too():
    found = gpusim.tune("attention-standard", {"d": [32, 64]}, N=64, H=1)
    assert found.best.point == {"d": 32}


def test_kinds_of_predictions_that_nobody_measured_say_so():
    assert apart("h200", "description", quick=False).is_known
    assert not apart("v100", "description", quick=False).is_known
    shown = repr(gpusim.tune("copy", {"B": [64, 128]}, "v100", N=4096))
    assert "never measured" in " ".join(shown.split())


@pytest.mark.long
def test_points_are_drawn_of_a_space_too_large_to_enumerate():
    pytest.importorskip("optuna")
    over = {"N": range(1024, 9024), "B": [32 * k for k in range(1, 33)]}
    first, again = (gpusim.tune("copy", over, where=["N % 64 == 0"], trials=6, seed=3, quick=True) for _ in range(2))
    assert len(first.candidates) == 6
    assert all(one.point["N"] % 64 == 0 for one in first.candidates)
    assert [one.point for one in first.candidates] == [one.point for one in again.candidates]
    with pytest.raises(gpusim.GpusimError, match="the space is empty"):
        gpusim.tune("copy", {"N": range(1, 2_000_000)}, where=["N < 0"], trials=2)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["copy"], "of 1 points none"),
        (["copy", "--over", "B=64", "--objective", "time/0"], "divides by 0"),
        (["copy", "--over", "B=64", "--objective", "tme"], "did you mean time"),
        (["copy", "--over", "B=64", "--objective", "time + hbm_bytes"], "adds seconds and bytes: give weights"),
        (["copy,softmax-online", "--over", "B=64"], "tune is of one kernel on one GPU"),
        (["copy", "--over", "B=64", "--gpu", "h200,h100-sxm"], "tune is of one kernel on one GPU"),
        (["copy", "--over", "B=64", "--top", "0"], "greater than or equal to 1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words, says, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    if words == ["copy"]:
        words = ["copy", "--over", "B=4096"]
    assert main(["tune", *words]) == 2
    found = capsys.readouterr()
    assert says in found.err
    assert "Traceback" not in found.err


@pytest.mark.parametrize(
    "wrong",
    [
        {"objective": []},
        {"objective": ["time", "time"]},
        {"top": 0},
        {"top": 1.5},
        {"trials": 0},
        {"seed": -1},
        {"gpu": []},
        {"objective": 5},
        {"objective": [5]},
        {"objective": None},
        {"top": None},
        {"top": "8"},
        {"seed": None},
        {"trials": "2"},
        {"quick": "no"},
        {"cache": "lukewarm"},
        {"jobs": 0},
        {"where": 5},
        {"launch": 5},
    ],
)
def test_what_is_wrong_in_python_is_an_error_of_ours(wrong):
    with pytest.raises(gpusim.GpusimError):
        gpusim.tune("copy", {"B": [64, 128]}, **wrong)


def test_points_with_warm_caches_are_predicted_in_full():
    found = gpusim.tune("copy", {"B": [64, 128]}, N=4096, cache="warm")
    assert all(one.is_full and one.profile.cache == "warm" for one in found.candidates)
    with pytest.raises(gpusim.GpusimError, match="quick predictions are of one kernel with cold caches"):
        gpusim.tune("copy", {"B": [64, 128]}, N=4096, cache="warm", quick=True)


def test_objectives_may_be_below_0():
    found = gpusim.tune("copy", {"B": [64, 128]}, N=4096, objective="-time", quick=True)
    assert found.best.values[0] < 0
    assert "-" in repr(found)


def test_what_is_to_be_measured_is_a_launch_file(tmp_path, monkeypatch, capsys):
    from gpusim.launches import file

    monkeypatch.chdir(tmp_path)
    assert main(["tune", "copy", "--N", "65536", "--over", "B=64..512*2", "--to-measure", "few.json"]) == 0
    few = file.read(tmp_path / "few.json")
    assert {launch.kernel for launch in few} == {"copy"}
    assert 1 <= len(few) <= 8
    assert main(["tune", "copy", "--N", "4096", "--over", "B=64,128", "--csv", "-"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[-3].startswith("rank,N,B,") or out[-3].startswith("rank,B,N,")
    assert json.loads((tmp_path / "few.json").read_text())


# ---------------------------------------------------------------- held against hardware


@pytest.mark.long
def test_the_best_of_eight_is_within_three_per_cent_of_the_optimum_wherever_the_clock_is_known():
    found = [space for space in tuning.spaces() if "any clock" not in space.name]
    assert {space.gpu for space in found} == {"a100-40gb@765MHz", "a100-40gb", "rtx-a6000@1410MHz", "h200"}
    assert max(space.above(8) for space in found) < 0.03
    whole = next(space for space in found if len(space.pairs) > 1000)
    assert whole.above(4) < 0.03


@pytest.mark.long
def test_every_group_of_tiles_of_the_package_has_its_best_first():
    groups = [space for space in tuning.spaces() if "=" in space.name]
    assert len(groups) == 22
    assert max(space.above(1) for space in groups) < 0.03


@pytest.mark.long
def test_the_page_and_the_package_say_what_was_found():
    found = tuning.spaces()
    assert tuning.PAGE.read_text() == "\n".join(tuning.page(found)).rstrip("\n") + "\n"
    kept = json.loads((tuning.ROOT / "gpusim" / "data" / "tuning.json").read_text())
    assert kept == {"sets": tuning.learnt(found)}
