"""Computations as text: ``C[m,n] += A[m,k] * B[k,n]``, statements of arrays whose indices are linear in loops."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product

from gpusim.errors import GpusimError, whole

ACCESS = re.compile(r"([A-Za-z_]\w*'?)\s*\[([^\[\]]*)\]")
ONE = r"[A-Za-z_]\w*\s*\[[^\[\]]*\]"
STATEMENT = re.compile(
    rf"\s*(?P<outs>{ONE}(?:\s*,\s*{ONE})*)\s*(?P<op>\+=|-=|max=|min=|=)(?!=)(?P<right>.*)", re.DOTALL
)
TERM = re.compile(r"\s*([+-]?)\s*(?:(\d+)\s*\*?\s*)?([A-Za-z_]\w*)?\s*")
MOST_LOOPS, MOST_STATEMENTS, LONGEST = 12, 12, 2000
"""Of a text; more than that is refused."""

MOST_POINTS = 1 << 40
"""Of one loop."""


class ComputationError(GpusimError):
    """A text that is no computation, or one that lacks an extent."""


@dataclass(frozen=True, slots=True)
class Form:
    """An index: integer multiples of loops, and a constant.

    Attributes
    ----------
    terms : tuple of (str, int)
        Loops with what each is multiplied by, in order of their names.
    constant : int
    """

    terms: tuple[tuple[str, int], ...]
    constant: int = 0

    def __str__(self) -> str:
        text = "".join(
            f"{'+' if factor > 0 else '-'}{'' if abs(factor) == 1 else abs(factor)}{loop}"
            for loop, factor in self.terms
        )
        text += f"{self.constant:+d}" if self.constant or not text else ""
        return text.removeprefix("+")

    @property
    def loops(self) -> tuple[str, ...]:
        """Loops that it names."""
        return tuple(loop for loop, _ in self.terms)


@dataclass(frozen=True, slots=True)
class Access:
    """An array at some indices.

    Attributes
    ----------
    array : str
        With a prime, ``A'``, where the values are not those that are being gathered: finished ones, or those before.
    forms : tuple of Form
    whole : tuple of str
        Loops in brackets, ``Q[i,(e)]``: every point takes all of that axis.
    """

    array: str
    forms: tuple[Form, ...]
    whole: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.array}[{','.join([*map(str, self.forms), *(f'({one})' for one in self.whole)])}]"

    @property
    def base(self) -> str:
        """The array without a prime."""
        return self.array.removesuffix("'")

    @property
    def linear(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Its forms without their constants: accesses that only these tell apart are of one pattern."""
        return tuple(form.terms for form in self.forms)

    @property
    def loops(self) -> tuple[str, ...]:
        """Loops that its forms name, each once."""
        return tuple(dict.fromkeys(loop for form in self.forms for loop in form.loops))


@dataclass(frozen=True, slots=True)
class Statement:
    """What is done at every point of some loops.

    Attributes
    ----------
    out : Access
    op : str
        ``"="``, or an operator that gathers: ``"+="``, ``"-="``, ``"min="``, ``"max="``.
    inputs : tuple of Access
    others : tuple of Access
        Further outputs, to which every point adds, too.
    """

    out: Access
    op: str
    inputs: tuple[Access, ...]
    others: tuple[Access, ...] = ()

    @property
    def outs(self) -> tuple[Access, ...]:
        """All outputs."""
        return (self.out, *self.others)

    @property
    def gathers(self) -> bool:
        """Whether it adds to what its output holds."""
        return self.op != "="

    @property
    def accesses(self) -> tuple[Access, ...]:
        """Outputs and inputs."""
        return (*self.outs, *self.inputs)

    @property
    def loops(self) -> tuple[str, ...]:
        """Loops whose points it has; axes taken whole are none."""
        return tuple(dict.fromkeys(loop for access in self.accesses for loop in access.loops))


