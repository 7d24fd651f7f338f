"""From which length on does each FlashAttention beat standard attention, and by how much?

Claim: two to four times as fast, and no N x N matrix in memory. Standard attention waits for the
bytes of S and P; FlashAttention-1 for too few blocks, one a head, and for the O of all its tiles.
Formula: 4 B H N^2 d FLOP. S and P are 2 B H N^2 elements, each written and read. FlashAttention
has 4 bytes a row beside Q, K, V and O. Gain: time of standard attention on the same cores over its.
"""

import argparse
from itertools import pairwise
from math import exp, log

import numpy as np

import gpusim.cuda
from gpusim.catalogue.lookup import builtin_folder
from gpusim.pictures.canvas import write_powers
from gpusim.pictures.saving import picture_file, save
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_factor, format_seconds

GPU, TOKENS, HIDDEN, LENGTHS = "h100-sxm", 16384, 2048, [128, 256, 1024, 4096, 16384]
LONGEST = 1024  # of FlashAttention-1, whose few blocks are long: simulating more takes minutes
FEW = 2**23  # elements of S of as many heads as FlashAttention-3 is simulated for; 128 blocks at least
WAYS = ("standard", "FA-1", "FA-2", "standard*", "FA-2*", "FA-3*")

# TFLOP/s on an NVIDIA H100 SXM5 80 GB, d = 128, not causal, 16384 tokens, hidden size 2048, read off the figures of
# github.com/Dao-AILab/flash-attention (assets/), by N: its own, and of standard attention.  FA-1 of both passes.
PUBLISHED = {
    "FA-1": {512: (127, 93), 1024: (127, 120), 2048: (128, 145), 4096: (131, 160), 8192: (137, 167)},
    "FA-2": {512: (309, 74), 1024: (350, 100), 2048: (362, 119), 4096: (368, 133), 8192: (370, 139)},
    "FA-3": {512: (467, 74), 1024: (565, 100), 2048: (625, 119), 4096: (638, 133), 8192: (646, 139)},
}


def predict(kernel: str, progress: ProgressLine, **sizes: int) -> float:
    """Give seconds of a described kernel."""
    return gpusim.predict(kernel, GPU, sample="quick", progress=progress, **sizes).seconds


def standard(N: int, d: int, kind: str, progress: ProgressLine) -> float | None:
    """Give seconds of three kernels one after another; None where S has too many elements."""
    heads = TOKENS // N * (HIDDEN // d)
    if heads * N * N > 2**31:  # as many as 32-bit indices reach
        return None
    steps = {
        f"attention-scores{kind}": {"L": heads, "M": N, "N": N, "K": d},
        "softmax-online-f16": {"M": heads * N, "N": N, "B": 256},
        f"matmul-batched-nn{kind}": {"L": heads, "M": N, "N": d, "K": N},
    }
    return sum(predict(kernel, progress, **sizes) for kernel, sizes in steps.items())


