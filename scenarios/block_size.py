"""Is FlashAttention faster with larger tiles because HBM has less to move?

Claim: larger tiles of keys mean fewer passes over Q and O, fewer HBM accesses and less time, until
something else binds (Dao et al. 2022, Figure 2, middle: on an A100 up to Bc = 256).
Formula: a pass reads Q and O and writes O; ceil(N/Bc) passes move 3 N d (ceil(N/Bc) + 1) elements a
head, and statistics. A pass has 4 Bc d FLOPs for 3 d elements of b bytes: HBM binds below
Bc = 3/4 b times the ridge point.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_seconds, format_share

BUSY = "{}.avg.pct_of_peak_sustained_elapsed"
HBM, L1 = BUSY.format("dram__throughput"), BUSY.format("l1tex__data_pipe_lsu_wavefronts")


def integers(text: str) -> list[int]:
    """Read ``8,16,32``."""
    return [int(part) for part in text.split(",")]


def arguments() -> argparse.Namespace:
    """Give the sizes asked for, or those that tell the story in seconds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", default="v100,a100-40gb", help="names [v100,a100-40gb]")
    parser.add_argument("--n", type=int, default=128, help="length of the sequences [128]")
    parser.add_argument("--d", type=int, default=32, help="of a head [32]")
    parser.add_argument("--heads", type=int, default=320, help="of all sequences together [320]")
    parser.add_argument("--Bc", type=integers, default=[16, 32, 64, 128], help="keys of a tile [16,32,64,128]")
    return parser.parse_args()


def row(profile: gpusim.Profile, Bc: int) -> list[str]:
    """Give the table's row for one size of the tiles."""
    formula = profile.textbook["reads"].nbytes + profile.textbook["writes"].nbytes
    l1 = profile.global_load_bytes + profile.global_store_bytes
    l2 = profile.l2_read_bytes + profile.l2_write_bytes
    return [
        profile.gpu,
        str(Bc),
        *map(format_bytes, (formula, l1, l2, profile.dram_bytes)),
        str(profile.blocks_per_sm),
        format_seconds(profile.seconds),
        format_share(profile.value(HBM) / 100),
        format_share(profile.value(L1) / 100),
    ]


def last(gpu: str, dtype: str, nbytes: int, tensor_cores: bool) -> int:
    """Give the largest tile of keys with which HBM binds, if it sees every pass."""
    return int(0.75 * nbytes * gpusim.model.roofline.ridge_point(gpu, dtype, tensor_cores=tensor_cores))


def main() -> None:
    """Print claim, formula and prediction."""
    given = arguments()
    sizes = {"N": given.n, "d": given.d, "H": given.heads}
    gpus = [gpusim.load_gpu(name) for name in given.gpu.split(",")]
    with ProgressLine() as progress:
        found = [
            (gpusim.predict("flash-attention-1", gpu, Bc=Bc, progress=progress, **sizes), Bc)
            for gpu in gpus
            for Bc in given.Bc
        ]
    heading = ["GPU", "Bc", "formula", "L1", "L2", "HBM", "blocks/SM", "time", "HBM busy", "L1 busy"]
    table = table_of([heading, *(row(*case) for case in found)], right=range(1, 10), keys=2)
    limits = ", ".join(f"{last(gpu.name, 'fp32', 4, False)} on {gpu.name}" for gpu in gpus)
    held = ", ".join(f"{gpu.name}: {format_bytes(gpu.l2.size_bytes)}" for gpu in gpus)
    why = (
        f"HBM sees the passes where Q and O of the heads at work outgrow L2 ({held}). Time falls either way, so here "
        "HBM is not the reason: a thread loads and stores its row 4 bytes at a time, each of a sector of 32, and it is "
        "L1's work that passes cost. Time rises again where large tiles leave room for few blocks on an SM."
    )
    roof = (
        f"By the roofline HBM binds up to Bc = {limits} in fp32, if it sees every pass; in fp16 on tensor cores up to "
        f"{last('a100-40gb', 'fp16', 2, True)} on an A100, where the paper's kernel gains up to 256."
    )
    about = f"{given.heads} heads of fp32, N = {given.n}, d = {given.d}, Br = 64; reads and writes together:"
    show([__doc__, about, "", *table, "", why, roof])


if __name__ == "__main__":
    main()
