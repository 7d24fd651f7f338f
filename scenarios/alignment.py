"""What does a matmul pay for rows of 1000 or 1023 floats instead of 1024?

Claim: where a row does not start on a sector, a warp's 128 bytes of it touch 5 sectors, not 4.
Formula: sectors a load, mean of A and B = (1 + 4 + s)/2 coalesced, (32 + 1)/2 naive, if a share s
of the rows starts off a sector (s = 1 - gcd(n, 8)/8). A load takes the longer of L1's two stages:
tag, a cycle for each line in the fullest of 4 sets; data, for each word in the fullest of 32 banks.
"""

import argparse
from collections import Counter
from functools import cache
from math import gcd

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_factor

SIZES = (1024, 1000, 1023)
ROWS = 32  # of C: what a load costs depends on how long a row is, not on how many there are
HASH = [sum(1 << bit for bit in bits) for bits in gpusim.load_gpu("h200").l1.tag_hash]

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, 2026-11: sectors over loads of launches
# mm_coalesced32_1024x1024x1024 and mm_naive_uncoalesced_1024x1024x1024; time of the latter over that at n = 1000.
H200 = {"matmul-coalesced": 167772160 / 67108864, "matmul-naive": 1107296256 / 67108864}
H200_NAIVE_1024_TO_1000 = 2.6


def formula(kernel: str, n: int) -> float:
    """Give the sectors of a load, mean of A and B."""
    return (32 + 1) / 2 if kernel == "matmul-naive" else (1 + 4 + 1 - gcd(n, 8) / 8) / 2


def stages(addresses: list[int]) -> tuple[int, int]:
    """Give the cycles that one load of a warp takes in the tag and in the data stage of L1."""
    lines, words = {a // 128 for a in addresses}, {a // 4 for a in addresses}
    sets = Counter(tuple((line & bits).bit_count() % 2 for bits in HASH) for line in lines)
    return max(sets.values()), max(Counter(word % 32 for word in words).values())


def addresses(kernel: str, n: int, k: int) -> list[int]:
    """Give where the lanes read at step k, in a column of A (naive) or a row of B; each step in another block."""
    first = k % (n // 32) * 32
    return [4 * ((first + lane) * n + k if kernel == "matmul-naive" else k * n + first + lane) for lane in range(32)]


@cache
def step(kernel: str, n: int) -> tuple[float, float, float]:
    """Give tag and data cycles of the matrix that the lanes spread over, and L1's for a step of the loop.

    The other matrix gives the warp a single word, for one cycle more.
    """
    taken = [stages(addresses(kernel, n, k)) for k in range(n)]
    tag, data = (sum(column) / n for column in zip(*taken, strict=True))
    return tag, data, 1 + sum(map(max, taken)) / n


def row(kernel: str, n: int, progress: ProgressLine) -> list[str]:
    """Give the table's row for one kernel and size."""
    profile = gpusim.predict(kernel, n=n, m=ROWS, progress=progress)
    tag, data, cycles = step(kernel, n)
    measured = f"{H200[kernel]:.2f}" if n == 1024 else "–"
    sectors = (f"{formula(kernel, n):.2f}", f"{profile.sectors_per_load:.2f}", measured)
    faster = format_factor(step(kernel, 1024)[2] / cycles)
    return [kernel, str(n), *sectors, f"{tag:.1f}", f"{data:.0f}", f"{cycles:.1f}", faster]


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()  # no options but --help
    with ProgressLine() as progress:
        rows = [row(kernel, n, progress) for kernel in H200 for n in SIZES]
    heading = ["kernel", "n", "formula", "sectors", "H200", "tag", "data", "cycles", "faster than 1024"]
    why = (
        "An odd row length costs the coalesced kernel a fraction of a sector (at n = 1000 the last warp of a row has "
        "8 lanes, hence fewer). To the naive kernel it is a gift: rows of 1024 floats put all 32 words of a column "
        f"into one bank. On the H200 it is {H200_NAIVE_1024_TO_1000} times faster at n = 1000 than at 1024."
    )
    about = "Formula, sectors, H200: sectors a load. Cycles: in tag, in data, of both loads of a step:"
    show([__doc__, about, "", *table_of([heading, *rows], right=range(1, 9), keys=2), "", why])


if __name__ == "__main__":
    main()
