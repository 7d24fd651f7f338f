"""Published IO formulas: what an algorithm moves beyond them is explained, and it grows as they claim."""

import pytest

from gpusim.catalogue import lookup
from gpusim.catalogue.algorithm import Published
from gpusim.catalogue.published import compare, exponents, table
from gpusim.frontends.elements import count_elements
from tests.kernels.run import mine
from tests.marks import most_by_hand

ALL = [known for known in (*lookup.all(), *lookup.chains()) if known.published is not None]
SINGLE = [known for known in ALL if not known.name.endswith(("-f16", "-bf16"))]


def names(algorithm):
    return algorithm.name


@pytest.mark.parametrize("algorithm", ALL, ids=names)
def test_every_difference_to_the_published_formula_is_explained(algorithm):
    found = compare(algorithm)
    assert found.unexplained == 0
    assert all(term != 0 for term, _ in found.departs)


@pytest.mark.parametrize("algorithm", most_by_hand(ALL, SINGLE[::2]), ids=names)
def test_what_is_derived_is_what_runs(algorithm):
    rows = table(algorithm, count_elements)
    assert rows
    assert [row.counted for row in rows] == [row.derived for row in rows]


@pytest.mark.parametrize("algorithm", ALL, ids=names)
def test_traffic_grows_as_claimed(algorithm):
    for fitted, claimed in exponents(algorithm).values():
        assert fitted == pytest.approx(claimed, abs=0.05)


def test_a_difference_without_a_reason_is_seen():
    copy = lookup.get("copy")
    wrong = mine(copy.kernel, N=64)
    object.__setattr__(wrong, "published", Published("2*N + 7", "nobody", order="N", grid={"N": (64, 4096)}))
    assert compare(wrong).unexplained == -7
    assert exponents(wrong) == {"N": (pytest.approx(1.0), 1.0)}


def test_of_a_formula_that_counts_loads_only_stores_are_left_out():
    copy = mine(lookup.get("copy").kernel, N=64)
    object.__setattr__(copy, "published", Published("N", "nobody", stores=False, cases=({"N": 33},)))
    assert compare(copy).unexplained == 0
    assert [(row.derived, row.counted, row.printed) for row in table(copy, count_elements)] == [(33, 33, 33.0)]
