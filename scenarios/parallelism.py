"""Why is FlashAttention-2 so much faster than FlashAttention-1 at batch 1?

Claim: a block a head leaves SMs without work unless heads are many (Dao 2023, section 3.2: 80 or
more); a block for every tile of queries gives work to more SMs, and so does splitting the keys.
Formula: blocks are B H, B H ceil(N/Br), and S times that; min(blocks, SMs) of the SMs work, and
time falls as that grows. Splitting writes S (N d + N) elements more a head, and reads them again.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_factor, format_seconds

GPUS = {"a100-40gb": "A100", "h100-sxm": "H100"}
Found = gpusim.Profile | gpusim.ChainProfile


def arguments() -> argparse.Namespace:
    """Give the sizes asked for, or those that tell the story in seconds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=512, help="length of the sequence [512]")
    parser.add_argument("--heads", type=int, default=4, help="of the one sequence [4]")
    parser.add_argument("--splits", type=int, nargs="+", default=[2, 8, 16], help="ranges of keys [2 8 16]")
    return parser.parse_args()


def predict(gpu: str, given: argparse.Namespace) -> dict[str, Found]:
    """Predict both kernels, and FlashAttention-2 with the keys split."""
    sizes = {"B": 1, "H": given.heads, "N": given.n}
    found: dict[str, Found] = {}
    with ProgressLine() as progress:
        for number in (1, 2):
            kernel = f"flash-attention-{number}"
            found[f"Flash-{number}"] = gpusim.predict(kernel, gpu, progress=progress, **sizes)
        for S in given.splits:
            chain = gpusim.predict_chain("flash-attention-2-split", gpu, S=S, progress=progress, **sizes)
            found[f"S = {S}"] = chain
    return found


def launches(found: Found) -> tuple[gpusim.Profile, ...]:
    """Give what is launched: the kernel that attends, and of a split one the kernel that merges."""
    return found.steps if isinstance(found, gpusim.ChainProfile) else (found,)


def cells(found: Found, slowest: Found, sms: int) -> list[str]:
    """Give what a GPU has to say: bytes of L2, idle SMs, and how many times the SMs and the speed there are."""
    moved = sum(step.l2_read_bytes + step.l2_write_bytes for step in launches(found))
    at_work, before = (min(launches(each)[0].blocks, sms) for each in (found, slowest))
    times = (format_seconds(found.seconds), format_factor(slowest.seconds / found.seconds))
    return [format_bytes(moved), str(sms - at_work), format_factor(at_work / before), *times]


def main() -> None:
    """Print claim, formula and prediction."""
    given = arguments()
    found = {gpu: predict(gpu, given) for gpu in GPUS}
    sms = {gpu: gpusim.load_gpu(gpu).sm_count for gpu in GPUS}
    rows = [
        [name, str(launches(one)[0].blocks)]
        + [cell for gpu in GPUS for cell in cells(found[gpu][name], found[gpu]["Flash-1"], sms[gpu])]
        for name, one in next(iter(found.values())).items()
    ]
    heading = ["kernel", "blocks"]
    for short in GPUS.values():
        heading += [f"{short} L2", "idle", "SMs x", "time", "faster"]
    why = (
        "Time follows the SMs at work. From 1 to 2 a little more is gained, for O no longer goes through L2; by a "
        "split less: parts are stored and merged, and the description's code for them waits more for shared memory, "
        "which nvcc's does not. Once no SM is idle a second block on each still helps, as its warps work while others "
        "wait; then the parts cost more than is gained."
    )
    about = (
        f"One sequence of N = {given.n}, {given.heads} heads of fp32, d = 64; "
        + ", ".join(f"{short}: {sms[gpu]} SMs" for gpu, short in GPUS.items())
        + "; S = 2 and so on: Flash-2 with the keys in so many ranges:"
    )
    show([__doc__, about, "", *table_of([heading, *rows], right=range(1, 12)), "", why])


if __name__ == "__main__":
    main()
