"""What does a matmul pay for rows of 1000 or 1023 floats instead of 1024?

Claim: where a row does not start on a sector, a warp's 128 bytes of it touch 5 sectors, not 4.
Formula: sectors a load, mean of A and B = (1 + 4 + s)/2 coalesced, (32 + 1)/2 naive, if a share s of
the rows starts off a sector (s = 1 - gcd(n, 8)/8). L1 takes the longer of two stages: tag, the lines
in the fullest of 4 sets, and data, the words in the fullest of 32 banks.
"""

from collections import Counter
from math import gcd

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.progress import ProgressLine
from gpusim.report.units import format_factor

SIZES = (1024, 1000, 1023)
ROWS = 32  # of C: what a load costs depends on how long a row is, not on how many there are
HASH = gpusim.load_gpu("h200").l1.tag_hash

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, 2026-11: sectors over loads of launches
# mm_coalesced32_1024x1024x1024 and mm_naive_uncoalesced_1024x1024x1024; time of the latter over that at n = 1000.
H200 = {"matmul-coalesced": 167772160 / 67108864, "matmul-naive": 1107296256 / 67108864}
H200_NAIVE_1024_TO_1000 = 2.6


def formula(kernel: str, n: int) -> float:
    """Give the sectors of a load, mean of A and B."""
    return (32 + 1) / 2 if kernel == "matmul-naive" else (1 + 4 + 1 - gcd(n, 8) / 8) / 2


def stages(addresses: list[int]) -> tuple[int, int]:
    """Give the wavefronts that one load of a warp takes in the tag and in the data stage of L1."""
    lines, words = {a // 128 for a in addresses}, {a // 4 for a in addresses}
    sets = Counter(tuple(sum(line >> bit & 1 for bit in bits) % 2 for bits in HASH) for line in lines)
    return max(sets.values()), max(Counter(word % 32 for word in words).values())


def step(kernel: str, n: int) -> tuple[float, float, float]:
    """Give tag and data wavefronts of the array that the lanes spread over, and the cycles of a step of the loop.

    The other array gives the warp a single word, for one cycle more.
    """
    start, apart = (4, 4 * n) if kernel == "matmul-naive" else (4 * n, 4)
    taken = [stages([k * start + lane * apart for lane in range(32)]) for k in range(256)]
    tag, data = (sum(column) / len(taken) for column in zip(*taken, strict=True))
    return tag, data, 1 + sum(map(max, taken)) / len(taken)


def rows(kernel: str) -> list[list[str]]:
    """Give the table's rows for one kernel."""
    cycles = {n: step(kernel, n)[2] for n in SIZES}
    table = []
    for n in SIZES:
        with ProgressLine() as progress:
            sectors = gpusim.predict(kernel, n=n, m=ROWS, progress=progress).sectors_per_load
        tag, data, _ = step(kernel, n)
        hardware = f"{H200[kernel]:.2f}" if n == 1024 else "–"
        counted = (f"{formula(kernel, n):.2f}", f"{sectors:.2f}", hardware)
        cost = (f"{tag:.1f}", f"{data:.0f}", f"{cycles[n]:.1f}", format_factor(cycles[1024] / cycles[n]))
        table.append([kernel, str(n), *counted, *cost])
    return table


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    heading = ["kernel", "n", "formula", "sectors", "H200", "tag", "data", "cycles", "faster than 1024"]
    table = table_of([heading, *rows("matmul-coalesced"), *rows("matmul-naive")], right=range(1, 9))
    why = (
        "An odd row length costs the coalesced kernel a fraction of a sector (at n = 1000 the last warp of a row has 8 "
        "lanes, hence fewer). To the naive kernel it is a gift: rows of 1024 floats put all 32 words of a column into one "
        f"bank. On the H200 it is {H200_NAIVE_1024_TO_1000} times faster at n = 1000 than at 1024."
    )
    about = (
        "Sectors a load; tag and data: wavefronts of the load that spreads; L1 cycles of a step, which loads A and B:"
    )
    show([__doc__, about, "", *table, "", why])


if __name__ == "__main__":
    main()
