"""Which requests of SMs of one GPC become one L2 read, by when they come and which sectors they want."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from gpusim import hardware
from tests.validation import bench

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("joins")["rows"]
TOUCH_CYCLES = 1000  # more than a line takes that is fetched to warm L2
READ = "lts__t_sectors_srcunit_tex_op_read.sum"


def members() -> list[int]:
    """SMs of the first GPC."""
    return [sm for sm, gpc in enumerate(hardware.load(bench.GPU).placement.sm_gpc) if gpc == 0]


def simulated(row: Row) -> float:
    """Sectors that L2 was asked to read for a row, per sector that SMs asked for."""
    sms, lines, asking = members(), row["n"] * row["lines"], len(row["delays"])
    roles = np.full(hardware.load(bench.GPU).sm_count, -1, np.int32)
    roles[sms[: asking * row["step"] : row["step"]]] = np.arange(asking)
    if row["warm"]:
        roles[sms[-1]] = -2
    delays, lanes = np.array(row["delays"], np.int32), np.array([int(mask, 16) for mask in row["lanes"]], np.uint32)
    buffer, start = np.zeros(lines * 32, np.int32), np.int64(TOUCH_CYCLES * (2 + lines))
    args = np.int32(row["period"]), roles, delays, lanes, np.int32(row["lines"]), start
    counted, idle = (
        bench.launch("joins.cu", "joins", len(roles), 32, buffer, np.int32(n), *args, np.zeros(16, np.int64))
        for n in (row["n"], 0)
    )
    return (counted.value(READ) - idle.value(READ) - row["warm"] * lines * 4) / row["asked"]


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
        yield bench.Case("joins", name(row), "1", share(row), lambda row=row: simulated(row), 1)
