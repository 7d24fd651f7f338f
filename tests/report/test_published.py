import io

import sympy

from gpusim.catalogue.algorithm import Published
from gpusim.catalogue.published import Comparison, Row
from gpusim.report import show
from gpusim.report.published import published

N, T = sympy.symbols("N T")
FORMULA = Published("2*N**2/M", "a paper", where={"M": "T"}, times="B", order="N**2/M")


def text(comparison, rows=(), powers=None):
    sink = io.StringIO()
    show(published(FORMULA, comparison, rows, powers or {}), sink)
    return sink.getvalue()


def test_terms_have_their_reasons_and_what_has_none_is_said():
    shown = text(Comparison(N, N, ((3 * N, "rows are read again"),), N * T, 5 * T))
    assert "Published: 2·N^2/M elements loaded and stored for each of B, with M = T (a paper)." in shown
    assert "  3·N: rows are read again" in shown
    assert "  N·T: the last tile need not be full" in shown
    assert "  5·T: not explained" in shown


def test_agreement_is_said():
    nothing = sympy.Integer(0)
    assert "They are the same." in text(Comparison(N, N, (), nothing, nothing))


def test_numbers_stand_side_by_side_and_what_never_varies_above():
    nothing = sympy.Integer(0)
    rows = [Row({"B": 1, "N": n}, 2 * n, 2 * n, 4.0 * n) for n in (8, 16)]
    lines = text(Comparison(N, N, (), nothing, nothing), rows, {"N": (1.98, 2.0)}).split("\n")
    assert "Elements for B = 1:" in lines
    assert any(line.split() == ["8", "16", "16", "32", "0.500"] for line in lines)
    assert "It grows as N^1.98 (2); claimed, in brackets, is the order of N^2/M." in lines
