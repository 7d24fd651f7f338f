"""Products of matrices on tensor cores, alone and among other instructions: here and on an H200."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from calibration import bench

MEASURED: dict[str, dict[str, float]] = bench.table("tensor")["cycles"]
ROUNDS = (32, 96)  # the difference of two numbers of rounds is timed
BESIDE = 8  # products a round where something stands beside each


@cache
def cycles(kernel: str, warps: int) -> float:
    """Cycles a product and scheduler."""
    number = re.search(r"\d+$", kernel) if re.fullmatch(r"t_mma(_k8)?_\d+", kernel) else None
    products = int(number[0]) if number else BESIDE
    each = bench.a_step(lambda rounds: bench.on_fragments("tensor.cu", kernel, warps, rounds), ROUNDS, products)
    return each / max(warps / 4, 1)


def cases() -> Iterator[bench.Case]:
    """Every kernel at every number of warps."""
    return bench.in_cycles("tensor cores", MEASURED, cycles, "{}, {} warps")
