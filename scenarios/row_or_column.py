"""What does it cost a warp to read a column of a matrix instead of a row?

Claim: 32 floats of a row lie in 1 line of 128 bytes. 32 of a column lie in 32 lines, and each float
has a sector of 32 bytes fetched for its 4.
Formula: with lanes s floats apart, sectors = min(4 s, 32) and lines = min(s, 32).
"""

import argparse

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_factor, format_share

READS = {
    1: "a row",
    2: "every 2nd element",
    4: "every 4th element",
    8: "every 8th element",
    32: "a column, 32 wide",
    1024: "a column, 1024 wide",
}
LOADS, SECTORS = (f"l1tex__t_{what}_pipe_lsu_mem_global_op_ld.sum" for what in ("requests", "sectors"))
LINES = "l1tex__t_set_accesses.sum"

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, cold caches, 2026-11: launches
# strided_sS_1048576, 32768 warps.  By S: sectors loaded, lines of loads and stores, duration in ns.
WARPS = 32768
H200 = {
    1: (131072, 65536, 5264),
    2: (262144, 98304, 5504),
    4: (524288, 163840, 6752),
    8: (1048576, 294912, 10272),
    32: (1048576, 1081344, 20384),
}


def warp_of(stride: int) -> gpusim.Profile:
    """Predict one warp whose lanes load `stride` floats apart, and store neighbours."""
    return gpusim.predict("copy-strided", n=32, block=32, stride=stride)


def row(stride: int, warp: gpusim.Profile) -> list[str]:
    """Give the table's row for one stride; one of the lines is the store's."""
    sectors, lines = warp.sectors_per_load, (warp.value(LINES) - 1) / warp.value(LOADS)
    book = f"{min(4 * stride, 32)} / {min(stride, 32)}"
    counted = f"{sectors:.0f} / {lines:.0f}"
    return [READS[stride], str(stride), book, counted, format_share(4 / sectors), measured(stride)]


def measured(stride: int) -> str:
    """Give sectors and lines a load as counted on an H200; every warp stores one line besides."""
    if stride not in H200:
        return "–"
    sectors, lines, _ = H200[stride]
    return f"{sectors / WARPS:.0f} / {lines / WARPS - 1:.0f}"


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()  # no options but --help
    warps = {stride: warp_of(stride) for stride in READS}
    heading = ["a warp reads", "s", "formula", "predicted", "of it used", "H200 measured"]
    why = (
        f"Whole sectors are moved, so a column fetches {warps[1024].global_load_bytes / 128:.0f} bytes for every byte "
        "it uses, and its lines queue in L1: on the H200, copying 1 M floats that lie 32 apart took "
        f"{format_factor(H200[32][2] / H200[1][2])} times as long as copying 1 M neighbours."
    )
    table = table_of([heading, *(row(*each) for each in warps.items())], right=range(1, 6), keys=2)
    show([__doc__, "Sectors / lines of a load:", "", *table, "", why])


if __name__ == "__main__":
    main()
