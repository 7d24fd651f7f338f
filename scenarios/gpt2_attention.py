"""What of GPT-2's attention makes 40.3 GB and 41.7 ms, and what 4.4 GB and 7.3 ms?

Claim: FlashAttention's Figure 2 (GPT-2 medium, forward and backward, A100): standard attention
66.6 GFLOP, 40.3 GB of HBM, 41.7 ms; FlashAttention 75.2 GFLOP, 4.4 GB, 7.3 ms.
Formula: a pass reads and writes its arrays once, B H N^2 or B H N d elements each; a product is
2 B H N^2 d FLOP; mask and dropout, passes in between, move 2 B H N^2 elements each.
"""

import argparse
from math import nan

import gpusim
from gpusim.catalogue.lookup import find
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_seconds, format_share

roofline = gpusim.model.roofline

GPU, LAYER = "a100-40gb", {"B": 64, "H": 16, "N": 1024, "d": 64}
PEAK, BANDWIDTH = roofline.peak_flops(GPU, "fp16"), roofline.bandwidth(GPU)
FORWARD, BACKWARD = (f"attention-standard-masked-dropout{way}-f16" for way in ("", "-backward"))
STANDARD = {
    FORWARD: ("S = Q K^T", "mask of S", "P = softmax(S)", "dropout of P", "O = P V"),
    BACKWARD: ("dV = P^T dO", "dP = dO V^T", "dropout of dP", "dS of P, dP", "dQ = dS K", "dK = dS^T Q"),
}
FLASH_1 = {"flash-attention-1-f16": ("flash 1",), "flash-attention-1-backward-f16": ("flash 1 backward",)}
FLASH_2 = {
    "flash-attention-2-f16": ("flash 2",),
    "flash-attention-2-backward-whole-f16": ("rowsum(dO O)", "flash 2 backward"),
}
TILES = {"flash-attention-1-f16": {"Bc": 256}, "flash-attention-1-backward-f16": {"Br": 64, "Bc": 256, "T": 4}}
S, MASK = 2 * 64 * 16 * 1024**2, 2 * 1024**2  # bytes of an N x N matrix for every head, and of a mask that all share
KEPT, GRADIENT = "its mask *", "mask of dS *"
OTHERS = {  # what no kernel here moves, by the pass that it belongs to or follows: bytes read and written
    "dropout of P": (KEPT, 0, S / 2),  # a byte an element, written for the backward pass
    "dropout of dP": (f"{KEPT[:-2]} again *", S / 2, 0),
    "dS of P, dP": (GRADIENT, S + MASK, S),
}
NUMBERS = ["read", "written", "both", "threads", "GFLOP", "HBM reads", "least time"]


def a_pass(read: float, written: float, threads: float, flops: float = 0) -> list[float]:
    """List bytes read, written, both, and moved by threads; FLOPs; what is simulated; least time by the roofline."""
    least = roofline.hierarchical(flops, {"HBM": read + written}, PEAK, {"HBM": BANDWIDTH}).seconds
    return [read, written, read + written, threads, flops, nan, least]


def counted(algorithm, params: dict[str, int]) -> list[float]:
    """Count a launch by its arrays and by the formulas derived from its description."""
    arrays, moved = algorithm.launch(**params).arrays, algorithm.elements(**params)
    read = sum(array.nbytes for array in arrays if array.intent == "in" or "mask" in algorithm.name)
    written = sum(array.nbytes for array in arrays if array.intent != "in")
    threads = sum(sum(moved[array.name]) * array.element_bytes for array in arrays)
    flops = algorithm.kernel.flops().evaluate(**algorithm.bind(**params))
    return a_pass(read, written, threads, flops)


def launches(kernel: str, **params: int) -> list[tuple]:
    """Give every launch of a kernel or a chain with its parameters."""
    found = find(kernel)
    steps = found.launch(**params).steps if hasattr(found, "steps") else ()
    return [(step.step.algorithm, step.bound.params) for step in steps] or [(found, params)]


