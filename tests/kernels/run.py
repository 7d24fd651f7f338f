"""Runs an algorithm on drawn or given inputs, and gives its outputs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gpusim.algorithm import Algorithm
from tests.kernels.interpreter import Threads


def run(
    algorithm: Algorithm,
    params: Mapping[str, int],
    seed: int = 0,
    *,
    inputs: Mapping[str, np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """Output arrays of a launch, by name; `inputs` are drawn from `seed` unless given."""
    launch = algorithm.launch(**params)
    if inputs is None:
        inputs = algorithm.inputs(np.random.default_rng(seed), **params)
    threads = Threads(launch, inputs)
    return {array.name: threads.buffers[array.name] for array in launch.arrays if array.intent != "in"}


def expected(
    algorithm: Algorithm,
    params: Mapping[str, int],
    seed: int = 0,
    *,
    inputs: Mapping[str, np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """What the reference gives for the same."""
    if inputs is None:
        inputs = algorithm.inputs(np.random.default_rng(seed), **params)
    return algorithm.reference(inputs, **algorithm.bind(**params))
