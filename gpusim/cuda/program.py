"""From a kernel of a compiled file to the Program that the engine runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gpusim.cuda import nvdisasm, nvrtc, relocate, tensor_memory, toolchain
from gpusim.cuda.cuda_errors import CubinError, CudaError
from gpusim.cuda.nvdisasm import Line
from gpusim.cuda.relocations import Relocation
from gpusim.cuda.translate import translate
from gpusim.hardware import of_architecture
from gpusim.hardware.programming import Abi, Limits
from gpusim.isa.check import WIDTHS, faults
from gpusim.isa.program import ParamInfo, Program, Variable
from gpusim.kept.store import PROGRAMS

if TYPE_CHECKING:
    from gpusim.cuda.cubin import Cubin, KernelCode
    from gpusim.cuda.demangle import Name
    from gpusim.cuda.signature import Parameter

ALIGNMENT = 512  # bytes, of a device variable; what CUDA's allocators give
STACK_BYTES = 1024
"""Stack of a thread unless a program asks for another one.  Source: CUDA Runtime API, ``cudaLimitStackSize``, as
``cudaDeviceGetLimit`` gives it where nobody set it."""
_ADDRESS = re.compile(r"32@(lo|hi)\((\w+)\)")


class Compiled(Protocol):
    """A kernel of a module, as far as its program goes: see :class:`gpusim.cuda.module.Kernel`."""

    @property
    def symbol(self) -> str:
        """Its symbol."""

    @property
    def name(self) -> Name:
        """What C++ calls it."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """In order."""

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """A name for each."""

    @property
    def code(self) -> KernelCode:
        """Machine code and what it needs."""

    @property
    def cubin(self) -> Cubin:
        """The whole module."""

    @property
    def filename(self) -> str:
        """What messages call its file."""


def program(kernel: Compiled, base: int) -> Program:
    """Disassemble and translate a kernel, its device variables placed one after another; what was before is kept.

    Parameters
    ----------
    kernel : Compiled
    base : int
        Address of the first device variable.

    Returns
    -------
    Program

    Raises
    ------
    CudaError
        Where the machine code cannot be read, or asks for what no hardware has or the file does not declare.
    """
    disassembler = _disassembler(kernel.cubin.arch)
    found = disassembler.stat()
    of_kernel = kernel.symbol, kernel.name, kernel.parameters, kernel.code, kernel.cubin, kernel.filename
    decided_by = of_kernel, base, disassembler, found.st_size, found.st_mtime_ns
    return PROGRAMS.remembered(decided_by, lambda: _translated(kernel, base))


def _disassembler(arch: str) -> Path:
    """The disassembler to prefer, or for a target that the newest tools no longer know one that does."""
    try:
        known = arch.rstrip("af") in nvrtc.architectures()
    except CudaError:  # there is no compiler, or it cannot be asked
        known = True
    return toolchain.nvdisasm("" if known else arch)


def _translated(kernel: Compiled, base: int) -> Program:
    """The same, without a look at what is kept."""
    code, offsets = kernel.code, _offsets(kernel.cubin)
    widest = max(WIDTHS)  # nvcc reads a last array of 12 bytes with one LDS.128
    shared = -(-code.shared_bytes // widest) * widest
    foreign: dict[str, None] = {}

    def address_of(symbol: str) -> int:
        """A function of the system's has none; who calls it is told so where that is executed."""
        if symbol not in offsets:
            foreign[symbol] = None
            return 0
        return base + offsets[symbol]

    banks = relocate.relocate(replace(code, relocations=_in_banks(kernel)), address_of).banks
    lines = [_placed(line, address_of) for line in _lines(kernel)]
    made = translate(
        kernel.name.full, lines,
        registers=code.registers, shared_bytes=shared, local_bytes=_stack(lines, code.local_bytes),
        max_threads=code.max_threads, arch=kernel.cubin.arch, banks=banks,
    )  # fmt: skip
    variables = tuple(
        Variable(_called_apart(v.name, kernel), offsets[v.name], relocate.initial(v, address_of))
        for v in kernel.cubin.variables
    )
    whole = replace(
        made, source=_called(made.source, kernel.filename), params=_params(kernel), variables=variables,
        unknown=_explained(made.unknown, list(foreign)), barriers=code.barriers, cluster=code.cluster,
        most_in_cluster=code.most_in_cluster, grid_of_clusters=code.grid_of_clusters,
    )  # fmt: skip
    tensor_memory.refuse(whole, lines)
    _refuse_faults(whole, lines, kernel.filename)
    return whole


