"""What does a launch cost, on the GPU and on the host, and when does fusing small kernels pay for it?

Claim: a launch costs 5 to 10 us. That is the host's part; on the GPU an empty kernel takes 1 to 2,
and launches follow one another without a gap as long as the host is ahead.
Formula: n kernels of t seconds, h of the host's a launch: asked for at once they take about
max(n h + t, h + n t), each waited for n (h + t), fused h + t'.
"""

import argparse
import json
from pathlib import Path

import gpusim.cuda
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_count, format_factor, format_seconds

GPU, APART, FUSED = "h200", "gelu-unfused", "gelu"
BESIDE = ("h200", "h100-sxm", "a100-40gb", "rtx-4090")
LENGTHS = [1 << 12, 1 << 16, 1 << 20, 1 << 22]
QUOTED = (5e-6, 10e-6)  # seconds of the host's a launch, as lectures have them
MEASURED = Path(gpusim.__file__).parent / "data" / f"launch-overhead-{GPU}.json"
ASKED, WAITED = "asked for", "each waited for"

# NVIDIA H200, driver 580.159, CUDA 13.0, 1980 MHz, 2026-11: us a launch of an empty kernel of one block among 200 of a
# stream, and of a CUDA graph (calibration/data/launches/between_h200.txt).
H200 = {"in a stream": 1.3691, "in a graph": 0.5131}


def empty(gpu: str) -> float:
    """Give the predicted seconds of an empty kernel of one warp."""
    source = 'extern "C" __global__ void empty() {}'
    return gpusim.profile(gpusim.cuda.compile(source, gpu=gpu).kernel("empty"), 1, 32, gpu=gpu).seconds


def asked_at_once(times: list[float], host: float) -> float:
    """Give when the last of several kernels ends, of which the host asks for one each `host` seconds."""
    end = 0.0
    for number, time in enumerate(times, 1):
        end = max(end, number * host) + time
    return end


def row(N: int, host: float, progress: ProgressLine) -> list[str]:
    """Give the table's row: GELU's kernels on the GPU alone, then with the host; and the same fused."""
    apart = [of.seconds for of in gpusim.predict_chain(APART, GPU, N=N, progress=progress).steps]
    fused = gpusim.predict(FUSED, GPU, N=N, progress=progress).seconds
    at_once, waited, one = asked_at_once(apart, host), sum(apart) + len(apart) * host, fused + host
    times = map(format_seconds, (host, sum(apart), fused, at_once, waited, one))
    idle = "host" if at_once > sum(apart) + 1.5 * host else "GPU"
    return [format_count(N), *times, format_factor(at_once / one), format_factor(waited / one), idle]


def measured() -> dict[str, list[float]]:
    """Give what a host's clock said, microseconds by name: median, least and most; nothing where no file is."""
    return json.loads(MEASURED.read_text(encoding="utf-8"))["us"] if MEASURED.exists() else {}


def said(found: dict[str, list[float]]) -> str:
    """Say what was measured of the host, or that nothing was."""
    if not found:
        return (
            f"Nobody has measured the host beside an {GPU.upper()} yet: {' and '.join(map(format_seconds, QUOTED))} a "
            "launch are what lectures quote. python -m calibration.launch_overhead measures it, with a GPU."
        )
    figures = "; ".join(f"{name} {format_seconds(us / 1e6)}" for name, (us, *_) in found.items())
    return f"Measured by the host's clock beside an {GPU.upper()}, one each: {figures}."


def main() -> None:
    """Print claim, formula, prediction and measurement."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, nargs="+", metavar="N", default=LENGTHS, help="elements of GELU")
    lengths, found = parser.parse_args().n, measured()
    hosts = [found[ASKED][0] / 1e6, *QUOTED] if found else QUOTED
    alone = [["an empty kernel on", "predicted", *H200]]
    alone += [
        [gpu, format_seconds(empty(gpu)), *(format_seconds(us / 1e6) if gpu == GPU else "–" for us in H200.values())]
        for gpu in BESIDE
    ]
    with ProgressLine() as progress:
        rows = [row(N, host, progress) for host in hosts for N in lengths]
    heading = "N  host  GPU, apart  fused  at once, apart  waited for  fused  gain at once  waited for  waits for"
    spec = gpusim.load_gpu(GPU).launch
    about = (
        f"GELU of N elements as four kernels and as one, {GPU}. Host: its time a launch. GPU: launches alone; at once: "
        "the host asks for all; waited for: it waits for each; gains are of fusing."
    )
    why = (
        f"As long as kernels take less than the host needs to ask for the next, the GPU waits for the host: fusing n "
        "of them gains n-fold, whatever they compute. Longer kernels hide the host, and fusing saves their passes "
        f"through memory. In a graph a launch takes {format_seconds(spec.graph_saves_s)} less on the GPU, and the host "
        f"asks once. Two events are {format_seconds(spec.event_s)} further apart than what is between them takes."
    )
    table = table_of([heading.split("  "), *rows], right=range(9))
    show([__doc__, *table_of(alone, right=range(1, 4)), "", about, "", *table, "", said(found), "", why])


if __name__ == "__main__":
    main()
