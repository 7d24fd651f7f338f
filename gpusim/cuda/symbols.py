"""What the ``__device__`` and ``__constant__`` variables of a module hold, before a launch and after it.

Source: CUDA C++ Programming Guide 13.0, 5.2.2 "Device Memory": ``cudaMemcpyToSymbol`` and ``cudaMemcpyFromSymbol``
write and read so many bytes of a variable at an offset; what it holds then, later launches find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpusim.cuda.cuda_errors import SymbolError
from gpusim.cuda.demangle import demangle
from gpusim.isa.encode import is_indexed
from gpusim.isa.instruction import Kind
from gpusim.isa.opcodes import Op
from gpusim.names import nearest, some

if TYPE_CHECKING:
    import numpy as np

    from gpusim.cuda.cubin import Cubin
    from gpusim.isa.instruction import Instr
    from gpusim.isa.program import Program

BANK = 3
"""Constant bank that holds the ``__constant__`` variables of a module."""
_INTERNAL = re.compile(r"_INTERNAL_\w+::|\(anonymous namespace\)::")


@dataclass(frozen=True)
class Symbol:
    """A variable of a module that host code can write to and read.

    Attributes
    ----------
    name : str
        As C++ calls it, namespaces included.
    symbol : str
        As in the cubin.
    nbytes : int
    place : int
        Its offset in constant bank 3, or its number among the module's ``__device__`` variables.
    is_constant : bool
    """

    name: str
    symbol: str
    nbytes: int
    place: int
    is_constant: bool

    def __str__(self) -> str:
        return f"{'__constant__' if self.is_constant else '__device__'} {self.name} ({self.nbytes} bytes)"


def symbols(cubin: Cubin) -> tuple[Symbol, ...]:
    """Variables of a module, but for those that the compiler made (strings).

    Parameters
    ----------
    cubin : Cubin
    """
    constants = (Symbol(_called(c.name), c.name, c.nbytes, c.offset, True) for c in cubin.constants)
    variables = (Symbol(_called(v.name), v.name, v.nbytes, n, False) for n, v in enumerate(cubin.variables))
    return tuple(one for one in (*constants, *variables) if "$" not in one.symbol)


def _called(symbol: str) -> str:
    """Name in C++; the instance of a variable template is mangled as a function is, but for its type."""
    name = demangle(symbol)
    if name.name.startswith("_Z"):
        name = demangle(f"{symbol}vv")
    return symbol if name.name.startswith("_Z") else _INTERNAL.sub("", name.full)


def find(wanted: str, cubin: Cubin, filename: str) -> Symbol:
    """The variable that a name means: in full with its namespaces, or the last part of it.

    Parameters
    ----------
    wanted : str
    cubin : Cubin
    filename : str
        What messages call the module.

    Raises
    ------
    SymbolError
        None is meant, or several.
    """
    known = symbols(cubin)
    text = "".join(wanted.split())
    for level in range(_READINGS):
        found = [one for one in known if _readings(one)[level] == text]
        if len(found) == 1:
            return found[0]
        if found:
            raise SymbolError(f"variable {wanted} of {filename} may be any of: {some([str(o) for o in found], '; ')}")
    if not known:
        raise SymbolError(f"{filename} has no variable {wanted!r}: it has no __constant__ or __device__ variables")
    near = nearest(wanted, [one.name for one in known])
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {some([str(one) for one in known], '; ')}"
    raise SymbolError(f"{filename} has no variable {wanted!r}: {hint} (one that no kernel uses is left out)")


_READINGS = 3


def _readings(symbol: Symbol) -> tuple[str, str, str]:
    """What a variable may be called, the most exact first."""
    name = symbol.name.replace(" ", "")
    return symbol.symbol, name, name.rpartition("::")[2]


class Images:
    """Contents of all variables of a module, which last from launch to launch.

    Parameters
    ----------
    cubin : Cubin
        The module.
    program : Program
        Of any of its kernels: has what the variables hold at first, addresses filled in.

    Attributes
    ----------
    written : set of Symbol
        Those that were written to.
    """

    def __init__(self, cubin: Cubin, program: Program) -> None:
        self.written: set[Symbol] = set()
        self._known = {one.symbol: one for one in symbols(cubin)}
        self._names = [variable.name for variable in program.variables]
        self._variables = [bytearray(variable.data) for variable in program.variables]
        self._bank = bytearray(program.banks.get(BANK, b""))

    def _of(self, symbol: str, nbytes: int | None, offset: int) -> tuple[Symbol, bytearray, slice]:
        """A variable, the image that has it, and so many bytes of it there."""
        one = self._known[symbol]
        count = one.nbytes - offset if nbytes is None else nbytes
        if offset < 0 or count < 0 or offset + count > one.nbytes:
            raise SymbolError(f"{count} bytes at byte {offset} of {one} lie beyond it")
        start = offset + (one.place if one.is_constant else 0)
        image = self._bank if one.is_constant else self._variables[one.place]
        return one, image, slice(start, start + count)

    def write(self, symbol: str, data: bytes, offset: int = 0) -> None:
        """Put bytes into a variable.

        Parameters
        ----------
        symbol : str
            As in the cubin: :attr:`Symbol.symbol`.
        data : bytes
        offset : int
            Bytes from its first one.

        Raises
        ------
        SymbolError
            They lie beyond it.
        """
        one, image, where = self._of(symbol, len(data), offset)
        image[where] = data
        self.written.add(one)

    def read(self, symbol: str, nbytes: int | None = None, offset: int = 0) -> bytes:
        """Bytes of a variable, all of them unless told otherwise; parameters as for :meth:`write`."""
        _, image, where = self._of(symbol, nbytes, offset)
        return bytes(image[where])

    def put_into(self, program: Program) -> Program:
        """The program of a kernel of this module, with what the variables hold now.

        Parameters
        ----------
        program : Program
        """
        variables = tuple(
            variable._replace(data=bytes(image))
            for variable, image in zip(program.variables, self._variables, strict=True)
        )
        banks = {**program.banks, BANK: bytes(self._bank)} if self._bank else program.banks
        return replace(program, variables=variables, banks=banks)

    def take(self, outputs: Mapping[str, np.ndarray]) -> None:
        """Hold what a launch has left in the variables.

        Parameters
        ----------
        outputs : mapping of str to ndarray
            Bytes by the name of the program's variable.
        """
        for name, image in zip(self._names, self._variables, strict=True):
            if name in outputs:
                image[:] = outputs[name].tobytes()

    def unfilled(self, program: Program) -> list[Symbol]:
        """``__constant__`` variables that a kernel reads, nobody wrote to and no initialiser fills.

        Parameters
        ----------
        program : Program
            The kernel's.
        """
        touched = list(_constants_read(program))
        return [
            one
            for one in self._known.values()
            if one.is_constant
            and one not in self.written
            and not any(self.read(one.symbol))
            and any(start < one.place + one.nbytes and one.place < end for start, end in touched)
        ]


def _constants_read(program: Program) -> Iterator[tuple[int, int]]:
    """First and last byte, plus one, of what instructions may read of the bank of ``__constant__`` variables."""
    end = len(program.banks.get(BANK, b""))
    for instr in program.instrs:
        for operand in instr.srcs:
            if operand.kind is Kind.CONST and operand.place[0] == BANK:
                yield operand.place[1], operand.place[1] + _WIDEST
        if instr.op is Op.LDC and instr.sub == BANK:
            yield _loaded(instr, end)


_WIDEST = 8
"""Bytes of a constant operand at most: a double."""


def _loaded(instr: Instr, end: int) -> tuple[int, int]:
    """The same of a load; the index of one may hold all of the address."""
    if not is_indexed(instr):
        return instr.offset, instr.offset + max(instr.width, 1)
    return instr.offset, instr.offset + 1 if instr.offset else end
