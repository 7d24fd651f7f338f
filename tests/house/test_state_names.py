"""Is every name of the machine's state given once?  A second one would take the place of the first, without a word."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

import gpusim

STATE = Path(gpusim.__file__).parent / "engine" / "state"


def assigned(text: str) -> Counter[str]:
    """How often each name is assigned at a module's top level."""
    targets = (
        target
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )
    return Counter(x.id for target in targets for x in ast.walk(target) if isinstance(x, ast.Name))


@pytest.mark.parametrize("path", sorted(STATE.glob("*.py")), ids=lambda path: path.stem)
def test_names_are_given_once(path: Path) -> None:
    assert {name: n for name, n in assigned(path.read_text()).items() if n > 1} == {}


def test_a_name_that_is_given_twice_is_found() -> None:
    assert assigned("A, B = range(2)\n(C, A) = range(2)")["A"] == 2
