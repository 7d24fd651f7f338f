"""Which share of its peak does a GPU reach in FlashAttention-1, -2 and -3?

Claim: FlashAttention-1 reaches 25 to 40 % of an A100's tensor cores, -2 50 to 73 %; on an H100 -2
reaches 35 %, -3 by wgmma and the TMA unit up to 75 % (arXiv 2307.08691, 2407.08608).
Formula: a forward pass has 4 B H N^2 d FLOP, whatever it recomputes. Share of peak is FLOP over
time and the datasheet's dense FP16 rate: 312 TFLOP/s of an A100, 989 of an H100.
"""

import argparse
import runpy
from pathlib import Path

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_seconds, format_share

A100, H100 = "a100-40gb", "h100-sxm"
GENERATIONS = runpy.run_path(str(Path(__file__).with_name("flash_attention_generations.py")))
TOKENS, HIDDEN, flash_3 = (GENERATIONS[name] for name in ("TOKENS", "HIDDEN", "flash_3"))
HEADS_OF_3 = 33  # simulated of FlashAttention-3 with N = 1024: 264 blocks are two whole waves of an H100
CUDA, TENSOR = "CUDA", "tensor"
CASES = [
    ("FA-1", A100, CUDA, 512, 64), ("FA-1", H100, CUDA, 512, 64), ("FA-2", A100, CUDA, 512, 64),
    ("FA-2", H100, CUDA, 512, 64), ("FA-2", A100, TENSOR, 1024, 128), ("FA-2", H100, TENSOR, 1024, 128),
    ("FA-3", H100, TENSOR, 1024, 128),
]  # fmt: skip

# TFLOP/s, not causal, 16384 tokens, hidden size 2048, read off the figures of github.com/Dao-AILab/flash-attention
# (assets/), on an A100 SXM4 80 GB and an H100 SXM5, all on tensor cores.  By algorithm, GPU and N: which passes, rate.
PUBLISHED = {
    ("FA-1", A100, 512, 64): ("fwd+bwd", 91),
    ("FA-1", H100, 512, 64): ("fwd+bwd", 157),
    ("FA-2", A100, 1024, 128): ("fwd+bwd", 173),
    ("FA-2", H100, 1024, 128): ("fwd", 350),
    ("FA-3", H100, 1024, 128): ("fwd", 565),
}


def peak(gpu: str, cores: str) -> float:
    """Give the datasheet's FLOP/s: of fp32 on CUDA cores, of dense FP16 with f32 sums on tensor cores."""
    rates = gpusim.load_gpu(gpu).throughput
    return rates.fp32_flops if cores == CUDA else rates.tensor_fp16_flops


def seconds(way: str, gpu: str, cores: str, N: int, d: int, progress: ProgressLine) -> float:
    """Give the predicted time of a forward pass over 16384 tokens."""
    if way == "FA-3":
        return flash_3(N, progress, HEADS_OF_3)
    kernel = f"flash-attention-{way[-1]}-{'f16' if cores == CUDA else 'tensor'}"
    layer = {"B": TOKENS // N, "H": HIDDEN // d, "N": N, "d": d} | ({"Bc": 256} if way == "FA-1" else {})
    return gpusim.predict(kernel, gpu, sample="quick", progress=progress, **layer).seconds


def row(case: tuple, progress: ProgressLine) -> list[str]:
    """Give the table's row: rate and share as predicted, then as published."""
    way, gpu, cores, N, d = case
    took, flops = seconds(*case, progress), 4 * TOKENS * N * HIDDEN
    passes, rate = PUBLISHED.get((way, gpu, N, d), ("", 0)) if cores == TENSOR or way == "FA-1" else ("", 0)
    published = [passes, str(rate), format_share(1e12 * rate / peak(gpu, TENSOR))] if rate else [NOTHING] * 3
    return [
        way, gpu, cores, str(N), str(d), format_seconds(took), f"{flops / took / 1e12:.4g}",
        f"{peak(gpu, cores) / 1e12:.4g}", format_share(flops / took / peak(gpu, cores)), *published,
    ]  # fmt: skip


def main() -> None:
    """Print claim, formula, prediction and what was published."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=["FA-1", "FA-2", "FA-3"], help="one algorithm [all]")
    only = parser.parse_args().only
    with ProgressLine() as progress:
        rows = [row(case, progress) for case in CASES if only in (None, case[0])]
    heading = "kernel  GPU  cores  N  d  time  TFLOP/s  peak  share  published passes  TFLOP/s  of tensor peak"
    about = (
        "Forward, f16, not causal, 16384 tokens, hidden size 2048. Peak: TFLOP/s of the cores named, fp32 for CUDA "
        "cores, dense FP16 for tensor cores. Published are the authors' kernels, all on tensor cores."
    )
    why = (
        "FlashAttention-1 here is described for CUDA cores, so its share is of their fp32 peak; so is FA-2's where "
        "it stands beside it. The step from 1 to 2 keeps O in registers and has blocks for every tile of queries. "
        "On an H100 mma.sync reaches 64 % of the tensor cores' peak at best, so FA-2 cannot come near it; FA-3's "
        "wgmma can. FA-3 is simulated for two whole waves of blocks. Longer sequences come to more: docs/attention.md "
        "has them, of kernels in CUDA."
    )
    show([__doc__, about, "", *table_of([heading.split("  "), *rows], right=range(3, 12), keys=3), "", why])


if __name__ == "__main__":
    main()
