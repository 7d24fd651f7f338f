"""Microbenchmarks as ``gpusim measure`` runs them: the launches of the cases, and what it measured of each.

``python tests/validation/by_command.py`` writes the launch files of the package: what every case of `MODULES` launches,
once.  Those whose kernels note their own clocks are timed alone, the others counted by the profiler too.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from gpusim import measurement
from gpusim.measurement import MeasuredLaunch
from tests.validation import bench

CLOCKED = ("pipes", "mixtures", "tensor", "mio", "one_sm", "conflicts", "chases", "order")
COUNTED = ("l1_passes", "streams", "launches", "in_step")
MODULES = (*CLOCKED, *COUNTED)
FILES = {CLOCKED: "clocked.json", COUNTED: "counted.json"}
SHIPPED = bench.SOURCES / "h200.json"
Launch = dict[str, Any]


class Unknown(LookupError):
    """A launch that no launch file can tell, or that was not measured."""


def launch_of(source: str, kernel: str, grid: int, block: int, *args: Any, cache: str = "cold") -> Launch:
    """A launch as a launch file has it.

    Raises
    ------
    Unknown
        If an array holds what no fill gives, or the caches are to be warm.
    """
    if cache != "cold":
        raise Unknown(f"{kernel}: warm caches")
    told = [_argument(value) for value in args]
    scalars = " ".join(str(value) for value in args if not isinstance(value, np.ndarray))
    name = " ".join(f"{Path(source).stem} {kernel} {grid}x{block} {scalars}".split())
    return {"id": name, "source": source, "kernel": kernel, "grid": [grid], "block": [block], "args": told}


def _argument(value: Any) -> dict[str, Any]:
    """An argument as a launch file has it."""
    if not isinstance(value, np.ndarray):
        return {value.dtype.name: value.item()}
    if not value.any():
        return {"buffer": value.dtype.name, "count": value.size, "init": "zeros"}
    if np.array_equal(value, bench.fragments()):
        return bench.FRAGMENTS.to_json()
    raise Unknown("an array that holds what no fill gives")


class _Seen:
    """What a launch that is only taken down seems to come to."""

    cycles, seconds = 1.0, 1.0

    def value(self, metric: str) -> float:
        return 1.0


def launches(modules: tuple[str, ...]) -> list[Launch]:
    """Every launch of the cases of some modules that a launch file can tell, once."""
    found: dict[str, Launch] = {}

    def take_down(*launch: Any, **how: Any) -> _Seen:
        told = launch_of(*launch, **how)
        found.setdefault(told["id"], told)
        return _Seen()

    with _instead(take_down):
        for case in cases(modules):
            with suppress(Unknown, ArithmeticError):
                case.simulate()
    return list(found.values())


@contextmanager
def _instead(launch: Callable[..., Any]) -> Iterator[None]:
    """Have the cases launch something else; what they remember is of one or the other."""
    simulated, bench.launch = bench.launch, launch
    _forget()
    try:
        yield
    finally:
        bench.launch = simulated
        _forget()


def _forget() -> None:
    for name in MODULES:
        for member in vars(importlib.import_module(f"tests.validation.{name}")).values():
            if member is not bench.table and hasattr(member, "cache_clear"):
                member.cache_clear()


def cases(modules: tuple[str, ...]) -> Iterator[bench.Case]:
    """Cases of some modules."""
    for name in modules:
        yield from importlib.import_module(f"tests.validation.{name}").cases()


class _Measured:
    """A measured launch in place of a simulated one."""

    def __init__(self, launch: MeasuredLaunch) -> None:
        self._launch = launch

    @property
    def cycles(self) -> float:
        return self._launch.value("gpc__cycles_elapsed.max")

    @property
    def seconds(self) -> float:
        return float(np.median(self._launch.seconds)) - shipped().overhead_seconds

    def value(self, metric: str) -> float:
        return self._launch.value(metric)


@cache
def shipped() -> measurement.Measurement:
    """What was measured."""
    return measurement.read(SHIPPED)


@cache
def _by_id() -> dict[str, MeasuredLaunch]:
    return {launch.id: launch for launch in shipped().launches}


def measured(source: str, kernel: str, grid: int, block: int, *args: Any, cache: str = "cold") -> _Measured:
    """Stand in for :func:`bench.launch`: arrays hold what the launch left on the GPU afterwards."""
    name = launch_of(source, kernel, grid, block, *args, cache=cache)["id"]
    if name not in _by_id():
        raise Unknown(f"{name} was not measured")
    launch = _by_id()[name]
    for parameter, array in zip(bench.module(source).kernel(kernel).parameter_names, args, strict=True):
        if parameter in launch.outputs:
            array[...] = np.array(launch.outputs[parameter]).astype(array.dtype).reshape(array.shape)
    return _Measured(launch)


def on_silicon(case: bench.Case) -> float:
    """What a case comes to when its launches are those measured by the command.

    Raises
    ------
    Unknown
        If one of them was not.
    """
    with _instead(measured):
        return float(case.simulate())


def main() -> None:
    """Write the launch files."""
    for modules, name in FILES.items():
        lines = ",\n ".join(json.dumps(launch) for launch in launches(modules))
        (bench.SOURCES / name).write_text(f"[\n {lines}\n]\n")


if __name__ == "__main__":
    main()
