"""Colours that all people tell apart, files, and pages."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from gpusim.errors import GpusimError
from gpusim.pictures.canvas import SERIES, axes_of, ending, inline, styled, write_powers

# How red, green and blue, linear, look to people without cones of one kind.  Machado, Oliveira and Fernandes,
# "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, table 1, severity 1.
SEEN = {
    "all": np.eye(3),
    "without long": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "without medium": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "without short": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


@pytest.mark.parametrize("eyes", SEEN)
def test_any_two_colours_of_a_series_are_told_apart(eyes):
    linear = [np.power(to_rgb(colour), 2.2) for colour in SERIES]
    seen = [np.power(np.clip(SEEN[eyes] @ colour, 0, 1), 1 / 2.2) for colour in linear]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 0.11


@pytest.mark.parametrize(("name", "kind"), [("a.png", "png"), ("b.tar.SVG", "svg"), ("/x/c.pdf", "pdf")])
def test_an_ending_says_what_a_file_is(name, kind):
    assert ending(Path(name)) == kind


@pytest.mark.parametrize("name", ["a.docx", "a", ".png", "png", ""])
def test_another_ending_is_refused(name):
    with pytest.raises(GpusimError, match=r"ends in \.png, \.svg or \.pdf"):
        ending(Path(name), "--plot")


def test_text_on_a_page_is_text_whatever_it_is():
    with styled():
        axes = axes_of(None, (3, 2))
        axes.set_title("<script>alert(1)</script> $x$ & co")
    found = inline(axes, 'a "label" <b>')
    assert "<script" not in found
    assert "&lt;script&gt;alert(1)&lt;/script&gt; $x$ &amp; co" in found
    assert 'aria-label="a &quot;label&quot; &lt;b&gt;"' in found


def test_parts_of_two_pictures_have_names_of_their_own():
    def names(which):
        with styled():
            axes = axes_of(None, (3, 2))
            axes.plot([1, 2], [3, 4], marker="o")
        return {word for word in inline(axes, "one", which).split() if word.startswith('id="')}

    clips = [
        {name for name in names(which) if not name[4].islower() or "_" not in name} for which in ("wide", "narrow")
    ]
    assert not clips[0] & clips[1]


@pytest.mark.parametrize(
    ("low", "high", "labels"), [(1, 1e6, ["1", "1 k", "1 M"]), (20, 90, ["50"]), (2e-6, 9e-4, ["10 u", "100 u"])]
)
def test_powers_are_written_out(low, high, labels):
    axes = axes_of(None, (4, 3))
    axes.set(xscale="log", xlim=(low, high))
    write_powers(axes, "x")
    axes.figure.canvas.draw()
    assert set(labels) <= {label.get_text() for label in axes.get_xticklabels()}