def flash_3(N: int, progress: ProgressLine, some: int | None = None) -> float:
    """Give seconds of FlashAttention-3: simulated for some of the heads, which all are taken to be like."""
    d, all_heads = 128, TOKENS // N * (HIDDEN // 128)
    heads = min(all_heads, some or max(FEW // N**2, TOKENS // N))
    arrays = [np.zeros((heads, N, d), np.float16) for _ in "QKVO"]
    maps = [gpusim.TensorMap(array, (1, 128 - 64 * (k == 3), 64), swizzle=128) for k, array in enumerate(arrays)]
    arguments = [*maps, np.zeros(heads * N, np.float32), np.int32(N), np.float32(d**-0.5)]
    kernel = gpusim.cuda.compile(builtin_folder() / "flash_attention_3.cu", gpu=GPU).kernel("fa3_d128")
    how = {"gpu": GPU, "dynamic_shared": 164864, "values": False, "progress": progress}
    return gpusim.profile(kernel, (-(-N // 128), heads), 384, arguments, **how).seconds * all_heads / heads


def seconds(N: int) -> dict[str, float | None]:
    """Give seconds of every kernel: without tensor cores, then with them."""
    layer = [{"B": TOKENS // N, "H": HIDDEN // d, "N": N, "d": d} for d in (64, 128)]
    with ProgressLine() as progress:
        found = (
            standard(N, 64, "-f16", progress),
            predict("flash-attention-1-f16", progress, **layer[0], Bc=256) if LONGEST >= N else None,
            predict("flash-attention-2-f16", progress, **layer[0]),
            standard(N, 128, "-tensor", progress),
            predict("flash-attention-2-tensor", progress, **layer[1]),
            flash_3(N, progress),
        )
    return dict(zip(WAYS, found, strict=True))


def gains(found: dict[int, dict[str, float | None]]) -> dict[str, dict[int, float]]:
    """Give by kernel and length what FlashAttention gains, and what was published of it."""
    took = {way: {N: of[way] for N, of in found.items() if of[way]} for way in WAYS}
    gain = {f"{way} published": {N: own / other for N, (own, other) in of.items()} for way, of in PUBLISHED.items()}
    for way in reversed([way for way in WAYS if way.startswith("FA")]):
        other = took["standard*" if "*" in way else "standard"]
        gain = {way: {N: other[N] / own for N, own in took[way].items() if N in other}} | gain
    return gain


def wins(gain: dict[int, float]) -> str:
    """Say at which lengths there is a gain; between two of them on a line through their logarithms."""
    points = [(log(N), log(value)) for N, value in gain.items()]
    for (x, y), (right, above) in pairwise(points):
        if y * above <= 0:
            N = exp(x + (right - x) * y / (y - above))
            return f"from N = {N:.0f} on" if above > y else f"up to N = {N:.0f}"
    return "at every length" if points and points[0][1] > 0 else "at none"


def draw(ax, gain: dict[str, dict[int, float]]):
    """Draw gains by length: lines for what is simulated, markers for what was published."""
    for way, of in gain.items():
        ax.plot([*of], [*of.values()], "x" if "published" in way else "o-", label=way)
    ax.axhspan(2, 4, color="0.9", zorder=0)
    ax.set(xscale="log", yscale="log", xlabel="N", ylabel="gain", title=f"Time of standard attention over its, {GPU}")
    write_powers(ax, "x", "y")
    ax.legend(fontsize="small")
    return ax


def main() -> None:
    """Print claim, formula, prediction and what was published."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, nargs="+", metavar="N", default=LENGTHS, choices=[2**k for k in range(7, 15)])
    parser.add_argument("--plot", type=picture_file, metavar="FILE", help="draw the gains too: a .png, .svg or .pdf")
    given = parser.parse_args()
    found = {N: seconds(N) for N in sorted(set(given.n))}
    times = [["N", "memory", "flash", "saved", *WAYS]]
    for N, of in found.items():
        layer = gpusim.model.attention_memory.Attention(N=N, d=128, B=TOKENS // N, H=HIDDEN // 128)
        memory = [format_bytes(layer.standard_bytes), format_bytes(layer.flash_bytes), format_factor(layer.saving)]
        times.append([str(N), *memory, *(format_seconds(each) if each else NOTHING for each in of.values())])
    gain = gains(found)
    lengths = sorted({N for of in gain.values() for N in of})
    gained = [[str(N), *(format_factor(of[N]) if N in of else NOTHING for of in gain.values())] for N in lengths]
    about = (
        f"Forward, f16, {TOKENS} tokens, hidden size {HIDDEN}, on {GPU}; *: on tensor cores, d = 128; else d = 64. "
        "Memory: all arrays of each, d = 128. FA-3 is simulated for some heads. Published: on *; FA-1 of both passes."
    )
    why = (
        f"Faster: {'; '.join(f'{way} {wins(of)}' for way, of in gain.items())}. On tensor cores standard attention "
        "waits for S and P, which no cache holds, while FlashAttention computes. Without them all compute, but FA-2 "
        "keeps in registers what others load from shared memory. At N = 16384 no S was made, here or there: too large."
    )
    gained = table_of([["N", *gain], *gained], right=range(8))
    show([__doc__, about, "", *table_of(times, right=range(10)), "", "Gains:", *gained, "", why])
    if given.plot:
        save(lambda ax: draw(ax, gain), given.plot)


if __name__ == "__main__":
    main()
