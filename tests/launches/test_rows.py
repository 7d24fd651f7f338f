"""Rows of a sweep: the same whatever processes predict them, and one that fails leaves the others alone."""

from functools import partial

import gpusim
from gpusim.errors import GpusimError
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
