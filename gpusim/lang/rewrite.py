"""Expressions and statements with others put in their place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gpusim.lang.tree import (
    Assign,
    Atomic,
    Binary,
    Cast,
    Compare,
    CopyAsync,
    CopyWait,
    Expr,
    Fma,
    For,
    Fragment,
    If,
    Let,
    Load,
    LoadMatrices,
    Mma,
    Pair,
    Read,
    Select,
    Shuffle,
    Stmt,
    Store,
    Temp,
    Unary,
)

Change = Callable[[Expr], Expr]


def rebuilt(e: Expr, change: Change) -> Expr:
    """``e`` over changed direct subexpressions."""
    match e:
        case Unary(a=a) | Cast(a=a):
            return replace(e, a=change(a))
        case Binary(a=a, b=b) | Compare(a=a, b=b) | Pair(a=a, b=b):
            return replace(e, a=change(a), b=change(b))
        case Select(c=c, a=a, b=b) | Fma(a=a, b=b, c=c):
            return replace(e, a=change(a), b=change(b), c=change(c))
        case Read(indices=indices):
            return replace(e, indices=tuple(map(change, indices)))
    return e


def changed(s: Stmt, change: Change) -> Stmt:
    """``s`` over changed operands; the bodies it has are the same."""

    def maybe(e: Expr | None) -> Expr | None:
        return None if e is None else change(e)

    def each(expressions: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return tuple(map(change, expressions))

    def part(f: Fragment) -> Fragment:
        return replace(f, indices=each(f.indices))

    match s:
        case Let(value=value):
            return replace(s, value=change(value))
        case Assign(indices=indices, value=value):
            return replace(s, indices=each(indices), value=change(value))
        case Load(index=index, guard=guard, other=other):
            return replace(s, index=each(index), guard=maybe(guard), other=maybe(other))
        case Store(index=index, values=values, guard=guard):
            return replace(s, index=each(index), values=each(values), guard=maybe(guard))
        case Atomic(index=index, value=value):
            return replace(s, index=each(index), value=change(value))
        case Shuffle(value=value, lane=lane):
            return replace(s, value=change(value), lane=change(lane))
        case LoadMatrices(fragments=fragments, index=index):
            return replace(s, fragments=tuple(part(f) for f in fragments), index=each(index))
        case Mma(sums=sums, a=a, b=b):
            return replace(s, sums=part(sums), a=part(a), b=part(b))
        case CopyAsync(index=index, source_index=origin, guard=guard):
            return replace(s, index=each(index), source_index=each(origin), guard=maybe(guard))
        case CopyWait(left=left):
            return replace(s, left=change(left))
        case For(start=start, stop=stop, step=step):
            return replace(s, start=change(start), stop=change(stop), step=change(step))
        case If(cond=cond):
            return replace(s, cond=change(cond))
    return s


def defined(s: Stmt) -> tuple[Temp, ...]:
    """Values that a statement defines."""
    match s:
        case Let(temp=temp) | Atomic(temp=temp) | Shuffle(temp=temp):
            return (temp,)
        case Load(temps=temps):
            return temps
    return ()
