"""What does halving the bytes of an element buy?

Claim: time, where memory binds and every thread still moves as many bytes; next to nothing where
threads move one element each, or where fp32 units do the arithmetic.
Formula: bytes = elements times their size; the roof is min(P, I b), with P the peak at that
precision, tensor cores allowed, I in FLOP/byte and b of HBM. Right of the ridge P/b it is P.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_factor, format_seconds, format_share

roofline = gpusim.model.roofline

LENGTH, SIDE = 1 << 24, 512
PEAKS = {"f32": "fp32", "f16": "fp16", "bf16": "bf16", "fp8": "fp8"}
LADDERS = {
    "copy, an element a thread": {"f32": "copy", "f16": "copy-f16", "fp8": "copy-fp8"},
    "copy, 16 bytes a thread": {"f32": "copy-vec4", "f16": "copy-vec8-f16", "fp8": "copy-vec16-fp8"},
    "relu, an element a thread": {"f32": "relu", "f16": "relu-f16", "bf16": "relu-bf16", "fp8": "relu-fp8"},
    "matmul, tiles of 32 x 32": {kind: f"matmul-tiled{'' if kind == 'f32' else f'-{kind}'}" for kind in PEAKS},
}


def predict(kernel: str, gpu: str) -> gpusim.Profile:
    """Predict one kernel of vectors or matrices."""
    with ProgressLine() as progress:
        return gpusim.predict(kernel, gpu, n=SIDE if kernel.startswith("matmul") else LENGTH, progress=progress)


def row(ladder: str, kind: str, profile: gpusim.Profile, whole: gpusim.Profile) -> list[str]:
    """Give the table's row for one type of elements, beside the same of fp32."""
    dtype = PEAKS[kind]
    roof = roofline.of_profile(profile, dtype, tensor_cores=kind != "f32")
    *_, memory = roof.ceilings
    return [
        ladder if kind == "f32" else "",
        kind,
        format_bytes(profile.dram_bytes),
        format_seconds(profile.seconds),
        format_factor(whole.seconds / profile.seconds),
        f"{memory.intensity:.2g}" if memory.intensity < 10 else f"{memory.intensity:.0f}",
        f"{roofline.ridge_point(profile.gpu, dtype, tensor_cores=kind != 'f32'):.0f}",
        format_share(max(memory.seconds, roof.flops / roof.peak_flops) / profile.seconds),
    ]


def main() -> None:
    """Print claim, formula and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", default="h200", help="a GPU with 8-bit floats: h200, h100-sxm, rtx-4090, ... [h200]")
    gpu = parser.parse_args().gpu
    rows = []
    for ladder, kernels in LADDERS.items():
        profiles = {kind: predict(kernel, gpu) for kind, kernel in kernels.items()}
        rows += [row(ladder, kind, profile, profiles["f32"]) for kind, profile in profiles.items()]
    heading = ["kernel", "type", "HBM", "time", "faster", "FLOP/byte", "ridge", "of the roof"]
    about = f"2^24 elements, matrices of {SIDE} x {SIDE} (fp8: C of bf16), on {gpu}:"
    why = (
        "With an element a thread there are as many blocks and requests as before, and handing out the blocks takes "
        "most of the time; 16 bytes a thread make fewer of both. The matmul computes in fp32 whatever it loads and "
        "converts every number that it reads, while the roof rises to that of tensor cores, which it does not use. "
        "What L2 still holds when a kernel ends has not gone to HBM."
    )
    show([__doc__, about, "", *table_of([heading, *rows], right=range(2, 8), keys=2), "", why])


if __name__ == "__main__":
    main()
