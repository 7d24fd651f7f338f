"""Runs an algorithm through the lowering and the engine: for its outputs, or for what it counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import gpusim
from gpusim import hardware
from gpusim.catalogue.algorithm import Algorithm
from gpusim.frontends import described
from gpusim.hardware import Gpu, Occupancy
from gpusim.simulate import Launch


def run(
    algorithm: Algorithm,
    params: Mapping[str, int],
    seed: int = 0,
    *,
    inputs: Mapping[str, np.ndarray] | None = None,
    gpu: str = "h200",
) -> dict[str, np.ndarray]:
    """Output arrays of a launch, by name; `inputs` are drawn from `seed` unless given.

    Every access is watched: bounds, races, reads of what was never written.
    """
    if inputs is None:
        inputs = algorithm.inputs(np.random.default_rng(seed), **params)
    after = gpusim.run(algorithm, dict(inputs), gpu, checked=True, **params)
    return {array.name: after[array.name] for array in algorithm.launch(**params).arrays if array.intent != "in"}


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


def assert_as_referenced(
    outputs: Mapping[str, np.ndarray],
    algorithm: Algorithm,
    params: Mapping[str, int],
    inputs: Mapping[str, np.ndarray],
) -> None:
    """Every output is what the reference gives, within the error the algorithm is allowed."""
    error = algorithm.allowed_error(**params)
    for array, wanted in expected(algorithm, params, inputs=inputs).items():
        np.testing.assert_allclose(outputs[array], wanted, rtol=error, atol=error)


def prepare(algorithm: Algorithm, params: Mapping[str, int], gpu: str = "h200") -> tuple[Launch, Gpu, Occupancy]:
    """A launch with inputs drawn and outputs zero, the GPU, and what of it an SM holds."""
    spec, bound = hardware.load(gpu), algorithm.launch(**params)
    program = described.lower(bound, spec)
    launch = described.assemble(bound, program, described.drawn(algorithm, bound, 1))
    return launch, spec, hardware.occupancy(spec, launch.threads, program.n_registers, launch.shared_bytes)


def mine(kernel, tiles=None, **sizes):
    """A kernel of a test's own as an algorithm without a reference."""
    return Algorithm(
        name=kernel.name, summary="", kernel=kernel, sizes=sizes, tiles=tiles or {}, reference=lambda **p: {}
    )
