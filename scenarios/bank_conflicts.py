"""What do bank conflicts cost a matrix transpose, and why does one word of padding avoid them?

Claim: word i of shared memory lies in bank i mod 32, and a bank serves one word a cycle. A column
of a 32 x 32 tile lies in one bank; with rows of 33 words it lies in 32 banks.
Formula: wavefronts a load = gcd(32, words of a row): 32 for rows of 32 words, 1 for rows of 33.
"""

import argparse
from math import gcd

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_count, format_seconds

N = 1024
ROWS = {"transpose-naive": None, "transpose-shared": 32, "transpose-padded": 33}
LOADS = "smsp__inst_executed_op_shared_ld.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
STORES, STORE_SECTORS = (f"l1tex__t_{what}_pipe_lsu_mem_global_op_st.sum" for what in ("requests", "sectors"))

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, cold caches, 2026-11: launches
# transpose_naive_1024 and transpose_smem_1024.  Bank conflicts of shared loads and stores, duration in ns.
H200 = {"transpose-naive": (0, 17920), "transpose-shared": (1015808, 7520)}


def row(profile: gpusim.Profile) -> list[str]:
    """Give the table's row for one kernel."""
    words, loads = ROWS[profile.kernel], profile.value(LOADS)
    conflicts, time = H200.get(profile.kernel, (None, 0))
    return [
        profile.kernel,
        f"{profile.value(STORE_SECTORS) / profile.value(STORES):.0f}",
        str(gcd(32, words)) if words else "–",
        f"{profile.value(WAVEFRONTS) / loads:.0f}" if loads else "–",
        format_count(profile.bank_conflicts),
        "–" if conflicts is None else format_count(conflicts),
        format_seconds(time / 1e9) if time else "–",
    ]


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()  # no options but --help
    profiles = [gpusim.predict(kernel, n=N) for kernel in ROWS]
    extra = profiles[1].bank_conflicts / profiles[1].value(LOADS)
    heading = ["kernel", "sectors a store", "formula", "wavefronts a load", "conflicts", "H200", "H200 time"]
    why = (
        "The naive transpose needs no tile, but stores every float into a sector of its own. Through a tile, global "
        f"memory sees rows only, at {extra:.0f} extra wavefronts for every load of a column; one word of padding "
        "removes them."
    )
    table = table_of([heading, *map(row, profiles)], right=range(1, 7))
    show([__doc__, f"{N} x {N} floats; conflicts: wavefronts that would not be needed:", "", *table, "", why])


if __name__ == "__main__":
    main()
