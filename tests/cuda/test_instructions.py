"""Does every instruction give what an H200 gives, bit by bit?

Only MUFU may differ: the hardware looks its results up in tables that nobody has published.  Code for later GPUs, which
has other instructions for the same, must give the same.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gpusim import cuda
from gpusim.isa.program import Program
from tests.cuda.conftest import SOURCES
from tests.cuda.running import Lines, listing, program, run

MEASURED = np.load(Path(__file__).parent / "data" / "instructions-h200.npz")
KERNELS = [name for name in MEASURED.files if name != "inputs"]
BLOCKS, THREADS = 16, 128
N = BLOCKS * THREADS
ROWS = 64  # of the output: more than any kernel writes


ARCHITECTURES = ["sm_90", "sm_100", "sm_120"]


@pytest.fixture(scope="module", params=ARCHITECTURES)
def compiled(compiler: None, request: pytest.FixtureRequest) -> tuple[cuda.Module, Lines]:
    """The kernels, and their machine code."""
    module = cuda.compile(SOURCES / "instructions.cu", gpu=request.param, options=["-std=c++17"])
    return module, listing(module)


def translated(compiled: tuple[cuda.Module, Lines], name: str) -> Program:
    module, lines = compiled
    return program(module.kernels[name], lines)


# ------------------------------------------------------------------ how far MUFU may be off


def values(words: np.ndarray) -> np.ndarray:
    """Words as fp32, in fp64."""
    return words.view(np.float32).astype(np.float64)


def steps(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Distance in units of the last place."""
    got, want = (np.where(w >> 31, -(w & 0x7FFFFFFF).astype(np.int64), w.astype(np.int64)) for w in (got, want))
    return np.abs(got - want)


def by_steps(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    return steps(got, want) <= 2


def by(distance: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Within a distance, or two units of the last place."""

    def near(got: np.ndarray, want: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return by_steps(got, want) | (np.abs(values(got) - values(want)) <= distance)

    return near


def by_share(share: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Within a share of the value."""

    def near(got: np.ndarray, want: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return (got == want) | (np.abs(values(got) - values(want)) <= share * np.abs(values(want)))

    return near


NEAR = {  # by kernel and row of the output
    "float_division": {1: by_steps, 2: by_steps, 7: by_steps},  # div.full, div.approx, sqrt.approx
    "float_special": {
        0: by_steps, 1: by_steps, 2: by_steps, 7: by_steps, 8: by_steps,  # rcp, rsqrt, ex2, and flushing ex2 and rcp
        3: by(2.0**-22), 4: by(2.0**-21), 5: by(2.0**-21), 6: by_share(2.0**-16),  # lg2, sin, cos, tanh
    },
}  # fmt: skip


# ------------------------------------------------------------------ the comparison


@pytest.mark.parametrize("name", KERNELS)
def test_every_word_is_the_hardwares(compiled, name):
    what, want = translated(compiled, name), MEASURED[name]
    assert not what.unknown
    got = run(what, BLOCKS, THREADS, MEASURED["inputs"], np.zeros(ROWS * N, np.uint32), np.int32(N))[1]
    got = got.view(np.uint32).reshape(ROWS, N)
    assert not got[len(want) :].any()
    right = got[: len(want)] == want
    for row, near in NEAR.get(name, {}).items():
        right[row] = near(got[row], want[row])
    wrong = [f"row {k}, thread {i}: {got[k, i]:08x}, not {want[k, i]:08x}" for k, i in np.argwhere(~right)]
    assert not wrong, f"{len(wrong)} words: " + "; ".join(wrong[:10])


def test_the_tolerances_are_needed(compiled):
    """A row that equals the hardware's needs no tolerance: take it off the list."""
    for name, rows in NEAR.items():
        out = np.zeros(ROWS * N, np.uint32)
        got = run(translated(compiled, name), BLOCKS, THREADS, MEASURED["inputs"], out, np.int32(N))[1]
        for row in rows:
            assert (got.view(np.uint32).reshape(ROWS, N)[row] != MEASURED[name][row]).any()
