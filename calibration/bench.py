"""What the microbenchmarks have in common: tables of an H200, kernels of the sources that come with gpusim, cases."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gpusim
from gpusim import cuda
from gpusim.frontends.cuda import profile
from gpusim.launches import plain

DATA, NOTES = Path(__file__).parent / "data", Path(__file__).parent / "notes"
SOURCES = Path(gpusim.__file__).parent / "data" / "microbenchmarks"
GPU, SMS = "h200", 132
ANSWERING = ("h100-sxm", "h200")
"""GPUs that questions go to."""
FRAGMENTS = plain.Filled("float16", "normal", 16384)
"""What the registers of matrix products are filled from."""


class Case(NamedTuple):
    """A number that a microbenchmark gave on an H200, and how the simulator comes to it.

    Attributes
    ----------
    group, name, unit : str
    measured : float
    simulate : callable
        Runs the microbenchmark through the simulator.
    floor : float
        Where less was measured, the residual is relative to this.
    silicon : callable or None
        How an H200 comes to it, where it cannot run what is simulated.
    """

    group: str
    name: str
    unit: str
    measured: float
    simulate: Callable[[], float]
    floor: float = 0.0
    silicon: Callable[[], float] | None = None


class Question(NamedTuple):
    """What a microbenchmark asks of any GPU that has its instructions; :mod:`calibration.launch_files` makes it a case.

    Attributes
    ----------
    group, name, unit : str
    answer : callable
        Runs the microbenchmark through the simulator of a GPU, by name.
    floor : float
        As a case's.
    """

    group: str
    name: str
    unit: str
    answer: Callable[[str], float]
    floor: float = 0.0


class Rewritten(NamedTuple):
    """Machine code of one of the sources, changed.

    Attributes
    ----------
    source : str
    name : str
        What distinguishes it from others of the source.
    change : callable
        From the cubin's bytes to others.
    options : tuple of str
        Compiler options.
    """

    source: str
    name: str
    change: Callable[[bytes], bytes]
    options: tuple[str, ...] = ()

    def cubin(self) -> bytes:
        """The file."""
        return self.change(module(self.source, self.options).cubin.data)


class Row(NamedTuple):
    """A case that was run."""

    group: str
    name: str
    unit: str
    measured: float
    simulated: float
    residual: float
    """By how much the simulator is above the hardware, relative to it."""


def on_gpu(group: str, gpu: str) -> str:
    """A group of questions as a GPU answered them."""
    return f"{group}, {gpu}"


def gpu_of(group: str) -> str:
    """The GPU on which a group of cases was measured.

    Examples
    --------
    >>> gpu_of(on_gpu("mbarriers", "h100-sxm")), gpu_of("copies of an SM, one by one"), gpu_of("L1")
    ('h100-sxm', 'h200', 'h200')
    """
    found = group.rpartition(", ")[2]
    return found if found in ANSWERING else GPU


def run(case: Case) -> Row:
    """Run a case."""
    got = float(case.simulate())
    residual = (got - case.measured) / max(abs(case.measured), case.floor)
    return Row(case.group, case.name, case.unit, case.measured, got, residual)


def each(
    group: str, unit: str, measured: dict[str, float], simulate: Callable[[str], float], prefix: str = ""
) -> Iterator[Case]:
    """Cases of a table of numbers; what is simulated follows from the key."""
    for key, value in measured.items():
        yield Case(group, f"{prefix} {key}".strip(), unit, value, lambda key=key: simulate(key))  # type: ignore[misc]


def in_cycles(
    group: str, measured: dict[str, dict[str, float]], cycles: Callable[[str, int], float], label: str
) -> Iterator[Case]:
    """Cases of a table in cycles, of kernels each at several numbers; ``label`` names both: ``"{}, {} warps"``."""
    for kernel, by_number in measured.items():
        for n, value in by_number.items():
            yield Case(group, label.format(kernel, n), "cycle", value, lambda k=kernel, n=int(n): cycles(k, n))  # type: ignore[misc]


def a_step(elapsed: Callable[[int], float], rounds: tuple[int, int], steps: int) -> float:
    """Cycles a step of a loop, from what few and many rounds of so many steps take."""
    few, many = rounds
    return (elapsed(many) - elapsed(few)) / (steps * (many - few))


@cache
def table(name: str) -> dict[str, Any]:
    """A table measured on an H200."""
    return json.loads((DATA / f"h200_{name}.json").read_text())


@cache
def module(source: str | Rewritten, options: tuple[str, ...] = ()) -> cuda.Module:
    """Machine code of one of the sources."""
    if isinstance(source, str):
        return cuda.compile(SOURCES / source, gpu="sm_90", options=options)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rewritten.cubin")
        file.write_bytes(source.cubin())
        return cuda.compile(file, gpu="sm_90")


def launch(
    source: str | Rewritten,
    kernel: str,
    grid: int,
    block: int,
    *args: Any,
    cache: str = "cold",
    shared: int = 0,
    gpu: str = GPU,
) -> gpusim.Profile:
    """Run a kernel of one of the sources here; arrays among its arguments hold its results afterwards.

    Parameters
    ----------
    source : str or Rewritten
    kernel : str
    grid, block : int
        Blocks, and threads of a block.
    *args
        Arrays, tensor maps and numbers.
    cache : {"cold", "warm"}
        How the launch finds the caches.
    shared : int
        Dynamic shared memory in bytes.
    gpu : str
        On which GPU.
    """
    code = module(source).kernel(kernel)
    return profile(code, grid, block, args, gpu=gpu, cache=cache, dynamic_shared=shared)


def described(kernel: str, **params: Any) -> gpusim.Profile:
    """Run a described kernel here."""
    return gpusim.predict(kernel, gpu=GPU, sample=False, **params)


def size_of(text: str) -> int:
    """``"64KiB"``, ``"1K"`` or ``"32B"`` as bytes."""
    number, unit = re.fullmatch(r"(\d+)([KM]?)(?:i?B)?", text).groups()  # type: ignore[union-attr]
    return int(number) << {"": 0, "K": 10, "M": 20}[unit]


def of_warps(source: str | Rewritten, kernel: str, warps: int, rounds: int, *args: Any) -> float:
    """Cycles of one block whose warps go round a loop and note when; its code comes from L2.

    Further arguments of the kernel are given, or it takes a place for what nobody needs.
    """
    clocks, others = np.zeros(2 * warps, np.int64), args or (np.zeros(1, np.uint32),)
    launch(source, kernel, 1, 32 * warps, np.int32(rounds), clocks, *others, cache="warm")
    return elapsed(clocks)


def fragments() -> np.ndarray:
    """Pairs of random halves."""
    return FRAGMENTS.make(np.random.default_rng(0)).view(np.uint32)


def on_fragments(source: str, kernel: str, warps: int, rounds: int) -> float:
    """Cycles of one block of a kernel that goes round a loop with fragments of random halves in its registers."""
    clocks, sink = np.zeros(2 * warps, np.int64), np.zeros(32 * warps, np.float32)
    launch(source, kernel, 1, 32 * warps, np.int32(rounds), fragments(), clocks, sink, np.int32(0))
    return elapsed(clocks)


def elapsed(clocks: np.ndarray) -> float:
    """From the first start to the last end of warps that noted (start, end)."""
    begin, end = clocks.reshape(-1, 2).T
    return float(end.max() - begin.min())


def spent(clocks: np.ndarray) -> float:
    """What warps or blocks that noted (start, end) took, on average."""
    begin, end = clocks.reshape(-1, 2).T
    return float(np.mean(end - begin))


def median(values: Iterable[float]) -> float:
    """Median."""
    return float(np.median(list(values)))


def as_json(data: dict[str, Any]) -> str:
    """JSON with a metric a line."""
    text = json.dumps(data, indent=1)
    return re.sub(r"\{\s+(\"n\":[^{}]*?)\s+\}", lambda row: "{" + re.sub(r"\s+", " ", row[1]) + "}", text)
