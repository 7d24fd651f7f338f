"""Microbenchmarks as ``gpusim measure`` runs them: the launches of the cases, and what it measured of each.

``python -m calibration.launch_files`` writes the launch files of the package: what every case of some modules
launches, once.  Those whose kernels note their own clocks are timed alone, the others counted by the profiler too.
Modules of Hopper's asynchronous units ask questions of any GPU instead: their cases are those that were measured.
With a folder, it writes there the launch files of those that rewrite machine code, and the machine code.  With files
that ``gpusim measure --outputs --json`` wrote, it puts what they say of launches of cases into the package.
"""

from __future__ import annotations

import importlib
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from calibration import bench
from gpusim import TensorMap
from gpusim.catalogue import lookup
from gpusim.launches.spec import DescribedLaunch
from gpusim.measured import measurement
from gpusim.measured.measurement import MeasuredLaunch

CLOCKED = (
    "arithmetic_pipes", "loads_among_arithmetic", "tensor_cores", "mio_instructions", "instruction_latency",
    "bank_conflicts", "pointer_chase", "warp_scheduling", "load_latency", "bandwidths", "block_scheduling",
    "constant_loads", "instruction_fetch", "predicated_off",
)  # fmt: skip
COUNTED = (
    "l1_replacement", "streams", "launch_overhead", "warp_drift", "wave_tail", "cache_footprints", "gpc_coalescer",
)  # fmt: skip
REWRITTEN_CLOCKED = ("instruction_sequences", "shared_loads_among_ffmas", "special_registers", "operand_reads")
REWRITTEN_COUNTED = ("request_merging",)
MODULES = (*CLOCKED, *COUNTED, *REWRITTEN_CLOCKED, *REWRITTEN_COUNTED)
ASYNCHRONOUS = ("warpgroup_products", "bulk_copies", "mbarriers")
CLUSTERS = ("clusters",)
QUESTIONS = (*ASYNCHRONOUS, *CLUSTERS)
"""Modules that ask any GPU with Hopper's instructions."""
FILES = {
    "clocked.json": (CLOCKED, "cold"), "warm.json": (CLOCKED, "warm"), "counted.json": (COUNTED, "cold"),
    "asynchronous.json": (ASYNCHRONOUS, "cold"), "asynchronous-warm.json": (ASYNCHRONOUS, "warm"),
    "clusters.json": (CLUSTERS, "cold"), "clusters-warm.json": (CLUSTERS, "warm"),
}  # fmt: skip
"""Launch files of the package: of which modules, and how the caches are to be found."""
REWRITTEN_FILES = {
    "rewritten-clocked.json": (REWRITTEN_CLOCKED, "warm"),
    "rewritten-counted.json": (REWRITTEN_COUNTED, "cold"),
}
SHIPPED = {"cold": bench.SOURCES / "h200.json", "warm": bench.SOURCES / "h200-warm.json"}
ANSWERS = {
    (gpu, state): bench.SOURCES / f"{gpu}-asynchronous{'-warm' if state == 'warm' else ''}.json"
    for gpu in bench.ANSWERING for state in ("cold", "warm")
}  # fmt: skip
"""What GPUs answered to the questions."""
MOST_VALUES = 512
"""Of an array that is told element by element."""
Source = str | bench.Rewritten
Launch = dict[str, Any]


class Unknown(LookupError):
    """A launch that no launch file can tell, or that was not measured."""


class Told(NamedTuple):
    """A launch that a case asks for.

    Attributes
    ----------
    launch : dict
        As a launch file has it.
    source : str or Rewritten or None
        What it runs; None for a described kernel.
    """

    launch: Launch
    source: Source | None


def launch_of(source: Source, kernel: str, grid: int, block: int, *args: Any, shared: int = 0) -> Launch:
    """A launch as a launch file has it.

    Raises
    ------
    Unknown
        If an array holds what no fill gives, and too much to tell it.
    """
    told = [_argument(value) for value in args]
    numbers = " ".join(_named(value, argument) for value, argument in zip(args, told, strict=True))
    kept = f"{shared}B" if shared else ""
    name = " ".join(f"{_title(source)} {kernel} {grid}x{block} {kept} {numbers}".split())
    own = {"dynamic_shared": shared} if shared else {}
    return {
        "id": name, "source": file_of(source), "kernel": kernel, "grid": [grid], "block": [block], **own, "args": told,
    }  # fmt: skip


def _title(source: Source) -> str:
    """What a source adds to the name of a launch."""
    if isinstance(source, str):
        return Path(source).stem
    return f"{Path(source.source).stem} {source.name}"


def file_of(source: Source) -> str:
    """Name of the file that is launched."""
    return source if isinstance(source, str) else f"{zlib.crc32(_title(source).encode()):08x}.cubin"


def described_launch(kernel: str, **params: int) -> Launch:
    """A launch of a described kernel as a launch file has it."""
    return DescribedLaunch.of(lookup.get(kernel), params).to_json(bench.SOURCES)


