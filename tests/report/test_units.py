import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.report.units import format_bytes, format_count, format_number, format_share, parse_bytes


@given(st.integers(0, 10**18))
def test_bytes_survive_the_round_trip_to_three_digits(nbytes):
    assert parse_bytes(format_bytes(nbytes)) == pytest.approx(nbytes, rel=0.005)


@given(st.integers(0, 10**18))
def test_what_is_shown_is_shown_again(nbytes):
    shown = format_bytes(nbytes)
    assert format_bytes(parse_bytes(shown)) == shown


@given(st.integers(0, 10**18), st.integers(0, 10**18))
def test_the_larger_amount_never_shows_as_the_smaller(one, other):
    small, large = sorted((one, other))
    assert parse_bytes(format_bytes(small)) <= parse_bytes(format_bytes(large))


@given(st.integers(0, 10**20))
def test_amounts_are_short(number):
    assert len(format_bytes(number)) <= 8
    assert len(format_count(number)) <= 7


@given(st.floats(0, 1e18))
def test_numbers_of_a_column_are_written_one_way(value):
    shown = format_number(value)
    assert re.fullmatch(r"\d{1,3}( \d{3})*( [kMGTPE])?|\d+\.\d+( [kMGTPE])?", shown)
    number, _, unit = shown.rpartition(" ") if shown[-1].isalpha() else (shown, "", "")
    read = float(number.replace(" ", "")) * 1000.0 ** " kMGTPE".index(unit or " ")
    assert read == pytest.approx(value, rel=0.006)


@pytest.mark.parametrize("shown", [f(math.nan) for f in (format_bytes, format_count, format_number, format_share)])
def test_what_is_not_known_is_a_dash(shown):
    assert shown == "–"


@pytest.mark.parametrize("text", ["8.40", "8.40 GiB", "eight GB", ""])
def test_other_texts_are_no_amounts(text):
    with pytest.raises(ValueError, match=r"unit|could not convert"):
        parse_bytes(text)
