"""From a kernel of a compiled file to the Program that the engine runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gpusim.cuda import nvdisasm, nvrtc, relocate, system_calls, tensor_memory, toolchain
from gpusim.cuda.cuda_errors import CubinError, CudaError
from gpusim.cuda.nvdisasm import Line
from gpusim.cuda.relocations import Relocation
from gpusim.cuda.translate import constants_read, translate
from gpusim.hardware import of_architecture
from gpusim.hardware.programming import Abi, Limits
from gpusim.isa.check import WIDTHS, faults
from gpusim.isa.instruction import INSTRUCTION_BYTES
from gpusim.isa.opcodes import HEAP_CALLS
from gpusim.isa.program import GRID_WORKSPACE, HEAP, ParamInfo, Program, Variable
from gpusim.kept.store import PROGRAMS

if TYPE_CHECKING:
    from gpusim.cuda.cubin import Cubin, KernelCode
    from gpusim.cuda.demangle import Name
    from gpusim.cuda.signature import Parameter

ALIGNMENT = 512  # bytes, of a device variable; what CUDA's allocators give
STACK_BYTES = 1024
"""Stack of a thread unless a program asks for another one.  Source: CUDA Runtime API, ``cudaLimitStackSize``, as
``cudaDeviceGetLimit`` gives it where nobody set it."""
HEAP_BYTES = 8 << 20
"""From which malloc of device code takes.  Source: CUDA Runtime API, ``cudaLimitMallocHeapSize``, as
``cudaDeviceGetLimit`` gives it where nobody set it."""
WORKSPACE_BYTES = 16
"""By which blocks of a cooperative launch wait for one another; code reads and writes the first 8 of them."""
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
    code, offsets = kernel.code, variable_offsets(kernel.cubin)
    widest = max(WIDTHS)  # nvcc reads a last array of 12 bytes with one LDS.128
    shared = -(-code.shared_bytes // widest) * widest

    def address_of(symbol: str) -> int:
        """A function of the system's has none."""
        return base + offsets[symbol] if symbol in offsets else 0

    banks = relocate.relocate(replace(code, relocations=_in_banks(kernel)), address_of).banks
    lines = [_placed(line, address_of) for line in _lines(kernel)]
    made = translate(
        kernel.name.full, lines,
        registers=code.registers, shared_bytes=shared, local_bytes=_stack(lines, code.local_bytes),
        max_threads=code.max_threads, arch=kernel.cubin.arch, banks=banks,
    )  # fmt: skip
    made = system_calls.resolved(made, lines, code.relocations)
    variables = tuple(
        Variable(_called_apart(v.name, kernel), offsets[v.name], relocate.initial(v, address_of))
        for v in kernel.cubin.variables
    )
    waiting = _places_of_workspace(made)
    variables = (*variables, *_of_the_system(made, _end(kernel.cubin), waits=bool(waiting)))
    whole = replace(
        made, source=_called(made.source, kernel.filename), params=_params(kernel), variables=variables,
        system_pointers=waiting, unknown=made.unknown, barriers=code.barriers, cluster=code.cluster,
        most_in_cluster=code.most_in_cluster, grid_of_clusters=code.grid_of_clusters,
        shared_padding=shared - code.shared_bytes,
        masks={offset // INSTRUCTION_BYTES: register for offset, register in code.masks.items()},
    )  # fmt: skip
    tensor_memory.refuse(whole, lines)
    _refuse_faults(whole, lines, kernel.filename)
    return whole


def _places_of_workspace(made: Program) -> tuple[int, ...]:
    """Words of the address of its grid's workspace that a program reads in constant bank 0."""
    abi = of_architecture(made.arch, Abi)
    read = {offset for i in made.instrs for bank, offset, _ in constants_read(i) if bank == 0}
    return tuple(sorted(filter(abi.is_grid_workspace, read)))


def _of_the_system(made: Program, end: int, *, waits: bool) -> Iterator[Variable]:
    """What the system keeps in global memory for a program, after its own variables."""
    if waits:
        yield Variable(GRID_WORKSPACE, end, b"", WORKSPACE_BYTES)
        end += ALIGNMENT
    if made.has(*HEAP_CALLS):
        yield Variable(HEAP, end, b"", HEAP_BYTES)


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


def _called(source: str, filename: str) -> str:
    """The source as the user called it, who may have moved it since it was compiled."""
    return filename if Path(source).name == Path(filename).name else source


@lru_cache(maxsize=8)
def _listing(cubin: bytes, disassembler: Path) -> dict[str, list[Line]]:
    return nvdisasm.disassemble(cubin, disassembler)


def variable_offsets(cubin: Cubin) -> dict[str, int]:
    """Where each device variable lies, from the first one on."""
    ends = accumulate((-(-v.nbytes // ALIGNMENT) * ALIGNMENT for v in cubin.variables), initial=0)
    return dict(zip((v.name for v in cubin.variables), ends, strict=False))


def _end(cubin: Cubin) -> int:
    """Where the last device variable ends, from the first one on."""
    return sum(-(-v.nbytes // ALIGNMENT) * ALIGNMENT for v in cubin.variables)


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