def _argument(value: Any) -> dict[str, Any]:
    """An argument as a launch file has it."""
    if isinstance(value, TensorMap):
        return _map(value)
    if not isinstance(value, np.ndarray):
        return {value.dtype.name: value.item()}
    for fill in ("zeros", "ones"):
        if (value == getattr(np, fill)(1, value.dtype)).all():
            return {"buffer": value.dtype.name, "count": value.size, "init": fill}
    if np.array_equal(value, bench.fragments()):
        return bench.FRAGMENTS.to_json()
    if value.size <= MOST_VALUES:
        return {"buffer": value.dtype.name, "values": value.ravel().tolist()}
    raise Unknown("an array that holds what no fill gives")


def _map(value: TensorMap) -> dict[str, Any]:
    """A tensor map of zeros as a launch file has it."""
    if value.array.any():
        raise Unknown("a tensor that holds what no fill gives")
    swizzle = {"swizzle": value.swizzle} if value.swizzle else {}
    sizes = {"shape": list(value.shape), "box": list(value.box)}
    return {"tensormap": value.array.dtype.name, **sizes, "init": "zeros", **swizzle}


def _named(value: Any, told: dict[str, Any]) -> str:
    """What an argument adds to the name of a launch: a number, a map's sizes, or what tells an array from others."""
    if isinstance(value, TensorMap):
        sizes = "/".join("x".join(map(str, each)) for each in (value.shape, value.box))
        return f"{value.array.dtype.name} {sizes}" + (f" swizzle{value.swizzle}" if value.swizzle else "")
    if isinstance(value, np.ndarray):
        return f"{zlib.crc32(value.tobytes()):08x}" if "values" in told else ""
    return str(value)


class _Seen:
    """What a launch that is only taken down seems to come to."""

    cycles, seconds = 1.0, 1.0

    def value(self, metric: str) -> float:
        return 1.0


def launches(modules: tuple[str, ...], state: str = "cold") -> list[Told]:
    """What the cases of some modules launch with caches in a state, each once, as far as a launch file can tell it."""
    seen: dict[str, Told] = {}

    def take_down(source: Source, *launch: Any, cache: str = "cold", gpu: str = "", **how: Any) -> _Seen:
        if cache == state:
            told = Told(launch_of(source, *launch, **how), source)
            seen.setdefault(told.launch["id"], told)
        return _Seen()

    def take_down_described(kernel: str, **params: int) -> _Seen:
        if state == "cold":
            told = Told(described_launch(kernel, **params), None)
            seen.setdefault(told.launch["id"], told)
        return _Seen()

    with _instead(take_down, take_down_described):
        for answer in _asked(modules):
            with suppress(Unknown, ArithmeticError):
                answer()
    return list(seen.values())


def _asked(modules: tuple[str, ...]) -> Iterator[Callable[[], float]]:
    """What runs each case of some modules, or answers each question."""
    for name in modules:
        module = _module(name)
        if name in QUESTIONS:
            yield from (partial(question.answer, bench.GPU) for question in module.questions())
        else:
            yield from (case.silicon or case.simulate for case in module.cases())


@contextmanager
def _instead(launch: Callable[..., Any], described: Callable[..., Any]) -> Iterator[None]:
    """Have the cases launch something else; what they remember is of one or the other."""
    simulated = bench.launch, bench.described
    bench.launch, bench.described = launch, described
    _forget()
    try:
        yield
    finally:
        bench.launch, bench.described = simulated
        _forget()


def _forget() -> None:
    for name in (*MODULES, *QUESTIONS):
        for member in vars(_module(name)).values():
            if member is not bench.table and hasattr(member, "cache_clear"):
                member.cache_clear()


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"calibration.microbenchmarks.{name}")


def cases(modules: tuple[str, ...]) -> Iterator[bench.Case]:
    """Cases of some modules; of those that ask questions what GPUs answered."""
    for name in modules:
        yield from _answered(name) if name in QUESTIONS else _module(name).cases()


def answered(source: str) -> tuple[str, ...]:
    """GPUs that answered questions whose kernels are in a source."""
    asked = {gpu for (gpu, _), file in ANSWERS.items() for of in _by_id(file).values() if of.launch["source"] == source}
    return tuple(gpu for gpu in bench.ANSWERING if gpu in asked)


def _answered(name: str) -> Iterator[bench.Case]:
    """The questions of a module that were measured, on each GPU."""
    for gpu in dict.fromkeys(gpu for gpu, _ in ANSWERS):
        for question in _module(name).questions():
            simulate = partial(question.answer, gpu)
            with suppress(Unknown):
                value = _measured_answer(simulate)
                yield bench.Case(
                    bench.on_gpu(question.group, gpu), question.name, question.unit, value, simulate, question.floor
                )


