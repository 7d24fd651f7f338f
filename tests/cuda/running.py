"""From a compiled kernel to a run of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gpusim import hardware
from gpusim.cuda import Kernel, Module, nvdisasm, toolchain
from gpusim.cuda.nvdisasm import Line
from gpusim.cuda.translate import translate
from gpusim.isa.program import Program
from gpusim.simulate import Launch, execute

Lines = Mapping[str, list[Line]]


def listing(module: Module) -> Lines:
    """Instructions of every function of a module."""
    return nvdisasm.disassemble(module.cubin.data, toolchain.nvdisasm())


def program(kernel: Kernel, lines: Lines) -> Program:
    """A kernel as the engine takes it."""
    code = kernel.code
    return translate(
        kernel.symbol, lines[kernel.symbol], registers=code.registers, shared_bytes=code.shared_bytes,
        local_bytes=code.local_bytes, max_threads=code.max_threads,
        parameters=[(p.offset, p.nbytes) for p in code.parameters], arch=kernel.arch, banks=code.banks,
    )  # fmt: skip


def run(what: Program, blocks: int, threads: int, *arguments: object, gpu: str = "h200") -> list[np.ndarray]:
    """Buffers after a launch, in the order of the parameters."""
    named = dict(zip((p.name for p in what.params), arguments, strict=True))
    launch = Launch(what, (blocks, 1, 1), (threads, 1, 1), named)
    spec = hardware.load(gpu)
    held = hardware.occupancy(spec, threads, what.n_registers, launch.shared_bytes)
    after = execute(launch, spec, held, checked=False)
    return [after[name] for name in named if name in after]
