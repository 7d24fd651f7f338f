"""Which requests of SMs of one GPC become one L2 read, by when they come and which sectors they want."""

from __future__ import annotations

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
    sms, lines = members(), row["n"] * row["lines"]
    roles = np.full(hardware.load(bench.GPU).sm_count, -1, np.int32)
    roles[sms[: row["roles"] * row["step"] : row["step"]]] = np.arange(row["roles"])
    if row["warm"]:
        roles[sms[-1]] = -2
    masks = (np.uint32(int(row[which], 16)) for which in ("first", "others"))
    buffer, start = np.zeros(lines * 32, np.int32), np.int64(TOUCH_CYCLES * (2 + lines))
    args = np.int32(row["period"]), np.int32(row["delay"]), roles, *masks, np.int32(row["lines"]), start
    counted, idle = (
        bench.launch("joins.cu", "joins", len(roles), 32, buffer, np.int32(n), *args, np.zeros(16, np.int64))
        for n in (row["n"], 0)
    )
    return (counted.value(READ) - idle.value(READ) - row["warm"] * lines * 4) / row["asked"]


def share(row: Row) -> float:
    """The same, measured."""
    return row["read"] / row["asked"]


def name(row: Row) -> str:
    """What a row is about."""
    where = "L2" if row["warm"] else "HBM"
    lanes = "" if row["first"] == row["others"] else f", lanes {row['first']} and {row['others']}"
    return f"{where}, {row['roles']} SMs, {row['lines']} lines, delay {row['delay']}{lanes}"


def cases() -> Iterator[bench.Case]:
    """Shares of the sectors asked for that were read."""
    for row in MEASURED:
        yield bench.Case("joins", name(row), "1", share(row), lambda row=row: simulated(row), 1)
