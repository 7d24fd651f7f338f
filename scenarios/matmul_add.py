"""What does adding C inside a matmul save, against a matmul and then an addition?

Claim: A B need not be stored, read again and launched for; the share of time saved is larger the
smaller K is, because the addition takes the same time whatever K.
Formula: a product of T x T tiles reads 2 M N K/T elements. Fused, C is read and D written besides:
2 M N. Apart, A B is written, read, C read and D written: 4 M N.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_factor, format_seconds

FUSED, APART, T = "matmul-add", "matmul-add-unfused", 32
CASES = [("h200", 512, K) for K in (32, 64, 256)] + [("v100", 1536, K) for K in (32, 64)]
"""An H200's L2 of 63 MB holds all matrices of n = 512, 1 MB each; a V100's of 6 MB holds none of n = 1536."""
WORDS = "lts__t_sectors_srcunit_tex_op_{}.sum"


def l2_bytes(profile: gpusim.Profile) -> float:
    """Give the bytes that kernels move between L1 and L2."""
    return 32 * sum(profile.value(WORDS.format(way)) for way in ("read", "write"))


def formula(n: int, K: int) -> tuple[int, int]:
    """Give the bytes that the formula has fused and apart: one element a thread, tiles of T."""
    product = 2 * n * n * K // T
    return 4 * (product + 2 * n * n), 4 * (product + 4 * n * n)


def row(gpu: str, n: int, K: int, progress: ProgressLine) -> list[str]:
    """Give the table's row: what the formula says, what passes L2 and HBM, and the times."""
    fused = gpusim.predict(FUSED, gpu, n=n, k=K, T=T, progress=progress)
    apart = gpusim.predict_chain(APART, gpu, n=n, k=K, T=T, progress=progress)
    passed = (l2_bytes(fused), sum(map(l2_bytes, apart.steps)))
    return [
        gpu, str(n), str(K), *map(format_bytes, formula(n, K)),
        *map(format_bytes, (*passed, fused.dram_bytes, apart.dram_bytes)),
        *map(format_seconds, (fused.seconds, apart.seconds)), format_factor(apart.seconds / fused.seconds),
    ]  # fmt: skip


def main() -> None:
    """Print claim, formula and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", help="one GPU instead of two [h200, v100]")
    parser.add_argument("--n", type=int, default=512, help="with --gpu: rows and columns of C [512]")
    parser.add_argument("--k", type=int, nargs="+", metavar="K", default=[32, 128], help="with --gpu: K [32 128]")
    given = parser.parse_args()
    cases = [(given.gpu, given.n, K) for K in given.k] if given.gpu else CASES
    with ProgressLine() as progress:
        rows = [row(*case, progress) for case in cases]
    heading = "GPU  n  K  formula fused  apart  L2 fused  apart  HBM fused  apart  time fused  apart  factor"
    about = f"M = N = n, fp32, tiles of {T}. L2: bytes between L1 and L2."
    why = (
        "Passes through L2 fall by what the formula says: A B is neither written nor read. HBM sees less only where "
        "L2 does not keep A B from one kernel to the next. Time falls everywhere: by the addition's bytes, and by a "
        "launch's own time, which the second kernel needs even if it moves nothing. With a large K the product takes "
        "nearly all the time, and the epilogue hides behind it: fusing saves little there. What lies between two "
        "launches on the host is not in these times."
    )
    table = table_of([heading.split("  "), *rows], right=range(1, 12), keys=3)
    show([__doc__, about, "", *table, "", why])


if __name__ == "__main__":
    main()
