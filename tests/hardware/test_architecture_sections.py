"""What depends on the limits of a launch and on the classes of instructions?  Each is taken away from an H200."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim import cuda, hardware
from gpusim.hardware.programming import Instructions, Limits
from gpusim.hardware.quantities import rules

SOURCE = """__global__ void put(int *x) { x[blockIdx.x] = threadIdx.x; }
__global__ void keep(int *x) { volatile int held[64]; held[x[0]] = 1; x[1] = held[x[2]]; }"""


def put(grid: Any, block: Any, **more: Any) -> Callable[[hardware.Gpu], gpusim.Profile]:
    return lambda gpu: gpusim.profile(
        cuda.compile(SOURCE, gpu=gpu.arch, kernel="put").kernel("put"), grid, block, [np.zeros(64, np.int32)], gpu=gpu,
        **more,
    )  # fmt: skip


def less(section: str, **change: Any) -> hardware.Gpu:
    """An H200 of which a section says something else."""
    gpu = hardware.load("h200")
    return replace(gpu, **{section: replace(getattr(gpu, section), **change)})


REFUSED = {
    "limits.grid": (less("limits", grid=(9, 9, 9)), put((1, 10), 32), "grid.y = 10: a grid has 1 to 9 in y"),
    "limits.block": (less("limits", block=(1024, 1, 1)), put(1, (8, 2)), "block.y = 2: a block has 1 to 1 in y"),
    "limits.cluster": (less("limits", cluster=2), put(4, 32, cluster=4), "cluster.x = 4: a cluster has 1 to 2 in x"),
    "instructions.classes": (
        less("instructions", classes=()),
        lambda gpu: gpusim.predict("relu-fp8", gpu, N=1 << 10),
        "sm_90 has no instructions that convert 8-bit floats; take a GPU of sm_89 or later",
    ),
    "instructions.own_products": (
        less("instructions", own_products=("f16",)),
        lambda gpu: gpusim.predict("matmul-tensor", gpu, n=128),
        "sm_90 multiplies f16 by instructions of its own, which gpusim does not know",
    ),
}  # fmt: skip
"""Less than a launch needs, the launch, and what it is told."""


@pytest.mark.parametrize("key", REFUSED)
@pytest.mark.usefixtures("compiler")
def test_what_is_not_promised_is_refused(key: str) -> None:
    gpu, launch, told = REFUSED[key]
    launch(hardware.load("h200"))
    with pytest.raises(gpusim.GpusimError, match=told):
        launch(gpu)


def test_a_thread_is_given_the_fewest_registers_at_least() -> None:
    gpu, one = hardware.load("h200"), less("limits", fewest_registers=64)
    assert [hardware.occupancy(which, 32, 8).limit_registers for which in (gpu, one)] == [128, 32]


@pytest.mark.usefixtures("compiler")
def test_local_memory_is_within_what_a_thread_has(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = cuda.compile(SOURCE, gpu="sm_90", kernel="keep").kernel("keep")
    assert kernel.program(1 << 20).local_bytes == 256
    of_architecture, few = hardware.of_architecture, replace(hardware.load("h200").limits, local_bytes=128)
    asked = {Limits: lambda arch: few}
    monkeypatch.setattr(
        "gpusim.cuda.program.of_architecture",
        lambda arch, part: asked.get(part, lambda arch: of_architecture(arch, part))(arch),
    )
    with pytest.raises(cuda.CudaError, match="256 bytes of local memory of a thread: there are 128 at most"):
        kernel.program(1 << 21)


def test_every_limit_and_the_classes_are_asked() -> None:
    every = {*(f"limits.{name}" for name in rules(Limits)), *(f"instructions.{name}" for name in rules(Instructions))}
    elsewhere = "instructions.targets"  # asked when something is compiled: tests/cuda/test_targets.py
    assert every == {*REFUSED, "limits.fewest_registers", "limits.local_bytes", elsewhere}
