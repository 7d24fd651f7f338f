"""The same launches again and again on one H200: how far it is from itself, and a prediction from the median.

``python -m calibration.repeatability PROFILES`` holds what ``gpusim profile --launches ... --json PROFILES`` wrote
against the median of six runs.  With ``--launch N`` it launches everything that often, in as many orders, for Nsight
Compute to watch: ``ncu --clock-control none --csv --page raw --metrics ...``; names come out in the order run.  That
needs a GPU and CuPy.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from calibration import bench
from gpusim.launches.file import read
from gpusim.launches.named import Named
from gpusim.launches.plain import Filled
from gpusim.launches.spec import LaunchSpec

RUNS: dict[str, dict[str, list[int]]] = bench.table("again")["launches"]


def compare(profiles: Path) -> None:
    """Print, for each metric, errors and spreads relative to the median of the runs."""
    predicted = {p["id"]: p["metrics"] for p in json.loads(profiles.read_text())["launches"] if not p["error"]}
    for metric in next(iter(RUNS.values())):
        runs = {k: np.array(v[metric]) for k, v in RUNS.items() if k in predicted and np.median(v[metric])}
        off = [abs(predicted[k][metric] / np.median(v) - 1) for k, v in runs.items()]
        spread = [np.ptp(v) / np.median(v) for v in runs.values()]
        within = sum(v.min() <= predicted[k][metric] <= v.max() for k, v in runs.items())
        print(
            f"{metric}: {len(off)} launches, {within} within the six runs; {_figures(off)}; the runs {_figures(spread)}"
        )


def _figures(values: list[float]) -> str:
    x = 100 * np.array(values)
    return f"median {np.median(x):.2f} mean {x.mean():.2f} p90 {np.quantile(x, 0.9):.2f} max {x.max():.1f} %"


def launch(times: int) -> None:
    """Run every launch that often, and print which."""
    specs = [spec for spec in read(bench.DATA / "handwritten" / "launches.json") if isinstance(spec, LaunchSpec)]
    modules: dict[Path, Any] = {}
    for turn in range(times):
        random.Random(turn).shuffle(specs)
        for spec in specs:
            _launch(spec, modules)
            print(spec.id, flush=True)


def _launch(spec: LaunchSpec, modules: dict[Path, Any]) -> None:
    import cupy

    if spec.source not in modules:
        options = "-std=c++17", "-I/usr/local/cuda/include", "-I/usr/local/cuda/include/cccl"
        modules[spec.source] = cupy.RawModule(code=spec.source.read_text(), options=options)
    kernel = modules[spec.source].get_function(spec.kernel)
    shared = spec.dynamic_shared or 0
    if shared > 48 << 10:
        kernel.max_dynamic_shared_size_bytes = shared
    rng = cupy.random.default_rng(0)
    made = ((a, a.make(rng)) for a in spec.args if not isinstance(a, Named))
    args = tuple(cupy.asarray(x) if isinstance(a, Filled) else x for a, x in made)
    kernel(spec.grid, spec.block, args, shared_mem=shared)
    cupy.cuda.Device().synchronize()


if __name__ == "__main__":
    if sys.argv[1] == "--launch":
        launch(int(sys.argv[2]))
    else:
        compare(Path(sys.argv[1]))
