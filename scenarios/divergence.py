"""What is left of a warp's throughput when its lanes take different paths, and what mends it?

Claim: a warp runs one path after the other, each with only the lanes that took it.
Formula: of w equal paths, 1/w of the lanes are at work (SIMT efficiency). For a kernel in which all
lanes share c instructions besides paths of 64: (c + 64)/(c + 64 w). Mended: c' + 64, whatever w.
"""

import argparse

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_seconds, format_share

PATHS, LENGTH = (1, 2, 3, 4), 64
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
MENDED = {
    "divergence": "branches",
    "divergence-grouped": "grouped by path",
    "divergence-predicated": "all paths, results picked",
    "divergence-selected": "operands picked",
}
BLOCK = 384  # threads, of which two, three and four paths have whole warps
INSTRUCTIONS, LANES = "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum"

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, cold caches, 2026-11: launches
# diverge_wW_1048576.  By W: instructions of warps and of lanes, duration in ns.
H200 = {1: (3440640, 110100480, 6384), 2: (5701632, 111673344, 8880)}


def row(w: int, profile: gpusim.Profile, common: float) -> list[str]:
    """Give the table's row for `w` paths; `common` instructions a warp lie outside them."""
    warps = profile.blocks * profile.threads_per_block / 32
    whole, lanes = profile.value(INSTRUCTIONS) / warps, profile.value(LANES) / warps / 32
    instructions, active, _ = H200.get(w, (0, 0, 0))
    return [
        str(w),
        f"{whole:.0f}",
        format_share(1 / w),
        format_share((lanes - common) / (whole - common)),
        format_share((common + LENGTH) / (common + LENGTH * w)),
        format_share(profile.simt_efficiency),
        format_share(active / (32 * instructions)) if instructions else "–",
    ]


def mended_row(kernel: str, w: int) -> list[str]:
    """Give the row of a kernel that computes the same: instructions and sectors a warp, efficiency, time."""
    profile = gpusim.predict(kernel, paths=w, block=BLOCK)
    warps = profile.blocks * BLOCK / 32
    return [
        MENDED[kernel],
        str(w),
        f"{profile.value(INSTRUCTIONS) / warps:.0f}",
        format_share(profile.simt_efficiency),
        f"{profile.value(SECTORS) / warps:.0f}",
        format_seconds(profile.seconds),
    ]


def mended() -> list:
    """Give the table of the same work with branches, and without divergence in three ways."""
    heading = ["the same work", "paths", "instructions a warp", "SIMT efficiency", "sectors loaded", "time"]
    rows = [mended_row(kernel, w) for w in (2, 4) for kernel in MENDED]
    how = (
        "Mended, with the same values to the bit. Grouped: a warp takes elements of one path, so it issues one path; "
        "they lie w apart, so it loads from more sectors (an array sorted by path would spare it that). All paths, "
        "results picked: no lane is ever idle, yet every warp issues all four paths. Efficiency counts lanes at "
        "work, not work of use: predication pays for short paths only. Operands picked: where paths differ in "
        "numbers alone, a select of the numbers leaves one path. Branches that no lane of a warp takes cost nothing."
    )
    return [*table_of([heading, *rows], right=range(1, 6)), "", how]


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()  # no options but --help
    profiles = {w: gpusim.predict("divergence", paths=w) for w in PATHS}
    one = profiles[1]
    common = 32 * one.value(INSTRUCTIONS) / (one.blocks * one.threads_per_block) - LENGTH
    heading = ["paths", "instructions a warp", "1/w", "paths alone", "(c+64)/(c+64w)", "whole kernel", "H200 whole"]
    slower = format_share(H200[2][2] / H200[1][2] - 1)
    why = (
        f"Every path adds its {LENGTH} multiply-adds to every warp; only what all lanes share (c = {common:.0f}) runs "
        f"once. On the H200 two paths took {slower} longer than one: memory, which does not diverge, has its part."
    )
    rows = (row(w, profile, common) for w, profile in profiles.items())
    show([__doc__, *table_of([heading, *rows], right=range(7)), "", why, "", *mended()])


if __name__ == "__main__":
    main()
