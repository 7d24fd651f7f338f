"""From which length on does each FlashAttention beat standard attention, and by how much?

Claim: two to four times as fast, and no N x N matrix in memory. Standard attention waits for the
bytes of S and P; FlashAttention-1 for too few blocks, one a head, and for the O of all its tiles.
Formula: 4 B H N^2 d FLOP. S and P are 2 B H N^2 elements, each written and read. FlashAttention
has 4 bytes a row beside Q, K, V and O. Gain: time of standard attention on the same cores over its.
"""

import argparse
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import exp, log

import numpy as np

import gpusim
import gpusim.cuda
from gpusim.catalogue.lookup import builtin_folder
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_factor, format_seconds

GPU, TOKENS, HIDDEN, LENGTHS = "h100-sxm", 16384, 2048, [128, 256, 1024, 4096, 16384]
LONGEST = 1024  # of FlashAttention-1, whose few blocks are long: simulating more takes minutes
LARGEST = 2**31  # elements of an array, as 32-bit indices allow
FEW = 2**25  # elements of S of as many heads as FlashAttention-3 is simulated for; 128 blocks at least
WAYS = ("standard", "FA-1", "FA-2", "standard*", "FA-2*", "FA-3*")
GAINS = {"FA-1": "standard", "FA-2": "standard", "FA-2*": "standard*", "FA-3*": "standard*"}

# TFLOP/s on an NVIDIA H100 SXM5 80 GB, d = 128, not causal, 16384 tokens, hidden size 2048, read off the figures of
# github.com/Dao-AILab/flash-attention (assets/), by N: its own, and of standard attention.  FA-1 of both passes.
PUBLISHED = {
    "FA-1": {512: (127, 93), 1024: (127, 120), 2048: (128, 145), 4096: (131, 160), 8192: (137, 167)},
    "FA-2": {512: (309, 74), 1024: (350, 100), 2048: (362, 119), 4096: (368, 133), 8192: (370, 139)},
    "FA-3": {512: (467, 74), 1024: (565, 100), 2048: (625, 119), 4096: (638, 133), 8192: (646, 139)},
}


def standard(N: int, d: int, kind: str, progress: ProgressLine) -> float | None:
    """Give seconds of three kernels one after another; None where S has too many elements."""
    heads = TOKENS // N * (HIDDEN // d)
    if heads * N * N > LARGEST:
        return None
    product = {"L": heads, "M": N}
    steps = {
        f"attention-scores{kind}": {**product, "N": N, "K": d},
        "softmax-online-f16": {"M": heads * N, "N": N, "B": 256},
        f"matmul-batched-nn{kind}": {**product, "N": d, "K": N},
    }
    how = {"sample": "quick", "progress": progress}
    return sum(gpusim.predict(kernel, GPU, **how, **sizes).seconds for kernel, sizes in steps.items())


