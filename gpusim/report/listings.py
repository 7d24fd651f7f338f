"""Lists that the command line shows: kernels, formulas, scenarios, GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.tables import new_table
from gpusim.report.units import NOTHING, format_bytes, format_count

if TYPE_CHECKING:
    from gpusim.algorithm import Algorithm, ArraySpec


def kernels(algorithms: Iterable[Algorithm]) -> list[RenderableType]:
    """List kernels by family: name, what it does, its parameters with their defaults.

    Parameters
    ----------
    algorithms : iterable of Algorithm

    Returns
    -------
    list of rich renderables
    """
    grid = new_table()
    grid.add_column("kernel", no_wrap=True)
    grid.add_column("what it does")
    grid.add_column("parameters")
    families: dict[str, list[Algorithm]] = {}
    for algorithm in algorithms:
        families.setdefault(algorithm.family, []).append(algorithm)
    for members in families.values():
        for algorithm in members:
            parameters = " ".join(f"{name}={value}" for name, value in algorithm.defaults.items())
            grid.add_row(algorithm.name, algorithm.summary, parameters, end_section=algorithm is members[-1])
    return [grid]


def formulas(algorithm: Algorithm, given: Mapping[str, int]) -> list[RenderableType]:
    """Show a kernel's closed forms, with their values for the parameters given.

    Parameters
    ----------
    algorithm : Algorithm
    given : mapping of str to int
        Parameters as a user names them; the others take their defaults.

    Returns
    -------
    list of rich renderables
    """
    params = algorithm.bind(**given)
    values = " ".join(f"{name}={value}" for name, value in params.items())
    shown: list[RenderableType] = [Text(f"{algorithm.name}: {algorithm.summary}", style="bold"), Text("")]
    if algorithm.io is None:
        shown.append(Text("What it moves depends on the data: there is no closed form."))
    else:
        shown.append(_closed_form(algorithm, params))
    return [*shown, Text(""), *map(Text, _summary(algorithm, params)), Text(f"Bytes are for {values}.")]


def table_of(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[RenderableType]:
    """Lay out rows of text, the first of which holds the headings.

    Parameters
    ----------
    rows : sequence of sequence of str
    right : iterable of int
        Columns to align to the right.

    Returns
    -------
    list of rich renderables
    """
    grid = new_table()
    flush = set(right)
    for column, heading in enumerate(rows[0]):
        grid.add_column(heading, justify="right" if column in flush else "left")
    for row in rows[1:]:
        grid.add_row(*row)
    return [grid]


def readable(expression: Any) -> str:
    """Write a sympy expression as the tables show it.

    Parameters
    ----------
    expression : sympy.Expr

    Returns
    -------
    str

    Examples
    --------
    >>> from sympy import ceiling
    >>> from sympy.abc import K, M, T
    >>> readable(K * M * ceiling(M / T) ** 2)
    'K·M·ceil(M/T)^2'
    """
    return str(expression).replace("ceiling", "ceil").replace("**", "^").replace("*", "·")


def _closed_form(algorithm: Algorithm, params: Mapping[str, int]) -> RenderableType:
    """Elements loaded and stored, array by array, as formulas and in bytes."""
    launch = algorithm.launch(**params)
    forms, counts = algorithm.closed_form(), algorithm.elements(**params)
    rows = [("array", "elements loaded", "elements stored", "loaded", "stored")]
    for array in launch.arrays:
        if array.name in forms:
            form, count = forms[array.name], counts[array.name]
            moved = (format_bytes(count.loads * _width(array)), format_bytes(count.stores * _width(array)))
            rows.append((f"{array.name} ({array.dtype})", readable(form.loads), readable(form.stores), *moved))
    return table_of([[NOTHING if cell in ("0", "0 B") else cell for cell in row] for row in rows], right=(3, 4))[0]


def _width(array: ArraySpec) -> int:
    return 2 if array.dtype in ("f16", "bf16") else 4


def _summary(algorithm: Algorithm, params: Mapping[str, int]) -> Iterator[str]:
    """Textbook traffic, compulsory traffic, operations: one line each."""
    book = algorithm.textbook_values(**params)
    if algorithm.textbook is not None:
        reads, writes = format_bytes(book["reads"].nbytes), format_bytes(book["writes"].nbytes)
        yield f"The textbook says {algorithm.textbook_text}: {reads} and {writes}."
    yield f"The inputs, each byte read once, are {format_bytes(book['compulsory'].nbytes)}."
    flops = algorithm.kernel.flops()
    yield f"Floating-point operations: {readable(flops)} = {format_count(float(flops.subs(dict(params))))}."
