"""What does fusing n pointwise kernels into one save: bytes, launches, or neither?

Claim: n - 1 round trips through memory, so a chain of n stages is up to n times faster fused.
Formula: apart n kernels move 2 n N elements, fused 2 N; stages that read two arrays save more.
Least time is bytes over HBM's bandwidth and a launch for every kernel.
"""

import argparse

import gpusim
from gpusim.catalogue.lookup import chain
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_count, format_factor, format_seconds

fusion, pipeline, roofline = gpusim.model.fusion, gpusim.model.pipeline, gpusim.model.roofline

GPU = "h200"
SMALL, MIDDLE, LARGE = 1 << 14, 1 << 20, 1 << 24  # elements: arrays of 66 kB, 4.2 MB (both fit L2) and 67 MB
FUSED = {"chain3-unfused": "chain3-fused", "gelu-unfused": "gelu", "elu-unfused": "elu", "sin2cos2-unfused": "sin2cos2"}
CASES = [(name, N) for name in list(FUSED)[:2] for N in (SMALL, MIDDLE, LARGE)]
CASES += [(name, N) for name in list(FUSED)[2:] for N in (SMALL, MIDDLE)]


def stages(n: int, N: int):
    """Give the pipeline of n stages on N floats, each on the output of the one before."""
    steps = [(f"stage {i}", [f"a{i}"], [f"a{i + 1}"]) for i in range(n)]
    return pipeline.build(steps, {f"a{i}": 4 * N for i in range(n + 1)})


def kernels(name: str, N: int):
    """Give the pipeline of a chain of the catalogue."""
    launch, steps = chain(name).launch(N=N), []
    for label, step in zip(chain(name).labels, launch.steps, strict=True):
        reads = [array for array, spec in step.arrays if spec.intent == "in"]
        steps.append((f"kernel {label}", reads, [array for array, _ in step.arrays if array not in reads]))
    return pipeline.build(steps, launch.nbytes)


def both(apart):
    """Give a pipeline, and it fused into one kernel."""
    return apart, pipeline.fuse(apart, [pipeline.kernels(apart)])


def formula_row(n: int, launch: float) -> list[str]:
    """Give the row of n stages: elements, round trips, and the least time of few elements and of many."""
    counted = fusion.PointwiseChain(stages=n, elements=1)
    times = [
        pipeline.seconds(way, roofline.bandwidth(GPU), launch) for N in (SMALL, LARGE) for way in both(stages(n, N))
    ]
    elements = [f"{way} N" for way in (counted.unfused_elements, counted.fused_elements)]
    return [
        str(n),
        *elements,
        str(counted.saved_elements // 2),
        format_factor(counted.speedup),
        *map(format_seconds, times),
    ]


def row(name: str, N: int) -> list[str]:
    """Give the row of a chain of the catalogue, kernel by kernel and fused, both simulated."""
    with ProgressLine() as progress:
        apart = gpusim.predict_chain(name, GPU, N=N, progress=progress)
        fused = gpusim.predict(FUSED[name], GPU, N=N, progress=progress)
    moved = [pipeline.traffic(way).total_bytes for way in both(kernels(name, N))]
    found = [
        *(f"{nbytes / (4 * N):.0f} N" for nbytes in moved), format_factor(moved[0] / moved[1]),
        *map(format_bytes, (apart.dram_bytes, fused.dram_bytes)), format_factor(apart.dram_bytes / fused.dram_bytes),
        *map(format_seconds, (apart.seconds, fused.seconds)), format_factor(apart.seconds / fused.seconds),
    ]  # fmt: skip
    return [f"{FUSED[name].removesuffix('-fused')}, {len(apart.steps)}", format_count(N), *found]


def main() -> None:
    """Print claim, formula and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, help="elements, of every chain [16384, 1048576 and of two 16777216]")
    n = parser.parse_args().n
    launch = gpusim.predict("copy", GPU, n=32).seconds
    heading = "n  apart  fused  round trips saved  factor  apart, small  fused  apart, large  fused"
    formula = [heading.split("  "), *(formula_row(stages, launch) for stages in range(2, 9))]
    heading = "chain, of  N  apart  fused  factor  HBM apart  fused  factor  time apart  fused  factor"
    rows = [heading.split("  "), *(row(name, N) for name, N in ([(name, n) for name in FUSED] if n else CASES))]
    about = (
        f"Formula for n stages, and least time on {GPU} for N = {format_count(SMALL)} and {format_count(LARGE)}, "
        f"{format_seconds(launch)} a launch:"
    )
    why = (
        "Where L2 holds what is passed on, HBM sees the input alone, fused or not, and the code of each kernel. "
        "Fusion saves no byte of an array, and yet time falls by nearly the number of kernels, for launches (small N) "
        "and for passes through L2. With arrays beyond L2 HBM moves what the formula says, less what L2 still holds: "
        "some of what is passed on, and of the result. Even then kernels take longer than their bytes: with an "
        "element a thread handing out the blocks is in the way, and fusion saves that too. What lies between two "
        "launches is not in these times."
    )
    tables = [
        *table_of(formula, right=range(9)),
        "",
        "Simulated, of so many kernels:",
        "",
        *table_of(rows, right=range(1, 11), keys=2),
    ]
    show([__doc__, about, "", *tables, "", why])


if __name__ == "__main__":
    main()
