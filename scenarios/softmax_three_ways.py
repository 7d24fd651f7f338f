"""Naive, safe or online: what does a softmax that cannot overflow cost?

Claim: naive takes 3 accesses an element and overflows, safe 4; online 3, and overflows as little.
Formula: reads a row 2, 3, 2 times and writes it once; exp(x) leaves fp32 at x = ln 3.4e38 = 88.7.
HBM is asked for a row again only where neither L1 nor L2 holds it until then.
"""

import argparse

import numpy as np

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_seconds

WAYS = ("naive", "safe", "online")
HELD = {(4096, 1024): "L1", (64, 65536): "L2", (256, 65536): "HBM"}
SCORES = (87, 88, 89, 1000)

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, cold caches, 2026-11: sectors that L1 is
# asked for and that it reads from L2, bytes read from HBM, nanoseconds, of launches softmax_WAY_4096x1024 (CUDA).
H200 = {
    "naive": (1_048_576, 551_686, 16_783_488, 14_600),
    "safe": (1_572_864, 534_106, 16_784_896, 16_600),
    "online": (1_048_576, 553_980, 16_785_152, 16_200),
}
MEASURED = (4096, 1024)


def row(way: str, M: int, N: int) -> list[str]:
    """Give the row of a softmax of M rows of N floats: accesses an element at every level, and times."""
    with ProgressLine() as progress:
        profile = gpusim.predict(f"softmax-{way}", M=M, N=N, progress=progress)
    loads, l2, hbm = (
        nbytes / (4 * M * N) for nbytes in (profile.global_load_bytes, profile.l2_read_bytes, profile.dram_bytes_read)
    )
    formula = sum(profile.textbook[part].nbytes for part in ("reads", "writes")) / (4 * M * N)
    accesses = [f"{formula:.0f}", f"{loads + 1:.2f}", f"{l2 + 1:.2f}", f"{hbm + 1:.2f}"]
    measured = quoted(way, M * N) if (M, N) == MEASURED else [NOTHING] * 4
    return [f"{M} x {N}, {HELD.get((M, N), NOTHING)}", way, *accesses, format_seconds(profile.seconds), *measured]


def quoted(way: str, elements: int) -> list[str]:
    """Give what an H200 counted, as the row has it."""
    loads, l2, hbm, nanoseconds = H200[way]
    accesses = (32 * loads / (4 * elements), 32 * l2 / (4 * elements), hbm / (4 * elements))
    return [*(f"{reads + 1:.2f}" for reads in accesses), format_seconds(nanoseconds * 1e-9)]


def share(way: str, score: float) -> str:
    """Execute the softmax of one score and 31 zeros: what comes out for the score."""
    scores = np.zeros((1, 32), np.float32)
    scores[0, 0] = score
    return f"{gpusim.run(f'softmax-{way}', {'x': scores}, M=1, N=32)['y'][0, 0]:g}"


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shape", type=int, nargs=2, metavar=("M", "N"), help="M rows of N floats [three shapes]")
    given = parser.parse_args().shape
    heading = ["M x N, held by", "softmax", "formula", "L1", "L2", "HBM", "time", "H200 L1", "L2", "HBM", "time"]
    rows = [row(way, M, N) for M, N in ([given] if given else HELD) for way in WAYS]
    values = [["score", *WAYS], *([str(score), *(share(way, score) for way in WAYS)] for score in SCORES)]
    why = (
        "L1 is asked as often as the formula says. Rows of 4 kB stay in L1 from pass to pass, so L2 and HBM see one "
        "read, the three differ by their instructions, and online gains little on safe. Rows of 262 kB do not: of 64 "
        "of them L2 gives every pass, of 256 HBM does, and safe's third read costs its share of the time. "
        "Safe and online are right for any score; naive is lost from 88.7 on, and 0 before that, from ln 2^126 = 87.3 "
        "on, where the reciprocal of its sum is subnormal, which these kernels' division flushes to 0."
    )
    about = "Accesses an element, reads and the one write (which L2 may still hold), on an H200:"
    tables = [
        *table_of([heading, *rows], right=range(2, 11), keys=2),
        "",
        "Softmax of a score beside 31 zeros, executed:",
        "",
    ]
    show([__doc__, about, "", *tables, *table_of(values, right=range(4)), "", why])


if __name__ == "__main__":
    main()