def passes(kernels: dict[str, tuple[str, ...]], heads: int) -> dict[str, list[float]]:
    """Count every launch; simulate it for a few heads, FlashAttention by its default tiles."""
    found = {}
    for kernel, names in kernels.items():
        whole = launches(kernel, **LAYER, **TILES.get(kernel, {}))
        few = launches(kernel, **{**LAYER, "B": 1, "H": heads})
        for name, full, (algorithm, params) in zip(names, whole, few, strict=True):
            with ProgressLine() as progress:
                seen = gpusim.predict(algorithm, GPU, progress=progress, **params).dram_bytes_read
            found[name] = counted(*full)
            found[name][5] = seen / counted(algorithm, params)[0]
            if name in OTHERS:
                extra, read, written = OTHERS[name]
                found[extra] = a_pass(read, written, read + written)
    return found


def row(name: str, found: list[float]) -> list[str]:
    """Give the table's row for a pass, or a sum of some."""
    *nbytes, flops, hbm, least = found
    seen = NOTHING if hbm != hbm else f"{hbm:.2f}"
    return [name, *map(format_bytes, nbytes), f"{flops / 1e9:.0f}", seen, format_seconds(least)]


def total(name: str, found: dict[str, list[float]], *without: str) -> list[str]:
    """Give the row of a sum of all passes but those that have one of some words: passes follow one another."""
    kept = [each for key, each in found.items() if not any(word in key for word in without)]
    *whole, _, least = map(sum, zip(*kept, strict=True))
    return row(name, [*whole, nan, least])


def sums(standard: dict[str, list[float]], *flash: dict[str, list[float]]) -> list[list[str]]:
    """Give the rows of the sums, the paper's figures among them."""
    return [
        ["sum", *NUMBERS],
        total("Algorithms 0 and 3", standard, "mask", "dropout"),
        total("  mask and dropout too", standard, "*"),
        total("  dropout's mask kept", standard, GRADIENT),
        total("  gradient of the mask", standard),
        ["  the paper", "", "", "40.3 GB", "", "66.6", "", "41.7 ms"],
        total("FlashAttention-1", flash[0]),
        ["  the paper", "", "", "4.4 GB", "", "75.2", "", "7.3 ms"],
        total("FlashAttention-2", flash[1]),
    ]


def why(gigaflops: float) -> str:
    """Say what the recount shows, and what it does not; `gigaflops` are FlashAttention's."""
    return (
        "The two algorithms alone move less than 40.3 GB, and with mask and dropout still less: the kernel here draws "
        "dropout's mask again from a hash. A mask that the forward pass keeps, a byte an element, makes it as much; a "
        "gradient through the mask, which needs no pass (where it hides a key P is 0, and so is dS), would make it "
        "more. Which passes were timed is not published (another edition prints 35.3 GB, 35.1 ms). 4.4 GB lies "
        "between arrays once and what the threads of flash 1 move: L2 serves some of what is read again. 66.6 and 75.2 "
        "GFLOP cannot be of this workload: one of its six products has 137. The times can: 40.3 GB in 41.7 ms are "
        f"{format_share(40.3e9 / 41.7e-3 / BANDWIDTH)} of HBM's peak, {gigaflops:.0f} GFLOP in 7.3 ms "
        f"{format_share(gigaflops * 1e9 / 7.3e-3 / PEAK)} of the tensor cores'."
    )


def main() -> None:
    """Print claim, formula, recount and what is simulated."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--heads", type=int, default=1, help="how many heads are simulated [1]")
    heads = parser.parse_args().heads
    ways = [passes(kernels, heads) for kernels in (STANDARD, FLASH_1, FLASH_2)]
    about = (
        f"B = 64, H = 16, N = 1024, d = 64 on {GPU}. Read, written: each array once; threads: all that they load "
        "and store, by the derived formula (tiles: products 32, flash 1 256 keys, flash 2 32). HBM reads: simulated "
        f"for {heads} of the heads, over what is read. *: what no kernel here moves."
    )
    rows = [["pass, fp16", *NUMBERS], *(row(*each) for found in ways for each in found.items())]
    tables = [*table_of(rows, right=range(1, 8)), "", *table_of(sums(*ways), right=range(1, 8))]
    flops = sum(found[4] for found in ways[1].values())
    show([__doc__, about, "", *tables, "", why(flops / 1e9)])


if __name__ == "__main__":
    main()
