"""Does a thread that computes Cf outputs make 2Cf/(1+Cf) times fewer shared-memory loads?

Claim: Cf outputs of one row share A's tile and differ in B's: 1 + Cf tiles serve where 2Cf did.
Formula: words an output = (1 + 1/Cf) K/T to fill the tiles, (1 + 1/Cf) K to read them.
"""

import argparse

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_factor

N, T = 512, 32
FACTORS = (1, 2, 4, 8)
FILLS, LOADS = "smsp__inst_executed_op_shared_st.sum", "smsp__inst_executed_op_shared_ld.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
GLOBAL = "smsp__inst_executed_op_global_ld.sum"

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, 2026-11: launches
# mm_tiled32_512x512x512 and mm_coarse32x4_512x512x512.  By Cf: shared stores (they fill the tiles), shared loads.
H200 = {1: (262144, 5242880), 4: (163840, 5242880)}


def an_output(instructions: float) -> float:
    """Give the accesses for each element of C, from the instructions of warps of 32 lanes."""
    return instructions * 32 / N**2


def row(Cf: int, profile: gpusim.Profile, plain: gpusim.Profile) -> list[str]:
    """Give the table's row for one factor, beside the kernel that makes one output a thread."""
    fills, loads = profile.value(FILLS), profile.value(LOADS)
    measured = "–"
    if Cf in H200:
        measured = " / ".join(format_factor(one / own) for one, own in zip(H200[1], H200[Cf], strict=True))
    return [
        str(Cf),
        f"{2 * Cf / (1 + Cf):.2f}",
        f"{an_output(profile.value(GLOBAL)):.1f}",
        f"{an_output(fills):.1f}",
        f"{plain.value(FILLS) / fills:.2f}",
        f"{an_output(loads):.0f}",
        f"{plain.value(LOADS) / loads:.2f}",
        measured,
    ]


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()  # no options but --help
    profiles = {Cf: gpusim.predict("matmul-coarsened", n=N, T=T, Cf=Cf) for Cf in FACTORS}
    kept = gpusim.predict("matmul-register-tiled", n=N, BM=T, BN=4 * T, BK=T, TM=1, TN=4)
    plain = profiles[1]
    heading = ["Cf", "2Cf/(1+Cf)", "global loads", "fills", "fewer", "shared loads", "fewer", "H200 fewer"]
    rows = [row(Cf, profile, plain) for Cf, profile in profiles.items()]
    waves = format_factor(plain.value(WAVEFRONTS) / kept.value(WAVEFRONTS))
    why = (
        "The formula holds for filling the tiles, and not at all for shared loads: after every barrier a thread reads "
        "its row of A's tile again (four words a load, hence fewer than 2K). Registers save those: with A's word kept "
        f"for 4 outputs (matmul-register-tiled, TN = 4) {an_output(kept.value(LOADS)):.0f} loads an output are left, "
        f"of up to 16 bytes, and {waves} times fewer wavefronts."
    )
    about = f"n = K = {N}, T = {T}; accesses an output (fills: stores into the tiles; H200: fills / shared loads):"
    show([__doc__, about, "", *table_of([heading, *rows], right=range(8)), "", why])


if __name__ == "__main__":
    main()
