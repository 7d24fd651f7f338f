"""Does a CUDA compiler take emitted source without a word, and make of it the accesses that the Program has?"""

import re
import shutil
import subprocess
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from tests.emit import compiler
from tests.emit.test_values import CONSTRUCTS
from tests.kernels.cases import CASES, REPRESENTATIVE
from tests.marks import most_by_hand

pytestmark = pytest.mark.skipif(bool(compiler.missing()), reason=compiler.missing())

# What the compiler does not unroll further, or otherwise than the lowering does.
STRAIGHT = [
    "vector-add", "copy", "copy-vec4", "copy-strided", "copy-offset", "store-strided", "gather", "stencil5",
    "transpose-naive", "transpose-shared", "transpose-padded", "divergence", "reduce-divergent", "reduce-sequential",
    "reduce-shuffle", "matmul-tiled", "matmul-coarsened", "matmul-register-tiled", "matmul-register-tiled-vec4",
    "matmul-tiled-f16", "matmul-tiled-bf16", "matmul-tiled-fp8", "copy-f16", "copy-bf16", "copy-fp8",
    "copy-vec8-f16", "copy-vec16-fp8", "sin", "cos", "square", "sin2cos2", "chain3-fused", "relu", "relu-f16",
    "relu-bf16", "relu-fp8", "elu", "gelu", "dropout-residual", "dropout-residual-f16",
]  # fmt: skip
LARGER = {"matmul-register-tiled-vec4": {"BK": 32}}
"""Tiles of which a thread copies four pieces: of fewer nvcc keeps a loop that is never entered, lowering does not."""
COUNTED = ("LDG", "STG", "LDS", "STS", "BAR", "SHFL", "FFMA")
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?\s*([A-Z0-9]+)")


def disassembler():
    """nvdisasm: on the path, or from its wheel."""
    spec = find_spec("nvidia")
    folders = [Path(folder) for folder in (spec.submodule_search_locations or [])] if spec else []
    return shutil.which("nvdisasm") or next((str(p) for f in folders for p in f.glob("cu*/bin/nvdisasm")), None)


def tiles_of(algorithm, params):
    return {name: value for name, value in params.items() if name in algorithm.kernel.defaults}


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=3)
@given(data=st.data())
def test_kernels_of_any_tiles_compile_without_warnings(name, data):
    algorithm = lookup.get(name)
    source = algorithm.kernel.emit(**tiles_of(algorithm, data.draw(CASES[name])))
    assert compiler.compile_(source)[1] == ""


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_constructs_compile_without_warnings(name):
    assert compiler.compile_(CONSTRUCTS[name].emit())[1] == ""


@pytest.mark.skipif(disassembler() is None, reason="needs nvdisasm")
@pytest.mark.parametrize("name", most_by_hand(STRAIGHT, STRAIGHT[::2]))
def test_machine_code_has_the_instructions_of_the_program(name, tmp_path):
    kernel, tiles = lookup.get(name).kernel, LARGER.get(name, {})
    path = tmp_path / "kernel.cubin"
    path.write_bytes(compiler.compile_(kernel.emit(**tiles))[0])
    text = subprocess.run([disassembler(), "-c", str(path)], capture_output=True, text=True, check=True).stdout
    made = Counter(INSTRUCTION.findall(text))
    wanted = Counter(instr.op.name for instr in kernel.lower(**tiles).instrs)
    assert {op: made[op] for op in COUNTED} == {op: wanted[op] for op in COUNTED}
