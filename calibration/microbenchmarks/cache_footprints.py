"""What L1 and L2 keep and whose requests meet before L2: passes over a footprint, here and on an H200."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np

from calibration import bench
from gpusim import hardware

THREADS = 1024
PIECE_SECTORS, PIECE_WORDS, SECTOR_BYTES = 16, 128, 32
Row = dict[str, Any]
L1_READ, L1_HIT = (f"l1tex__t_sectors_pipe_lsu_mem_global_op_ld{part}.sum" for part in ("", "_lookup_hit"))
L2_READ = "lts__t_sectors_srcunit_tex_op_read.sum"


def measured(name: str) -> list[Row]:
    """Rows of a table measured on an H200."""
    return bench.table(name)["rows"]


# ------------------------------------------------------------------ L1

L1_PASSES = 3


def l1_hits(dynamic_kib: int, footprint_kib: int) -> float:
    """Share of the sectors of passes two and three that hit."""
    lines = 8 * footprint_kib
    args = np.int32(lines), np.int32(L1_PASSES), np.zeros(lines * 32, np.int32), np.zeros(1, np.int32)
    found = bench.launch("limits.cu", "l1_keep", 1, THREADS, *args, shared=dynamic_kib * 1024)
    return found.value(L1_HIT) / (found.value(L1_READ) * (L1_PASSES - 1) / L1_PASSES)


# ------------------------------------------------------------------ L2

TURNS = {"same SM": 0, "rotating": 17 * 32 + 32}
"""By how many warps shares move on from round to round."""
L2_COUNTED = {
    "tex_read_sectors": L2_READ,
    "tex_miss_sectors": "lts__t_sectors_srcunit_tex_lookup_miss.sum",
    "fabric_sectors": "lts__t_sectors_srcunit_ltcfabric.sum",
    "dram_read": "dram__bytes_read.sum",
}
L2_SHARES = ("tex_read_sectors", "tex_miss_fraction", "fabric_sectors", "dram_read")


@cache
def l2_map(pattern: str, footprint_mib: int, warm: int = 4, steady: int = 2) -> Row:
    """Sectors a round moves at each level, per sector of the footprint, in the steady state."""
    pieces = footprint_mib * 2048
    few, many = (_shares(pieces, rounds, TURNS[pattern]) for rounds in (warm, warm + steady))
    row = {name: (many[name] - few[name]) / (steady * pieces * PIECE_SECTORS) for name in L2_COUNTED}
    row["dram_read"] /= SECTOR_BYTES
    row["tex_miss_fraction"] = row["tex_miss_sectors"] / max(row["tex_read_sectors"], 1e-9)
    return row


def _shares(pieces: int, rounds: int, turn: int) -> Row:
    """Sectors, and bytes of HBM, of so many rounds."""
    args = np.zeros(pieces * PIECE_WORDS, np.int32), *map(np.int32, (pieces, rounds, turn)), np.zeros(1, np.int32)
    found = bench.launch("l2.cu", "shares", bench.SMS, THREADS, *args)
    return {name: found.value(metric) for name, metric in L2_COUNTED.items()}


# ------------------------------------------------------------------ coalescer


def _pairs(gpc: list[int], of: int) -> list[list[int]]:
    """TPCs (pairs of SMs) of a GPC, in order."""
    own = [sm for sm, g in enumerate(gpc) if g == of]
    return [own[k : k + 2] for k in range(0, len(own), 2)]


def selections() -> dict[str, list[int]]:
    """SMs that each row of the measured table picked."""
    placement = hardware.load("h200").placement
    gpc, half = list(placement.sm_gpc), placement.sm_half
    first = {g: gpc.index(g) for g in sorted(set(gpc))}
    tpcs = _pairs(gpc, gpc[0])
    near = [sm for g, sm in first.items() if half[sm] == half[0] and g != gpc[0]]
    far = [sm for sm in first.values() if half[sm] != half[0]]
    return {
        "one": [0],
        "same TPC": tpcs[0],
        "same GPC, next TPC": [0, tpcs[1][0]],
        "same GPC, third TPC": [0, tpcs[2][0]],
        "same GPC, fourth TPC": [0, tpcs[3][0]],
        "same half, other GPC a": [0, near[0]],
        "same half, other GPC b": [0, near[1]],
        "same half, other GPC c": [0, near[2]],
        "other half a": [0, far[0]],
        "other half b": [0, far[1]],
        "TPC pairs of one GPC x2": [*tpcs[0], *tpcs[1]],
        "x3": [*tpcs[0], *tpcs[1], *tpcs[2]],
        "x4": [*tpcs[0], *tpcs[1], *tpcs[2], *tpcs[3]],
        "4 GPCs of half 0, one SM each": [0, *near],
        "all GPCs, one SM each": list(first.values()),
        "first 16": list(range(16)),
        "first 32": list(range(32)),
        "first 64": list(range(64)),
        "all": list(range(bench.SMS)),
    }


def coalesced(load: str, sms: Iterable[int], pieces: int = 2048, rounds: int = 2) -> float:
    """L2 reads per sector of the data, for the SMs that read it together."""
    marked = np.zeros(bench.SMS, np.int32)
    marked[list(sms)] = 1
    args = np.zeros(pieces * PIECE_WORDS, np.int32), np.int32(pieces), np.int32(rounds), marked, np.zeros(1, np.int32)
    found = bench.launch("l2.cu", f"together_{load}", bench.SMS, THREADS, *args)
    return found.value(L2_READ) / (pieces * PIECE_SECTORS * rounds)


# ------------------------------------------------------------------ tables


def _by_one_sm(row: Row) -> bool:
    """Whether each piece is read by one SM at a time: the rest takes minutes a row."""
    return row["map"] in TURNS


def cases() -> Iterator[bench.Case]:
    """What each level keeps and joins, in shares of the sectors read."""
    for row in measured("l1"):
        if "hit_fraction_of_passes_2_3" in row:
            at, value = (row["dynamic_shared_KiB"], row["footprint_KiB"]), row["hit_fraction_of_passes_2_3"]
            yield bench.Case("L1", "{} KiB shared, {} KiB read".format(*at), "1", value, lambda at=at: l1_hits(*at), 1)
    for row in filter(_by_one_sm, measured("l2")):
        at = row["map"], row["footprint_MiB"]
        for name in L2_SHARES:
            case = "{}, {} MiB: ".format(*at) + name
            yield bench.Case("L2", case, "1", row[name], lambda at=at, name=name: l2_map(*at)[name], 1)
    for row in measured("coalescer"):
        at = row["load"], tuple(selections()[row["sms"]])
        name = f"{row['load']}, {row['sms']}"
        yield bench.Case("coalescer", name, "1", row["l2_reads_per_sector"], lambda at=at: coalesced(*at))
