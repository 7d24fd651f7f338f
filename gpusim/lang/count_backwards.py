"""Grids that are walked backwards: counts are those of the same grid walked forwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gpusim.lang.rewrite import changed, rebuilt
from gpusim.lang.tree import Binary, Const, DType, Expr, For, If, Special, Stmt, Tree, children, operands, statements

ONE = Const(1, DType.I32)


def forwards(tree: Tree) -> Tree:
    """``tree`` with ``ctaid`` in place of ``nctaid - 1 - ctaid``, along axes of which nothing else is asked.

    One is the other for another block, so that all blocks together do the same.
    """
    for axis in "xyz":
        block = Special(f"ctaid.{axis}")
        backwards = Binary("sub", Binary("sub", Special(f"nctaid.{axis}"), ONE, DType.I32), block, DType.I32)
        asked = [e for s in statements(tree.body) for operand in operands(s) for e in _outermost(operand, backwards)]
        if backwards in asked and block not in asked:
            tree = replace(tree, body=tuple(_body(tree.body, backwards, block)))
    return tree


def _outermost(e: Expr, whole: Expr) -> Iterator[Expr]:
    """``e`` and what is in it, but not what is in ``whole``."""
    yield e
    if e != whole:
        for child in children(e):
            yield from _outermost(child, whole)


def _body(body: Iterable[Stmt], old: Expr, new: Expr) -> Iterator[Stmt]:
    def put(e: Expr) -> Expr:
        return new if e == old else rebuilt(e, put)

    for s in body:
        made = changed(s, put)
        if isinstance(made, For):
            made = replace(made, body=list(_body(made.body, old, new)))
        elif isinstance(made, If):
            made = replace(made, then=list(_body(made.then, old, new)), orelse=list(_body(made.orelse, old, new)))
        yield made