def _called_apart(variable: str, kernel: Compiled) -> str:
    """Name of a device variable, another one than that of any parameter."""
    return f"{variable} (__device__)" if variable in kernel.parameter_names else variable


def _refuse_faults(made: Program, lines: list[Line], filename: str) -> None:
    """Raise an error for the first thing that is wrong with a program, with where that is."""
    for index, problem in (*_beyond(made), *faults(made)):
        where = ""
        if index >= 0:
            line, number = lines[index], made.instrs[index].line
            source = f", {made.source}:{number}" if number else ""
            where = f"instruction at {line.address:#x} ({line.text}{source}): "
        raise CubinError(f"{filename}: kernel {made.name} is damaged: {where}{problem}")


def _beyond(made: Program) -> Iterator[tuple[int, str]]:
    """What is more than a thread of its architecture has."""
    most = of_architecture(made.arch, Limits).local_bytes
    if made.local_bytes > most:
        yield -1, f"{made.local_bytes} bytes of local memory of a thread: there are {most} at most"


def _lines(kernel: Compiled) -> list[Line]:
    """The kernel's own part of its module's listing."""
    found = _listing(kernel.cubin.data, _disassembler(kernel.cubin.arch)).get(kernel.symbol)
    if found is None:
        raise CubinError(f"{kernel.filename}: nvdisasm shows no code of kernel {kernel.name.full}: the file is damaged")
    return found


def _stack(lines: list[Line], told: int) -> int:
    """Local memory of a thread; where functions move the stack pointer, which may recurse, at least the default."""
    first = next((n for n, line in enumerate(lines) if line.opcode.startswith("CALL")), len(lines))
    moved = any(line.operands[:1] == ("R1",) and "R1" in line.operands[1:] for line in lines[first:])
    return max(told, STACK_BYTES) if moved else told


def _explained(unknown: Mapping[int, str], foreign: list[str]) -> dict[int, str]:
    """What has no translation; the way to a function of the system's under that function's name."""
    who = f"call of {' or '.join(foreign)}, a function of CUDA's own"
    return {n: who if foreign and text.startswith(("LEPC", "CALL")) else text for n, text in unknown.items()}


def _called(source: str, filename: str) -> str:
    """The source as the user called it, who may have moved it since it was compiled."""
    return filename if Path(source).name == Path(filename).name else source


@lru_cache(maxsize=8)
def _listing(cubin: bytes, disassembler: Path) -> dict[str, list[Line]]:
    return nvdisasm.disassemble(cubin, disassembler)


def _offsets(cubin: Cubin) -> dict[str, int]:
    """Where each device variable lies, from the first one on."""
    found, end = {}, 0
    for variable in cubin.variables:
        found[variable.name] = end
        end += -(-variable.nbytes // ALIGNMENT) * ALIGNMENT
    return found


def _in_banks(kernel: Compiled) -> tuple[Relocation, ...]:
    return tuple(one for one in kernel.code.relocations if one.section != "code")


def _placed(line: Line, address_of: Callable[[str], int]) -> Line:
    """Addresses of variables instead of their names."""
    if not any("32@" in text for text in line.operands):
        return line

    def address(found: re.Match[str]) -> str:
        return f"{address_of(found[2]) >> (32 if found[1] == 'hi' else 0) & 0xFFFFFFFF:#x}"

    return line._replace(operands=tuple(_ADDRESS.sub(address, text) for text in line.operands))


def _params(kernel: Compiled) -> tuple[ParamInfo, ...]:
    """Parameters under their names where those are known, as ``p0``, ``p1``, ... elsewhere."""
    first = of_architecture(kernel.cubin.arch, Abi).parameters
    return tuple(
        ParamInfo(name, "raw", first + p.offset, p.nbytes)
        for name, p in zip(kernel.parameter_names, kernel.parameters, strict=True)
    )
