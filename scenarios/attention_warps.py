"""Shall the warps of a block share out the queries, as FlashAttention-2 has it, or the keys, as -1?

Claim: with keys shared out ("split-K") every warp has a part of every sum, so all write to shared
memory, wait, and add up after each tile. With queries shared out no warp needs another one.
Formula: bytes a tile of Bc keys, w warps, 16-bit elements. Queries: 2 d (Br + 2 w Bc) of Q, K and V
are read. Keys: 2 d (w Br + 2 Bc), and O's parts, written and read: 8 w Br d.
"""

import argparse

import gpusim
from gpusim.catalogue.lookup import get
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_seconds

QUERIES, KEYS = "flash-attention-2-tensor", "flash-attention-split-keys-tensor"
N, HEADS, TILES = 512, 64, {"d": 64, "Br": 64, "Bc": 64, "W": 16}  # four warps, of 16 queries or of 16 keys
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
SHARED_OUT = {QUERIES: "queries", KEYS: "keys"}


def formula(kernel: str, d: int, Br: int, Bc: int, W: int) -> tuple[int, int]:
    """Give the bytes of shared memory that pass a tile of keys: of Q, K and V, and of parts of O."""
    if kernel == QUERIES:
        return 2 * d * (Br + 2 * (Br // W) * Bc), 0
    w = Bc // W
    return 2 * d * (w * Br + 2 * Bc), 8 * w * Br * d


def barriers(kernel: str) -> int:
    """Give how many barriers the code has: all in the loop over tiles, but for the last where keys are shared out."""
    return get(kernel).kernel.emit(**TILES).count("__syncthreads()")


def row(kernel: str, gpu: str, progress: ProgressLine) -> list[str]:
    """Give the table's row of a kernel on a GPU."""
    profile = gpusim.predict(kernel, gpu, N=N, H=HEADS, **TILES, sample="quick", progress=progress)
    tiles = profile.blocks * N // TILES["Bc"]
    passed = [128 * profile.value(WAVEFRONTS.format(way)) / tiles for way in ("ld", "st")]
    products, parts = formula(kernel, **TILES)
    return [
        SHARED_OUT[kernel], gpu, *map(format_bytes, (products, parts, *passed)), str(barriers(kernel)),
        str(profile.registers_per_thread), str(profile.blocks_per_sm), format_seconds(profile.seconds),
    ]  # fmt: skip


def main() -> None:
    """Print claim, formula and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", help="one GPU instead of two [a100-40gb, h100-sxm]")
    gpu = parser.parse_args().gpu
    gpus = [gpu] if gpu else ["a100-40gb", "h100-sxm"]
    with ProgressLine() as progress:
        rows = [row(kernel, name, progress) for name in gpus for kernel in SHARED_OUT]
    heading = "shared out  GPU  Q, K, V  O's parts  loads  stores  barriers  registers  blocks an SM  time"
    about = (
        f"Forward, f16, {HEADS} heads of {N}, d = 64; blocks of four warps, tiles of 64 queries and 64 keys. Bytes of "
        "shared memory a tile: by formula, then predicted."
    )
    why = (
        "Sharing out keys reads less of K and V, for a warp needs its own keys alone. But every warp makes a part of "
        "the whole tile of O: it goes through shared memory once a tile, in fp32, with the largest scores and sums "
        "of weights, and takes registers and room of all the block's queries. So fewer blocks fit an SM, and these "
        "wait for each other more often. Both kernels compute the same O. FlashAttention-1 pays this after each tile "
        "of queries, FlashAttention-2 never."
    )
    table = table_of([heading.split("  "), *rows], right=range(2, 10), keys=2)
    show([__doc__, about, "", *table, "", why])


if __name__ == "__main__":
    main()
