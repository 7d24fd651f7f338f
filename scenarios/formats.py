"""What can a float of 32, 19, 16 or 8 bits hold, and what of training does it lose?

Claim: bf16 spans what fp32 does and fp16 does not; fp16 divides 8 times finer. Steps below half an
epsilon are lost in both, so master weights are fp32; fp16's gradients need scaling; sums need fp32.
Formula: epsilon = 2^-(mantissa bits); N numbers added are off by (N - 1) epsilon at most; exp(x)
overflows at x = ln(largest): 88.7 in fp32, 11.09 in fp16. Below: really computed, number by number.
"""

import argparse

import numpy as np

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_count

formats, rounding = gpusim.model.formats, gpusim.model.rounding

NAMES = tuple(formats.TYPES)
STEP, TIMES = 1e-4, 10_000
GRADIENTS, SCALE = (-10, -18, -24, -25, -27, -40), 16  # powers of two
LENGTHS = (64, 512, 4096)


def held() -> list[list[str]]:
    """Give the table of what each format can hold."""
    heading = ["format", "bits", "s + e + m", "largest", "least normal", "subnormal", "epsilon"]
    return [heading, *(held_by(formats.format_of(name)) for name in NAMES)]


def held_by(given) -> list[str]:
    """Give a format's row."""
    shape = f"1 + {given.exponent_bits} + {given.mantissa_bits}"
    span = [f"{x:.3g}" for x in (given.largest, given.smallest_normal, given.smallest_subnormal)]
    return [given.name, str(given.bits), shape, *span, f"2^-{given.mantissa_bits} = {given.epsilon:.2g}"]


def updates() -> list[list[str]]:
    """Add a small step to a weight of 1 over and over, with and without a master copy in fp32."""
    rows = [["format", "half an epsilon", "weight", "fp32 master, cast", "off"]]
    master = rounding.updated(1.0, STEP, TIMES, "fp32")
    for name in NAMES:
        weight, copy = rounding.updated(1.0, STEP, TIMES, name), float(formats.cast(master, name))
        off = f"{abs(weight - (1 + STEP * TIMES)):.2g}"
        rows.append([name, f"{formats.format_of(name).roundoff:.2g}", f"{weight:.5g}", f"{copy:.5g}", off])
    return rows


def gradients() -> list[list[str]]:
    """Write gradients of powers of two in each format, as they are and with the loss scaled."""
    names = ("fp16", "bf16", "e4m3", "e5m2")
    rows = [["gradient", *(heading for name in names for heading in (name, "scaled"))]]
    for power in GRADIENTS:
        seen = (rounding.scaled_gradient(2.0**power, name, scale) for name in names for scale in (1, 2.0**SCALE))
        rows.append([f"2^{power}", *map(power_of_two, seen)])
    return rows


def power_of_two(x: float) -> str:
    """Write a gradient as it came out: 0, a power of two, or what is no number."""
    return f"2^{np.log2(x):.0f}" if x and np.isfinite(x) else f"{x:g}"


def sums(scores: np.ndarray) -> list[list[str]]:
    """Add the exponentials of a softmax in each format, and in fp32 after rounding them to it."""
    rows = [["format", "ones to", *(heading for n in LENGTHS for heading in (f"N = {n}", "bound")), "in fp32"]]
    for name in NAMES:
        cells = [format_count(2 / formats.format_of(name).epsilon)]
        for n in LENGTHS:
            powers = np.exp(scores[:n] - scores[:n].max())
            error = off(rounding.accumulated(powers, name), powers)
            cells += [f"{error:.2g}", f"{rounding.accumulation_bound(n, name):.2g}"]
        kept = rounding.accumulated(formats.cast(powers, name).astype(np.float32), "fp32")
        rows.append([name, *cells, f"{off(kept, powers):.2g}"])
    return rows


def off(total: float, powers: np.ndarray) -> float:
    """Compare a sum with that in fp64: the relative error."""
    return abs(total / powers.sum() - 1)


def overflows() -> list[list[str]]:
    """Try whole scores: up to which one a softmax that takes off no maximum has finite exponentials."""
    rows = [["format", "ln(largest)", "last whole score", "exp of it", "of the next"]]
    for name in NAMES:
        last = rounding.largest_surviving_score(name)
        there, beyond = (float(formats.cast(np.exp(np.float64(x)), name)) for x in (last, last + 1))
        rows.append([name, f"{formats.format_of(name).largest_score:.2f}", str(last), f"{there:.3g}", f"{beyond:g}"])
    return rows


def main() -> None:
    """Print claim, formula and what was computed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="of the scores, normal numbers [0]")
    seed = parser.parse_args().seed
    if seed < 0:
        parser.error(f"--seed: must be 0 or more, not {seed}")
    scores = np.random.default_rng(seed).normal(size=LENGTHS[-1])
    parts = {
        "Bits of sign, exponent, mantissa, by ml_dtypes' finfo; tf32's by its bits, for ml_dtypes has none:": (
            held(),
            (1, 3, 4, 5),
        ),
        f"Lost updates: 1 + {STEP:g}, {format_count(TIMES)} times, is 2:": (updates(), range(1, 5)),
        f"Vanishing gradients, with the loss as it is and times 2^{SCALE} (divided again):": (gradients(), range(1, 9)),
        "Sums of N exponentials: relative error, (N - 1) epsilon; the longest again, added in fp32:": (
            sums(scores),
            range(1, 9),
        ),
        "Overflow of exp(x) without the maximum taken off:": (overflows(), range(1, 5)),
    }
    shown = [part for about, (rows, right) in parts.items() for part in (about, "", *table_of(rows, right=right), "")]
    why = (
        "bf16 loses updates that fp16 loses, and larger ones; an fp32 master gets them all. A scale moves gradients "
        "into fp16's range, which bf16 needs not. The sum of a softmax divides every probability, so its error is "
        "theirs: where ones stop adding up it is tens of per cent. Rounding only the terms, and adding in fp32, "
        "leaves a few thousandths: errors of terms cancel, those of a sum that has grown do not. e5m2's last "
        "score is above ln(largest), for its exponential is rounded down to the largest number. e4m3 has no infinity."
    )
    show([__doc__, *shown, why])


if __name__ == "__main__":
    main()
