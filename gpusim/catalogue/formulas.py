"""Formulas of traffic, written as text: what they are, and how they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.errors import GpusimError

if TYPE_CHECKING:
    import sympy


class FormulaError(GpusimError):
    """A formula of an algorithm that is no formula of its parameters."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Elements of one array that a kernel loads and stores, as formulas of its parameters.

    Parameters
    ----------
    loads, stores : str
        ``+ - * / // ** ceil min max`` of sizes, tiles and scalar arguments.  An element that several threads, or one
        thread several times, ask for counts every time.
    """

    loads: str = "0"
    stores: str = "0"


@dataclass(frozen=True, slots=True)
class Textbook:
    """The traffic a textbook's cost model gives, in elements; how it rounds at the edges is left out.

    Parameters
    ----------
    reads, writes : str
        Formulas as in :class:`Traffic`.
    element_bytes : int
        Bytes of an element.
    result_bytes : int, optional
        Bytes of an element written, where that differs.
    """

    reads: str
    writes: str
    element_bytes: int = 4
    result_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """A formula that somebody printed for an algorithm's traffic, in elements, and where the algorithm departs from it.

    Parameters
    ----------
    formula : str
        As in :class:`Traffic`; it may also use the symbols of `where`.
    source : str
        Paper, theorem or section.
    where : mapping of str to str
        What the formula's own symbols stand for: ``{"M": "4*d*Bc"}``.
    times : str
        How often the formula counts: ``"B*H"`` for one that is of one head.
    departs : tuple of (str, str)
        Terms by which the algorithm's own traffic differs where tiles divide sizes, and why.
    loads, stores : bool
        What it counts.
    order : str
        The growth that is claimed, a product of powers: ``"N**2*d**2/M"``.
    grid : mapping of str to tuple of int
        Values (of parameters or words) over which exponents are fitted.
    cases : tuple of mapping
        Parameters for which the executed description is counted.
    """

    formula: str
    source: str
    where: Mapping[str, str] = field(default_factory=dict)
    times: str = "1"
    departs: tuple[tuple[str, str], ...] = ()
    loads: bool = True
    stores: bool = True
    order: str = ""
    grid: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    cases: tuple[Mapping[str, int], ...] = ()


class Elements(NamedTuple):
    """Elements of one array loaded and stored: sympy expressions, or ints once parameters are given."""

    loads: Any
    stores: Any


class TextbookValue(NamedTuple):
    """A textbook formula and its value in bytes."""

    formula: str
    nbytes: int


def symbol(name: str) -> sympy.Symbol:
    """Make a parameter's symbol for sympy: a positive integer."""
    import sympy

    return sympy.Symbol(name, integer=True, positive=True)


def read_formula(text: str, owner: str, names: Iterable[str]) -> sympy.Expr:
    """Turn `text` into a sympy expression of the parameters `names`.

    Parameters
    ----------
    text : str
    owner : str
        Whose formula it is, for the message.
    names : iterable of str
        Parameters it may use.

    Raises
    ------
    FormulaError
        If it cannot be read, or names anything else.

    Examples
    --------
    >>> read_formula("M*K*ceil(N/T)", "matmul-tiled", ["M", "N", "K", "T"])
    K*M*ceiling(N/T)
    """
    import ast

    import sympy

    known = {name: symbol(name) for name in names}
    functions = {"ceil": sympy.ceiling, "floor": sympy.floor, "min": sympy.Min, "max": sympy.Max}
    try:
        used = {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
        strange = sorted(used - known.keys() - functions.keys())
        if strange:
            parameters = ", ".join(known)
            raise FormulaError(f"{owner}: the formula {text!r} uses {', '.join(strange)}; its parameters: {parameters}")
        return sympy.sympify(text, locals={**functions, **known})
    except (sympy.SympifyError, AttributeError, TypeError, SyntaxError) as error:
        raise FormulaError(f"{owner}: cannot read the formula {text!r}") from error


def evaluate(expression: sympy.Expr, params: Mapping[str, int]) -> sympy.Expr:
    """Value of an expression of parameters."""
    return expression.subs({symbol(name): value for name, value in params.items()})


def pretty(text: str) -> str:
    """Write a formula as people do.

    Examples
    --------
    >>> pretty("2*M*N*K/T + M*N*K/(T*Cf)")
    '2MNK/T + MNK/(T·Cf)'
    >>> pretty("N**2*min(s, 8)")
    'N^2·min(s, 8)'
    """
    import re

    text = text.replace("**", "^")
    text = re.sub(r"(?<=\b\w)\*(?=\w\b)(?!\w\()", "", text)
    return text.replace("*", "·")
