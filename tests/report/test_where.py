"""Where traffic comes from, as a user reads it."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim import report
from gpusim.profiles.profile import Profile
from gpusim.report.where import MOST_LINES, abbreviated, of_no_array, verdicts
from gpusim.results.metric import Claim, Metric
from gpusim.results.traffic import Traffic

GOOD = Traffic("mm.cu:9", "y[i] = x[i];", 64, 256, 256, 0, 8192, 4096)
BAD = Traffic("mm.cu:41", "t += A[x * K + k];", 1000, 32_000, 4000, 16_000, 512_000, 64_000)
CLASHING = Traffic("mm.cu:50", "s += tile[tid][0];", wavefronts=3200, ideal_wavefronts=100)
OPS = ("ld", "st")
BARE = Profile("mm", {"n": 64}, "h200", (8, 1, 1), (256, 1, 1), {})


def text(profile, capsys):
    report.show(list(report.where(profile)))
    return capsys.readouterr().out


def test_nothing_is_said_where_no_line_is_known(capsys):
    assert text(BARE, capsys) == ""


def test_the_worst_line_is_named_with_what_would_do():
    profile = replace(BARE, lines=(GOOD, BAD))
    assert list(verdicts(profile)) == ["mm.cu:41 costs 99 % of all sectors; each request touches 32 where 4 would do."]


def test_bank_conflicts_are_named():
    (said,) = verdicts(replace(BARE, lines=(GOOD, CLASHING)))
    assert said == "mm.cu:50 costs 100 % of all bank conflicts; its 3 200 wavefronts would be 100 without."


def test_good_lines_are_not_complained_of():
    assert not list(verdicts(replace(BARE, lines=(GOOD,))))


@pytest.mark.parametrize("n", [1, MOST_LINES, 40])
def test_tables_fit_and_show_the_costliest(n, capsys):
    many = tuple(replace(BAD, name=f"a_long_file_name.cu:{k}", sectors=100 * k + 100, requests=k + 1) for k in range(n))
    said = text(replace(BARE, lines=many, arrays=(GOOD, BAD)), capsys)
    assert max(map(len, said.splitlines())) <= 100
    assert re.search(rf"^a_long…\w*name\.cu:{n - 1} ", said, re.MULTILINE)
    assert ("more lines cost less" in said) == (n > MOST_LINES)


@given(st.lists(st.text("ab_", min_size=1, max_size=40), min_size=1, max_size=6), st.integers(5, 30))
def test_names_that_differ_still_do_when_they_are_cut(names, width):
    shown = abbreviated(names, width)
    assert len(set(shown)) == len(set(names))
    assert all(a == b for a, b in zip(names, shown, strict=True) if len(a) <= width)


def test_the_hit_rate_is_that_of_loads(capsys):
    half_stores = replace(GOOD, l1_hits=128, load_sectors=128)
    stores = replace(GOOD, name="mm.cu:10")
    rows = text(replace(BARE, lines=(half_stores, stores), arrays=(half_stores,)), capsys)
    assert re.search(r"mm.cu:9 .* 0 %  +100 %", rows)
    assert re.search(r"mm.cu:10 .* 0 %  +–", rows)


@pytest.mark.parametrize(
    ("read", "local", "says"),
    [
        (4096 + 2816, 0, "HBM reads 2.82 kB besides the arrays: code, parameters and constants."),
        (4096 + 2816, 5, "HBM reads 2.82 kB besides the arrays: code, parameters, local memory and constants."),
        (4096, 0, None),
        (4096 + 40, 0, None),
    ],
)
def test_what_is_read_beside_arrays_is_said_where_it_is_seen(read, local, says):
    known = {"dram__bytes_read.sum": read} | {f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum": local for op in OPS}
    metrics = {name: Metric(value, "", Claim.MODELLED) for name, value in known.items()}
    assert of_no_array(replace(BARE, lines=(GOOD,), arrays=(GOOD,), metrics=metrics)) == says


def test_of_what_is_not_known_nothing_is_said():
    assert of_no_array(replace(BARE, arrays=(GOOD,))) is None


def test_excess_is_what_would_not_be_needed():
    assert BAD.excess_sectors == 28_000
    assert CLASHING.conflicts == 3100
