"""What does the swizzle of a tensor map save a kernel that reads the tile?

Claim: a matrix of 8 rows of 16 bytes, as ldmatrix and 16-byte loads read it, lies in the same banks
row for row where rows are 128 bytes apart. A swizzle spreads it over all banks; so do narrow boxes.
Formula: wavefronts for such a matrix = row/16 for rows of 16 to 128 bytes, 1 with a swizzle as wide
as a row; boxes a tile = 128/row. A row of 16 bytes is half a sector, so L2 reads each sector twice.
"""

import argparse

import ml_dtypes
import numpy as np

import gpusim
import gpusim.cuda
from gpusim.catalogue.lookup import builtin_folder
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_seconds, format_share

GPU, SMS, ROWS, K = "h100-sxm", 132, 256, 256  # a block an SM; A fits L2, which has it when the launch begins
THREADS, SHARED = 256, 136192
PLAIN, SWIZZLED = (16, 32, 64, 128), (32, 64, 128)
MATRICES = {"lds": 1, "ldmatrix": 1.25, "wgmma": 0}
"""Matrices of 8 x 16 bytes that loads read for each one of A: ldmatrix reads those of x, too, a quarter as many."""


def layouts(way: str) -> list[tuple[int, bool]]:
    """List bytes of a box's row, and whether it is swizzled: wgmma reads no other boxes than these."""
    plain = PLAIN[:1] if way == "wgmma" else PLAIN
    return [(row, False) for row in plain] + [(row, True) for row in SWIZZLED]


def predict(module: gpusim.cuda.Module, blocks: int, way: str, row: int, swizzled: bool) -> gpusim.Profile:
    """Predict y = A x with A's tiles read in one way from boxes of one kind."""
    A, x = (np.zeros((rows, K), ml_dtypes.bfloat16) for rows in (blocks * ROWS, 1))
    swizzle = row if swizzled else None
    maps = [gpusim.TensorMap(of, (rows, row // 2), swizzle=swizzle) for of, rows in ((A, ROWS), (x, 8))]
    kernel = module.kernel(f"{way}_{row}{'_swizzled' if swizzled else ''}")
    arguments = [*maps, np.zeros(len(A), np.float32), np.int32(K)]
    how = {"gpu": GPU, "dynamic_shared": SHARED, "cache": "warm", "values": False}
    with ProgressLine() as progress:
        return gpusim.profile(kernel, blocks, THREADS, arguments, progress=progress, **how)


def row_of(size: int, way: str, row: int, swizzled: bool, profile: gpusim.Profile) -> list[str]:
    """Give the table's row for one launch; ``size`` is of A, in bytes."""
    wavefronts = [NOTHING] * 2
    if MATRICES[way]:
        read = size / 128 * MATRICES[way]
        wavefronts = [str(1 if swizzled else row // 16), f"{1 + profile.bank_conflicts / read:.3g}"]
    return [
        way if (row, swizzled) == (PLAIN[0], False) else "",
        str(row),
        str(row) if swizzled else "none",
        str(128 // row),
        *wavefronts,
        f"{profile.l2_read_bytes / size:.2f}",
        f"{profile.cycles:.0f}",
        format_seconds(profile.seconds),
    ]


def main() -> None:
    """Print claim, formula and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    most = range(1, SMS + 1)
    parser.add_argument("--blocks", type=int, default=SMS, choices=most, metavar="1..132", help="one an SM")
    blocks = parser.parse_args().blocks
    module = gpusim.cuda.compile(builtin_folder() / "matrix_vector.cu", gpu=GPU)
    cases = [(way, *layout) for way in MATRICES for layout in layouts(way)]
    found = {case: predict(module, blocks, *case) for case in cases}
    cycles = {case: profile.cycles for case, profile in found.items()}
    heading = ["read by", "row", "swizzle", "boxes", "formula", "wavefronts", "L2 reads", "cycles", "time"]
    lines = [row_of(blocks * ROWS * K * 2, *case, profile) for case, profile in found.items()]
    table = table_of([heading, *lines], right=range(1, 9))
    plain, mixed = cycles["ldmatrix", 128, False], cycles["ldmatrix", 128, True]
    narrow, product = cycles["ldmatrix", 16, False], cycles["wgmma", 128, True]
    about = (
        f"y = A x of bf16, A {blocks * ROWS} x {K}, on {GPU}, A in L2. Tiles of {ROWS} rows of 128 bytes, filled by "
        "boxes whose rows have 16 to 128 bytes; wavefronts for 8 rows of 16 bytes; L2 reads: times A."
    )
    why = (
        f"With ldmatrix a swizzle of 128 bytes saves {format_share(1 - mixed / plain)} of the cycles: one box fills "
        "the tile, and no read has a conflict. Boxes of 16 bytes have none either, but take "
        f"{narrow / mixed:.1f} times as long as that: the TMA unit handles a row at a time, however short, and L2 "
        "reads each sector twice. wgmma has no choice: its descriptors name swizzled rows, or rows of 16 bytes. So "
        f"it never has a conflict, and with 128 bytes takes {product / mixed:.2f} of ldmatrix's time."
    )
    show([__doc__, about, "", *table, "", why])


if __name__ == "__main__":
    main()
