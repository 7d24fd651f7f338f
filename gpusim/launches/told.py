"""One launch of a CUDA source told in words: its sizes, arguments and variables, each a text as on the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError
from gpusim.launches import named
from gpusim.launches.spec import LaunchSpec

if TYPE_CHECKING:
    from gpusim.launches.named import Named

MOST_DIGITS = 20
"""Of a number that is not refused for its length."""

SHOWN = 60
"""Characters of a text that a message repeats."""


def told(
    source: Path,
    grid: str,
    block: str | None,
    args: Sequence[str] = (),
    *,
    symbols: Sequence[str] = (),
    cluster: str | None = None,
    defines: Mapping[str, str | None] | None = None,
    mark: str = "--",
    **more: Any,
) -> LaunchSpec:
    """Read a launch; sizes are expressions of scalars that are told by name, and of macros that are numbers.

    Parameters
    ----------
    source : Path
        CUDA source, or machine code.
    grid, block, cluster : str or None
        ``"64"``, ``"16,16"``, ``"ceildiv(n,256)"``; machine code may do without a block.
    args, symbols : sequence of str
        As :func:`gpusim.launches.named.read` reads them: ``"n=1024"``, ``"x=normal:n"``.
    defines : mapping of str to str or None
        Macros, with their values where there are any.
    mark : str
        What stands before the name of a size in messages: ``"--"`` of options, else nothing.
    **more
        Other fields of :class:`~gpusim.launches.spec.LaunchSpec`.

    Raises
    ------
    GpusimError
        One line that says which of them is wrong.

    Examples
    --------
    >>> told(Path("x.cu"), "ceildiv(n,256)", "16,16", ["n=1000"]).grid
    (4,)
    """
    macros = defines or {}
    read, known = named.read(args, _numbers(macros), f"{mark}arg")
    fields: dict[str, Any] = {"options": (), "kernel": None, **more}
    return LaunchSpec(
        source.name, source, grid=sizes(f"{mark}grid", grid, known),
        block=sizes(f"{mark}block", block, known) if block is not None else (),
        args=read, defines=macros, cluster=sizes(f"{mark}cluster", cluster, known) if cluster else None,
        symbols=_symbols(symbols, known, f"{mark}set"), **fields,
    )  # fmt: skip


def sizes(name: str, text: str, known: Mapping[str, int | float]) -> tuple[int, ...]:
    """One to three whole numbers, or expressions of scalars that are told by name.

    Parameters
    ----------
    name : str
        What messages call them.
    text : str
    known : mapping of str to int or float
        What names mean.

    Examples
    --------
    >>> sizes("--grid", "n, 2*n", {"n": 4})
    (4, 8)
    """
    from gpusim.expressions import ExpressionError, evaluate

    parts = [part.strip() for part in re.split(r",(?![^(]*\))", text)]
    wanted = f"{name} {text[:SHOWN]}: one to three whole numbers are needed, with commas between them"
    if len(parts) > 3:
        raise GpusimError(wanted)
    found: list[int | float] = []
    for part in parts:
        try:
            found.append(evaluate(part, known))
        except ExpressionError as error:
            raise GpusimError(f"{wanted}: {error}" if part else wanted) from None
    if any(not isinstance(n, int) or not 0 <= n < 10**MOST_DIGITS for n in found):
        raise GpusimError(wanted)
    return tuple(map(int, found))


def size(given: Any) -> str:
    """Give a size as the command line has it.

    Parameters
    ----------
    given : int, str or sequence of int

    Examples
    --------
    >>> size(64), size([16, 16]), size("ceildiv(n,256)")
    ('64', '16,16', 'ceildiv(n,256)')
    """
    return ",".join(map(str, given)) if isinstance(given, Sequence) and not isinstance(given, str) else str(given)


def texts(given: Mapping[str, Any] | Sequence[str] | None) -> list[str]:
    """Give arguments as the command line has them.

    Parameters
    ----------
    given : mapping, sequence of str or None

    Examples
    --------
    >>> texts({"n": 1024, "x": "normal:n"})
    ['n=1024', 'x=normal:n']
    """
    return [f"{name}={value}" for name, value in given.items()] if isinstance(given, Mapping) else list(given or ())


def _symbols(texts: Sequence[str], known: Mapping[str, int | float], name: str) -> tuple[Named, ...]:
    """What variables hold, each by name."""
    if wrong := next((text for text in texts if not named.is_named(text)), None):
        raise GpusimError(f"{name} {wrong[:SHOWN]}: a variable is told by name, such as coef=normal or n=5")
    read, _ = named.read(texts, known, name)
    return tuple(one for one in read if isinstance(one, named.Named))


def _numbers(defines: Mapping[str, str | None]) -> dict[str, int | float]:
    """Macros that are numbers."""
    return {name: int(value) for name, value in defines.items() if value and value.isdecimal() and value.isascii()}
