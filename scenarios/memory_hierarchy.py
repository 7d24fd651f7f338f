"""Which memory is meant by 20 MB and 19 TB/s, and is HBM 8 times slower?

Claim: all SMs' L1 and shared memory of an A100 together, which no single block sees; HBM is 12.5
times slower, not 8. Printed numbers mix boards, directions, and one SM with all of them.
Formula: SMs x bytes of an SM; SMs x 128 bytes x clock; cores = SMs x 128 (H100), links both ways.
"""

import argparse

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_capacity, format_count, format_factor

hierarchy, tables = gpusim.model.memory_hierarchy, gpusim.model.gpu_tables

A100, CHANNEL = "a100-40gb", 8 * 1.6e9  # bytes/s of one channel of DDR4-1600: 8 bytes wide
GENERATIONS = {"Pascal": "p100", "Volta": "v100", "Ampere": A100, "Hopper": "h200", "Blackwell": "b200"}
FIGURE = "Figure 1 of FlashAttention"


def levels(gpu: str) -> dict[str, hierarchy.Level]:
    """Give the levels of a GPU's memory by name."""
    return {level.name: level for level in hierarchy.levels(gpu)}


def pyramid() -> list[tuple[str, str, str, str]]:
    """Give what the pyramid of the FlashAttention paper says of an A100, and what it is."""
    of, gpu = levels(A100), gpusim.load_gpu(A100)
    near, hbm, host = of["L1 and shared"], of["HBM"], of["CPU DRAM"]
    clock = f"{gpu.clock.sm_hz / 1e9:.2f} GHz"
    return [
        ("20 MB", FIGURE, f"{gpu.sm_count} SMs x {format_capacity(near.sm_bytes)}", format_capacity(near.nbytes)),
        ("19 TB/s", FIGURE, f"{gpu.sm_count} SMs x 128 B x {clock}", f"{format_bytes(near.bytes_per_s)}/s"),
        ("1.5 TB/s", FIGURE, "HBM, as its datasheet says", f"{hbm.bytes_per_s / 1e12:.3f} TB/s"),
        ("8x", "lectures", "19.5 / 1.555 of these two", f"{near.bytes_per_s / hbm.bytes_per_s:.1f}x"),
        ("12.8 GB/s", FIGURE, "one channel of DDR4-1600", f"{format_bytes(CHANNEL)}/s"),
        ("", "", "a socket of 8 channels of DDR4-3200", f"{format_bytes(host.bytes_per_s)}/s"),
        ("", "", "PCIe, by which a copy arrives", f"{format_bytes(of['PCIe'].bytes_per_s)}/s"),
    ]


def cores() -> list[tuple[str, str, str, str]]:
    """Give CUDA cores of both H100."""
    found = []
    for quoted, name in (("14,592 cores", "h100-pcie"), ("16,896 cores", "h100-sxm")):
        gpu = gpusim.load_gpu(name)
        product = f"{name}: {gpu.sm_count} SMs x {gpu.sm.fp32_lanes}"
        found.append((quoted, "lectures", product, format_count(hierarchy.cuda_cores(gpu))))
    return found


def links() -> list[tuple[str, str, str, str]]:
    """Give NVLink one way, where vendors print both."""
    names = {"600 GB/s": A100, "900 GB/s": "h200", "1.8 TB/s": "b200"}
    rates = {quoted: levels(name)["NVLink"].bytes_per_s for quoted, name in names.items()}
    told = {quoted: f"NVLink of {name}, each way" for quoted, name in names.items()}
    return [(quoted, "datasheets", told[quoted], f"{format_bytes(rate)}/s") for quoted, rate in rates.items()]


def tensor_cores() -> list[tuple[str, ...]]:
    """Give FLOPs a cycle of an SM, by generation: of fp32 lanes, of tensor cores with halves, and their ratio."""
    rows: list[tuple[str, ...]] = [("generation", "GPU", "fp32", "tensor fp16", "times")]
    for generation, name in GENERATIONS.items():
        plain, tensor = 2 * gpusim.load_gpu(name).sm.fp32_lanes, hierarchy.tensor_flops_per_cycle(name)
        shown = (format_count(tensor), format_factor(tensor / plain)) if tensor else ("–", "–")
        rows.append((generation, name, format_count(plain), *shown))
    return rows


def main() -> None:
    """Print claim, formula and what the specifications say."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", default=A100, help=f"whose memory is shown level by level [{A100}]")
    gpu = gpusim.load_gpu(parser.parse_args().gpu)
    heading = ("quoted", "by", "is", "gpusim")
    quotes = table_of([heading, *pyramid(), *cores(), *links()], right=(3,))
    about = "FLOPs a cycle of an SM (a multiply-add is two); tensor cores by the peak and the clock of the datasheet:"
    own = format_capacity(gpusim.load_gpu(A100).shared.max_bytes_per_block)
    why = (
        f"A block sees the L1 and shared memory of its own SM alone: of the 20 MB it can ask for {own} on an A100. So "
        "tiles are sized by the SM, and the 20 MB say how much all SMs together hold back from HBM."
    )
    shown = [f"Memory of {gpu.full_name}:", "", *tables.hierarchy(gpu)]
    show([__doc__, *quotes, "", why, "", about, "", *table_of(tensor_cores(), right=(2, 3, 4)), "", *shown])


if __name__ == "__main__":
    main()