@dataclass(frozen=True)
class Computation:
    """Statements, and what their loops run over.

    Attributes
    ----------
    text : str
    statements : tuple of Statement
    extents : tuple of (str, str)
        Of loops that are named so: the size, as a formula.
    below : tuple of (str, str, bool)
        Pairs of loops ``a < b``; True where ``a <= b``.
    """

    text: str
    statements: tuple[Statement, ...]
    extents: tuple[tuple[str, str], ...] = ()
    below: tuple[tuple[str, str, bool], ...] = ()

    @cached_property
    def loops(self) -> tuple[str, ...]:
        """All loops, axes taken whole among them, in the order in which they are named."""
        named = (
            loop
            for statement in self.statements
            for access in statement.accesses
            for loop in (*access.loops, *access.whole)
        )
        return tuple(dict.fromkeys(named))

    @cached_property
    def written(self) -> tuple[str, ...]:
        """Arrays that statements write."""
        return tuple(dict.fromkeys(out.base for statement in self.statements for out in statement.outs))

    @cached_property
    def arrays(self) -> tuple[str, ...]:
        """All arrays, without primes."""
        return tuple(dict.fromkeys(one.base for statement in self.statements for one in statement.accesses))

    def constraints(self, statement: Statement) -> tuple[tuple[str, str, bool], ...]:
        """Those of :attr:`below` that hold among a statement's loops."""
        return tuple(one for one in self.below if {one[0], one[1]} <= set(statement.loops))

    def sizes(self, params: Mapping[str, int]) -> dict[str, int]:
        """Extents of loops.

        Parameters
        ----------
        params : mapping of str to int
            Values of names: of a loop its own, or the same in capitals, or what its formula names.

        Raises
        ------
        GpusimError
            A loop without an extent, or with one that is no whole number, or below 1.
        """
        return {loop: whole(f"the extent of {loop}", self._size(loop, params), 1, MOST_POINTS) for loop in self.loops}

    def _size(self, loop: str, params: Mapping[str, int]) -> float:
        from gpusim.expressions import evaluate

        formula = dict(self.extents).get(loop)
        if formula is not None:
            return evaluate(formula, params)
        if (value := params.get(loop, params.get(loop.upper()))) is None:
            raise ComputationError(f"{self.text}: how far does {loop} run? It needs an extent, such as --{loop} 1024")
        return value

    def points(self, statement: Statement, sizes: Mapping[str, int]) -> int:
        """How often a statement is run.

        Parameters
        ----------
        statement : Statement
        sizes : mapping of str to int
            Extents of loops.
        """
        pairs = self.constraints(statement)
        tied = tuple(loop for loop in statement.loops if any(loop in pair[:2] for pair in pairs))
        count = ordered_points(tied, pairs, sizes)
        for loop in statement.loops:
            count *= 1 if loop in tied else sizes[loop]
        return count


def ordered_points(
    tied: tuple[str, ...],
    pairs: tuple[tuple[str, str, bool], ...],
    sizes: Mapping[str, int],
    kept: tuple[str, ...] | None = None,
) -> int:
    """Points of loops with ``a < b`` among them: a polynomial of their size, which all of them share.

    Parameters
    ----------
    tied : tuple of str
    pairs : tuple of (str, str, bool)
        Pairs ``a < b``; True where ``a <= b``.
    sizes : mapping of str to int
    kept : tuple of str, optional
        Loops of which values are told apart, in place of all.

    Raises
    ------
    ComputationError
        If they differ in size.

    Examples
    --------
    >>> ordered_points(("i", "j"), (("j", "i", True),), {"i": 1000, "j": 1000})
    500500
    >>> ordered_points(("i", "j"), (("j", "i", True),), {"i": 1000, "j": 1000}, ("i",))
    1000
    """
    if not tied:
        return 1
    extents = {sizes[loop] for loop in tied}
    if len(extents) != 1:
        raise ComputationError(f"loops that are compared, {', '.join(tied)}, must have one size, not {sorted(extents)}")
    size, told = extents.pop(), tied if kept is None else kept
    first = len(tied)  # from here on no edge is in the way of another
    if size <= first + len(told):
        return _counted(tied, pairs, size, told)
    return _newton([_counted(tied, pairs, first + n, told) for n in range(len(told) + 1)], size - first)


def _counted(tied: tuple[str, ...], pairs: tuple[tuple[str, str, bool], ...], size: int, told: tuple[str, ...]) -> int:
    """The same of a small size, point by point."""
    at = {loop: number for number, loop in enumerate(tied)}
    points = (
        point
        for point in product(range(size), repeat=len(tied))
        if all(point[at[a]] < point[at[b]] + equal for a, b, equal in pairs)
    )
    return len({tuple(point[at[loop]] for loop in told) for point in points})


def _newton(values: list[int], size: int) -> int:
    """Value at ``size`` of the polynomial that has these values at 0, 1, 2, ...: exact, by forward differences."""
    total, choose = 0, 1
    for order in range(len(values)):
        total += choose * values[0]
        values = [b - a for a, b in pairwise(values)]
        choose = choose * (size - order) // (order + 1)
    return total


# ------------------------------------------------------------------ reading


