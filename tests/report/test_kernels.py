"""Does a list of kernels fit the screen, lose no name, and show everything about one?"""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from gpusim.catalogue import lookup
from gpusim.report import kernels
from tests.report.cells import assert_whole

EVERYTHING = lookup.search([], hidden=True)
SHOWN = lookup.search([])


def lines(renderables, width=80):
    """What a terminal of so many columns shows."""
    console = Console(file=io.StringIO(), width=width, highlight=False, color_system=None)
    for renderable in renderables:
        console.print(renderable)
    found = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert max(map(len, found)) <= width
    return found


@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_families_fit_a_screen_and_no_name_is_cut(width):
    shown = lines(kernels.families(SHOWN), width)
    assert len(shown) < 24
    families = {a.family for a in SHOWN}
    rows = {
        line.split()[0]: line.split(maxsplit=2) for line in shown if line.split()[:1] and line.split()[0] in families
    }
    assert set(rows) == families
    assert sum(int(count) for _, count, _ in rows.values()) == len(SHOWN)
    for _, _, named in rows.values():
        assert set(named.removesuffix(", ...").split(", ")) <= set(lookup.kernels())


@given(st.lists(st.sampled_from(EVERYTHING), unique=True), st.integers(60, 120))
def test_of_any_kernels_every_name_is_listed_whole_with_all_that_it_does(algorithms, width):
    if not algorithms:
        return
    listed = kernels.matches(algorithms)
    shown = lines(listed, width)
    unfolded = []
    for line in shown[2 : shown.index("")]:
        if not line.startswith(" "):
            name, *endings = re.split(r"[\[|\]]+", line.split()[0].rstrip("]"))
            unfolded += [name, *(f"{name}-{ending.removeprefix('-')}" for ending in endings)]
    assert sorted(unfolded) == sorted(a.name for a in algorithms)
    assert_whole(listed, width)


def test_the_note_explains_an_ending_that_is_listed():
    listed = lines(kernels.matches([one for one in EVERYTHING if one.name.startswith("matmul-tensor")]), 80)
    assert any("[-bf16]: NAME-bf16 is" in line for line in listed)
    assert not any("-f16" in line for line in listed)


@pytest.mark.parametrize("algorithm", EVERYTHING, ids=lambda algorithm: algorithm.name)
def test_everything_about_one_fits_a_screen(algorithm):
    shown = lines(kernels.details(algorithm, []))
    assert len(shown) < 24
    for name, value in algorithm.defaults.items():
        assert any(line.split()[:3] == [name, str(value), f"--{name}"] for line in shown)
    options = {word for line in shown for word in re.findall(r"--([\w-]+)", line)}
    assert options == set(algorithm.words)
