"""What a launch is advised: the cause that costs most first, where it is, and silence where nothing is left."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import gpusim
from gpusim import report
from gpusim.advice import Advice, Finding, Place
from gpusim.advice.advise import _finding
from gpusim.advice.edits import EDITS
from gpusim.advice.signs import Sign, signs
from gpusim.advice.trust import interval
from gpusim.results.causes import Cause


def found(cause: Cause, without: float, **more: object) -> Finding:
    return Finding(cause, 1000.0, without, "what it is", EDITS[cause], **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "params", "cause"),
    [
        ("transpose-naive", {"n": 512}, Cause.EXCESS_SECTORS),
        ("transpose-shared", {"n": 512}, Cause.BANK_CONFLICTS),
        ("copy", {"n": 1 << 23}, Cause.SHORT_BLOCKS),
    ],
)
def test_what_costs_most_comes_first(name: str, params: dict[str, int], cause: Cause) -> None:
    advice = gpusim.predict(name, **params).advice()
    assert advice.findings[0].cause is cause
    assert advice.findings[0].gain > 0.1
    assert [f.without for f in advice.findings] == sorted(f.without for f in advice.findings)


def test_a_cause_of_lines_names_the_line() -> None:
    places = gpusim.predict("transpose-shared", n=512).advice().findings[0].places
    assert [place.name.partition(":")[0] for place in places] == ["transpose.py"]
    assert "tile[" in places[0].text
    assert places[0].share == 1


def test_a_kernel_with_nothing_left_gets_no_advice() -> None:
    advice = gpusim.predict("copy-vec4", n=1 << 24).advice()
    assert advice.worth == ()
    assert "Nothing that was looked at costs 5 %" in repr(advice)


def test_causes_without_a_sign_are_not_looked_at() -> None:
    assert set(signs(gpusim.predict("copy-vec4", n=1 << 20))) <= {Cause.SHORT_BLOCKS, Cause.FEW_BLOCKS, Cause.LAST_WAVE}


def test_a_last_wave_that_is_nearly_full_costs_nearly_nothing() -> None:
    advice = gpusim.predict("copy", N=262144, B=32).advice()
    assert all(finding.gain < 0.05 for finding in advice.findings if finding.cause is Cause.LAST_WAVE)


@pytest.mark.parametrize("n", [65536, 262144])
def test_blocks_that_all_sms_have_are_not_too_few(n: int) -> None:
    assert Cause.FEW_BLOCKS not in signs(gpusim.predict("copy", n=n))


def test_sms_without_a_block_are_noticed() -> None:
    assert Cause.FEW_BLOCKS in signs(gpusim.predict("transpose-padded", n=256))


def test_gains_in_other_caches_than_those_measured_have_no_interval() -> None:
    cold, warm = (gpusim.predict("transpose-shared", n=512, cache=cache).advice() for cache in ("cold", "warm"))
    assert cold.findings[0].interval is not None
    assert warm.findings[0].interval is None


def test_it_is_written_as_json() -> None:
    advice = gpusim.predict("transpose-shared", n=512).advice()
    written = json.loads(json.dumps(advice.to_dict(), allow_nan=False))
    first = written["findings"][0]
    assert first["cause"] == "bank conflicts"
    assert first["speedup"] == pytest.approx(1 / (1 - first["gain"]))
    assert first["places"][0]["name"].startswith("transpose.py:")


def test_a_gain_is_the_share_of_time_that_goes() -> None:
    finding = found(Cause.BARRIERS, 800.0)
    assert finding.gain == pytest.approx(0.2)
    assert finding.speedup == pytest.approx(1.25)


def test_every_cause_has_a_sentence_that_says_what_to_do() -> None:
    assert set(EDITS) == set(Cause)
    assert all(text.endswith(".") and text[0].isupper() for text in EDITS.values())


def test_small_findings_are_named_below() -> None:
    profile = gpusim.predict("copy", n=4096)
    place = Place("mine.cu:3", "y[i] = x[i];", 1.0)
    advice = Advice(profile, (found(Cause.BARRIERS, 500.0, places=(place,)), found(Cause.LATENCY, 990.0)))
    text = repr(advice)
    assert "mine.cu:3 (100 %) y[i] = x[i];" in text
    assert "Less than 5 % each: latency 1.0 %." in text


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_it_fits_a_terminal(width: int) -> None:
    profile = gpusim.predict("copy", n=4096)
    advice = Advice(profile, tuple(found(cause, 100.0 + 50 * n) for n, cause in enumerate(Cause)))
    assert max(map(len, report.text(advice.table(), width).splitlines())) <= width


def test_gains_are_as_sure_as_those_of_pairs_that_were_measured() -> None:
    known, unknown = interval("h200", 2.0), interval("rtx-a6000", 2.0)
    assert unknown is None
    assert known is not None
    assert 1 <= known.low < 2 < known.high < math.inf


@pytest.mark.long
def test_launches_that_pass_arrays_on_are_advised_to_be_one() -> None:
    advice = gpusim.predict_chain("chain3-unfused", N=1 << 20).advice()
    fused = gpusim.predict("chain3-fused", N=1 << 20)
    assert [finding.cause for finding in advice.findings] == [Cause.APART]
    assert advice.findings[0].without == pytest.approx(fused.cycles, rel=0.2)
    assert [step.profile.kernel for step in advice.steps] == ["sin", "exp", "tanh"] or len(advice.steps) == 3
    assert "kernels apart" in repr(advice)


def test_launches_without_arrays_between_are_advised_on_one_by_one() -> None:
    chain = gpusim.predict_chain("chain3-unfused", N=4096)
    alone = replace(chain, steps=chain.steps[:1], outputs=tuple(chain.nbytes))
    assert alone.advice().findings == ()


def limit(without: float) -> Finding:
    return found(Cause.NO_TENSOR, without, at_most=True)


def test_upper_limits_come_after_what_is_sure_and_worth_it() -> None:
    small, sure, large = found(Cause.LATENCY, 960.0), found(Cause.BARRIERS, 900.0), limit(100.0)
    assert sorted((large, small, sure), key=lambda one: one.rank) == [sure, large, small]


def test_an_upper_limit_is_said_to_be_one() -> None:
    profile = gpusim.predict("copy", n=4096)
    text = repr(Advice(profile, (limit(400.0),)))
    assert "at most 60 %" in text
    assert "At most: what replaces it costs time, too" in " ".join(text.split())
    assert "at most" not in repr(Advice(profile, (found(Cause.BARRIERS, 400.0),))).lower()
    assert "no tensor cores at most 4.0 %" in " ".join(repr(Advice(profile, (limit(960.0),))).split())


def test_json_says_which_gains_are_upper_limits() -> None:
    findings = gpusim.predict("transpose-shared", n=512).advice().to_dict()["findings"]
    assert {one["at_most"] for one in findings} == {False}
    assert limit(400.0).to_dict()["at_most"]


def test_tiles_that_each_block_loads_again_are_a_sign() -> None:
    seen = signs(gpusim.predict("matmul-tiled", n=128, tile=16))
    assert [place.name.partition(":")[0] for place in seen[Cause.SMALL_TILES].places] == ["matmul.py"] * 2


@pytest.mark.parametrize(
    ("unit", "cause"),
    [
        ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", Cause.NO_TENSOR),
        ("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", Cause.REUSE),
    ],
)
def test_products_are_a_sign_where_what_they_need_is_busy(unit: str, cause: Cause) -> None:
    profile = gpusim.predict("matmul-tiled", n=128, tile=16)
    assert cause not in signs(profile)
    busy = replace(profile.metrics[unit], value=80.0)
    sign = signs(replace(profile, metrics={**profile.metrics, unit: busy}))[cause]
    assert {place.name.partition(":")[0] for place in sign.places} == {"matmul.py"}


def test_an_upper_limit_is_as_sure_as_nothing_that_was_measured() -> None:
    profile = gpusim.predict("matmul-tiled", n=128, tile=16)
    finding = _finding(profile, Cause.NO_TENSOR, Sign("products"), None)
    assert finding.at_most
    assert finding.interval is None
    assert finding.without <= profile.cycles
