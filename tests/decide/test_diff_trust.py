"""How sure a ratio of two times is: known where pairs were measured, said to be unknown elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gpusim
from gpusim.decide.diff_trust import Errors, errors_of
from gpusim.results.metric import CYCLES, Claim
from tests.decide.made import timed


def errors(a: gpusim.Profile, b: gpusim.Profile) -> Errors:
    found = gpusim.diff(a, b, why=False).time
    assert found is not None
    assert found.errors is not None
    return found.errors


def test_the_interval_is_that_of_eight_in_ten_pairs() -> None:
    a, b = timed(20000), timed(10000)
    found, of = gpusim.diff(a, b, why=False).time, errors(a, b)
    assert found is not None
    assert found.interval is not None
    assert found.interval.high == pytest.approx(0.5 * (1 + of.eighty))
    assert found.interval.low == pytest.approx(0.5 / (1 + of.eighty))
    assert of.median < of.eighty < of.ninety < 0.15


def test_descriptions_are_judged_by_pairs_of_their_family() -> None:
    matmuls, others = (
        errors(*(timed(cycles, way="description", kernel=name) for cycles in (20000, 10000)))
        for name in ("matmul-tiled", "my-own-kernel")
    )
    assert (matmuls.family, others.family) == ("matmul", "")
    across = errors(timed(way="description"), timed(10000, way="description", kernel="copy"))
    assert across == others
    assert errors(timed(), timed(10000)).eighty < matmuls.eighty


def test_a_ratio_of_real_predictions_is_known_by_their_way() -> None:
    a, b = (gpusim.predict(name, n=256) for name in ("transpose-shared", "transpose-padded"))
    assert errors(a, b).family == "transpose"


def scaled(profile: gpusim.Profile) -> gpusim.Profile:
    cycles = replace(profile[CYCLES], claim=Claim.EXTRAPOLATED)
    return replace(profile, metrics={**profile.metrics, CYCLES: cycles})


def unlike(profile: gpusim.Profile) -> gpusim.Profile:
    return replace(profile, metrics={**profile.metrics, CYCLES: replace(profile[CYCLES], interval=None)})


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        (timed(), timed(gpu="a100-40gb"), "on one GPU"),
        (timed(gpu="a100-40gb"), timed(gpu="a100-40gb"), "no pairs were measured on a100-40gb"),
        (timed(), timed(cache="warm"), "cold caches alone"),
        (timed(cache="flushed"), timed(cache="flushed"), "cold caches alone"),
        (timed(), scaled(timed()), "part of a launch was simulated"),
        (timed(), timed(way="description"), "the other from machine code"),
        (timed(), unlike(timed()), "in another way"),
    ],
)
def test_where_no_pairs_say_anything_it_is_not_known(a: gpusim.Profile, b: gpusim.Profile, says: str) -> None:
    b = replace(b, metrics={**b.metrics, "dram__bytes_read.sum": replace(b["dram__bytes_read.sum"], value=1)})
    found = gpusim.diff(a, b, why=False)
    assert found.time is not None
    assert found.time.interval is None
    assert says in found.time.unknown
    assert f"is not known: {found.time.unknown}." in " ".join(repr(found).split())


def test_errors_do_not_depend_on_which_of_a_pair_comes_first() -> None:
    pairs = [(0.5, 0.6), (2.0, 1.7), (1.1, 1.1)]
    assert errors_of(pairs) == errors_of([(1 / predicted, 1 / measured) for predicted, measured in pairs])
