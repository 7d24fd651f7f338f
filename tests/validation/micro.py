"""Microbenchmarks of the memory hierarchy run through the simulator, beside what an H200 did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np

from gpusim import catalog, hardware
from gpusim.engine import counts as C
from gpusim.prediction import assemble, lower
from gpusim.simulate import Counts, count
from tests.validation import bench

PIECE_SECTORS = 16
Row = dict[str, Any]


def measured(name: str) -> list[Row]:
    """Rows of a table measured on an H200."""
    return bench.table(name)["rows"]


def run(kernel: str, arrays: dict[str, np.ndarray], dynamic_shared: int = 0, **params: int) -> Counts:
    """Counts of one launch of a microbenchmark."""
    gpu, bound = hardware.load("h200"), catalog.get(kernel).launch(**params)
    buffers = {spec.name: np.zeros(spec.shape, np.int32) for spec in bound.arrays}
    launch = assemble(bound, lower(bound, gpu), {**buffers, **arrays})
    held = hardware.occupancy(gpu, launch.threads, 32, dynamic_shared + 0)
    return count(launch, gpu, held, sample=False)


# ------------------------------------------------------------------ L1


def l1_hits(dynamic_kib: int, footprint_kib: int) -> float:
    """Share of the sectors of passes two and three that hit."""
    counts = run("micro-l1", {}, dynamic_kib * 1024, lines=footprint_kib * 8, reps=3, blocks=1, W=32)
    return float(counts.total[C.LD_HIT] / (counts.total[C.LD_SECTORS] * 2 / 3))


# ------------------------------------------------------------------ L2

PATTERNS = {"same SM": 0, "rotating": 1, "SMs of half 0 read all": 2, "all SMs read all": 3}
_L2_COLUMNS = {
    "tex_read_sectors": C.L2_READ, "tex_miss_sectors": C.L2_MISS, "fabric_sectors": C.FABRIC, "dram_read": C.DRAM_READ,
}  # fmt: skip
L2_SHARES = ("tex_read_sectors", "tex_miss_fraction", "fabric_sectors", "dram_read")


@cache
def _halves() -> tuple[int, ...]:
    return hardware.load("h200").placement.sm_half


@cache
def l2_map(pattern: str, footprint_mib: int, warm: int = 4, steady: int = 2) -> Row:
    """Sectors a repetition moves at each level, per sector of the footprint, in the steady state."""
    pieces = footprint_mib * 2048
    totals = []
    for reps in (warm, warm + steady):
        params = {"pieces": pieces, "reps": reps, "blocks": 132, "sms": 132, "pattern": PATTERNS[pattern]}
        totals.append(run("micro-l2", {"half": np.array(_halves(), np.int32)}, **params).total)
    each = (totals[1] - totals[0]) / (steady * pieces * PIECE_SECTORS)
    row = {name: float(each[column]) for name, column in _L2_COLUMNS.items()}
    row["tex_miss_fraction"] = row["tex_miss_sectors"] / max(row["tex_read_sectors"], 1e-9)
    return row


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
        "all": list(range(132)),
    }


def coalesced(load: str, sms: Iterable[int], pieces: int = 2048, reps: int = 2) -> float:
    """L2 reads per sector of the data, for the SMs that read it together."""
    pick = np.zeros(132, np.int32)
    pick[list(sms)] = 1
    kernel = "micro-coalescer" if load == "cg" else "micro-coalescer-l1"
    counts = run(kernel, {"pick": pick}, pieces=pieces, reps=reps, blocks=132, sms=132)
    return float(counts.total[C.L2_READ] / (pieces * PIECE_SECTORS * reps))


# ------------------------------------------------------------------ tables


def _by_one_sm(row: Row) -> bool:
    """Whether each piece is read by one SM at a time: the rest takes minutes a row."""
    return row["map"] in ("same SM", "rotating")


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
