"""An algorithm's own traffic beside the formula that was published for it: term by term, number by number."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from gpusim.catalogue.formulas import evaluate, read_formula, symbol
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from sympy import Expr as Sym

    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.catalogue.chain import Chain
    from gpusim.catalogue.formulas import Published


Counting = Callable[..., dict[str, tuple[float, float]]]


@dataclass(frozen=True)
class Comparison:
    """A published formula and the one derived from the description, both in elements over the whole grid.

    Attributes
    ----------
    derived, printed : sympy.Expr
        Of the kernel's parameters.
    departs : tuple of (sympy.Expr, str)
        Terms of derived - printed where tiles divide sizes, each with its reason.
    rounding : sympy.Expr
        What derived has more where they do not.
    unexplained : sympy.Expr
        What is left of the difference; 0 where the formula is understood.
    """

    derived: Sym
    printed: Sym
    departs: tuple[tuple[Sym, str], ...]
    rounding: Sym
    unexplained: Sym


@dataclass(frozen=True)
class Row:
    """One choice of parameters: elements derived, counted as the description runs, and printed."""

    params: Mapping[str, int]
    derived: int
    counted: int
    printed: float


def compare(algorithm: Algorithm | Chain) -> Comparison:
    """Hold the IO derived from a description against the published formula.

    Parameters
    ----------
    algorithm : Algorithm or Chain
        One with ``published``.

    Returns
    -------
    Comparison
    """
    published = _published(algorithm)
    derived = sympy.expand(_derived(algorithm, published))
    even = sympy.expand(derived.replace(sympy.ceiling, lambda ratio: ratio))
    printed = sympy.expand(_printed(algorithm, published))
    departs = tuple((algorithm.formula(term), why) for term, why in published.departs)
    left = even - printed - sum(term for term, _ in departs)
    return Comparison(derived, printed, departs, sympy.factor(derived - even), sympy.simplify(left))


def table(algorithm: Algorithm | Chain, count: Counting) -> list[Row]:
    """Elements for the cases of the published formula: derived, counted in a simulated launch, printed.

    Parameters
    ----------
    algorithm : Algorithm or Chain
        One with ``published``.
    count : callable
        Counts the elements that threads load and store, array by array, such as
        :func:`gpusim.frontends.elements.count_elements`.
    """
    published = _published(algorithm)
    return [_row(algorithm, published, case, count) for case in published.cases]


def _row(algorithm: Algorithm | Chain, published: Published, case: Mapping[str, int], count: Counting) -> Row:
    params = algorithm.bind(**case)
    derived, printed = (evaluate(form(algorithm, published), params) for form in (_derived, _printed))
    counted = count(algorithm, "h200", **params)
    total = _moved(published, *map(sum, zip(*counted.values(), strict=True)))
    return Row({**params, **case}, int(derived), int(total), float(printed))


def exponents(algorithm: Algorithm | Chain) -> dict[str, tuple[float, float]]:
    """Powers with which the derived traffic grows, fitted over the published formula's grid, and those claimed.

    Parameters
    ----------
    algorithm : Algorithm or Chain
        One with ``published``.

    Returns
    -------
    dict of str to (float, float)
        For each name on the grid the fitted and the claimed exponent, by least squares on logarithms; none
        where no order is claimed.
    """
    published = _published(algorithm)
    if not published.order:
        return {}
    names = list(published.grid)
    points = [dict(zip(names, values, strict=True)) for values in itertools.product(*published.grid.values())]
    derived = _derived(algorithm, published)
    logs = [math.log(evaluate(derived, algorithm.bind(**point))) for point in points]
    columns = np.array([[1.0, *(math.log(point[name]) for name in names)] for point in points])
    fitted = np.linalg.lstsq(columns, np.array(logs), rcond=None)[0][1:]
    claimed = read_formula(published.order, algorithm.name, names)
    powers = sympy.Mul.make_args(claimed)
    return {
        name: (float(power), float(sum(factor.as_base_exp()[1] for factor in powers if factor.has(symbol(name)))))
        for name, power in zip(names, fitted, strict=True)
    }


def _published(algorithm: Algorithm | Chain) -> Published:
    if algorithm.published is None:
        raise GpusimError(f"{algorithm.name} has no published formula")
    return algorithm.published


def _moved(published: Published, loaded: Any, stored: Any) -> Any:
    """Of the elements loaded and stored those that the formula counts."""
    return (loaded if published.loads else 0) + (stored if published.stores else 0)


def _derived(algorithm: Algorithm | Chain, published: Published) -> Sym:
    """Elements as counted from the description's tree, or those of all kernels of a chain."""
    moved = algorithm.derived().values()
    return _moved(published, sum(array.loads for array in moved), sum(array.stores for array in moved))


def _printed(algorithm: Algorithm | Chain, published: Published) -> Sym:
    """The published formula in the kernel's own parameters."""
    formula = read_formula(published.formula, algorithm.name, (*algorithm.defaults, *published.where))
    meaning = {symbol(name): algorithm.formula(text) for name, text in published.where.items()}
    return algorithm.formula(published.times) * formula.subs(meaning)
