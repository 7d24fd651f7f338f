"""Lists that the command line shows: kernels, formulas, scenarios, GPUs."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.grid import Grid
from gpusim.report.kept import kept_line, times_kept
from gpusim.report.units import NOTHING, format_bytes, format_count, format_seconds
from gpusim.results.metric import DURATION

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.catalogue.chain import Chain, StepLaunch


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


def chain_formulas(chain: Chain, given: Mapping[str, int]) -> list[RenderableType]:
    """Show what every kernel of a chain moves of every array, with the bytes for the parameters given.

    Parameters
    ----------
    chain : Chain
    given : mapping of str to int
        Parameters as a user names them; the others take their defaults.

    Returns
    -------
    list of rich renderables
    """
    launch = chain.launch(**given)
    rows: list[tuple[str, ...]] = [("kernel", "array", "elements loaded", "elements stored", "loaded", "stored")]
    for label, step in zip(chain.labels, launch.steps, strict=True):
        rows += _step_rows(chain, label, step, launch.params)
    cells = [[NOTHING if cell in ("0", "0 B") else cell for cell in row] for row in rows]
    values = " ".join(f"{name}={value}" for name, value in launch.params.items())
    table = table_of(cells, right=(4, 5), keys=2)
    title = Text(f"{chain.name}: {chain.summary}", style="bold")
    return [title, Text(""), *table, Text(""), Text(f"Bytes are for {values}.")]


def _step_rows(chain: Chain, label: str, launch: StepLaunch, params: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """A row for each array of a step: formulas, and bytes."""
    arrays, counts = dict(launch.arrays), chain.elements_step(launch.step, **params)
    for name, form in chain.derived_step(launch.step).items():
        width, count = arrays[name].element_bytes, counts[name]
        moved = (format_bytes(count.loads * width), format_bytes(count.stores * width))
        yield label, f"{name} ({arrays[name].dtype})", readable(form.loads), readable(form.stores), *moved
        label = ""


def gpus(rows: Sequence[Sequence[str]]) -> list[RenderableType]:
    """List GPUs, with numbers to the right.

    Parameters
    ----------
    rows : sequence of sequence of str
        Headings, then a row a GPU, as ``gpusim.hardware.format.table`` gives them, and further columns.

    Returns
    -------
    list of rich renderables
    """
    grid = Grid()
    for heading, cell in zip(rows[0], rows[1], strict=True):
        spared = SPARED_GPU.index(heading) if heading in SPARED_GPU else None
        numeric = cell.replace(".", "").isdigit()
        grid.add_column(heading, "number" if numeric else "name", spared=spared, key=heading == "GPU")
    for row in rows[1:]:
        grid.add_row(*row)
    return [grid]


def inside(rows: Iterable[tuple[str, str, int, int]]) -> list[RenderableType]:
    """Show the kernels of a file.

    Parameters
    ----------
    rows : iterable of tuple
        Of each kernel its name, parameters, registers a thread and static shared memory a block in bytes.

    Returns
    -------
    list of rich renderables
    """
    grid = Grid()
    grid.add_column("", "number", key=True)
    for heading, kind in {"kernel": "text", "parameters": "text", "registers": "number", "shared": "number"}.items():
        grid.add_column(heading, kind)  # type: ignore[arg-type]
    for number, (name, parameters, registers, shared) in enumerate(rows, 1):
        grid.add_row(str(number), name, parameters, str(registers), format_bytes(shared))
    return [grid]


SPARED_GPU = ("full name", "arch", "MHz")
"""Columns of the list of GPUs that are left out where it is too wide, in this order."""


def gpu(
    rows: Sequence[Sequence[str]], informational: Callable[[str], bool], about: Sequence[str] = ()
) -> list[RenderableType]:
    """Show one GPU: how its numbers are known, each with unit, kind and source by number; then the sources.

    Parameters
    ----------
    rows : sequence of sequence of str
        Headings, then key, value, unit, kind and source, as ``gpusim.hardware.format.describe`` gives them.
    informational : callable
        Tells of a key whether no simulated number depends on it; those are shown in a table of their own.
    about : sequence of str
        Lines that stand below how its numbers are known.

    Returns
    -------
    list of rich renderables
    """
    sources = {
        text: f"[{number}]" for number, text in enumerate(dict.fromkeys(row[-1] for row in rows[1:] if row[-1]), 1)
    }
    read, others = ([row for row in rows[1:] if informational(row[0]) is kind] for kind in (False, True))
    notes = Grid(headings=False)
    notes.add_column("", "name")
    notes.add_column("", "text")
    for text, number in sources.items():
        notes.add_row(number, text)
    aside = Text("Informational: no simulated number depends on these", style="bold")
    tables = [_numbers(rows[0], part, sources) for part in (read, others)]
    head, below = Text(_origins(rows[1:])), Text("Sources", style="bold")
    return [head, *map(Text, about), Text(""), tables[0], Text(""), aside, tables[1], Text(""), below, notes]


def _origins(rows: Sequence[Sequence[str]]) -> str:
    """Say how many numbers are known in which way, and on which GPUs those that are assumed were measured."""
    kinds = Counter(row[3] for row in rows if row[3])
    lent = Counter(match[1] for row in rows if row[3] == "assumed" and (match := re.match(r"as ([\w-]+): ", row[-1])))
    said = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    others = ", ".join(f"{count} as on {name}" for name, count in lent.most_common())
    return f"{kinds.total()} numbers: {said}" + (f" ({others})" if others else "")


def _numbers(headings: Sequence[str], rows: Sequence[Sequence[str]], sources: Mapping[str, str]) -> Grid:
    """Numbers of a GPU, with a line between sections; keys tell most units, so that column goes first."""
    grid = Grid()
    for heading in headings:
        spared = 0 if heading == "unit" else None
        grid.add_column(heading, "name" if heading == "key" else "text", spared=spared, key=heading == "key")
    for row, after in itertools.zip_longest(rows, rows[1:]):
        ends = after is not None and _section(row) != _section(after)
        grid.add_row(*row[:-1], sources.get(row[-1], ""), end_section=ends)
    return grid


def _section(row: Sequence[str]) -> str:
    """The part of a key before its dot."""
    return row[0].rpartition(".")[0]


LONGEST_ERROR = 300
"""Characters of an error that the list of launches shows; all of it is in the JSON."""


PREDICTED = (DURATION, "dram__bytes_read.sum", "dram__bytes_write.sum")
"""Metrics that the list of launches shows."""

SPARED_LAUNCH = ("warp instructions", "simulated in")
"""Columns of the list of launches that are left out where it is too wide, in this order."""


def launches(
    records: Sequence[Mapping[str, Any]], gpu: str, memory: str, *, written: bool = False
) -> list[RenderableType]:
    """List launches: predicted time and traffic of device memory, what was simulated, what went wrong.

    Parameters
    ----------
    records : sequence of mapping
        ``id``, ``metrics``, ``warp_instructions``, ``kept``, ``wall_s``, ``error``.
    gpu : str
    memory : str
        What its device memory is called.
    written : bool
        Whether all metrics went to a file; else the option that writes them is named.

    Returns
    -------
    list of rich renderables
    """
    failed = [record for record in records if record["error"] is not None]
    grid = Grid()
    grid.add_column("launch", "text", key=True)
    for heading in ("time", f"{memory} reads", f"{memory} writes"):
        grid.add_column(heading)
    for order, heading in enumerate(SPARED_LAUNCH):
        grid.add_column(heading, spared=order)
    for record in records:
        if record["error"] is None:
            grid.add_row(record["id"], *_figures(record))
    shown: list[RenderableType] = [grid, Text("")] if len(failed) < len(records) else []
    shown += [Text(f"{record['id']}: {_short(record['error'])}") for record in failed]
    done = f"{len(records) - len(failed)} of {len(records)} launches on {gpu}"
    hint = "" if written else " --json FILE writes every metric of each."
    kept = kept_line(times_kept(records))
    ending = [f"{done}: {_total(records)}.{hint}", *([kept] if kept else [])]
    return [*shown, *([Text("")] if failed else []), *map(Text, ending)]


def _figures(record: Mapping[str, Any]) -> Iterator[str]:
    """Time and bytes, as far as they are known, and what the simulation took."""
    seconds, *moved = (record["metrics"].get(name, math.nan) for name in PREDICTED)
    yield format_seconds(seconds) if seconds > 0 else NOTHING
    yield from map(format_bytes, moved)
    yield format_count(record["warp_instructions"])
    yield "kept" if record["kept"] else f"{record['wall_s']:.1f} s"


def _short(error: str) -> str:
    """What was wrong, and of what a compiler wrote its first error."""
    first, *more = error.splitlines() or [""]
    text = " ".join([first, *[line for line in more if "error" in line][:1]])
    return text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]}…"


def _total(records: Sequence[Mapping[str, Any]]) -> str:
    now = [record for record in records if not record["kept"]]
    instructions, seconds = sum(r["warp_instructions"] for r in now), sum(r["wall_s"] for r in now)
    return f"{format_count(instructions)} warp instructions simulated in {seconds:.1f} s"


def table_of(
    rows: Sequence[Sequence[str]], right: Iterable[int] = (), *, keys: int = 1, spared: Sequence[str] = ()
) -> list[RenderableType]:
    """Lay out rows of text, the first of which holds the headings.

    Parameters
    ----------
    rows : sequence of sequence of str
    right : iterable of int
        Columns of numbers: they stand to the right, and are never folded or cut.
    keys : int
        So many first columns tell rows apart: where the table is too wide it goes on below, with these again.
    spared : sequence of str
        Headings of columns that are rather left out, the first one first.

    Returns
    -------
    list of rich renderables
    """
    grid = Grid()
    numbers = set(right)
    for column, heading in enumerate(rows[0]):
        last = spared.index(heading) if heading in spared else None
        grid.add_column(heading, "number" if column in numbers else "text", spared=last, key=column < keys)
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
            moved = (format_bytes(count.loads * array.element_bytes), format_bytes(count.stores * array.element_bytes))
            rows.append((f"{array.name} ({array.dtype})", readable(form.loads), readable(form.stores), *moved))
    return table_of([[NOTHING if cell in ("0", "0 B") else cell for cell in row] for row in rows], right=(3, 4))[0]


def _summary(algorithm: Algorithm, params: Mapping[str, int]) -> Iterator[str]:
    """Textbook traffic, compulsory traffic, operations: one line each."""
    book = algorithm.textbook_values(**params)
    if algorithm.textbook is not None:
        reads, writes = format_bytes(book["reads"].nbytes), format_bytes(book["writes"].nbytes)
        yield f"The textbook says {algorithm.textbook_text}: {reads} and {writes}."
    yield f"The inputs, each byte read once, are {format_bytes(book['compulsory'].nbytes)}."
    flops = algorithm.kernel.flops()
    known = {symbol.name for symbol in flops.total.free_symbols} <= set(params)
    formula = f"{readable(flops.total)} = " if known and flops.total != 0 else ""
    yield f"Floating-point operations: {formula}{format_count(flops.evaluate(**params))}."
