"""Does a T x T tile in shared memory reduce traffic T-fold, and how much of that does HBM see?

Claim: every float fetched into a tile is used T times, so a tiled matmul reads T times less.
Formula: reads = 2 n^3/T floats of 4 bytes, instead of the 2 n^3 that go into the multiplications.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_factor, format_share

CASES = [(512, 8), (512, 16), (512, 32), (4096, 32)]

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, cold caches, 2026-11: HBM bytes read,
# of launches mm_tiledT_NxNxN; n = 2048 and 4096 rounded.
H200 = {
    (512, 8): 2_102_528,
    (512, 16): 2_101_504,
    (512, 32): 2_103_552,
    (1024, 8): 8_393_984,
    (1024, 16): 8_392_832,
    (1024, 32): 8_394_624,
    (2048, 32): 33_600_000,
    (4096, 32): 8_400_000_000,
}


def integers(text: str) -> list[int]:
    """Read ``8,16,32``."""
    return [int(part) for part in text.split(",")]


def cases() -> list[tuple[int, int]]:
    """Give the sizes and tiles asked for, or those that tell the story in seconds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=integers, help="sides of the matrices, such as 512,2048,4096")
    parser.add_argument("--tile", type=integers, default=[8, 16, 32], help="tiles, with --n [8,16,32]")
    given = parser.parse_args()
    return [(n, T) for n in given.n for T in given.tile] if given.n else CASES


def predict(cases: list[tuple[int, int]]) -> list[gpusim.Profile]:
    """Predict every case; large ones are sampled and take ten seconds or more."""
    with ProgressLine() as progress:
        return [gpusim.predict("matmul-tiled", n=n, tile=T, progress=progress) for n, T in cases]


def row(profile: gpusim.Profile) -> list[str]:
    """Give the table's row for one size and tile."""
    n, T = profile.params["N"], profile.params["T"]
    book = profile.textbook["reads"].nbytes
    moved = (book, profile.global_load_bytes, profile.l2_read_bytes, profile.dram_bytes_read)
    return [
        *map(str, (n, T)),
        format_factor(8 * n**3 / profile.global_load_bytes),
        *map(format_bytes, moved),
        format_share(profile.dram_bytes_read / book),
        format_bytes(H200.get((n, T), float("nan"))),
    ]


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    profiles = predict(cases())
    heading = ["n", "T", "fewer", "2n³/T", "L1 loads", "L2 reads", "HBM reads", "of 2n³/T", "H200 HBM"]
    table = table_of([heading, *map(row, profiles)], right=range(9), keys=2)
    l2 = gpusim.load_gpu("h200").l2
    why = (
        "L1 is asked for T times less, as the formula says. HBM is not: while A and B fit L2 "
        f"({l2.partitions} halves of {format_bytes(l2.size_bytes / l2.partitions)}, which may hold the same), each is "
        "read once whatever T is, 8n² bytes in all. The formula matters when they no longer fit, and even then "
        "L2 serves the blocks that run side by side."
    )
    show([__doc__, *table, "", why])


if __name__ == "__main__":
    main()
