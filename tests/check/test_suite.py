"""Is the suite of wrong kernels well-formed: every kind, marks that are words of the suite, twins of the same form?"""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path

import pytest

from calibration import sanitizer, wrong
from calibration.wrong import Case

CASES = wrong.cases()
KERNELS = [case for case in CASES if not case.is_program]
PROGRAMS = [case for case in CASES if case.is_program]


def by_id(case: Case) -> str:
    return case.id


def test_there_are_enough_cases_of_each_tool() -> None:
    counts = Counter(case.tool for case in CASES)
    assert len(CASES) >= 90
    assert min(counts[tool] for tool in wrong.TOOLS) >= 20


def test_every_kind_is_wrong_somewhere() -> None:
    assert {kind for case in CASES for kind in case.kinds} == set(wrong.KINDS)


def test_no_file_of_the_suite_is_left_out() -> None:
    known = {path for case in CASES for path in (case.wrong, case.right)}
    assert known == set(wrong.FOLDER.glob("*/*.cu"))
    assert len({case.id for case in CASES}) == len(CASES)


def told(case: Case) -> None:
    assert case.tool in wrong.TOOLS
    assert case.marks
    assert case.kinds <= set(wrong.KINDS)
    assert len(case.words.split()) >= 4


def bare(text: str) -> str:
    """Code without comments."""
    return re.sub(r"\s*//.*", "", text).strip()


@pytest.mark.parametrize("case", KERNELS, ids=by_id)
def test_a_pair_of_kernels_differs_and_has_one_small_launch(case: Case) -> None:
    told(case)
    assert case.parameters("wrong") == case.parameters("right")
    before, after = case.wrong.read_text().split("right(", 1)
    assert "here:" not in after
    assert bare(before.split("wrong(", 1)[1]) not in bare(after)
    host = sanitizer.host_program(case)
    assert str(case.wrong) in host
    blocks, threads = (
        math.prod(map(int, re.findall(r"\d+", sizes))) for sizes in re.findall(r"dim3\(([\d,]+)\)", host)
    )
    assert 1 <= blocks <= 8
    assert 1 <= threads <= 256


@pytest.mark.parametrize("case", PROGRAMS, ids=by_id)
def test_a_pair_of_programs_tells_the_same_and_differs(case: Case) -> None:
    told(case)
    before, after = (path.read_text() for path in (case.wrong, case.right))
    assert before.splitlines()[:2] == after.splitlines()[:2]
    assert "here:" not in after
    assert bare(before) != bare(after)


def test_a_file_without_one_of_its_kernels_is_refused(tmp_path: Path) -> None:
    (tmp_path / "half.cu").write_text("// --grid 1 --block 1\n// half\n__global__ void wrong(int* x) {}\n")
    case = Case("memcheck", "half", tmp_path / "half.cu", tmp_path / "half.cu")
    assert case.parameters("wrong") == [wrong.Parameter("int", True, "x")]
    with pytest.raises(wrong.SuiteError, match="no kernel right"):
        case.parameters("right")


def test_arguments_that_are_not_the_parameters_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "odd.cu"
    source.write_text("// --grid 1 --block 1 --arg y=zeros:4\n// odd\n__global__ void wrong(int* x) {}\n")
    with pytest.raises(wrong.SuiteError, match=r"arguments \['y'\] for parameters \['x'\]"):
        sanitizer.host_program(Case("memcheck", "odd", source, source))
