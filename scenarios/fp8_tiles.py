"""What do the scales of FP8 tiles cost, and what does one outlier do without them?

Claim: scales of 1 x 128 activations cost 3.1 %, of 128 x 128 weights 0.02 %. A large outlier spoils
its own tile; with one scale a tensor it takes every other number to zero.
Formula: 4 bytes a scale are 4/128 and 4/16384 of the numbers' bytes. A scale is amax / 448; e4m3
is off by 2^-4 of a number at most, down to 2^-6 scales, and by 2^-10 scales below.
"""

import argparse

import numpy as np

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_count

fp8 = gpusim.model.fp8

SHAPE = (4096, 7168)  # tokens, and DeepSeek-V3's hidden size
SCALINGS = {
    "a scale a tensor": fp8.PER_TENSOR,
    "1 x 128, activations": fp8.TILE,
    "128 x 128, weights": fp8.BLOCK,
    "MX, 1 x 32": fp8.MX_ROWS,
}
OUTLIERS = (1.0, 1e2, 1e4, 1e6)
ROWS, COLUMNS = 256, 1024


def overhead() -> list[list[str]]:
    """Give the bytes of a tensor with its scales, by tile."""
    rows = [["tile", "scale", "numbers", "scales", "overhead", "of bf16"]]
    numbers = SHAPE[0] * SHAPE[1]
    for name, scaling in SCALINGS.items():
        scales = fp8.scale_bytes(SHAPE, scaling)
        share, whole = f"{100 * scales / numbers:.2g} %", fp8.tensor_bytes(SHAPE, scaling) / (2 * numbers)
        kind = "fp32" if scaling.scale_bytes == 4 else "e8m0"
        rows.append([name, kind, format_bytes(numbers), format_bytes(scales), share, f"{100 * whole:.2f} %"])
    return rows


def errors(x: np.ndarray, outlier: float) -> list[list[str]]:
    """Quantise numbers one of which is an outlier, and compare all others with what they were."""
    spoilt, rows = x.copy(), []
    spoilt[0, 0] = outlier * np.abs(x).max()
    others = np.ones(x.shape, bool)
    others[0, 0] = False
    for name, scaling in SCALINGS.items():
        back = fp8.dequantise(fp8.quantise(spoilt, scaling))
        rms = np.sqrt(np.mean((back - x)[others] ** 2) / np.mean(x[others] ** 2))
        zeros = np.mean(back[others] == 0)
        beside = format_count(np.prod(scaling.tile(x.shape)) - 1)
        rows.append([f"{outlier:g}", name, f"{100 * rms:.2f} %", f"{100 * zeros:.2f} %", beside])
    return rows


def main() -> None:
    """Print claim, formula and what was computed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="of the numbers, which are normal [0]")
    seed = parser.parse_args().seed
    if seed < 0:
        parser.error(f"--seed: must be 0 or more, not {seed}")
    x = np.random.default_rng(seed).normal(size=(ROWS, COLUMNS)).astype(np.float32)
    heading = ["outlier", "tile", "error", "zeros", "share its scale"]
    rows = [row for outlier in OUTLIERS for row in errors(x, outlier)]
    why = (
        "Error: root mean square of all numbers but the outlier, over theirs; zeros: those of them that became 0. "
        "e4m3 spans 2^18 from its smallest number to 448, so one scale bears an outlier a hundred times the largest "
        "of the others, and not one ten thousand times. Tiles confine it to the numbers that share its scale. "
        "MX's scales are powers of two: the largest numbers of a tile can be clamped, which costs a little "
        "everywhere. Sources: DeepSeek-V3 (arXiv 2412.19437, section 3.3.2), the OCP MX specification v1.0."
    )
    first = [f"A tensor of {SHAPE[0]} x {SHAPE[1]} in e4m3:", "", *table_of(overhead(), right=range(2, 6)), ""]
    about = f"{ROWS} x {COLUMNS} normal numbers, one of them so many times the largest of the others; computed:"
    show([__doc__, *first, about, "", *table_of([heading, *rows], right=(0, 2, 3, 4), keys=2), "", why])


if __name__ == "__main__":
    main()
