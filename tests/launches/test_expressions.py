"""Sizes are worked out from expressions, and nothing else is."""

import pytest

from gpusim.expressions import ExpressionError, evaluate, names

KNOWN = {"N": 1000, "M": 24, "p.n": 7, "x": 1.5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("N*N", 1_000_000),
        ("N / 8", 125),
        ("N / 16", 62.5),
        ("N // 16 % 10", 2),
        ("-(-N // 256)", 4),
        ("ceildiv(N, 256) * max(M, 32)", 128),
        ("min(N, M, p.n)", 7),
        ("2**10 + (1 << 4)", 1040),
        ("0x20", 32),
        ("x * 2", 3.0),
    ],
)
def test_values(text, value):
    found = evaluate(text, KNOWN)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("K", "K has no value here: there are N, M, p.n, x"),
        ("N //", "is no number and no expression"),
        ("", "is no number and no expression"),
        ("N // (M - 24)", "divides by 0"),
        ("__import__('os')", "is no number"),
        ("N.real", "N.real has no value here"),
        ("[N]", r"'\[N\]' is no number"),
        ("'a' * 9", "is no number"),
        ("True + 1", "is no number"),
        ("9**9**9**9", "no value that a size can have"),
        ("2**100 * 2**100", "no value that a size can have"),
        ("(0-1)**x", "no value that a size can have"),
        ("1 << x", "no value that a size can have"),
        ("pow(N, 2)", "pow of 2 numbers: there are min, max and ceildiv"),
        ("ceildiv(N)", "ceildiv of 1 numbers"),
        ("(" * 300 + "1" + ")" * 300, "longer than 400 characters|no number and no expression"),
    ],
)
def test_what_is_no_size_is_refused(text, says):
    with pytest.raises(ExpressionError, match=says):
        evaluate(text, KNOWN)


def test_names_of_an_expression():
    assert names("ceildiv(N, 4) * p.n + 3") == {"N", "p.n"}
