"""What is asked in Python and on the command line: rungs, gaps with their causes, files, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gpusim
from gpusim.bounds.causes import gaps
from gpusim.bounds.result import Bound
from gpusim.cli import main
from gpusim.errors import GpusimError


@pytest.fixture(scope="module")
def tiled() -> Bound:
    return gpusim.bound("matmul-tiled", n=512, tile=16)


@pytest.mark.long
def test_a_measured_launch_has_every_rung(tiled: Bound) -> None:
    assert list(tiled["L2"].rungs) == ["bound", "best", "derived", "counted", "measured"]
    assert list(tiled["HBM"].rungs) == ["bound", "counted", "measured"]
    for level in tiled.levels:
        assert all(level.bound <= value for value in level.rungs.values())


def test_the_table_and_the_file_have_what_was_measured(tiled: Bound, tmp_path: Path) -> None:
    from gpusim.measured import measurement

    path = measurement.shipped("h200")
    assert path is not None
    (there,) = (one for one in measurement.read(path).launches if one.id == "matmul-tiled M=512 N=512 K=512 T=16")
    assert tiled["HBM"].measured == there.value("dram__bytes_read.sum")
    assert "measured" in repr(tiled)
    file = tmp_path / "bound.json"
    assert main(["bound", "matmul-tiled", "--n", "512", "--tile", "16", "--fast", "--json", str(file)]) == 0
    (found,) = json.loads(file.read_text())["bounds"]
    assert [level["measured_bytes"] for level in found["levels"]] == [level.measured for level in tiled.levels]


def test_a_launch_that_was_not_measured_there_has_no_such_rung() -> None:
    from dataclasses import replace

    from gpusim.catalogue import lookup

    known = gpusim.bound("sin", count=False, N=4194304, B=256)
    mine = replace(lookup.get("sin"), summary="another kernel of that name")
    slower = replace(gpusim.load_gpu("h200"), full_name="what if")
    others = [
        gpusim.bound("sin", "h100-sxm", count=False, N=4194304, B=256),
        gpusim.bound("sin", slower, count=False, N=4194304, B=256),
        gpusim.bound(mine, count=False, N=4194304, B=256),
        gpusim.bound("sin", count=False, N=4194305, B=256),
    ]
    assert all("measured" in level.rungs for level in known.levels)
    assert not any("measured" in level.rungs for one in others for level in one.levels)


def test_of_a_chain_the_measured_kernels_count_together_but_for_device_memory() -> None:
    found = gpusim.bound("chain3-unfused", count=False, N=4194304, block=256)
    alone = [gpusim.bound(name, count=False, N=4194304, B=256) for name in ("sin", "square", "cos")]
    for level in ("L2", "L1"):
        assert found[level].measured == sum(one[level].rungs["measured"] for one in alone)
    assert found["HBM"].measured is None
    assert "measured" not in gpusim.bound("chain3-unfused", count=False, N=4194305, block=256)["L2"].rungs


def test_gaps_multiply_to_the_whole(tiled: Bound) -> None:
    level = tiled["L2"]
    product = 1.0
    for gap in gaps(level):
        product *= gap.factor
    assert product == pytest.approx(level.rungs["measured"] / level.bound)


def test_a_small_tile_is_named_beside_the_one_that_fits(tiled: Bound) -> None:
    causes = {gap.upper: gap.cause for gap in gaps(tiled["L2"])}
    assert causes["derived"] == "tiles T=16 where T=32 would fit"
    assert causes["measured"] == ""


def test_it_shows_itself(tiled: Bound) -> None:
    shown = repr(tiled)
    assert "2 K M N / sqrt(S)" in shown
    assert "tiles T=16 where T=32 would fit" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_nothing_is_simulated_where_that_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    import gpusim.frontends.described as described

    monkeypatch.setattr(described, "predict", None)
    assert "counted" not in gpusim.bound("copy", count=False, n=12345)["L2"].rungs


def test_a_kernel_without_a_computation_says_so() -> None:
    assert "names no computation" in repr(gpusim.bound("copy", count=False))


def test_a_chain_is_bounded_as_one_computation() -> None:
    found = gpusim.bound("attention-standard", count=False, n=512, H=2)
    rungs = found["L2"].rungs
    assert found["HBM"].bound == 3 * 2 * 512 * 64 * 4
    assert rungs["bound"] < rungs["steps"] <= rungs["derived"]
    assert found.notes == ("Between kernels: S (2.10 MB), P (2.10 MB). One kernel for all need not move them.",)


def test_a_computation_is_bounded_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bound", "C[m,n] += A[m,k]*B[k,n]", "--m", "4096", "--n", "4096", "--k", "4096", "--memory", "1MB"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "2 K M N / sqrt(S)" in shown
    assert "1.10 GB" in shown


def test_a_file_has_what_the_table_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bound", "vector-add", "--n", "100000", "--fast", "--json", str(tmp_path / "bound.json")]) == 0
    (found,) = json.loads((tmp_path / "bound.json").read_text())["bounds"]
    assert found["kernel"] == "vector-add"
    assert {level["level"]: level["bound_bytes"] for level in found["levels"]} == {"HBM": 8e5, "L2": 12e5, "L1": 12e5}
    assert "vector-add" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "needs a kernel"),
        (["matmul-tilde"], "did you mean matmul-tiled"),
        (["copy", "--memory", "1MB"], "--memory is for a computation"),
        (["C[i] = A[i]"], "how far does i run"),
        (["C[i] = A[i]", "--i", "4", "--q", "5"], "unknown loop 'q'"),
        (["C[i] = A[i]", "--i", "4", "--memory", "lots"], "must be a size such as 1MB"),
        (["C[i] = A[i]", "--i", "4", "--memory", "4"], "holds no two elements"),
        (["C[i] = A[i*i]", "--i", "4"], "is no index"),
        (["copy", "--fast", "--json", "/no/such/folder/there.json"], "there is no folder"),
    ],
)
def test_bad_input_is_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bound", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


TEXT = "C[i] = A[i]"


@pytest.mark.parametrize(
    ("kernel", "given", "says"),
    [
        (5, {}, "a kernel is a name"),
        (None, {}, "a kernel is a name"),
        (len, {}, "a kernel is a name"),
        ("copy", {"count": "no"}, "count must be True or False"),
        ("copy", {"element_bytes": 8}, "element_bytes is for a computation"),
        ("copy", {"memory": 1e6}, "a size of memory is for a computation"),
        ("copy", {"gpu": 5}, "a GPU is given by name"),
        (TEXT, {"memory": "1MB", "i": 4}, "memory must be a number of bytes, such as 1e6, not '1MB'"),
        (TEXT, {"memory": float("nan"), "i": 4}, "memory must be a number of bytes"),
        (TEXT, {"memory": float("inf"), "i": 4}, "memory must be a number of bytes"),
        (TEXT, {"memory": True, "i": 4}, "memory must be a number of bytes"),
        (TEXT, {"memory": -5, "i": 4}, "holds no two elements"),
        (TEXT, {"memory": 1e6, "gpu": 5, "i": 4}, "a GPU is given by name"),
        *((TEXT, {"element_bytes": wrong, "i": 4}, "element_bytes") for wrong in (0, -1, 2.5, "4", 17)),
        *((TEXT, {"i": wrong}, "i") for wrong in ("4", 0, 4.5, float("nan"), None, [4], True)),
    ],
)
def test_what_is_wrong_in_python_is_an_error_of_ours(kernel: Any, given: dict[str, Any], says: str) -> None:
    with pytest.raises(GpusimError, match=says) as caught:
        gpusim.bound(kernel, **{"count": False, **given})
    assert "\n" not in str(caught.value)


def test_a_level_that_is_no_name_is_unknown(tiled: Bound) -> None:
    for wrong in (5, ["L2"], None):
        with pytest.raises(GpusimError, match="unknown level"):
            tiled[wrong]  # type: ignore[index]


def test_a_level_that_is_not_there_is_named(tiled: Bound) -> None:
    with pytest.raises(GpusimError, match="unknown level 'L3'"):
        tiled["L3"]