def flash(kernel: str, N: int, d: int, progress: ProgressLine, **tiles: int) -> float:
    """Give seconds of a described kernel."""
    sizes = {"B": TOKENS // N, "H": HIDDEN // d, "N": N, "d": d, **tiles}
    return gpusim.predict(kernel, GPU, sample="quick", progress=progress, **sizes).seconds


def flash_3(N: int, progress: ProgressLine) -> float:
    """Give seconds of FlashAttention-3: simulated for some of the heads, which all are taken to be like."""
    d, all_heads = 128, TOKENS // N * (HIDDEN // 128)
    heads = min(all_heads, max(FEW // N**2, TOKENS // N))
    arrays = [np.zeros((heads, N, d), np.float16) for _ in "QKVO"]
    boxes = [(1, rows, 64) for rows in (128, 128, 128, 64)]
    maps = [gpusim.TensorMap(array, box, swizzle=128) for array, box in zip(arrays, boxes, strict=True)]
    arguments = [*maps, np.zeros(heads * N, np.float32), np.int32(N), np.float32(d**-0.5)]
    kernel = gpusim.cuda.compile(builtin_folder() / "flash_attention_3.cu", gpu=GPU).kernel("fa3_d128")
    how = {"gpu": GPU, "dynamic_shared": 164864, "values": False, "progress": progress}
    return gpusim.profile(kernel, (-(-N // 128), heads), 384, arguments, **how).seconds * all_heads / heads


def predict(N: int) -> dict[str, float | None]:
    """Predict every kernel: without tensor cores, then with them."""
    with ProgressLine() as progress:
        found = (
            standard(N, 64, "-f16", progress),
            flash("flash-attention-1-f16", N, 64, progress, Bc=256) if LONGEST >= N else None,
            flash("flash-attention-2-f16", N, 64, progress),
            standard(N, 128, "-tensor", progress),
            flash("flash-attention-2-tensor", N, 128, progress),
            flash_3(N, progress),
        )
    return dict(zip(WAYS, found, strict=True))


def gains(found: dict[int, dict[str, float | None]]) -> dict[str, dict[int, float]]:
    """Give by kernel and length what FlashAttention gains, and what was published of it."""
    seconds = {way: {N: of[way] for N, of in found.items() if of[way]} for way in WAYS}
    here = {way: {N: seconds[GAINS[way]].get(N, 0) / own for N, own in seconds[way].items()} for way in GAINS}
    theirs = {f"{way} published": {N: own / other for N, (own, other) in of.items()} for way, of in PUBLISHED.items()}
    return {way: {N: gain for N, gain in of.items() if gain} for way, of in (here | theirs).items()}


def wins(gain: dict[int, float]) -> str:
    """Say at which lengths there is a gain; between two of them on a line through their logarithms."""
    points = [(log(N), log(value)) for N, value in gain.items()]
    for (x, y), (right, above) in pairwise(points):
        if y * above <= 0:
            N = exp(x + (right - x) * y / (y - above))
            return f"from N = {N:.0f} on" if above > y else f"up to N = {N:.0f}"
    return "at every length" if points and points[0][1] > 0 else "at none"


def cells(values: Iterable[float | None], text: Callable[[float], str]) -> list[str]:
    """Give cells of a table."""
    return [NOTHING if value is None else text(value) for value in values]


def main() -> None:
    """Print claim, formula, prediction and what was published."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    powers = [2**power for power in range(7, 15)]
    parser.add_argument("--n", type=int, nargs="+", default=LENGTHS, choices=powers, help=f"lengths {LENGTHS}")
    found = {N: predict(N) for N in sorted(set(parser.parse_args().n))}
    times = [["N", "memory", "flash", "saved", *WAYS]]
    for N, of in found.items():
        layer = gpusim.model.attention_memory.Attention(N=N, d=128, B=TOKENS // N, H=HIDDEN // 128)
        memory = [format_bytes(layer.standard_bytes), format_bytes(layer.flash_bytes), format_factor(layer.saving)]
        times.append([str(N), *memory, *cells(of.values(), format_seconds)])
    gain = gains(found)
    lengths = sorted({N for of in gain.values() for N in of})
    gained = [[str(N), *cells((of.get(N) for of in gain.values()), format_factor)] for N in lengths]
    about = (
        f"Forward, f16, {TOKENS} tokens, hidden size {HIDDEN}, on {GPU}; *: on tensor cores, d = 128; else d = 64. "
        "Memory: all arrays of standard attention, and of FlashAttention, d = 128. FA-3 is simulated for some of the "
        "heads. Published: all on tensor cores, FA-1 of both passes."
    )
    faster = "; ".join(f"{way} {wins(of)}" for way, of in gain.items())
    why = (
        f"Faster: {faster}. On tensor cores standard attention waits for S and P, which no cache holds, while "
        "FlashAttention computes. Without them all compute, but FA-2 keeps in registers what the others load from "
        "shared memory. FA-1 reads and writes O once a tile of keys, and has a block a head: fewer, the longer the "
        "sequence. At N = 16384 S has more elements than 32-bit indices reach, and published runs had no memory for it."
    )
    gained = table_of([["N", *gain], *gained], right=range(8))
    show([__doc__, about, "", *table_of(times, right=range(10)), "", "Gains:", *gained, "", why])


if __name__ == "__main__":
    main()
