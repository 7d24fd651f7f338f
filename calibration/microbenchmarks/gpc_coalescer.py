"""Which requests of SMs of one GPC become one L2 read, by when they come and which sectors they want."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from calibration import bench
from gpusim import hardware

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("joins")["rows"]
TOUCH_CYCLES = 1000  # more than a line takes that is fetched to warm L2
READ = "lts__t_sectors_srcunit_tex_op_read.sum"


def members() -> list[int]:
    """SMs of the first GPC."""
    return [sm for sm, gpc in enumerate(hardware.load(bench.GPU).placement.sm_gpc) if gpc == 0]


def simulated(row: Row) -> float:
    """Sectors that L2 was asked to read for a row, per sector that SMs asked for."""
    sms, asking = members(), len(row["delays"])
    roles = np.full(hardware.load(bench.GPU).sm_count, -1, np.int32)
    roles[sms[: asking * row["step"] : row["step"]]] = np.arange(asking)
    if row["warm"]:
        roles[sms[-1]] = -2
    start = np.int64(TOUCH_CYCLES * (2 + row["n"] * row["lines"]))

    def reads(n: int) -> float:
        args = _buffer(row), np.int32(n), np.int32(row["period"]), roles, *_asked(row), start, np.zeros(16, np.int64)
        return bench.launch("joins.cu", "joins", len(roles), 32, *args).value(READ)

    return _share(row, reads)


def on_silicon(row: Row) -> float:
    """The same of a cluster of 16 blocks, which lie on SMs of one GPC; it finds out how their clocks differ."""
    step, asking = np.int32(row["step"]), np.int32(len(row["delays"]))

    def reads(n: int) -> float:
        args = _buffer(row), np.int32(n), np.int32(row["period"]), step, asking, *_asked(row)
        clocks = np.zeros(16, np.int64)
        return bench.launch("joins.cu", "joins_of_cluster", 16, 32, *args, np.int32(row["warm"]), clocks).value(READ)

    return _share(row, reads)


def _buffer(row: Row) -> np.ndarray:
    return np.zeros(row["n"] * row["lines"] * 32, np.int32)


def _asked(row: Row) -> tuple[np.ndarray, np.ndarray, np.int32]:
    """When each asks, which lanes, for how many lines at once."""
    lanes = np.array([int(mask, 16) for mask in row["lanes"]], np.uint32)
    return np.array(row["delays"], np.int32), lanes, np.int32(row["lines"])


def _share(row: Row, reads: Callable[[int], float]) -> float:
    """From what is read where so many lines are asked for, and where none is."""
    return (reads(row["n"]) - reads(0) - row["warm"] * row["n"] * row["lines"] * 4) / row["asked"]


def share(row: Row) -> float:
    """The same, measured."""
    return row["read"] / row["asked"]


def name(row: Row) -> str:
    """What a row is about: who asks when, with which lanes, as ``count x lanes@delay``."""
    where = "L2" if row["warm"] else "HBM"
    asking = Counter(zip(row["lanes"], row["delays"], strict=True))
    who = " ".join(f"{n}x{lanes}@{delay}" for (lanes, delay), n in asking.items())
    return f"{where}, {row['lines']} lines, {row['step']} apart: {who}"


def cases() -> Iterator[bench.Case]:
    """Shares of the sectors asked for that were read."""
    for row in MEASURED:
        here, there = partial(simulated, row), partial(on_silicon, row)
        yield bench.Case("requests of a GPC", name(row), "1", share(row), here, 1, there)
