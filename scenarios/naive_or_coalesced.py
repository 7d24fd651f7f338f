"""Why is a matmul ten times slower when neighbouring lanes take neighbouring rows, not columns?

Claim: both kernels load the same words. In both, one matrix gives a warp a single word (1 sector);
of the other the naive kernel reads a column (32 sectors), the coalesced one a row (4 sectors).
Formula: sectors a load, mean of A and B = (32 + 1)/2 naive, (1 + 4)/2 coalesced.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_factor, format_seconds

FORMULA = {"matmul-naive": (32 + 1) / 2, "matmul-coalesced": (1 + 4) / 2}

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, cold caches, 2026-11: launches
# mm_naive_uncoalesced_NxNxN and mm_coalesced32_NxNxN.  Loads, sectors of them, duration in us.
H200 = {
    ("matmul-naive", 256): (1048576, 17301504, 140.8),
    ("matmul-naive", 512): (8388608, 138412032, 554.8),
    ("matmul-naive", 1024): (67108864, 1107296256, 4415.3),
    ("matmul-coalesced", 256): (1048576, 2621440, 22.9),
    ("matmul-coalesced", 512): (8388608, 20971520, 52.3),
    ("matmul-coalesced", 1024): (67108864, 167772160, 373.7),
}


def wavefronts(profile: gpusim.Profile) -> float:
    """Give the cycles of L1's data stage for each global load or store."""
    accesses = (f"l1tex__t_requests_pipe_lsu_mem_global_op_{what}.sum" for what in ("ld", "st"))
    wavefronts = profile.value("l1tex__data_pipe_lsu_wavefronts.sum") - profile.shared_wavefronts
    return wavefronts / sum(map(profile.value, accesses))


def row(profile: gpusim.Profile, n: int) -> list[str]:
    """Give the table's row for one kernel."""
    loads, sectors, time = H200.get((profile.kernel, n), (0, 0, 0))
    measured = (f"{sectors / loads:.1f}", format_seconds(time / 1e6)) if loads else ("–", "–")
    return [
        profile.kernel,
        f"{FORMULA[profile.kernel]:.1f}",
        f"{profile.sectors_per_load:.1f}",
        f"{wavefronts(profile):.1f}",
        format_bytes(profile.global_load_bytes),
        format_bytes(profile.l2_read_bytes),
        format_bytes(profile.dram_bytes_read),
        *measured,
    ]


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=512, help="side of the matrices [512]")
    n = parser.parse_args().n
    with ProgressLine() as progress:
        naive, coalesced = (gpusim.predict(kernel, n=n, progress=progress) for kernel in FORMULA)
    heading = ["kernel", "formula", "sectors", "cycles", "L1 loads", "L2 reads", "HBM reads", "H200", "H200 time"]
    table = table_of([heading, row(naive, n), row(coalesced, n)], right=range(1, 9))
    why = (
        f"The naive kernel drags {format_factor(naive.global_load_bytes / coalesced.global_load_bytes)} times the "
        f"sectors through L1, and keeps it busy for {format_factor(wavefronts(naive) / wavefronts(coalesced))} times "
        "the cycles. L2 and HBM hardly see a difference: the time is lost in L1."
    )
    about = f"n = {n}; formula, sectors, H200: sectors a load; cycles: of L1's data stage, an access:"
    show([__doc__, about, "", *table, "", why])


if __name__ == "__main__":
    main()
