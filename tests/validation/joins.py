"""Which requests of SMs of one GPC become one L2 read, by when they come and which sectors they want."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
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


def _key(row: Row) -> tuple[Any, ...]:
    """Everything about a row but what came of it."""
    return tuple(v for k, v in row.items() if k not in ("asked", "read"))


@cache
def _read(
    warm: int, roles: int, step: int, delay: int, first: str, others: str, lines: int, n: int, period: int
) -> float:
    sms, words = members(), n * lines * 32
    role = np.full(hardware.load(bench.GPU).sm_count, -1, np.int32)
    role[sms[: roles * step : step]] = np.arange(roles)
    if warm:
        role[sms[-1]] = -2
    masks = (np.uint32(int(mask, 16)) for mask in (first, others))
    buffer, start = np.zeros(words, np.int32), np.int64(TOUCH_CYCLES * (2 + n * lines))
    args = np.int32(period), np.int32(delay), role, *masks, np.int32(lines), start, np.zeros(16, np.int64)
    counted, idle = (bench.launch("joins.cu", "joins", len(role), 32, buffer, np.int32(k), *args) for k in (n, 0))
    return counted.value(READ) - idle.value(READ) - warm * words / 8


def simulated(row: Row) -> float:
    """Sectors that L2 was asked to read for a row, per sector that SMs asked for."""
    return _read(*_key(row)) / row["asked"]


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
