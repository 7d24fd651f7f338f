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


def covered(n: int, sms: int) -> gpusim.model.waves.Tiling:
    """Cover an n x n matrix with tiles, one on each of `sms` SMs at a time."""
    return gpusim.model.waves.quantise((n, n), (HEIGHT, WIDTH), sms)


def row(n: int, sms: int) -> list[str]:
    """Give the table's row for one size."""
    found = covered(n, sms)
    return [
        str(n),
        f"{ceil(n / HEIGHT)} x {ceil(n / WIDTH)} = {found.tiles}",
        f"{found.waves.exact:.2f}",
        str(found.waves.count),
        format_share(found.waves.utilisation),
        format_share(found.utilisation),
    ]


def main() -> None:
    """Print claim, formula and what follows; nothing is simulated."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", default="a100-40gb", help="a GPU as gpusim gpus lists it [a100-40gb]")
    parser.add_argument("--n", type=int, nargs="+", default=[1792, 1793, 2560], help="sizes [1792 1793 2560]")
    given = parser.parse_args()
    gpu = gpusim.load_gpu(given.gpu)
    first, last = given.n[:2] if len(given.n) > 1 else given.n * 2
    longer = format_factor(covered(last, gpu.sm_count).waves.count / covered(first, gpu.sm_count).waves.count)
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
