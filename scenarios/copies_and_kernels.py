"""Where does time go if data is in the host's memory, and what do streams save?

Claim: copies over PCIe take longer than the kernel. In chunks, each with a stream of its own, they
overlap, and only the slowest of the three units shows.
Formula: k chunks of a, b and c seconds (in, kernel, out) take k (a + b + c) one after another, and
a + b + c + (k - 1) max(a, b, c) overlapped.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_factor, format_seconds

copies = gpusim.model.copies

CHUNKS, WIDTH = (1, 4, 16), 72
L, SIDE, N = 64, 256, 1 << 22
WORK = {
    "vector-add": (8 * N, 4 * N, lambda k: {"N": N // k}),
    "matmul-batched-nn": (8 * L * SIDE**2, 4 * L * SIDE**2, lambda k: {**dict.fromkeys("MNK", SIDE), "L": L // k}),
}
"""By kernel: bytes that go in, bytes that come out, and the sizes of one of k chunks."""
PLACES = [("a100-40gb", "PCIe"), ("h200", "PCIe"), ("h200", "NVLink-C2C")]


def chunk_of(kernel: str, gpu: str, link: str, k: int, progress: ProgressLine):
    """Give what one of k chunks takes: copies at the link's peak, the kernel as predicted."""
    into, out, sizes = WORK[kernel]
    rate = copies.link_bytes_per_s(gpu) if link == "PCIe" else copies.NVLINK_C2C_BYTES_PER_S
    took = gpusim.predict(kernel, gpu, sample="quick", progress=progress, **sizes(k)).seconds
    return copies.Chunk(copies.copy_seconds(into / k, rate), took, copies.copy_seconds(out / k, rate))


def row(kernel: str, gpu: str, link: str, k: int, chunk, whole: float) -> list[str]:
    """Give the table's row for k chunks; `whole` is the time without any."""
    apart, overlapped = (copies.total_seconds(way([chunk] * k)) for way in (copies.sequential, copies.overlapped))
    times = map(format_seconds, [*chunk.seconds, apart, overlapped])
    return [kernel, f"{gpu}, {link}", str(k), *times, format_factor(whole / overlapped)]


def draw(spans, until: float) -> list[str]:
    """Draw a line for each unit: the number of the chunk that it works on, dots where it waits."""
    lines = {unit: ["."] * WIDTH for unit in copies.UNITS}
    for span in spans:
        begin, end = (min(round(WIDTH * at / until), WIDTH - 1) for at in (span.begin_s, span.end_s))
        lines[span.unit][begin : max(end, begin + 1)] = str(span.chunk % 10) * max(end - begin, 1)
    return [f"{unit:9} {''.join(line)}" for unit, line in lines.items()]


def main() -> None:
    """Print claim, formula and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kernel", choices=[*WORK], help="one of the kernels [both]")
    only = parser.parse_args().kernel
    heading = "kernel  on  chunks  copy in  SMs  copy out  apart  overlapped  factor"
    table, pictures = [heading.split("  ")], []
    with ProgressLine() as progress:
        for kernel in [only] if only else WORK:
            for gpu, link in PLACES:
                chunks = {k: chunk_of(kernel, gpu, link, k, progress) for k in CHUNKS}
                whole = sum(chunks[1].seconds)
                table += [row(kernel, gpu, link, k, chunk, whole) for k, chunk in chunks.items()]
                if (gpu, link) == ("h200", "PCIe"):
                    ways = {"one after another": copies.sequential([chunks[1]])}
                    ways["4 chunks, overlapped"] = copies.overlapped([chunks[4]] * 4)
                    for way, spans in ways.items():
                        title = f"{kernel} on {gpu}, {way}: {format_seconds(copies.total_seconds(spans))}"
                        pictures += [title, *draw(spans, whole), ""]
    about = (
        f"vector-add of {N} floats, and {L} products of {SIDE} x {SIDE} matrices. Copy in, SMs, copy out: of one "
        "chunk, caches cold. Factor: time without chunks or streams over that. Links at their peak, one way; pinned."
    )
    why = (
        "An addition waits for PCIe nearly all the time, and streams can hide no more than the copy out: 1.5 times at "
        "best. With products the kernel has its share, and hides behind copies or they behind it. More chunks help "
        "less and less: what is left to hide is one chunk's way in and out, and kernels of small chunks no longer "
        "fill the GPU. What a copy takes besides its bytes, and what the host takes to ask for it, is not known here "
        "and not counted; it makes many chunks dearer than shown."
    )
    show([__doc__, about, "", *table_of(table, right=range(2, 9), keys=2), "", *pictures, why])


if __name__ == "__main__":
    main()
