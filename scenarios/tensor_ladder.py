"""What does each step bring from a tiled matmul to one that fills Hopper's tensor cores?

Claim: tensor cores bring most. wgmma brings no more than mma.sync until its tiles come without the
threads that wait for it; then wider tiles do, and blocks that stay. Blocks of a cluster ask L2 for
less; but what SMs ask for in step is joined anyway, and what they ask for each other is not.
Formula: 2 n^3 FLOP at 4096 an SM and cycle (wgmma) take n^3 / (2048 SMs) cycles at least; where R
rows of C share a load of B, and S columns one of A, 2 n^3 (1/R + 1/S) bytes are loaded from L2.
"""

import argparse

import ml_dtypes
import numpy as np

import gpusim
import gpusim.cuda
from gpusim.catalogue.lookup import builtin_folder
from gpusim.progress import ProgressLine
from gpusim.report import show, why
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_factor, format_share

GPU, N = "h100-sxm", 4096
CUDA_CORES, DESCRIBED = "matmul-tiled-bf16", ("matmul-tiled-bf16", "matmul-tensor-bf16")
BY_HAND = {  # a block an SM that goes from tile to tile; rows of a box of B; threads; bytes of dynamic shared memory
    "wgmma_shared": (False, None, 256, 33792),
    "wgmma_tma": (False, 128, 256, 132096),
    "wgmma_specialised": (False, 256, 384, 214016),
    "wgmma_persistent": (True, 256, 384, 214016),
    "wgmma_cluster": (True, 128, 384, 214016),
}
STEPS = {  # what is new; rows and columns of C that share a load of B and of A
    "matmul-tiled-bf16": ("tiles in shared memory, sums by CUDA cores", 32, 32),
    "matmul-tensor-bf16": ("tensor cores by mma.sync, tiles by cp.async", 128, 128),
    "wgmma_shared": ("tensor cores by wgmma, tiles by threads, one after another", 128, 128),
    "wgmma_tma": ("tiles by the TMA unit, up to four ahead", 128, 128),
    "wgmma_specialised": ("a warp that only asks for tiles, and wider tiles", 128, 256),
    "wgmma_persistent": ("a block an SM that stays, tiles in an order that L2 likes", 128, 256),
    "wgmma_cluster": ("two blocks that share tiles of B", 256, 256),
}

# NVIDIA H100 80GB HBM3, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, clocks not fixed, cold caches, 2026-11:
# launches NAME NxNxN.  Cycles, duration in us.
H100 = {
    ("wgmma_shared", 4096): (1216345, 692.992),
    ("wgmma_tma", 4096): (451996, 266.72),
    ("wgmma_specialised", 4096): (296273, 186.336),
    ("wgmma_persistent", 4096): (283865, 181.504),
    ("wgmma_cluster", 4096): (287741, 185.344),
    ("wgmma_shared", 8192): (9477873, 5420.768),
    ("wgmma_tma", 8192): (3522272, 2182.784),
    ("wgmma_specialised", 8192): (2210510, 1424.384),
    ("wgmma_persistent", 8192): (2173138, 1400.672),
    ("wgmma_cluster", 8192): (2170707, 1426.016),
}


def side() -> int:
    """Give the size asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--n", type=int, default=N, help=f"side of the matrices, a multiple of 256; measured were 4096 and 8192 [{N}]"
    )
    n: int = parser.parse_args().n
    if n < 256 or n % 256:
        parser.error(f"--n: {n} is no multiple of 256, which tiles of two blocks of a cluster and of 256 columns need")
    return n


def by_hand(module: gpusim.cuda.Module, name: str, n: int, progress: ProgressLine) -> gpusim.Profile:
    """Predict a step that is written by hand."""
    stays, of_b, threads, shared = BY_HAND[name]
    _, rows, columns = STEPS[name]
    rows = min(rows, 128)  # of a block
    matrices = [np.zeros((n, n), ml_dtypes.bfloat16) for _ in range(3)]
    boxes = [(rows, 64), (of_b, 64)] if of_b else []
    boxes += [(64, 64)] if columns == 256 else []
    maps = [gpusim.TensorMap(array, box, swizzle=128) for array, box in zip(matrices, boxes, strict=False)]
    arguments = [*maps, *matrices[len(maps) :], *[np.int32(n)] * 3]
    grid = gpusim.load_gpu(GPU).sm_count if stays else (n // columns, n // rows)
    how = {"gpu": GPU, "dynamic_shared": shared, "values": False, "progress": progress}
    return gpusim.profile(module.kernel(name), grid, threads, arguments, **how)


def predict(n: int) -> dict[str, gpusim.Profile]:
    """Predict every step."""
    module = gpusim.cuda.compile(builtin_folder() / "matmul_wgmma.cu", gpu=GPU)
    with ProgressLine() as progress:
        found = {name: gpusim.predict(name, GPU, n=n, sample="quick", progress=progress) for name in DESCRIBED}
        return found | {name: by_hand(module, name, n, progress) for name in BY_HAND}


def row(name: str, n: int, found: gpusim.Profile, before: gpusim.Profile | None) -> list[str]:
    """Give the table's row for one step."""
    _, rows, columns = STEPS[name]
    cycles, microseconds = H100.get((name, n), (0, 0.0))
    return [
        name,
        format_bytes(2 * n**3 * (1 / rows + 1 / columns)),
        format_bytes(found.l2_read_bytes),
        f"{found.cycles:.0f}",
        format_share(n**3 / (2048 * gpusim.load_gpu(GPU).sm_count) / found.cycles),
        f"{rate(n, found.seconds):.0f}",
        format_factor(before.seconds / found.seconds) if before else NOTHING,
        str(cycles or NOTHING),
        f"{rate(n, microseconds * 1e-6):.0f}" if cycles else NOTHING,
    ]


def rate(n: int, seconds: float) -> float:
    """Give TFLOP/s."""
    return 2e-12 * n**3 / seconds


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    n = side()
    found = predict(n)
    before = dict(zip([*found][1:], found.values(), strict=False))
    heading = ["step", "formula", "L2 reads", "cycles", "of peak", "TFLOP/s", "faster", "H100 cycles", "TFLOP/s"]
    rows = [row(name, n, profile, before.get(name)) for name, profile in found.items()]
    binds = [f"{name}: {STEPS[name][0]}; {why(profile)}" for name, profile in found.items()]
    best = max(found, key=lambda name: -found[name].seconds)
    about = f"C = A B of bf16, {n} x {n} x {n}, on {GPU}; of peak: least cycles over cycles; faster: than before:"
    end = (
        f"From CUDA cores to {best} it is {format_factor(found[CUDA_CORES].seconds / found[best].seconds)} times. "
        "L2 reads are fewer than the formula's where SMs of a GPC ask for the same at the same time. Predicted are "
        "TFLOP/s at the clock of single launches. The clock of the H100 that was measured went down to 1.5 to 1.7 GHz, "
        "because tensor cores at work bring it to its limit of power: compare cycles."
    )
    shown = len(heading) if any(size == n for _, size in H100) else heading.index("H100 cycles")
    table = table_of([cells[:shown] for cells in (heading, *rows)], right=range(1, shown))
    show([__doc__, about, "", *table, "", "What binds:", *binds, "", end])


if __name__ == "__main__":
    main()
