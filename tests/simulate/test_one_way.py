"""Whatever front end makes a launch, it goes one way: told of, guarded, warmed, counted, with its results put back."""

from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim.errors import ParameterError
from gpusim.frontends import described
from gpusim.results.metric import Claim
from gpusim.simulate import guard, prediction
from gpusim.simulate.prediction import listening
from gpusim.simulate.work import How

CHAIN = {"H": 1, "N": 64, "d": 32}


def test_who_listens_hears_every_launch_before_it_is_run_and_none_afterwards():
    heard = []
    with listening(lambda work: heard.append((work.name, work.step))):
        gpusim.predict("copy", N=64)
        chain = gpusim.predict_chain("attention-standard", **CHAIN)
    gpusim.predict("copy", N=64)
    assert heard == [
        ("copy", ""),
        *((step.kernel, label) for step, label in zip(chain.steps, chain.labels, strict=True)),
    ]


def test_a_warm_launch_is_watched_once(monkeypatch):
    seen = []
    watch = guard.watch
    monkeypatch.setattr(guard, "watch", lambda launch, *args, **how: seen.append(launch) or watch(launch, *args, **how))
    gpusim.predict("copy", N=64, cache="warm")
    assert len(seen) == 1


def test_a_launch_writes_back_what_flushed_caches_hold_of_others():
    reads, writes, us = "dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum"
    cold, flushed = (gpusim.predict("copy", N=1 << 20, cache=cache).metrics for cache in ("cold", "flushed"))
    assert flushed[reads].value == cold[reads].value
    assert cold[writes].value == 0
    assert flushed[writes].value == pytest.approx(8 << 20, rel=0.1)  # its 8 MB take the places of as many
    assert flushed[us].value > cold[us].value
    assert cold[us].claim is Claim.CALIBRATED
    assert not flushed[us].among  # whatever was measured found empty caches


def test_a_chain_reports_progress_by_launch():
    told = []
    gpusim.predict_chain("attention-standard", **CHAIN, progress=lambda done, total, text: told.append(text))
    assert {text.partition(":")[0] for text in told} == {"attention-scores", "softmax-online", "matmul-batched-nn"}


def test_what_takes_values_gets_them_once_and_only_where_they_are_computed():
    source = described.Described(described.algorithm_of("copy"), described.algorithm_of("copy").launch(N=64))
    gpu, taken = gpusim.load_gpu("h200"), []
    work = described.work(source, gpu)
    arrays = described.drawn(source.algorithm, source.bound)
    launch = described.assemble(source.bound, work.launch.program, arrays)
    for values in (False, True):
        job = replace(work, launch=launch, take=taken.append)
        prediction.predict([job], gpu, How(cache="warm", values=values))
    assert taken[0] == {}
    np.testing.assert_array_equal(taken[1]["y"], arrays["x"])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({"cache": "hot"}, "cache must be"), ({"progress": 1}, "progress must be"), ({"sample": 2}, "sample must be")],
)
def test_how_is_refused_before_anything_else(wrong, says):
    for ask in (gpusim.predict, gpusim.predict_chain):
        with pytest.raises(ParameterError, match=says):
            ask("no-such-kernel", **wrong)
    with pytest.raises(ParameterError, match=says):
        gpusim.profile(None, 1, 1, **wrong)
