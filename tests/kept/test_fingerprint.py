"""Are values that differ told apart, in whatever they differ, and the same ones alike in every process?"""

import subprocess
import sys
from dataclasses import dataclass
from enum import Enum, IntEnum
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.kept.fingerprint import NoFingerprintError, fingerprint, told


class Pair(NamedTuple):
    first: object
    second: object


@dataclass(frozen=True)
class Point:
    first: object
    second: object


@dataclass(frozen=True)
class Single:
    only: object


class Colour(Enum):
    RED = 1
    CRIMSON = 2


class Number(IntEnum):
    ONE = 1


DIFFERENT = [
    None, True, False, 0, 1, -1, 1.0, 0.0, -0.0, float("nan"), float("inf"), "", "1", "None", b"", b"1", (), (1,),
    ((1,),), (1, 1), [1], [], {}, {1: 1}, {"1": 1}, {(1, 1): ()}, frozenset({1}), frozenset(), Path("1"),
    Pair(1, 1), Pair(1, (1,)), Point(1, 1), Point(1, 2), Single(1), Single((1,)), Colour.RED, Colour.CRIMSON,
    Number.ONE, "1,1", ("1,1",), ("1", "1"), ("1),(1",),
    np.int32(1), np.int64(1), np.float32(1), np.array(1, np.int32), np.ones(1, np.int32), np.ones(1, np.float32),
    np.ones((1, 1), np.float32), np.ones((2, 1), np.float32), np.ones((1, 2), np.float32), np.ones(0, np.float32),
    np.array([1, 2], np.int32), np.array([2, 1], np.int32), np.ones(2, ml_dtypes.bfloat16), np.ones(2, np.float16),
    np.broadcast_to(np.float32(1), (1 << 40,)), np.broadcast_to(np.float32(2), (1 << 40,)),
    np.zeros(2, [("a", "i4")]), np.zeros(2, [("b", "i4")]), np.zeros(2, np.int32),
]  # fmt: skip


def test_whatever_differs_is_told_apart():
    texts = list(map(told, DIFFERENT))
    alike = [(a, b) for n, a in enumerate(texts) for b in texts[:n] if a == b]
    assert not alike


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(values, values)
def test_texts_are_alike_where_values_are(one, other):
    assert (told(one) == told(other)) == (repr(one) == repr(other))


def test_the_order_of_a_set_does_not_matter():
    names = [f"name {k}" for k in range(50)]
    assert fingerprint(frozenset(names)) == fingerprint(frozenset(reversed(names)))


def test_views_are_told_by_what_they_hold():
    table = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert told(table[:, ::2]) == told(table[:, ::2].copy())
    assert told(table.T) == told(np.ascontiguousarray(table.T))


@pytest.mark.parametrize("value", [len, lambda: 0, object(), type, np.array([object()]), iter(())])
def test_what_cannot_be_told_apart_is_refused(value):
    with pytest.raises(NoFingerprintError):
        fingerprint({"deep": [(value,)]})


def test_every_process_tells_the_same():
    ask = "from gpusim.kept.fingerprint import fingerprint; print(fingerprint((frozenset('abcdef'), {'a': 1.5}, b'c')))"
    runs = [
        subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True, cwd=Path.cwd())
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout == f"{fingerprint((frozenset('abcdef'), {'a': 1.5}, b'c'))}\n"
