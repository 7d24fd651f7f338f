"""Which launches are timed, and what they find in L2?"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.run.running import run

pytestmark = [pytest.mark.usefixtures("nvcc"), pytest.mark.slow]


def test_launches_that_do_the_same_are_timed_once(tmp_path: Path) -> None:
    ran = run("many.cu", "6", folder=tmp_path)
    assert ran.status == 0, ran.errors
    # the first finds L2 empty, the second as the first left it; so do all others
    assert [launch["as_launch"] for launch in ran.launches] == [0, 1, 1, 1, 1, 1]
    assert set(ran.json["profiles"]) == {"0", "1"}


def test_every_launch_is_timed_where_that_is_asked_for(tmp_path: Path) -> None:
    ran = run("many.cu", "4", options=["--every"], folder=tmp_path)
    assert [launch["as_launch"] for launch in ran.launches] == [0, 1, 2, 3]


@pytest.mark.long
def test_launches_with_other_arguments_are_timed_apart(tmp_path: Path) -> None:
    ran = run("many.cu", "3", "apart", folder=tmp_path)
    assert [launch["as_launch"] for launch in ran.launches] == [0, 1, 2]


@pytest.mark.long
def test_a_launch_is_timed_again_where_an_array_that_decides_addresses_has_changed(tmp_path: Path) -> None:
    ran = run("gather.cu", folder=tmp_path)
    assert ran.status == 0, ran.errors
    assert [launch["as_launch"] for launch in ran.launches] == [0, 1, 1, 3, 4, 4]
    sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    dense, sparse = (ran.json["profiles"][n]["metrics"][sectors]["value"] for n in "14")
    assert sparse > 4 * dense


def test_a_launch_finds_in_l2_what_the_one_before_left(tmp_path: Path) -> None:
    ran = run("gather.cu", folder=tmp_path)
    first, second = (ran.json["profiles"][n]["metrics"]["dram__bytes_read.sum"]["value"] for n in "01")
    assert 8192 * 4 <= first < 2 * 8192 * 4  # the indices have just been copied
    assert second < first / 10


def test_a_launch_finds_in_l2_what_was_copied_and_set(tmp_path: Path) -> None:
    ran = run("moved.cu", folder=tmp_path)
    read = [ran.json["profiles"][str(n)]["metrics"]["dram__bytes_read.sum"]["value"] for n in range(4)]
    assert read[0] >= (1 << 16) * 4
    assert max(read[1:]) < 4096


@pytest.mark.long
def test_how_far_off_times_are_stands_under_the_table(tmp_path: Path) -> None:
    ran = run("add.cu", folder=tmp_path)
    assert re.search(r"Times: half of those of \d+ launches of \d+\s+programs on h200 are off by", ran.output)
    times = [profile["metrics"]["gpu__time_duration.sum"] for profile in ran.json["profiles"].values()]
    assert all("programs on h200" in time["among"] for time in times)
    other = run("add.cu", options=["--gpu", "h100-sxm"], folder=tmp_path)
    assert "How far off the times are has not been measured on h100-sxm." in other.output


def test_a_quick_launch_finds_l2_empty_and_says_so(tmp_path: Path) -> None:
    ran = run("moved.cu", options=["--quick"], folder=tmp_path)
    assert ran.status == 0, ran.errors
    assert "predicted from a few million warp instructions, with an empty L2" in ran.output
    assert all(profile["cache"] == "cold" for profile in ran.json["profiles"].values())


def test_none_is_timed_where_values_alone_are_asked_for(tmp_path: Path) -> None:
    ran = run("add.cu", options=["--functional"], folder=tmp_path)
    assert ran.output.startswith("passed in 0.000000 us")
    assert ran.launches[0]["seconds"] is None
    assert "Computed and not timed: 1." in ran.output


def test_launches_are_chosen_by_name_and_number(tmp_path: Path) -> None:
    options = ["--kernel", "add<50>", "--launch-skip", "1", "--launch-count", "1"]
    ran = run("streams.cu", options=options, folder=tmp_path)
    assert [n for n, launch in enumerate(ran.launches) if launch["seconds"] is not None] == [1]
    assert "launch 1\n" in ran.output
    assert "L1" in ran.output


@pytest.mark.long
def test_a_thousand_small_launches_take_seconds(tmp_path: Path) -> None:
    begun = time.monotonic()
    ran = run("many.cu", "1000", folder=tmp_path)
    assert ran.status == 0, ran.errors
    assert len(ran.launches) == 1000
    assert time.monotonic() - begun < 60  # 6 on two cores, of which the compiler takes some
