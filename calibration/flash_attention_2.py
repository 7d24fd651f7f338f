"""FlashAttention-2 on tensor cores: TFLOP/s here, as published, and on a GPU of ours.

Run by hand: ``python -m calibration.flash_attention_2`` writes its part of docs/attention.md (half an hour).  On a
machine with an H100, CuPy and Nsight Compute ``python -m calibration.flash_attention_2 measure FILE.cubin`` measures
the kernels of a cubin and writes data/h100_flash_mma.json.
"""

from __future__ import annotations

import csv
import datetime
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration import bench, ncu

PAGE = Path(__file__).parents[1] / "docs" / "attention.md"
SECOND_PART = "## FlashAttention-3"
"""How the page's second part begins."""
MEASURED = bench.DATA / "h100_flash_mma.json"
TOKENS, HIDDEN = 16384, 2048  # of a batch, of all heads: what the published runs have
THREADS, QUERIES = 128, 128  # of a block
SHARED = {64: 16384 + 4 * 8192, 128: 32768 + 3 * 16384}  # bytes a block, by head dimension
STALLS = (
    "wait", "short_scoreboard", "long_scoreboard", "barrier", "math_pipe_throttle", "mio_throttle", "lg_throttle",
    "not_selected", "no_instruction", "dispatch_stall",
)  # fmt: skip
METRICS = (
    "gpc__cycles_elapsed.max", "gpu__time_duration.sum", "sm__cycles_active.avg", "smsp__inst_executed.sum",
    "sm__inst_executed_pipe_tensor.sum", "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "lts__t_sectors_srcunit_tex_op_read.sum", "dram__bytes_read.sum",
    *(f"smsp__average_warps_issue_stalled_{why}_per_issue_active.ratio" for why in STALLS),
)  # fmt: skip
SECONDS = 0.3  # for which launches follow one another when they are timed


