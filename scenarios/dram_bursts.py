"""Why do neighbours come along when one float is read from HBM, and what does skipping them cost?

Claim: DRAM is read in bursts and caches fetch whole sectors: 4 bytes cost 64 on an H200. Floats 8
apart take a sector each, floats 16 apart a burst each.
Formula: with floats s apart, sectors of 32 bytes take min(4 s, 32) bytes a float, HBM min(4 s, F)
where a miss brings F. Of the bandwidth 4/min(4 s, F) is of use.
"""

import argparse

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_number, format_seconds, format_share

N, STRIDES = 1 << 20, (1, 2, 4, 8, 16, 32)
BESIDE = ("h200", "a100-40gb", "v100", "rtx-4090")  # whose numbers are shown
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"

# NVIDIA H200, driver 580.159, CUDA 13.0, Nsight Compute 2025.3.1, 1980 MHz, cold caches, 2026-11: launches
# strided_sS_1048576.  By S: bytes that HBM read, duration in ns.
H200 = {
    1: (4197120, 5264),
    2: (8391424, 5504),
    4: (16780032, 6752),
    8: (33557888, 10272),
    32: (67115392, 20384),
}


def read(profile: gpusim.Profile) -> int:
    """Give the bytes of x that HBM read: without those of the kernel's code."""
    return next(array.dram_bytes for array in profile.arrays if array.name == "x")


def row(gpu: str, stride: int, burst: int) -> list[str]:
    """Give the table's row for floats `stride` apart."""
    profile = gpusim.predict("copy-strided", gpu, n=N, stride=stride)
    moved, asked = read(profile), 4 * N
    bytes_measured, nanoseconds = H200.get(stride, (0, 0)) if gpu == "h200" else (0, 0)
    return [
        str(stride), format_bytes(asked), format_bytes(32 * profile.value(SECTORS)),
        format_bytes(N * min(4 * stride, burst)), format_bytes(moved), format_share(asked / moved),
        *(format_number(nbytes / profile.seconds / 1e9) for nbytes in (moved, asked)), format_seconds(profile.seconds),
        format_bytes(bytes_measured) if bytes_measured else NOTHING,
        format_seconds(nanoseconds / 1e9) if nanoseconds else NOTHING,
    ]  # fmt: skip


def numbers(gpu: str) -> list[str]:
    """Give what the model knows of a GPU's memory, and what one float read from it brings."""
    spec = gpusim.load_gpu(gpu)
    one = gpusim.predict("copy-strided", gpu, n=1, stride=1, block=32)
    known = (spec.l2.sector_bytes, spec.l2.fetch_bytes, read(one), spec.l2.line_bytes, spec.dram.channel_stretch_bytes)
    return [gpu, spec.dram.type, *map(str, known), str(spec.dram.channels)]


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", default="h200", help="whose memory is read [h200]")
    gpu = parser.parse_args().gpu
    burst = gpusim.load_gpu(gpu).l2.fetch_bytes
    heading = "s  asked  sectors  formula  HBM reads  of use  HBM GB/s  of use GB/s  time  H200 reads  H200 time"
    rows = [heading.split("  "), *(row(gpu, stride, burst) for stride in STRIDES)]
    columns = "GPU  type  sector  a miss  one float  line  in a channel  channels"
    known = [columns.split("  "), *map(numbers, BESIDE)]
    about = f"y[i] = x[i s] of {N} floats on {gpu}: bytes of x. Formula: N min(4 s, {burst}). Caches are cold."
    beside = "What the model has of each GPU's memory, in bytes:"
    why = (
        "Burst: a miss brings 64 bytes, two sectors, where L2 fetches pairs; 32 on a V100. So the second sector is "
        "there before anyone asks. Floats 16 apart cost HBM as much as floats 32 apart, though L1 counts the sectors "
        "of both alike from 8 on. A line's other half follows as a second read of the same channel. Channel: so many "
        "bytes in a row lie in one channel, the next ones in another; a long row keeps all channels at work. Banks "
        "and rows within a channel are not modelled: no row is opened or closed, and a jump costs no more than its "
        "burst. What rows cost a stream is inside the measured bandwidth. With s = 32 the H200 took longer than is "
        "predicted; rows may be why, but nobody has shown it."
    )
    tables = [*table_of(rows, right=range(11)), "", beside, "", *table_of(known, right=range(2, 8))]
    show([__doc__, about, "", *tables, "", why])


if __name__ == "__main__":
    main()
