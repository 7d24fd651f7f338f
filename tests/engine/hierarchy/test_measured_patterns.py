"""Do one warp's accesses cost what an H200 counted?  All 426 measured patterns, exactly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gpusim.engine.hierarchy.access_patterns import gather_lines
from gpusim.engine.hierarchy.bank_conflicts import bank_wavefronts
from gpusim.engine.hierarchy.l1 import set_of
from gpusim.engine.hierarchy.tag_stage import fullest, one_in
from gpusim.hardware import load
from gpusim.simulate.build import l1_table

PATTERNS = json.loads((Path(__file__).parents[1] / "data" / "h200_patterns.json").read_text())["patterns"]
FULL = np.uint32(0xFFFFFFFF)


def tags_and_sectors(address: np.ndarray, gpu: str = "h200") -> tuple[int, int]:
    lines, sectors = np.zeros(32, np.int64), np.zeros(32, np.int64)
    n_lines, n_sectors = gather_lines(address, FULL, lines, sectors)
    table = l1_table(load(gpu))
    return fullest(sum(one_in(set_of(table, line) & 3) for line in lines[:n_lines])), n_sectors


def waves(address: np.ndarray, width: int, *, shared_load: bool) -> int:
    return bank_wavefronts(address, FULL, width, shared_load, np.zeros((34, 32), np.int64))


def test_all_measured_patterns_are_here() -> None:
    assert len(PATTERNS) == 426


@pytest.mark.parametrize("access", sorted({p["access"] for p in PATTERNS}))
def test_wavefronts_are_the_measured_ones(access: str) -> None:
    wrong = []
    for pattern in (p for p in PATTERNS if p["access"] == access):
        address = np.array(pattern["offsets"], np.int64)
        got = {"data_wavefronts": waves(address, int(access[3:]), shared_load=access.startswith("lds"))}
        if access[2] == "g":
            got["tag_wavefronts"], got["sectors"] = tags_and_sectors(address)
        wrong += [(pattern["name"], key, value, pattern[key]) for key, value in got.items() if pattern[key] != value]
    assert not wrong


def test_lanes_may_be_permuted() -> None:
    rng = np.random.default_rng(0)
    for pattern in PATTERNS[::7]:
        address = np.array(pattern["offsets"], np.int64)
        assert tags_and_sectors(address) == tags_and_sectors(rng.permutation(address))


def test_moving_all_lanes_together_keeps_bank_conflicts() -> None:
    for pattern in PATTERNS[::7]:
        address, width = np.array(pattern["offsets"], np.int64), int(pattern["access"][3:])
        shared = pattern["access"].startswith("lds")
        assert waves(address, width, shared_load=shared) == waves(address + 16 * width, width, shared_load=shared)
