"""Launches of emitted CUDA, and their counters on a GPU: those of data/h200_emitted.json that have none are measured.

Run by hand on a machine with an H200, CuPy and Nsight Compute: ``python tests/validation/emitted.py``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from gpusim import catalog, cuda, prediction
from gpusim.algorithm import KernelLaunch, numpy_dtype
from tests.kernels.run import assert_as_referenced
from tests.validation import nsight

TABLE = Path(__file__).parent / "data" / "h200_emitted.json"
Measured = dict[str, Any]


def launches() -> list[Measured]:
    """Every launch of the table: kernel, parameters, metrics."""
    found: list[Measured] = json.loads(TABLE.read_text())["launches"]
    return found


def compiled(launch: Measured) -> tuple[cuda.Kernel, KernelLaunch]:
    """Machine code of the source that a launch's kernel emits."""
    bound = catalog.get(launch["kernel"]).launch(**launch["params"])
    source = bound.kernel.emit(**prediction.tiles_of(bound))
    return cuda.compile(source, gpu="h200", options=["-ftz=true"]).kernel(), bound


def arguments(launch: Measured, kernel: cuda.Kernel, bound: KernelLaunch) -> list[Any]:
    """Arrays and numbers that a kernel is launched with; the inputs are those of seed 0."""
    arrays = {spec.name: np.zeros(spec.shape, numpy_dtype(spec.dtype)) for spec in bound.arrays}
    arrays |= catalog.get(launch["kernel"]).inputs(np.random.default_rng(0), **launch["params"])
    return [arrays[p.name] if p.name in arrays else np.int32(bound.params[p.name]) for p in kernel.parameters]


def _launch_for_real(launch: Measured, cubin: Path) -> None:
    """Launch once, seen by the profiler, and hold the outputs against the reference."""
    import cupy

    kernel, bound = compiled(launch)
    cubin.write_bytes(kernel.cubin.data)
    function = cupy.RawModule(path=str(cubin)).get_function(kernel.symbol)
    given = arguments(launch, kernel, bound)
    names = [parameter.name for parameter in kernel.parameters]
    before = dict(zip(names, given, strict=True))
    # CuPy knows no bf16 or fp8: bytes are bytes.
    there = [cupy.asarray(a.view(f"u{a.itemsize}")) if isinstance(a, np.ndarray) else a for a in given]
    cupy.cuda.profiler.start()
    function(bound.grid, bound.block, tuple(there))
    cupy.cuda.profiler.stop()
    results = {
        name: there[names.index(name)].get().view(before[name].dtype)
        for name in (spec.name for spec in bound.arrays if spec.intent != "in")
    }
    inputs = {name: value for name, value in before.items() if isinstance(value, np.ndarray)}
    assert_as_referenced(results, catalog.get(launch["kernel"]), launch["params"], inputs)


def _launch_all() -> str | None:
    """Launch what has no counters yet, one after the other; say what came out wrong."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for i, launch in enumerate(launches()):
            try:
                if not launch["metrics"]:
                    _launch_for_real(launch, Path(folder) / f"{i}.cubin")
            except AssertionError as error:
                wrong.append(f"{launch['kernel']} {launch['params']}: {error}")
    return "\n".join(wrong) or None


def main() -> None:
    """Measure what has no counters yet, and write the table whole."""
    table = json.loads(TABLE.read_text())
    metrics = list(table["launches"][0]["metrics"])
    without = [launch for launch in table["launches"] if not launch["metrics"]]
    for launch, counters in zip(without, nsight.counters([__file__, "launch"], metrics), strict=True):
        launch["metrics"] = counters
    nsight.write_table(TABLE, table, launches=table.pop("launches"))


if __name__ == "__main__":
    sys.exit(_launch_all() if sys.argv[1:] == ["launch"] else main())
