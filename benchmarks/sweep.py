"""A tuning sweep: how long many configurations of a matmul take to predict quickly, and how well they are ranked.

``python benchmarks/sweep.py`` predicts 1000 configurations at 2048 x 2048 x 2048.  With ``--whole 60`` it also runs
60 of them whole, every instruction at its cycle, which takes a minute each.  ``--kept FILE`` keeps what those give.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np

import gpusim
from gpusim.catalogue import lookup
from gpusim.errors import GpusimError, ParameterError
from gpusim.launches.rows import predict_rows
from gpusim.processors import processors
from gpusim.progress import ProgressLine
from gpusim.simulate import counting

KERNEL, SIZE, GPU = "matmul-register-tiled", 2048, "h200"
TILES = {
    "BM": (16, 32, 64, 128, 256),
    "BN": (16, 32, 64, 128, 256),
    "BK": (4, 8, 16, 32),
    "TM": (1, 2, 4, 8, 16),
    "TN": (1, 2, 4, 8, 16),
}
WARP = 32
CYCLES = "gpc__cycles_elapsed.max"
Config = dict[str, int]


def legal() -> Iterator[Config]:
    """Every combination of tiles that the kernel takes, in whole warps."""
    algorithm = lookup.get(KERNEL)
    for values in itertools.product(*TILES.values()):
        config = dict(zip(TILES, values, strict=True))
        try:
            block = algorithm.launch(n=SIZE, **config).block
        except ParameterError:
            continue
        if math.prod(block) % WARP == 0:
            yield config


def sampled(count: int, seed: int) -> list[Config]:
    """Some of them, in random order."""
    found = list(legal())
    return random.Random(seed).sample(found, min(count, len(found)))


def quick(configs: list[Config], jobs: int) -> list[float | None]:
    """Cycles by quick predictions; None of what does not fit the GPU."""
    how = {"kernel": KERNEL, "gpu": GPU, "sample": "quick", "fresh": True, "n": SIZE}
    calls = [partial(gpusim.predict, **how, **config) for config in configs]
    with ProgressLine() as progress:
        rows = predict_rows(calls, jobs, progress)
    return [None if isinstance(row, GpusimError) else row.value(CYCLES) for row in rows]


def whole(config: Config) -> float:
    """Cycles of a launch every instruction of which is timed."""
    counting.MOST_TIMED = math.inf
    found: Any = gpusim.predict(KERNEL, GPU, sample=False, fresh=True, jobs=1, n=SIZE, **config)
    return float(found.value(CYCLES))


def all_whole(configs: list[Config], jobs: int, kept: Path | None) -> list[float]:
    """Cycles of every configuration, those of an earlier time from the file."""
    known: dict[str, float] = json.loads(kept.read_text()) if kept and kept.is_file() else {}
    names = {" ".join(f"{tile}={size}" for tile, size in config.items()): config for config in configs}
    missing = [name for name in names if name not in known]
    run = joblib.Parallel(n_jobs=jobs, return_as="generator")(joblib.delayed(whole)(names[name]) for name in missing)
    for name, cycles in zip(missing, run, strict=True):
        known[name] = cycles
        if kept:
            kept.write_text(json.dumps(known, indent=1) + "\n")
    return [known[name] for name in names]


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's: the correlation of the ranks."""
    return float(np.corrcoef(*(np.argsort(np.argsort(values)) for values in (a, b)))[0, 1])


def main() -> None:
    """Print how long it takes, and how far off it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configurations", type=int, default=1000, metavar="N")
    parser.add_argument("--whole", type=int, default=0, metavar="N", help="how many to run whole, too")
    parser.add_argument("--kept", type=Path, metavar="FILE", help="cycles of those run whole, from an earlier time")
    parser.add_argument("--jobs", type=int, metavar="N", help="processors, all unless given")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    given = parser.parse_args()
    configs = sampled(given.configurations, given.seed)
    jobs = processors(given.jobs)
    began = time.monotonic()
    found = quick(configs, jobs)
    took = time.monotonic() - began
    fit = [(config, cycles) for config, cycles in zip(configs, found, strict=True) if cycles is not None]
    print(f"{len(configs)} configurations, {len(fit)} of which fit: {took:.0f} s, {took / len(configs):.2f} s each")
    if given.whole:
        compare(fit[: given.whole], jobs, given.kept)


def compare(fit: list[tuple[Config, float]], jobs: int, kept: Path | None) -> None:
    """Print how those that are run whole compare."""
    truth = np.array(all_whole([config for config, _ in fit], jobs, kept))
    quickly = np.array([cycles for _, cycles in fit])
    errors = np.abs(quickly / truth - 1)
    print(f"rank correlation of {len(fit)}: {rank_correlation(quickly, truth):.4f}")
    print(f"errors: median {np.median(errors):.1%}, 90 % {np.quantile(errors, 0.9):.1%}, worst {errors.max():.1%}")


if __name__ == "__main__":
    main()
