"""Rows of a sweep: the same whatever processes predict them, and one that fails leaves the others alone."""

from functools import partial

import pytest

import gpusim
from gpusim.errors import GpusimError
from gpusim.kept.store import RESULTS
from gpusim.launches import rows
from gpusim.launches.rows import predict_rows

CALLS = [
    partial(gpusim.predict, "matmul-register-tiled", n=64, BM=tile, BN=32, BK=8, TM=steps, TN=4)
    for tile in (32, 64)
    for steps in (2, 4)
]
TOO_MANY = partial(CALLS[0], registers=300)


def tell(told):
    return lambda done, total, text: told.append((done, total, text))


def test_rows_do_not_depend_on_how_many_processes_predict_them(monkeypatch):
    alone = predict_rows(CALLS, 1, tell([]))
    monkeypatch.setattr(rows, "ALONE_S", 0)
    told = []
    together = predict_rows([*CALLS, TOO_MANY], 2, tell(told))
    assert [profile.to_dict() for profile in together[:-1]] == [profile.to_dict() for profile in alone]
    assert isinstance(together[-1], GpusimError)
    assert told[-1] == (5, 5, "5 of 5 done")
    assert len({profile.value("gpc__cycles_elapsed.max") for profile in alone}) == len(CALLS)


def test_a_row_that_fails_leaves_the_others_alone():
    first, failed, last = predict_rows([CALLS[0], TOO_MANY, CALLS[1]], 1, tell([]))
    assert "registers" in str(failed)
    assert first.grid == last.grid


# ---------------------------------------------------------------- what is kept


@pytest.fixture
def keeping(monkeypatch, tmp_path):
    """Results are kept, in a folder of their own; progress is shown."""
    monkeypatch.delenv("GPUSIM_FORGET", raising=False)
    monkeypatch.delenv("GPUSIM_QUIET", raising=False)
    monkeypatch.setattr(RESULTS.__class__, "folder", property(lambda store: tmp_path / store.name))


def test_how_many_are_there_already_is_said_at_the_start(keeping, capsys):
    before = predict_rows(CALLS[:2], 1, tell([]))
    assert not capsys.readouterr().err
    seen = []

    def hear(done, total, text):
        seen.append((done, total, capsys.readouterr().err))

    found = predict_rows([*CALLS, TOO_MANY], 1, hear)
    said = "gpusim: 2 of 5 are there already, from an earlier run\n"
    assert [err for _, _, err in seen if err] == [said]
    after = [done for done, _, err in seen][[err for _, _, err in seen].index(said) :]
    assert min(after) == 3  # two that are kept, and one that cannot be launched
    assert [profile.kept is not None for profile in found[:-1]] == [True, True, False, False]
    assert found[0].metrics == before[0].metrics


def test_nothing_is_said_where_all_are_there_or_none_is_asked_for(keeping, capsys):
    predict_rows(CALLS[:2], 1, tell([]))
    predict_rows(CALLS[:2], 1, tell([]))
    fresh = predict_rows([partial(call, fresh=True) for call in CALLS[:3]], 1, tell([]))
    assert [profile.kept for profile in fresh] == [None] * 3
    assert not capsys.readouterr().err


def test_who_interrupts_is_told_what_is_kept_and_the_rest_goes_on_from_there(keeping, capsys):
    def interrupt(done, total, text):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        predict_rows(CALLS, 1, interrupt)
    assert capsys.readouterr().err == ("gpusim: 2 of 4 are done and kept: the same command goes on from there\n")
    predict_rows(CALLS, 1, tell([]))
    assert capsys.readouterr().err == "gpusim: 2 of 4 are there already, from an earlier run\n"


def test_looking_for_what_is_kept_compiles_nothing(keeping, compiler, tmp_path):
    from gpusim.kept.alone import NotKeptError, kept_alone
    from gpusim.launches import told
    from gpusim.launches.profiling import profile

    source = tmp_path / "mine.cu"
    source.write_text(f"// {tmp_path}\n__global__ void mine(float* x) {{ x[threadIdx.x] = 1; }}\n")
    launch = told.launch(source, grid=1, block=32, args={"x": "zeros:32"})
    with kept_alone(), pytest.raises(NotKeptError):
        profile(launch, "h200")
    kept = profile(launch, "h200")
    with kept_alone():
        assert profile(launch, "h200").metrics == kept.metrics
