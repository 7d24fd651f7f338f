"""Device code that a program has loaded: its kernels and variables, and where they lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gpusim.cuda import module, relocate
from gpusim.cuda.program import ALIGNMENT, variable_offsets
from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.isa.opcodes import Op

if TYPE_CHECKING:
    from gpusim.cuda.module import Kernel
    from gpusim.isa.program import Program
    from gpusim.programs.memory import DeviceMemory

_OF_HEAP = frozenset({"malloc", "free"})
CONSTANTS = 3
"""The constant bank of ``__constant__`` variables."""


class Loaded:
    """A module of a program.

    Its variables lie one after another, ``__constant__`` ones last: a launch finds in the constant bank what the memory
    there holds.

    Parameters
    ----------
    number : int
        Among the program's modules.
    fatbin : bytes
    arch : str
        Of the GPU.
    filename : str
        What messages call it.
    text : str
        Source of the program, where that is known.
    """

    def __init__(self, number: int, fatbin: bytes, arch: str, filename: str, text: str) -> None:
        self.number, self.base = number, 0
        self._module = module.from_binary(fatbin, filename, arch, text)
        self.kernels: list[Kernel] = list(self._module.kernels.values())
        self._offsets = variable_offsets(self._module.cubin)
        self._programs: dict[tuple[int, int], Program] = {}

    @cached_property
    def _constants_at(self) -> int:
        """Where constants lie, from the first variable on."""
        ends = (self._offsets[v.name] + v.nbytes for v in self._module.cubin.variables)
        return -(-max(ends, default=0) // ALIGNMENT) * ALIGNMENT

    @property
    def _n_constants(self) -> int:
        return max((len(kernel.code.banks.get(CONSTANTS, b"")) for kernel in self.kernels), default=0)

    def described(self) -> str:
        """What the runtime is told of it: bytes of its variables, then a line for each kernel and each variable."""
        total = self._constants_at + self._n_constants
        return "\n".join([f"module {self.number} {total}", *self._kernel_lines(), *self._variable_lines()]) + "\n"

    def _kernel_lines(self) -> Iterator[str]:
        for index, kernel in enumerate(self.kernels):
            code = kernel.code
            places = " ".join(f"{p.offset} {p.nbytes}" for p in kernel.parameters)
            yield (
                f"kernel {index} {kernel.symbol} {code.registers} {code.shared_bytes} {self._n_constants} "
                f"{code.local_bytes} {code.max_threads} {code.param_bytes} {len(kernel.parameters)} {places}"
            )

    def _variable_lines(self) -> Iterator[str]:
        for variable in self._module.cubin.variables:
            yield f"variable {variable.name} {self._offsets[variable.name]} {variable.nbytes} 0"
        for constant in self._module.cubin.constants:
            yield f"variable {constant.name} {self._constants_at + constant.offset} {constant.nbytes} 1"

    @property
    def calls_heap(self) -> bool:
        """Whether its device code calls malloc or free."""
        return any(one.symbol in _OF_HEAP for kernel in self.kernels for one in kernel.code.relocations)

    def place(self, base: int, memory: DeviceMemory) -> None:
        """Put the variables where the runtime has room for them, with what they hold at first.

        Parameters
        ----------
        base : int
            Address of the first.
        memory : DeviceMemory
        """
        self.base = base
        arrays = []
        for variable in self._module.cubin.variables:
            first = base + self._offsets[variable.name]
            memory.at(first, variable.nbytes)[:] = np.frombuffer(relocate.initial(variable, self._address), np.uint8)
            arrays.append((variable.name, first, variable.nbytes))
        if self._n_constants:
            bank = self._first_constants()
            memory.at(base + self._constants_at, len(bank))[:] = np.frombuffer(bank, np.uint8)
            arrays.append(("constant memory", base + self._constants_at, len(bank)))
        memory.placed(base, arrays)

    def _address(self, symbol: str) -> int:
        return self.base + self._offsets.get(symbol, -self.base)

    def _first_constants(self) -> bytes:
        """What the constant bank holds at first."""
        kernel = max(self.kernels, key=lambda kernel: len(kernel.code.banks.get(CONSTANTS, b"")))
        in_banks = tuple(one for one in kernel.code.relocations if one.section != "code")
        return relocate.relocate(replace(kernel.code, relocations=in_banks), self._address).banks[CONSTANTS]

    def constants(self, memory: DeviceMemory) -> dict[int, bytes]:
        """The constant bank as it is now."""
        if not self._n_constants:
            return {}
        return {CONSTANTS: memory.at(self.base + self._constants_at, self._n_constants).tobytes()}

    def _in_place(self, made: Program) -> Program:
        """A program whose variables lie where this module's do."""
        further = self.base - int(GLOBAL_BASE)
        return replace(made, variables=tuple(v._replace(offset=v.offset + further) for v in made.variables))

    def program(self, index: int, stack: int) -> Program:
        """Machine code of a kernel, translated.

        Parameters
        ----------
        index : int
        stack : int
            Bytes that a thread's functions may take where nobody knows how deep they recurse.
        """
        if (index, stack) not in self._programs:
            made = self._in_place(self.kernels[index].program(self.base))
            if made.local_bytes and any(i.op is Op.CALL for i in made.instrs):
                made = replace(made, local_bytes=max(made.local_bytes, stack))
            self._programs[index, stack] = made
        return self._programs[index, stack]
