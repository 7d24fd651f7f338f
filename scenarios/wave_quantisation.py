"""Why can one more row and column double the time of a matmul?

Claim: an SM works on one 256 x 128 tile of C at a time, so tiles run in waves, and a wave that is
nearly empty takes as long as a full one.
Formula: tiles = ceil(n/256) ceil(n/128), waves = ceil(tiles/SMs), utilisation = tiles/(waves SMs).
"""

import argparse
from math import ceil

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_factor, format_share

HEIGHT, WIDTH = 256, 128


def tiles(n: int) -> int:
    """Give the tiles that cover an n x n matrix."""
    return ceil(n / HEIGHT) * ceil(n / WIDTH)


def waves(n: int, sms: int) -> int:
    """Give the rounds in which `sms` SMs work them off."""
    return ceil(tiles(n) / sms)


def row(n: int, sms: int) -> list[str]:
    """Give the table's row for one size."""
    busy = waves(n, sms) * sms
    shape = f"{ceil(n / HEIGHT)} x {ceil(n / WIDTH)}"
    return [
        str(n),
        f"{shape} = {tiles(n)}",
        f"{tiles(n) / sms:.2f}",
        str(waves(n, sms)),
        format_share(tiles(n) / busy),
        format_share(n * n / (busy * HEIGHT * WIDTH)),
    ]


def main() -> None:
    """Print claim, formula and what follows; nothing is simulated."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", default="a100-40gb", help="a GPU as gpusim gpus lists it [a100-40gb]")
    parser.add_argument("--n", type=int, nargs="+", default=[1792, 1793, 2560], help="sizes [1792 1793 2560]")
    given = parser.parse_args()
    gpu = gpusim.load_gpu(given.gpu)
    first, last = given.n[:2] if len(given.n) > 1 else given.n * 2
    longer = format_factor(waves(last, gpu.sm_count) / waves(first, gpu.sm_count))
    heading = ["n", "tiles", "tiles/SMs", "waves", "SMs busy", "useful work"]
    why = (
        f"From n = {first} to {last} the work grows by {format_share((last / first) ** 2 - 1)}, the number of waves by "
        f"a factor of {longer}, and the time with it: a wave lasts as long as a tile, however few there are. "
        "(Useful work leaves out what tiles at the edge compute beyond C.)"
    )
    table = table_of([heading, *(row(n, gpu.sm_count) for n in given.n)], right=range(6))
    show([__doc__, f"{gpu.full_name}, {gpu.sm_count} SMs, one tile on each:", "", *table, "", why])


if __name__ == "__main__":
    main()
