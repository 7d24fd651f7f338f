"""Lines of two sources: the same ones are found wherever they stand, and each is told of once."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from gpusim.decide.diff_lines import Line, arrays, lines
from gpusim.results.traffic import Traffic


def source(*texts: str, file: str = "a.cu", first: int = 1, sectors: int = 8) -> list[Traffic]:
    return [Traffic(f"{file}:{first + k}", text, sectors=sectors) for k, text in enumerate(texts)]


def matched(a: list[Traffic], b: list[Traffic]) -> dict[str, str]:
    return {(line.a.name if line.a else "-"): (line.b.name if line.b else "-") for line in lines(a, b)}


def test_lines_that_moved_are_found_by_their_text() -> None:
    a = source("x[i] = y[i];", "z[i] = 1;")
    b = source("z[i] = 1;", "x[i]  =  y[i];", file="b.cu", first=40)
    assert matched(a, b) == {"a.cu:1": "b.cu:41", "a.cu:2": "b.cu:40"}


def test_a_line_that_was_edited_is_still_that_line() -> None:
    a = source("out[row * n + col] = tile[tx][ty];", "sum += in[i];")
    b = source("out[row * n + col] = tile[tx][ty + 1];", "unlike = anything(else, here);")
    assert matched(a, b) == {"a.cu:1": "a.cu:1", "a.cu:2": "-", "-": "a.cu:2"}


def test_lines_that_say_the_same_are_matched_in_their_order() -> None:
    a, b = source("x = y[i];", "x = y[i];"), source("x = y[i];", "x = y[i];", "x = y[i];")
    assert matched(a, b) == {"a.cu:1": "a.cu:1", "a.cu:2": "a.cu:2", "-": "a.cu:3"}


def test_lines_without_their_text_are_matched_by_their_place() -> None:
    assert matched(source("", ""), source("", "", first=2)) == {"a.cu:2": "a.cu:2", "a.cu:1": "-", "-": "a.cu:3"}


def test_what_changed_most_comes_first() -> None:
    a = [*source("little", sectors=100), *source("much", first=2, sectors=100), *source("same", first=3)]
    b = [*source("little", sectors=99), *source("much", first=2, sectors=10), *source("same", first=3)]
    found = lines(a, b)
    assert [line.text for line in found] == ["much", "little", "same"]
    assert [line.is_unchanged for line in found] == [False, False, True]


def test_arrays_are_matched_by_name() -> None:
    found = arrays(
        [Traffic("A", sectors=4), Traffic("S", sectors=9)], [Traffic("A", sectors=2), Traffic("L", sectors=1)]
    )
    assert [(line.name, line.of("a", "sectors"), line.of("b", "sectors")) for line in found] == [
        ("S", 9, 0), ("A", 4, 2), ("L", 0, 1)
    ]  # fmt: skip


TEXTS = st.lists(st.sampled_from(["x = a[i];", "x = a[j];", "y = b[i] * x;", "y = b[i] + x;", "s += t[k];", ""]))


@given(TEXTS, TEXTS)
def test_either_way_round_matches_the_same_and_every_line_once(a: list[str], b: list[str]) -> None:
    left, right = source(*a), source(*b, file="b.cu")
    there, back = lines(left, right), lines(right, left)
    assert {(line.a, line.b) for line in there} == {(line.b, line.a) for line in back}
    assert sorted(line.a.name for line in there if line.a) == sorted(line.name for line in left)
    assert sorted(line.b.name for line in there if line.b) == sorted(line.name for line in right)


def test_a_line_as_json_has_what_changed_alone() -> None:
    line = Line(Traffic("a.cu:1", "x", sectors=8, requests=2), Traffic("a.cu:2", "x", sectors=4, requests=2))
    assert line.to_dict() == {
        "a": {"name": "a.cu:1", "text": "x"}, "b": {"name": "a.cu:2", "text": "x"},
        "changed": {"sectors": {"a": 8, "b": 4}},
    }  # fmt: skip
