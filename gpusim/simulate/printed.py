"""What device code prints: the formats that a program has, and the text when a launch is over.

Source: CUDA C++ Programming Guide 13, "Formatted Output", "Limitations" and "Associated Host-Side API".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.errors import GpusimError
from gpusim.isa.opcodes import Op
from gpusim.simulate.printf_format import LONG, conversions, formatted, places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpusim.isa.program import Program

FIFO_BYTES = 1 << 20
"""What a launch prints is kept in so many bytes until it ends; then the oldest is overwritten.  Source: CUDA Runtime
API, ``cudaLimitPrintfFifoSize``, as ``cudaDeviceGetLimit`` gives it where nobody set it."""
MOST_ARGUMENTS = 32
"""Of printf.  Source: the same, "Limitations"."""


class Printed(NamedTuple):
    """What a launch printed.

    Attributes
    ----------
    text : str
        Blocks in order; in a block by the cycle in which a warp printed, then by thread.
    lost : int
        How often a thread printed what was overwritten.
    """

    text: str = ""
    lost: int = 0


NOTHING = Printed()


def formats(program: Program) -> np.ndarray:
    """Strings of a program's, of which any may be a format, where it prints.

    Returns
    -------
    int64 array, shape (strings, N_FORMAT)
    """
    if not program.has(Op.VPRINTF):
        return np.zeros((1, S.N_FORMAT), np.int64)
    found = []
    for address, text in _strings(program):
        parts = conversions(text)
        arguments, nbytes = places(parts)
        if len(arguments) <= MOST_ARGUMENTS:
            found.append((address, -(-nbytes // 4) * 4, len(arguments)))
    return np.array(sorted(found) or [(-1, 0, 0)], np.int64)


def room(program: Program, known: np.ndarray) -> np.ndarray:
    """Where what is printed is noted: as many rows as printing fills what keeps it, each of 8 bytes at least."""
    if not program.has(Op.VPRINTF):
        return np.zeros((1, 1), np.int64)
    columns = S.PRINTED_WORDS + -(-int(known[:, S.FORMAT_BYTES].max()) // LONG)
    return np.zeros((1 + FIFO_BYTES // LONG, columns), np.int64)


def _strings(program: Program) -> Iterator[tuple[int, bytes]]:
    """Each of a program's variables that may be a string: where it lies, and its text."""
    for variable in program.variables:
        text, end, _ = variable.data.partition(b"\0")
        if end:
            yield int(S.GLOBAL_BASE) + variable.offset, text


def printed(program: Program, noted: np.ndarray) -> Printed:
    """What was printed.

    Parameters
    ----------
    program : Program
    noted : int64 array
        :attr:`gpusim.engine.state.arrays.Machine.printed`.

    Raises
    ------
    GpusimError
        A string that is not one of the program's constants.
    """
    count = int(noted[0, 0])
    if not count:
        return NOTHING
    rows = noted[1 : 1 + count]
    if count > len(rows):
        rows = np.roll(rows, -(count % len(rows)), axis=0)
    known = dict(_strings(program))
    texts, used = [], 0
    for row in rows[::-1]:
        used += LONG * (1 + -(-places(conversions(known[int(row[S.PRINTED_FORMAT])]))[1] // LONG))
        if used > FIFO_BYTES:
            break
        texts.append(row)
    texts.reverse()
    texts.sort(key=lambda row: (row[S.PRINTED_BLOCK], row[S.PRINTED_AT], row[S.PRINTED_THREAD]))
    text = b"".join(_text(row, known, program) for row in texts)
    return Printed(text.decode(errors="replace"), count - len(texts))


def _text(row: np.ndarray, known: dict[int, bytes], program: Program) -> bytes:
    """What one thread printed."""

    def string_at(address: int) -> bytes:
        found = _string(program, address)
        if found is None:
            raise GpusimError(
                f"{program.name}: printf prints a string (%s) at address {address:#x}, which is no constant of the "
                "program: print its characters one by one"
            )
        return found

    return formatted(known[int(row[S.PRINTED_FORMAT])], row[S.PRINTED_WORDS :].tobytes(), string_at)


def _string(program: Program, address: int) -> bytes | None:
    """The string at an address, where it is a constant of the program."""
    for variable in program.variables:
        place = address - int(S.GLOBAL_BASE) - variable.offset
        if 0 <= place < len(variable.data):
            return variable.data[place:].partition(b"\0")[0]
    return None


def string_of(program: Program, address: int) -> str:
    """The string at an address; ``"?"`` where it is no constant of the program."""
    return (_string(program, address) or b"?").decode(errors="replace")
