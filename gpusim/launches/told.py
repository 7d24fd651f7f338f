"""A launch of a CUDA source told by texts: ``grid="ceildiv(n,256)"``, ``args=["n=4096", "x=normal:n"]``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpusim.errors import GpusimError
from gpusim.expressions import ExpressionError, evaluate
from gpusim.launches import named
from gpusim.launches.named import Named
from gpusim.launches.spec import LaunchSpec
from gpusim.reading import SOURCE

MOST_DIGITS = 20
"""Of a number that is not refused for its length."""

Macros = Mapping[str, str | None]
"""Macros with their values; None: it is defined, and has none."""

Size = str | int | Sequence[int]
"""Sizes in x, y, z: ``"16,16"``, ``"ceildiv(n,256)"``, ``64``, ``[16, 16]``."""

Texts = Sequence[str] | Mapping[str, object]
"""``["n=1024", "x=normal:n"]``, or ``{"n": 1024, "x": "normal:n"}``."""


def launch(
    source: Path,
    *,
    grid: Size,
    block: Size | None = None,
    cluster: Size | None = None,
    kernel: str | None = None,
    dynamic_shared: int | None = None,
    args: Texts = (),
    symbols: Texts = (),
    defines: Mapping[str, object] | None = None,
    include: Sequence[Path | str] = (),
    arch: str | None = None,
    options: Sequence[str] = (),
    dashes: str = "",
) -> LaunchSpec:
    """Read what tells of a launch.

    Parameters
    ----------
    source : Path
        CUDA source or machine code.
    grid, block, cluster : str, int or sequence of int
        One to three sizes, in a text with commas between them.  A size is an expression of scalars among the arguments
        that are told by name, and of macros that are numbers.
    kernel : str, optional
        Its name, or an instance such as ``"sgemm<128,8>"``.
    dynamic_shared : int, optional
        Bytes.
    args, symbols : sequence of str, or mapping
        As :func:`gpusim.launches.named.read` takes them, or by name.
    defines : mapping
        Macros, with their values; None: it is defined, and has none.
    include : sequence of Path
        Folders with headers.
    arch : str, optional
        Target to compile for.
    options : sequence of str
        For the compiler.
    dashes : str
        What messages put before the name of a parameter: ``"--"`` where it is an option.

    Raises
    ------
    GpusimError
        One line that says what was wrong.

    Examples
    --------
    >>> launch(Path("x.cu"), grid="ceildiv(n,256)", block=[16, 16], args={"n": 1000}).grid
    (4,)
    """
    macros = {name: None if value is None else str(value) for name, value in (defines or {}).items()}
    read, known = named.read(texts(args), _numbers(macros), f"{dashes}arg")
    return LaunchSpec(
        source.name, source, tuple(options), kernel, _sizes(f"{dashes}grid", grid, known),
        _sizes(f"{dashes}block", block, known) if block is not None else (), dynamic_shared, read, macros,
        tuple(map(Path, include)), arch, None if not cluster else _sizes(f"{dashes}cluster", cluster, known),
        _symbols(f"{dashes}set", texts(symbols), known),
    )  # fmt: skip


def texts(given: Texts | None) -> list[str]:
    """Arguments as the command line has them.

    Parameters
    ----------
    given : mapping, sequence of str or None

    Examples
    --------
    >>> texts({"n": 1024, "x": "normal:n"})
    ['n=1024', 'x=normal:n']
    """
    return [f"{name}={value}" for name, value in given.items()] if isinstance(given, Mapping) else list(given or ())


def source_of(given: Path) -> Path:
    """Give the file, or the source of that name among the kernels that come with gpusim.

    Parameters
    ----------
    given : Path

    Returns
    -------
    Path
    """
    from gpusim.catalogue.lookup import builtin_folder

    builtin = builtin_folder() / given
    return builtin if not given.exists() and builtin.suffix == SOURCE and builtin.is_file() else given


def _sizes(option: str, given: Size, known: Mapping[str, int | float]) -> tuple[int, ...]:
    """One to three whole numbers, or expressions of scalars that are told by name."""
    text = ",".join(map(str, given)) if isinstance(given, Sequence) and not isinstance(given, str) else str(given)
    parts = [part.strip() for part in re.split(r",(?![^(]*\))", text)]
    wanted = f"{option} {text[:60]}: one to three whole numbers are needed, with commas between them"
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


def _symbols(option: str, texts: Sequence[str], known: Mapping[str, int | float]) -> tuple[Named, ...]:
    """What variables hold, each by name."""
    if wrong := next((text for text in texts if not named.is_named(text)), None):
        raise GpusimError(f"{option} {wrong[:60]}: a variable is told by name, such as coef=normal or n=5")
    read, _ = named.read(texts, known, option)
    return tuple(one for one in read if isinstance(one, Named))


def _numbers(defines: Macros) -> dict[str, int | float]:
    """Macros that are numbers."""
    return {name: int(value) for name, value in defines.items() if value and value.isdecimal() and value.isascii()}


def defines(texts: Sequence[str]) -> dict[str, str | None]:
    """Macros as ``-D`` has them, ``NAME`` or ``NAME=VALUE``, with their values where there are any.

    Parameters
    ----------
    texts : sequence of str
    """
    split = (text.partition("=") for text in texts)
    return {name: value if equals else None for name, equals, value in split}