class Shape(NamedTuple):
    """A layer of attention: rows of a head, elements of a row, and whether later keys are masked."""

    d: int
    causal: bool
    N: int

    @property
    def kernel(self) -> str:
        """Name of the kernel in the source."""
        return f"fa2_d{self.d}{'_causal' if self.causal else ''}"

    @property
    def heads(self) -> int:
        """Of all sequences of the batch together."""
        return TOKENS // self.N * (HIDDEN // self.d)

    @property
    def grid(self) -> tuple[int, int]:
        """Blocks along x and y."""
        return -(-self.N // QUERIES), self.heads

    @property
    def flops(self) -> float:
        """As the published rates count: of both products, half of them where causal."""
        return 4.0 * self.heads * self.N**2 * self.d / (2 if self.causal else 1)

    def __str__(self) -> str:
        return f"{self.d} | {'yes' if self.causal else 'no'} | {self.N}"


SHAPES = [
    Shape(d, causal, N) for d in (64, 128) for causal in (False, True) for N in (512, 1024, 2048, 4096, 8192, 16384)
]
PREDICTED = {"h100-sxm": SHAPES, "a100-80gb": [shape for shape in SHAPES if shape.N in (512, 2048, 8192)]}
"""By GPU; a shape takes a minute or two."""


def published(gpu: str, mode: str = "fwd", kernel: str = "fa2") -> dict[Shape, float]:
    """TFLOP/s of the authors' kernels or of ``standard`` attention.

    Read off the figures of github.com/Dao-AILab/flash-attention, assets/.
    """
    with (bench.DATA / "flash_attention_tflops.csv").open() as file:
        rows = [r for r in csv.DictReader(file) if (r["gpu"], r["mode"], r["kernel"]) == (gpu, mode, kernel)]
    return {Shape(int(r["d"]), r["causal"] == "1", int(r["N"])): float(r["tflops"]) for r in rows}


def arguments(d: int, N: int, heads: int) -> list[Any]:
    """N, scale, Q, K, V, O and L of zeros."""
    halves = [np.broadcast_to(np.float16(0), (heads, N, d)) for _ in range(4)]
    return [np.int32(N), np.float32(d**-0.5), *halves, np.broadcast_to(np.float32(0), (heads, N))]


@cache
def _module(gpu: str) -> Any:
    from gpusim import cuda
    from gpusim.catalogue import lookup

    return cuda.compile(lookup.builtin_folder() / "flash_attention_2_mma.cu", gpu=gpu)


def run(kernel: str, N: int, heads: int, gpu: str) -> Any:
    """Profile of a launch whose caches are cold; no values are computed."""
    from gpusim.frontends.cuda import profile

    d, grid = 128 if "128" in kernel else 64, (-(-N // QUERIES), heads)
    code, args = _module(gpu).kernel(kernel), arguments(d, N, heads)
    return profile(code, grid, THREADS, args, gpu=gpu, dynamic_shared=SHARED[d], values=False)


# ---------------------------------------------------------------- the page


def part(here: dict[str, dict[Shape, float]], cycles: dict[Shape, float]) -> str:
    """Its part of the page, from TFLOP/s by GPU and cycles on an H100 whose caches are cold."""
    tables = [*_rates(here["h100-sxm"]), *_both_passes(here["a100-80gb"]), *_cycles(cycles)]
    return (bench.NOTES / "attention.md").read_text() + "\n".join(tables) + "\n"


def write_part(text: str, *, first: bool) -> None:
    """Write the first or the second part of docs/attention.md, and leave the other as it is.

    Parameters
    ----------
    text : str
    first : bool
    """
    before, heading, after = PAGE.read_text().partition(SECOND_PART)
    PAGE.write_text(f"{text}\n{heading}{after}" if first else before.rstrip("\n") + f"\n\n{text}")


def mean_error(errors: Sequence[float]) -> str:
    """Mean and greatest of the errors' sizes, in words."""
    return f"{np.mean(np.abs(errors)):.1%}, at most {np.max(np.abs(errors)):.1%}"


def _rates(here: dict[Shape, float]) -> Iterator[str]:
    theirs = published("h100-sxm")
    timed = {_shape(row): row for row in json.loads(MEASURED.read_text())["times"]}
    ours = {shape: row["flops_per_s"] * 1e-12 for shape, row in timed.items()}
    yield "\n## H100 SXM5, forward, TFLOP/s\n"
    yield "| d | causal | N | published | our kernel there | MHz | predicted | to published | to our kernel |"
    yield "|--:|---|--:|--:|--:|--:|--:|--:|--:|"
    for shape, rate in here.items():
        errors = f"{rate / theirs[shape] - 1:+.1%} | {rate / ours[shape] - 1:+.1%}"
        there = f"{theirs[shape]:.0f} | {ours[shape]:.0f} | {timed[shape]['mhz']:.0f}"
        yield f"| {shape} | {there} | {rate:.0f} | {errors} |"
    for what, measured in (("published rates", theirs), ("the same kernels on an H100", ours)):
        yield f"\nMean error to {what}: {mean_error([rate / measured[s] - 1 for s, rate in here.items()])}."


def _both_passes(here: dict[Shape, float]) -> Iterator[str]:
    theirs = published("a100-80gb", "fwd+bwd")
    yield "\n## A100 SXM4 80 GB, TFLOP/s\n"
    yield "| d | causal | N | published, both passes | predicted, forward | ratio |"
    yield "|--:|---|--:|--:|--:|--:|"
    for shape, rate in here.items():
        yield f"| {shape} | {theirs[shape]:.0f} | {rate:.0f} | {rate / theirs[shape]:.2f} |"


def _cycles(here: dict[Shape, float]) -> Iterator[str]:
    rows = json.loads(MEASURED.read_text())["launches"]
    there = {_shape(row): row["metrics"]["gpc__cycles_elapsed.max"] for row in rows}
    yield "\n## Cycles of our kernel on an H100, caches cold\n"
    yield "| d | causal | N | measured | here | error |"
    yield "|--:|---|--:|--:|--:|--:|"
    for shape, value in here.items():
        yield f"| {shape} | {there[shape]} | {value:.0f} | {value / there[shape] - 1:+.1%} |"
    yield f"\nMean error: {mean_error([value / there[shape] - 1 for shape, value in here.items()])}."


def _shape(row: dict[str, Any]) -> Shape:
    return Shape(row["d"], row["causal"], row["N"])


# ---------------------------------------------------------------- on a GPU


class _Layer(NamedTuple):
    """What a shape's kernel is launched with, on the GPU."""

    shape: Shape
    function: Any
    arrays: tuple[Any, ...]

    def launch(self) -> None:
        numbers = np.int32(self.shape.N), np.float32(self.shape.d**-0.5)
        self.function(self.shape.grid, (THREADS,), (*numbers, *self.arrays), shared_mem=SHARED[self.shape.d])


def _layer(shape: Shape, cubin: Path) -> _Layer:
    import cupy

    function = cupy.RawModule(path=str(cubin)).get_function(shape.kernel)
    function.max_dynamic_shared_size_bytes = SHARED[shape.d]
    size, rng = (shape.heads, shape.N, shape.d), cupy.random.default_rng(0)
    inputs = [rng.standard_normal(size, cupy.float32).astype(cupy.float16) for _ in range(3)]
    return _Layer(shape, function, (*inputs, cupy.zeros(size, cupy.float16), cupy.zeros(size[:2], cupy.float32)))


def _furthest(layer: _Layer) -> float:
    """Greatest error of 64 rows of the first and the last head, against float64."""
    import cupy

    shape, worst = layer.shape, 0.0
    rows = np.linspace(0, shape.N - 1, 64).astype(int)
    for head in (0, shape.heads - 1):
        q, k, v, found = (a[head].astype(cupy.float64) for a in layer.arrays[:4])
        scores = q[rows] @ k.T * shape.d**-0.5
        if shape.causal:
            scores[cupy.arange(shape.N)[None, :] > cupy.asarray(rows)[:, None]] = -cupy.inf
        weights = cupy.exp(scores - scores.max(axis=1, keepdims=True))
        want = weights @ v / weights.sum(axis=1, keepdims=True)
        worst = max(worst, float(cupy.abs(found[rows] - want).max()))
    return worst


def _launch_all(cubin: Path) -> None:
    """Launch each shape once, seen by the profiler."""
    import cupy

    for shape in SHAPES:
        layer = _layer(shape, cubin)
        cupy.cuda.profiler.start()
        layer.launch()
        cupy.cuda.profiler.stop()


def _time(layer: _Layer) -> dict[str, Any]:
    """Seconds of a launch among many that follow one another, and the clock and power meanwhile."""
    import cupy
    import pynvml

    pynvml.nvmlInit()
    device = pynvml.nvmlDeviceGetHandleByIndex(0)
    layer.launch()
    error = _furthest(layer)
    begin, end, count = cupy.cuda.Event(), cupy.cuda.Event(), max(10, int(SECONDS / (layer.shape.flops / 3e14)))
    begin.record()
    for _ in range(count):
        layer.launch()
    end.record()
    clocks, watts = [], []
    while not end.done:
        clocks.append(pynvml.nvmlDeviceGetClockInfo(device, pynvml.NVML_CLOCK_SM))
        watts.append(pynvml.nvmlDeviceGetPowerUsage(device) / 1000)
        time.sleep(0.002)
    seconds = cupy.cuda.get_elapsed_time(begin, end) / 1000 / count
    return {
        **layer.shape._asdict(), "us": round(seconds * 1e6, 1), "flops_per_s": round(layer.shape.flops / seconds),
        "mhz": float(np.median(clocks[len(clocks) // 2 :])), "watts": round(float(np.median(watts))), "error": error,
    }  # fmt: skip


def measure(cubin: Path) -> None:
    """Measure every shape on this machine's GPU, and write the table whole."""
    import cupy
    import pynvml

    pynvml.nvmlInit()
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    times = [_time(_layer(shape, cubin)) for shape in SHAPES]
    found = ncu.counters(["-m", "calibration.flash_attention_2", "launch", str(cubin)], METRICS)
    launches = [{**s._asdict(), "metrics": counted} for s, counted in zip(SHAPES, found, strict=True)]
    head = {
        "device": f"{device}, driver {pynvml.nvmlSystemGetDriverVersion()}",
        "profiler": "Nsight Compute, --clock-control none, caches flushed",
        "date": f"{datetime.datetime.now():%Y-%m-%d}",
        "source": "kernels/flash_attention_2_mma.cu",
        "what": f"times: launches of {TOKENS} tokens, hidden size {HIDDEN}, one after another for {SECONDS} s, normal "
        "numbers, with clock and power meanwhile and the greatest error of 128 rows of O against float64; launches: "
        "counters of one",
    }
    ncu.write_table(MEASURED, head, times=times, launches=launches)


def predicted(shape: Shape, gpu: str) -> tuple[float, float]:
    """TFLOP/s and cycles."""
    profile = run(shape.kernel, shape.N, shape.heads, gpu)
    return 1e-12 * shape.flops / profile.seconds, profile.cycles


def main() -> None:
    """Write its part of the page."""
    with ProcessPoolExecutor() as pool:
        waiting = {gpu: {s: pool.submit(predicted, s, gpu) for s in shapes} for gpu, shapes in PREDICTED.items()}
        found = {gpu: {shape: future.result() for shape, future in of.items()} for gpu, of in waiting.items()}
    rates = {gpu: {shape: rate for shape, (rate, _) in of.items()} for gpu, of in found.items()}
    cycles = {shape: count for shape, (_, count) in found["h100-sxm"].items()}
    write_part(part(rates, cycles), first=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["launch"]:
        _launch_all(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["measure"]:
        measure(Path(sys.argv[2]))
    else:
        main()