def parse(text: str) -> Computation:
    """Read a computation.

    Parameters
    ----------
    text : str
        Statements with semicolons between them, such as ``C[m,n] += A[m,k] * B[k,n]``.  What stands between arrays
        does not matter.  After ``for`` come extents of loops, ``i < N``, and orders of loops, ``j <= i``, with commas.

    Raises
    ------
    ComputationError

    Examples
    --------
    >>> gemm = parse("C[m,n] += A[m,k] * B[k,n]")
    >>> gemm.loops, str(gemm.statements[0].inputs[1])
    (('m', 'n', 'k'), 'B[k,n]')
    """
    if len(text) > LONGEST:
        raise ComputationError(f"a computation of {len(text)} characters: {LONGEST} at most")
    body, _, clauses = text.partition(" for ")
    statements = tuple(_statement(part, text) for part in body.split(";") if part.strip())
    if not 1 <= len(statements) <= MOST_STATEMENTS:
        raise ComputationError(
            f"{text!r}: 1 to {MOST_STATEMENTS} statements are needed, such as C[m,n] += A[m,k] * B[k,n]"
        )
    found = Computation(text.strip(), statements)
    if wrong := next((array for array in found.arrays if len(_ranks(found, array)) > 1), None):
        ranks = " and ".join(map(str, sorted(_ranks(found, wrong))))
        raise ComputationError(f"{text!r}: {wrong} has {ranks} indices: an array has one number of them")
    if not all(statement.loops for statement in statements):
        raise ComputationError(f"{text!r} has a statement without a loop: an index such as i, not in brackets")
    if len(found.loops) > MOST_LOOPS:
        raise ComputationError(f"{text!r} has {len(found.loops)} loops: {MOST_LOOPS} at most")
    extents, below = _clauses(clauses, found)
    return replace(found, extents=extents, below=below)


def _ranks(found: Computation, array: str) -> set[int]:
    """How many indices an array has, wherever it is named."""
    accesses = (access for one in found.statements for access in one.accesses if access.base == array)
    return {len(access.forms) + len(access.whole) for access in accesses}


def _statement(text: str, source: str) -> Statement:
    match = STATEMENT.fullmatch(text)
    if match is None:
        raise ComputationError(f"{source!r}: {text.strip()!r} is no statement, such as C[m,n] += A[m,k] * B[k,n]")
    inputs = tuple(_accesses(match["right"], source))
    if not inputs:
        raise ComputationError(f"{source!r}: {text.strip()!r} reads no array")
    out, *others = _accesses(match["outs"], source)
    if others and match["op"] == "=":
        raise ComputationError(
            f"{source!r}: {text.strip()!r} has several outputs: only sums can, such as a[i], b[j] +="
        )
    if len({one.base for one in (out, *others)}) <= len(others):
        raise ComputationError(f"{source!r}: {text.strip()!r} names an output twice")
    return Statement(out, match["op"], inputs, tuple(others))


def _accesses(text: str, source: str) -> Iterator[Access]:
    for array, indices in ACCESS.findall(text):
        parts = [part.strip() for part in indices.split(",")] if indices.strip() else []
        taken = tuple(part[1:-1].strip() for part in parts if part.startswith("(") and part.endswith(")"))
        if wrong := next((one for one in taken if not one.isidentifier()), None):
            raise ComputationError(f"{source!r}: ({wrong}) is no axis that is taken whole: one loop stands in brackets")
        yield Access(array, tuple(_form(part, source) for part in parts if not part.startswith("(")), taken)


def _form(text: str, source: str) -> Form:
    """An index, such as ``2*p+r`` or ``i-1``."""
    terms: dict[str, int] = {}
    constant, at = 0, 0
    while at < len(text):
        match = TERM.match(text, at)
        if match is None or match.end() == at or not (match[2] or match[3]) or (at and not match[1]):
            raise ComputationError(f"{source!r}: {text!r} is no index: sums of loops, such as 2*p+r or i-1")
        number = int(match[2] or 1) * (-1 if match[1] == "-" else 1)
        if match[3]:
            terms[match[3]] = terms.get(match[3], 0) + number
        else:
            constant += number
        at = match.end()
    if not text:
        raise ComputationError(f"{source!r}: an index is missing")
    return Form(tuple(sorted((loop, factor) for loop, factor in terms.items() if factor)), constant)


def _clauses(text: str, found: Computation) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str, bool], ...]]:
    extents: list[tuple[str, str]] = []
    below: list[tuple[str, str, bool]] = []
    for clause in (part for part in _split(text) if part.strip()):
        match = re.fullmatch(r"\s*(\w+)\s*(<=?)\s*(.+?)\s*", clause)
        if match is None or match[1] not in found.loops:
            raise ComputationError(
                f"{found.text!r}: {clause.strip()!r} is neither an extent, i < N, nor an order, j <= i"
            )
        if match[3] in found.loops:
            below.append((match[1], match[3], match[2] == "<="))
        elif match[2] == "<":
            extents.append((match[1], match[3]))
        else:
            raise ComputationError(f"{found.text!r}: {clause.strip()!r}: an extent is written {match[1]} < {match[3]}")
    return tuple(extents), tuple(below)


def _split(text: str) -> Iterator[str]:
    """Parts between commas that stand in no brackets."""
    depth, part = 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            yield part
            part = ""
        else:
            part += character
    yield part
