"""Pictures of a launch show its numbers, go into axes that are given, and are refused in a line."""

import re
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

import gpusim
from gpusim.errors import GpusimError, ParameterError, UnknownNameError
from gpusim.pictures.canvas import content
from gpusim.pictures.launch import KINDS
from gpusim.report.busy import shown
from gpusim.report.units import format_bytes, format_share


@pytest.fixture(scope="module")
def profile():
    return gpusim.predict("matmul-tiled", n=128, tile=16, fresh=True, timeline=gpusim.Recording(events=2000))


def texts(axes):
    """Everything that is written in axes and those within."""
    found = [text.get_text() for text in axes.texts] + [axes.get_title("left"), axes.get_title("right")]
    found += [label.get_text() for label in axes.get_yticklabels()]
    return found + [text for child in axes.child_axes for text in texts(child)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_each_kind_is_drawn_the_same_each_time(profile, kind, suffix):
    first, again = (content(profile.plot(kind), suffix) for _ in range(2))
    assert first == again
    assert len(first) > 4000


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_goes_into_axes_that_are_given(profile, kind):
    left, right = Figure(figsize=(12, 4)).subplots(1, 2)
    assert profile.plot(kind, ax=left) is left
    assert not right.has_data()
    assert texts(left)


def test_the_memory_chart_has_the_bytes_and_hit_rates_of_each_level(profile):
    written = texts(profile.plot("memory"))
    for figure in ("global_load_bytes", "global_store_bytes", "l2_read_bytes", "dram_bytes_read"):
        assert format_bytes(getattr(profile, figure)) in written
    assert f"{format_share(profile.l1_hit_rate)} hits" in written
    assert f"{format_share(profile.l2_hit_rate)} hits" in written
    assert {"Kernel", "L1", "Shared memory", "L2", "HBM"} <= set(written)


def test_a_kernel_without_shared_memory_has_no_box_of_it():
    assert "Shared memory" not in texts(gpusim.predict("copy", N=4096).plot("memory"))


def test_what_was_measured_stands_beside(profile):
    other = gpusim.predict("matmul-tiled", n=256, tile=16)
    written = texts(profile.plot("memory", measured=other))
    assert f"measured {format_bytes(other.dram_bytes_read)}" in written
    assert f"measured {format_share(other.l2_hit_rate)}" in written


def test_bars_are_as_long_as_units_are_busy(profile):
    axes = profile.plot("speed-of-light")
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([100 * busy.share for busy in shown(profile)])
    assert [label.get_text() for label in axes.get_yticklabels()] == [busy.name for busy in shown(profile)]


def test_the_overview_says_what_binds(profile):
    title = profile.plot().get_title("left")
    assert "bound by" in title
    assert "cycles" in title


def test_marks_of_a_roofline_stand_at_intensity_and_rate(profile):
    axes = profile.plot("roofline")
    marks = [line for line in axes.lines if len(line.get_xdata()) == 1]
    rate = profile.flops / profile.seconds
    nbytes = [profile.global_load_bytes + profile.global_store_bytes, profile.l2_read_bytes + profile.l2_write_bytes,
              profile.dram_bytes]  # fmt: skip
    assert [float(mark.get_ydata()[0]) for mark in marks] == pytest.approx([rate] * 3)
    assert [float(mark.get_xdata()[0]) for mark in marks] == pytest.approx([profile.flops / of for of in nbytes])
    assert {mark.get_markerfacecolor() for mark in marks} == {"none"}


def test_the_curve_of_occupancy_goes_through_the_launch(profile):
    for axes in profile.plot("occupancy").child_axes:
        (mark,) = [line for line in axes.lines if line.get_marker() == "o"]
        assert float(mark.get_ydata()[0]) == pytest.approx(100 * profile.occupancy)


@pytest.mark.parametrize(("n", "bars"), [(512, [100]), (2048, None)])
def test_the_last_wave_is_as_full_as_blocks_are_left(n, bars):
    profile = gpusim.predict("copy", N=n * 256, B=256)
    heights = [bar.get_height() for bar in profile.plot("waves").patches][1::2]
    assert heights[-1] == pytest.approx(100 * (profile.waves % 1 or 1))
    assert len(heights) == np.ceil(profile.waves)


def test_many_waves_are_drawn_in_part():
    axes = gpusim.predict("copy", N=2**24, B=256).plot("waves")
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert len(labels) == 12
    assert labels[-1] == str(int(np.ceil(gpusim.predict("copy", N=2**24, B=256).waves)))


def test_what_a_warp_touches_is_drawn_lane_by_lane():
    axes = gpusim.predict("transpose-shared", n=64, fresh=True).plot("warp")
    of_global, of_shared = (part.child_axes[0].images[0].get_array() for part in axes.child_axes)
    assert of_global.shape == (32, 32)
    assert (np.diag(of_global.filled(0)) == np.arange(1, 33)).all()
    assert (of_shared.filled(0)[:, 0] == 32).all()
    assert of_shared.filled(0)[:, 1:].sum() == 0
    assert any("32 wavefronts; 1 without conflicts" in text for text in texts(axes))


def test_a_line_can_be_chosen_and_one_that_touches_nothing_is_refused():
    profile = gpusim.predict("transpose-shared", n=64, fresh=True)
    line = next(touch.line for touch in profile.touches() if touch.does == "store" and touch.space == "global")
    assert len(profile.plot("warp", line=line).child_axes) == 2
    assert len(profile.plot("warp", line=line.rpartition(":")[2]).child_axes) == 2
    with pytest.raises(UnknownNameError, match="line that touches memory"):
        profile.plot("warp", line="transpose.py:1")


def test_events_of_a_timeline_are_drawn_where_they_are(profile):
    axes = profile.plot("timeline")
    assert axes.get_xlim()[0] == profile.timeline.span[0]
    tracks = {event.track for event in profile.timeline.events}
    assert {label.get_text() for label in axes.get_yticklabels()} <= tracks


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"kind": "memroy"}, "did you mean memory"), ({"ax": 5}, "ax is an Axes of matplotlib, not 5"),
        ({"kind": "waves", "line": "41"}, "line says what to draw of kind 'warp'"), ({"kind": 5}, "kind of picture"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_in_a_line(profile, wrong, says):
    with pytest.raises(GpusimError, match=re.escape(says)):
        profile.plot(**wrong)


def test_what_a_profile_does_not_know_is_not_drawn():
    profile = gpusim.predict("copy", N=4096)
    with pytest.raises(ParameterError, match="predict with timeline="):
        profile.plot("timeline")
    with pytest.raises(ParameterError, match="computes nothing"):
        profile.plot("roofline")
    with pytest.raises(ParameterError, match="has no place for what was measured"):
        profile.plot("waves", measured=profile)


def test_a_notebook_shows_the_picture_and_the_table(profile):
    html = profile._repr_html_()
    assert html.index("<svg") < html.index("<pre>")
    assert "L1 global loads" in html
    assert "currentColor" in html
    assert "#010203" not in html


def test_a_notebook_shows_figures_with_parts_of_their_own(profile):
    html = [profile.plot("waves").figure._repr_html_() for _ in range(2)]
    assert all(text.startswith("<svg") for text in html)
    assert html[0] != html[1]


def test_nothing_is_drawn_by_what_is_imported():
    import subprocess

    code = "import gpusim, sys; p = gpusim.predict('copy', N=4096); print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
