"""Pictures of several launches, of searches and of comparisons."""

import pytest

import gpusim
from gpusim.errors import ParameterError
from gpusim.pictures.agreement import Pair, agreement
from gpusim.pictures.bars import Bar, bars
from gpusim.pictures.launch import rooflines
from gpusim.pictures.times import in_order, kernels, times
from gpusim.results.program import Program, ProgramLaunch


@pytest.fixture(scope="module")
def profiles():
    return [gpusim.predict("matmul-tiled", n=128, tile=tile) for tile in (8, 16)]


def test_times_are_drawn_with_their_intervals(profiles):
    axes = times(profiles)
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([1e6 * one.seconds for one in profiles])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["T=8", "T=16"]
    low, high = axes.lines[0].get_xdata()
    interval = profiles[0]["gpu__time_duration.sum"].interval
    assert (low, high) == pytest.approx((1e6 * interval.low, 1e6 * interval.high))


def test_kernels_and_gpus_have_marks_and_roofs_of_their_own(profiles):
    both = [*profiles, gpusim.predict("matmul-tiled", gpu="a100-40gb", n=128, tile=8)]
    axes = rooflines(both, measured=[profiles[0]])
    marks = [line for line in axes.lines if len(line.get_xdata()) == 1]
    assert len(marks) == 3 * 4
    assert sum(mark.get_markerfacecolor() != "none" for mark in marks) == 3
    assert {line.get_linestyle() for line in axes.lines if len(line.get_xdata()) == 2} >= {"-", "--"}


def program(*launches):
    profile = gpusim.predict("copy", N=4096)
    made = [ProgramLaunch(k, name, (16, 1, 1), (256, 1, 1), profile, k) for k, name in enumerate(launches)]
    return Program("prog", "h200", tuple(made), 0)


def test_a_program_s_kernels_are_drawn_by_their_time():
    found = program("small", "often", "often")
    axes = kernels(found)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["often (2×)", "small"]
    assert axes.patches[0].get_width() == pytest.approx(2 * axes.patches[1].get_width())
    assert len(in_order(found).collections) == 2


def test_many_kernels_are_drawn_in_part():
    axes = kernels(program(*(f"kernel {k}" for k in range(30))))
    assert axes.get_yticklabels()[-1].get_text().startswith("14 others")


def test_a_program_without_times_is_refused():
    with pytest.raises(ParameterError, match="no launch has a time"):
        kernels(Program("prog", "h200", (), 0))


def test_agreement_counts_what_is_near_and_names_what_is_far():
    pairs = [Pair("near", "a", 102.0, 100.0), Pair("far", "b", 150.0, 100.0), Pair("none", "b", 5.0, 0.0)]
    axes = agreement(pairs, "cycles")
    assert axes.get_title("left").startswith("2 launches")
    assert "50 % within 10%, 50 % within 25%" in axes.get_title("left")
    assert [text.get_text() for text in axes.texts] == ["far: +50 %"]
    with pytest.raises(ParameterError, match="no launch has cycles"):
        agreement([Pair("none", "b", 5.0, 0.0)], "cycles")


def test_bars_leave_room_for_what_they_say():
    axes = bars([Bar("a", 3.0, "three", (2.0, 5.0)), Bar("b" * 99, -1.0, "minus one")], "of it")
    assert axes.get_xlim()[0] < -1
    assert axes.get_xlim()[1] > 5
    assert len(axes.get_yticklabels()[1].get_text()) == 44
    with pytest.raises(ParameterError, match="nothing to draw"):
        bars([], "of it")


def test_searches_and_bounds_and_advice_and_differences_draw_themselves():
    tuned = gpusim.tune("matmul-tiled", {"tile": [8, 16]}, n=64)
    assert len(tuned.plot().patches) == 2
    bound = gpusim.bound("matmul-tiled", n=64)
    assert len(bound.plot().patches) == sum(len(level.rungs) for level in bound.levels)
    naive, padded = (gpusim.predict(f"transpose-{how}", n=256, fresh=True) for how in ("shared", "padded"))
    advice = naive.advice()
    assert [label.get_text() for label in advice.plot().get_yticklabels()] == [str(of.cause) for of in advice.findings]
    changed = gpusim.diff(naive, padded).plot()
    assert "bank conflicts" in [label.get_text() for label in changed.get_yticklabels()]


def test_notebooks_show_pictures_of_all_results():
    chain = gpusim.predict_chain("attention-standard", N=64)
    sweep = gpusim.sweep("matmul-tiled", {"tile": [8, 16]}, n=64)
    for result in (chain, sweep, gpusim.bound("matmul-tiled", n=64)):
        html = result._repr_html_()
        assert html.startswith("<div><svg")
        assert "<pre>" in html
    assert [label.get_text() for label in chain.plot().get_yticklabels()] == list(chain.labels)
    twins = times([gpusim.predict("copy", N=4096)] * 2)
    assert len(twins.patches) == 2


def test_what_cannot_be_drawn_is_shown_as_a_table():
    sweep = gpusim.sweep("copy", {}, N=4096)
    assert sweep._repr_html_().startswith("<pre>")
