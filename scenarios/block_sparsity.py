"""Is attention over a share s of the tiles faster by 1/s?

Claim: tiles of keys that are not on the list are neither loaded nor computed, so time falls in
proportion to s (Dao et al. 2022, section 3.3 and Figure 2, right, of sequences of 4096).
Formula: a head moves s times the 2 N d ceil(N/Br) elements of keys and values, and 2 N d + N for Q,
O and L; s goes down to 1/ceil(N/Bc), a tile of keys for every tile of queries.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_factor, format_seconds, format_share

Br, Bc = 64, 32


def arguments() -> argparse.Namespace:
    """Give the sizes asked for, or those that tell the story in seconds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", default="a100-40gb", help="a GPU as gpusim gpus lists it [a100-40gb]")
    parser.add_argument("--n", type=int, default=1024, help="length of the sequences [1024]")
    parser.add_argument("--heads", type=int, default=6, help="of all sequences together [6]")
    return parser.parse_args()


def predict(given: argparse.Namespace) -> tuple[gpusim.Profile, list[gpusim.Profile]]:
    """Predict FlashAttention-2, and attention over lists of all tiles, of half of them, and so on down to one."""
    tiles = -(-given.n // Bc)
    sizes = {"N": given.n, "H": given.heads, "Br": Br, "Bc": Bc}
    with ProgressLine() as progress:
        dense = gpusim.predict("flash-attention-2", given.gpu, progress=progress, **sizes)
        return dense, [
            gpusim.predict("flash-attention-block-sparse", given.gpu, active=tiles >> k, progress=progress, **sizes)
            for k in range(tiles.bit_length())
        ]


def row(profile: gpusim.Profile, whole: gpusim.Profile) -> list[str]:
    """Give the table's row for one length of the lists, beside lists of all tiles."""
    active = profile.params["active"]
    share = active / whole.params["active"]
    formula = profile.textbook["reads"].nbytes + profile.textbook["writes"].nbytes
    return [
        f"{1 / share:.3g}",
        str(active),
        *map(format_bytes, (formula, profile.l2_read_bytes, profile.l2_write_bytes, profile.dram_bytes_read)),
        format_seconds(profile.seconds),
        format_seconds(whole.seconds * share),
        format_factor(whole.seconds / profile.seconds),
    ]


def main() -> None:
    """Print claim, formula and prediction."""
    given = arguments()
    dense, profiles = predict(given)
    whole, one = profiles[0], profiles[-1]
    heading = ["1/s", "tiles", "formula", "L2 reads", "L2 writes", "HBM reads", "time", "s times all", "faster"]
    table = table_of([heading, *(row(profile, whole) for profile in profiles)], right=range(9))
    rest = format_share(1 - whole.seconds / whole.params["active"] / one.seconds)
    why = (
        "Time and L2's reads go with s, until what every row does whatever s is counts: it loads Q and stores O, 4 "
        f"bytes of a sector at a time. Of the time with one tile a list that is {rest}. HBM's reads hardly fall: what "
        "one list leaves out is on another one, and L2 keeps it. So fewer tiles save time because less is computed and "
        "fetched from L2, not because HBM moves less. (Lists are drawn at random.)"
    )
    note = (
        f"FlashAttention-2, without a list, takes {format_seconds(dense.seconds)} by its description; by nvcc's code "
        "of both kernels it takes as long as with a list of all tiles (3 % apart at N = 512)."
    )
    about = f"{given.heads} heads of fp32, N = {given.n}, d = 64, Br = {Br}, Bc = {Bc}, on {given.gpu}:"
    show([__doc__, about, "", *table, "", why, note])


if __name__ == "__main__":
    main()