def _measured_answer(answer: Callable[[], float]) -> float:
    """What a question comes to when its launches are those measured by the command."""
    with _instead(measured, measured_description):
        return float(answer())


class _Measured:
    """A measured launch in place of a simulated one."""

    def __init__(self, launch: MeasuredLaunch) -> None:
        self._launch = launch

    @property
    def cycles(self) -> float:
        return self._launch.value("gpc__cycles_elapsed.max")

    @property
    def seconds(self) -> float:
        overhead = shipped("cold").overhead_seconds
        assert overhead is not None
        return float(np.median(self._launch.seconds)) - overhead

    def value(self, metric: str) -> float:
        return self._launch.value(metric)


@cache
def shipped(state: str) -> measurement.Measurement:
    """What was measured with caches in a state."""
    return measurement.read(SHIPPED[state])


@cache
def _by_id(file: Path) -> dict[str, MeasuredLaunch]:
    return {launch.id: launch for launch in measurement.read(file).launches} if file.exists() else {}


def found(launch: Launch, state: str, gpu: str = bench.GPU) -> MeasuredLaunch:
    """What was measured of a launch on a GPU with caches in a state.

    Raises
    ------
    Unknown
        If it was not.
    """
    files = [SHIPPED[state]] if gpu == bench.GPU else []
    for file in (*files, ANSWERS[gpu, state]):
        if launch["id"] in _by_id(file):
            return _by_id(file)[launch["id"]]
    raise Unknown(f"{launch['id']} was not measured")


def measured(
    source: Source,
    kernel: str,
    grid: int,
    block: int,
    *args: Any,
    cache: str = "cold",
    gpu: str = bench.GPU,
    **how: Any,
) -> _Measured:
    """Stand in for :func:`bench.launch`: arrays hold what the launch left on the GPU afterwards."""
    launch = found(launch_of(source, kernel, grid, block, *args, **how), cache, gpu)
    for parameter, array in zip(bench.module(source).kernel(kernel).parameter_names, args, strict=True):
        if parameter in launch.outputs and isinstance(array, np.ndarray):
            array[...] = np.array(launch.outputs[parameter]).astype(array.dtype).reshape(array.shape)
    return _Measured(launch)


def measured_description(kernel: str, **params: int) -> _Measured:
    """Stand in for :func:`bench.described`."""
    return _Measured(found(described_launch(kernel, **params), "cold"))


def on_silicon(case: bench.Case) -> float:
    """What a case comes to when its launches are those measured by the command.

    Raises
    ------
    Unknown
        If one of them was not.
    """
    return _measured_answer(case.silicon or case.simulate)


def write(file: Path, told: list[Told]) -> None:
    """Write a launch file, and beside it the machine code that was rewritten for it."""
    for launch, source in told:
        if isinstance(source, bench.Rewritten):
            (file.parent / launch["source"]).write_bytes(source.cubin())
    lines = ",\n ".join(json.dumps(launch) for launch, _ in told)
    file.write_text(f"[\n {lines}\n]\n")


def merge(file: Path, modules: tuple[str, ...], state: str, new: list[measurement.Measurement]) -> None:
    """Put what was measured into a file of the package: of each launch that a case asks for the latest."""
    both = [measurement.read(file), *new] if file.exists() else new
    known = {launch.id: _lean(launch) for each in both for launch in each.launches if not launch.error}
    kept = [known[told.launch["id"]] for told in launches(modules, state) if told.launch["id"] in known]
    if kept:
        file.write_text(replace(both[0], launches=kept).to_text())


def take_in(new: list[measurement.Measurement]) -> None:
    """Put what was measured into the files of its GPU."""
    tables = {(bench.GPU, state): (file, MODULES) for state, file in SHIPPED.items()}
    answers = {key: (file, QUESTIONS) for key, file in ANSWERS.items()}
    for key, (file, modules) in (*tables.items(), *answers.items()):
        if of_it := [each for each in new if (each.device.gpu, each.cache) == key]:
            merge(file, modules, key[1], of_it)


def _lean(launch: MeasuredLaunch) -> MeasuredLaunch:
    """The launch with its source by name alone, and whole numbers as such."""
    told = dict(launch.launch)
    if "source" in told:
        told["source"] = Path(told["source"]).name
    outputs = {name: [int(x) if x == int(x) else x for x in values] for name, values in launch.outputs.items()}
    return replace(launch, launch=told, outputs=outputs)


def main(*paths: str) -> None:
    """Write the launch files of the package, or those of rewritten code into a folder, or take in what was measured."""
    if not paths:
        for name, (modules, state) in FILES.items():
            write(bench.SOURCES / name, launches(modules, state))
    elif Path(paths[0]).is_dir():
        for name, (modules, state) in REWRITTEN_FILES.items():
            write(Path(paths[0], name), launches(modules, state))
    else:
        take_in([measurement.read(Path(path)) for path in paths])


if __name__ == "__main__":
    main(*sys.argv[1:])
