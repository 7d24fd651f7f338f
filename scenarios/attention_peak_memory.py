"""How long a sequence can attention train on before a GPU's memory is full?

Claim: as a framework runs it standard attention keeps 5 bytes of every score and peaks at 7 in the
backward pass, so 80 GB end at 20 000 tokens in a layer, 4 000 in 32; FlashAttention grows with N.
Formula: kept, 16-bit elements: Q, K, V, O, and P 2 + dropout's mask 1 + its output 2 B H N^2 bytes,
or 4 B H N bytes of L. Peak: all tensors that live while a kernel runs, by what each reads, writes.
"""

import argparse

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_count, format_factor

training, pipeline = gpusim.model.attention_training, gpusim.model.pipeline

LENGTHS = (1024, 4096, 16384, 65536)
WAYS = {
    "standard, dropout": {"dropout": True},
    "standard": {},
    "FlashAttention-2": {"flash": True},
}


def layer(way: dict[str, bool], N: int, given: argparse.Namespace):
    """Give attention of one layer."""
    of = gpusim.model.attention_memory.Attention(N=N, d=given.d, B=given.batch, H=given.heads, dtype=given.dtype)
    return training.Training(of, **way)


def by_length(given: argparse.Namespace) -> list[list[str]]:
    """Give kept bytes and peaks of one layer, by length and way."""
    rows = [["N", "attention", "kept", "forward peak", "backward peak", "over flash"]]
    for N in LENGTHS:
        peaks = {name: layer(way, N, given).backward_peak_bytes for name, way in WAYS.items()}
        for name, way in WAYS.items():
            of = layer(way, N, given)
            nbytes = (of.kept_bytes, of.forward_peak_bytes, of.backward_peak_bytes)
            rows.append([str(N), name, *map(format_bytes, nbytes), format_factor(peaks[name] / [*peaks.values()][-1])])
    return rows


def by_kernel(N: int, given: argparse.Namespace) -> list[list[str]]:
    """Give what lives while each kernel of the backward pass runs, in bytes a score."""
    rows = [["attention", "backward pass", "lives", "bytes a score"]]
    for name, way in WAYS.items():
        of = layer(way, N, given)
        graph = of.backward()
        live = pipeline.live_bytes(graph, graph.graph["order"])
        scores = given.batch * given.heads * N * N
        for first, kernel, nbytes in zip([name, *[""] * len(live)], graph.graph["order"], live, strict=False):
            rows.append([first, kernel, format_bytes(nbytes), f"{nbytes / scores:.2f}"])
    return rows


def ends(given: argparse.Namespace) -> list[list[str]]:
    """Give the longest sequences, of one layer and of a model of many, with nothing else in memory."""
    memory = gpusim.hardware.load(given.gpu).dram.size_bytes
    rows = [["attention", "one layer", f"{given.layers} layers"]]
    for name, way in WAYS.items():
        lengths = (
            training.longest(lambda N, way=way, layers=layers: layer(way, N, given).model_peak_bytes(layers), memory)
            for layers in (1, given.layers)
        )
        rows.append([name, *map(format_count, lengths)])
    return rows


def main() -> None:
    """Print claim, formula and tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batch", type=int, default=1, help="sequences [1]")
    parser.add_argument("--heads", type=int, default=32, help="of a layer [32]")
    parser.add_argument("--d", type=int, default=128, help="of a head [128]")
    parser.add_argument("--dtype", default="bf16", help="of all tensors but statistics and mask [bf16]")
    parser.add_argument("--layers", type=int, default=32, help="of a model [32]")
    parser.add_argument("--gpu", default="h100-sxm", help="whose memory ends [h100-sxm]")
    given = parser.parse_args()
    memory = format_bytes(gpusim.hardware.load(given.gpu).dram.size_bytes)
    about = f"One layer, B = {given.batch}, H = {given.heads}, d = {given.d}, {given.dtype}:"
    why = (
        "Kept: between the passes. Longest: by the peak, all layers' tensors kept; weights, optimizer and the other "
        "activations take their share besides (scenario training-bytes). FlashAttention's backward pass adds up dQ "
        "in fp32. Derived from what each kernel reads and writes, not measured; a framework that runs softmax in fp32, "
        "or holds S too, needs more."
    )
    tables = [*table_of(by_length(given), right=(0, 2, 3, 4, 5), keys=2), "", f"At N = {LENGTHS[1]}, kernel by kernel:"]
    tables += ["", *table_of(by_kernel(LENGTHS[1], given), right=(2, 3)), ""]
    tables += [f"Longest sequence in the {memory} of {given.gpu}:", "", *table_of(ends(given), right=(1, 2))]
    show([__doc__, about, "", *tables, "", why])


if __name__ == "__main__":
    main()
