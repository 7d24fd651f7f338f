"""How does online softmax sum [1, 3, 2, 5] in piles of two, and what does that save attention?

Claim: 1.203 whichever way; piles need no score twice, so no N x N matrix has to be kept. Of fp32, N
= 8192, it has 256 MiB: standard attention moves four such, FlashAttention none.
Formula: m' and l' of a pile, top = max(m, m'), l <- l exp(m - top) + l' exp(m' - top), m <- top.
An N x N matrix has 4 N^2 bytes; S is written and read, P is written and read: 16 N^2.
"""

import argparse

import numpy as np

import gpusim
from gpusim.catalogue.lookup import find
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_number, format_seconds

model, memory, roofline = gpusim.model.online_softmax, gpusim.model.attention_memory, gpusim.model.roofline

KERNELS = ("softmax-safe", "softmax-online", "softmax-parallel")
LARGE = 8192
MATRICES = {"attention-scores": {"C": "S written"}, "softmax-online": {"x": "S read", "y": "P written"}}
MATRICES["matmul-batched-nn"] = {"A": "P read"}


def by_hand(scores: list[float], pile: int) -> list[list[str]]:
    """Give a row a pile: what it has itself, the correction, and what is known after it."""
    rows = [["pile", "m'", "l'", "correction", "m", "l"]]
    for step in model.steps(scores, pile):
        numbers = (step.largest, step.pile_sum, step.correction, step.m, step.l)
        rows.append([" ".join(f"{x:g}" for x in step.scores), *map(format_number, numbers)])
    return rows


def by_kernel(kernel: str, scores: list[float], pile: int) -> list[str]:
    """Execute a softmax of which every thread takes a pile: 1 over the largest probability is the sum."""
    pile = min(pile, len(scores))
    piles = -(-len(scores) // pile)
    x = np.full((1, 32 * pile), -np.inf, np.float32)  # thread t takes the elements t, t + 32, ...
    for index, score in enumerate(scores):
        x[0, index // pile + 32 * (index % pile)] = score
    y = gpusim.run(kernel, {"x": x}, M=1, N=32 * pile, B=32)["y"]
    shares = [f"{y[0, index // pile + 32 * (index % pile)]:.4f}" for index in range(len(scores))]
    return [kernel, str(piles), f"{1 / y.max():.4f}", " ".join(shares)]


def trips(gpu: str, N: int, d: int) -> list[list[str]]:
    """Predict what a head moves of its N x N matrices, kernel by kernel, and FlashAttention of none."""
    with ProgressLine() as progress:
        chain = gpusim.predict_chain("attention-standard", gpu, H=1, N=N, d=d, progress=progress)
        flash = gpusim.predict("flash-attention-2", gpu, H=1, N=N, d=d, progress=progress)
    rows = [["kernel", "array", "bytes", "threads", "L2", "HBM", "all HBM"]]
    for name, step in zip(chain.labels, chain.steps, strict=True):
        named = {array: (trip, 4 * N * N) for array, trip in MATRICES[name].items()}
        rows += moved(name, step, named)
    arrays = find("flash-attention-2").launch(H=1, N=N, d=d).arrays
    return [*rows, *moved("flash-attention-2", flash, {array.name: (array.name, array.nbytes) for array in arrays})]


def moved(kernel: str, profile: gpusim.Profile, named: dict[str, tuple[str, int]]) -> list[list[str]]:
    """Give a row for each array that is named: its bytes, and what is moved of it at each level."""
    rows = []
    for array in (array for array in profile.arrays if array.name in named):
        name, nbytes = named[array.name]
        read = format_bytes(array.dram_bytes) if array.load_sectors else NOTHING
        levels = map(format_bytes, (nbytes, 32 * array.sectors, array.l2_bytes))
        rows.append(["" if rows else kernel, name, *levels, read, "" if rows else format_bytes(profile.dram_bytes)])
    return rows


def large(d: int) -> str:
    """Say what the matrices take at N = 8192, and how long that takes HBM."""
    head = memory.Attention(N=LARGE, d=d, dtype="fp32")
    times = {gpu: head.score_trips_bytes / roofline.bandwidth(gpu) for gpu in ("v100", "a100-80gb", "h200")}
    of = ", ".join(f"{format_seconds(seconds)} on {gpu}" for gpu, seconds in times.items())
    return (
        f"N = {LARGE}: S has {head.score_bytes / 2 / 2**20:.0f} MiB in fp32, a head; four trips "
        f"{head.score_trips_bytes / 2**20:.0f} MiB, at HBM's peak {of}. Q, K, V and O together have "
        f"{head.operand_bytes / 2**20:.0f} MiB, FlashAttention's statistics {head.statistics_bytes / 2**10:.0f} KiB."
    )


def main() -> None:
    """Print claim, formula, steps, execution and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scores", type=float, nargs="+", default=[1.0, 3.0, 2.0, 5.0], help="of a row [1 3 2 5]")
    parser.add_argument("--pile", type=int, default=2, help="scores of a pile [2]")
    parser.add_argument("--gpu", default="p100", help="that standard attention is predicted for [p100]")
    parser.add_argument("--n", type=int, default=1024, help="length of the sequence that is predicted [1024]")
    given = parser.parse_args()
    direct = sum(np.exp(x - max(given.scores)) for x in given.scores)
    piles = table_of(by_hand(given.scores, given.pile), right=range(6))
    kernels = [by_kernel(kernel, given.scores, given.pile) for kernel in KERNELS]
    executed = [["kernel", "threads", "sum", "probabilities"], *kernels]
    why = (
        "Bytes: of the array. Threads: all that they load and store of it; softmax-online reads S twice, and the "
        "product reads P for each tile of V's columns. HBM: what is read of the array; all HBM: of the whole kernel, "
        "writes too. The less L2 holds, the more of the four trips HBM sees. FlashAttention has no array of N x N: "
        "its scores stay on the SM, and HBM gives Q, K, V and its code."
    )
    text = [f"Sum of exp(x - max), all scores at once: {direct:.4f}. Pile after pile:", ""]
    tables = [*text, *piles, "", "Executed, a thread a pile:", ""]
    tables += [
        *table_of(executed, right=(1, 2)),
        "",
        large(64),
        "",
        f"A head of N = {given.n}, d = 64, {given.gpu}:",
        "",
    ]
    show([__doc__, *tables, *table_of(trips(given.gpu, given.n, 64), right=range(2, 7), keys=2), "", why])


if __name__ == "__main__":
    main()
