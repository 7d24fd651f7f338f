"""Is prose folded without tearing a number, and printed with plain spaces?"""

import io
import re

from hypothesis import example, given
from hypothesis import strategies as st
from rich.text import Text

from gpusim import report
from gpusim.report.grid import Grid
from gpusim.report.prose import folded
from gpusim.report.units import format_bytes, format_count, format_seconds, format_share

COUNTS = st.integers(0, 10**15)
AMOUNTS = st.one_of(
    COUNTS.map(format_count), COUNTS.map(format_bytes), st.floats(0, 1).map(format_share),
    st.floats(1e-9, 1e3).map(format_seconds), COUNTS.map(lambda n: f"{n:,}".replace(",", " ")),
    st.sampled_from(["±2.9/11 %", "±?/∞ %", "1980 MHz", "4 MB"]),
)  # fmt: skip
WORDS = st.sampled_from(
    ["its", "wavefronts", "would", "be", "(L2", "without.", "--tile", "a_long_name_of_a_metric.sum"]
)
PROSE = st.lists(st.one_of(AMOUNTS.map("{},".format), WORDS), min_size=1, max_size=30)
"""With a comma after each number, for two side by side would be one."""


@given(PROSE, st.integers(40, 100))
@example(["its", "98 451", "wavefronts", "would", "be", "31 250", "without."], 80)
def test_a_number_with_its_thousands_and_its_unit_stays_in_a_line(parts, width):
    text = folded(" ".join(parts), width)
    assert max(map(len, text.split("\n"))) <= width
    assert text.split() == " ".join(parts).split()
    at = 0
    for part in parts:  # each is there, with plain spaces, in its order; a break would be in its place otherwise
        at = text.index(part, at) + len(part)
    assert not re.search(r"[^\S \n]", text)


@given(PROSE, st.integers(40, 100))
def test_so_it_is_in_sentences_and_in_cells_as_printed(parts, width):
    grid = Grid()
    grid.add_column("what", "text")
    grid.add_row(" ".join(parts))
    for shown in (" ".join(parts), Text(" ".join(parts), style="bold"), grid):
        text = report.text([shown], width)
        at = 0
        for part in parts:
            at = text.index(part, at) + len(part)


def test_on_a_terminal_spaces_are_plain_too(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    file = Terminal()
    report.show([Text("98 451 wavefronts, 31 250 without, 10 % of 4.19 MB")], file)
    assert "98 451 wavefronts, 31 250 without, 10 % of 4.19 MB" in file.getvalue()


def test_what_begins_a_line_and_what_is_short_is_left_as_it_is():
    assert folded("  two  spaces\n\nend", 40) == "  two  spaces\n\nend"
    assert folded("  two  spaces, and words that go on", 24) == "  two  spaces, and words\nthat go on"
