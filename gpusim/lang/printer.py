"""The readable listing of a traced kernel."""

from __future__ import annotations

from collections.abc import Iterable

from gpusim.lang.operators import OPERATORS
from gpusim.lang.tree import (
    Assign,
    Atomic,
    Barrier,
    Binary,
    Cast,
    Compare,
    Const,
    CopyAsync,
    CopyCommit,
    CopyWait,
    Expr,
    Fma,
    For,
    Fragment,
    GlobalArray,
    If,
    Index,
    Let,
    Load,
    LoadMatrices,
    LocalArray,
    Mma,
    Pair,
    Param,
    Read,
    Select,
    SharedArray,
    Shuffle,
    Special,
    Stmt,
    Store,
    Temp,
    Tree,
    Unary,
    Var,
)

UNARY_LEVEL = 8
ATOM = 9


def expression(e: Expr) -> str:
    """``e`` as the description would write it.

    Examples
    --------
    >>> from gpusim.lang.tree import DType
    >>> n = Param("N", DType.I32, "size")
    >>> expression(Binary("mul", Binary("add", n, Const(1, DType.I32), DType.I32), n, DType.I32))
    '(N + 1) * N'
    """
    return _text(e)[0]


def _text(e: Expr) -> tuple[str, int]:
    """Text of ``e`` and how tightly its outermost operator binds."""
    match e:
        case Const(value=value):
            return str(value), ATOM
        case Param(name=name) | Special(name=name) | Index(name=name):
            return name, ATOM
        case Temp(id=number):
            return f"%{number}", ATOM
        case Read(target=target, indices=indices):
            return _element(target.name, indices), ATOM
        case Unary(op=op, a=a) if op in ("neg", "not"):
            return ("-" if op == "neg" else "~") + _within(a, UNARY_LEVEL), UNARY_LEVEL
        case Binary(op="floordiv", a=Binary(op="add", a=top, b=rest), b=bottom) if _is_less_one(rest, bottom):
            return f"cdiv({expression(top)}, {expression(bottom)})", ATOM
        case Binary(op=op, a=a, b=b) | Compare(op=op, a=a, b=b) if op in OPERATORS:
            level = OPERATORS[op].python_level
            return f"{_within(a, level)} {OPERATORS[op].python} {_within(b, level + 1)}", level
    return _call(e), ATOM


def _is_less_one(e: Expr, whole: Expr) -> bool:
    """Whether ``e`` is ``whole - 1``, as :func:`gpusim.lang.cdiv` makes it."""
    if isinstance(e, Const) and isinstance(whole, Const):
        return e.value == whole.value - 1
    return isinstance(e, Binary) and e.op == "sub" and e.a == whole and isinstance(e.b, Const) and e.b.value == 1


def _within(e: Expr, level: int) -> str:
    text, own = _text(e)
    return text if own >= level else f"({text})"


def _call(e: Expr) -> str:
    match e:
        case Unary(op=op, a=a) | Cast(a=a, dtype=op):
            return f"{getattr(op, 'value', op)}({expression(a)})"
        case Binary(op=op, a=a, b=b):
            return f"{op}({expression(a)}, {expression(b)})"
        case Select(c=c, a=a, b=b):
            return f"select({expression(c)}, {expression(a)}, {expression(b)})"
        case Pair(a=a, b=b, kind=kind):
            return f"{kind.value}_pair({expression(a)}, {expression(b)})"
        case Fma(a=a, b=b, c=c):
            return f"fma({expression(a)}, {expression(b)}, {expression(c)})"
    raise TypeError(f"not an expression: {e!r}")


def _element(name: str, indices: Iterable[Expr]) -> str:
    inside = ", ".join(expression(i) for i in indices)
    return f"{name}[{inside}]" if inside else name


# ------------------------------------------------------------------ statements


def statement(s: Stmt) -> str:
    """One statement, without the body it may have."""
    match s:
        case Let(temp=temp, value=value):
            return f"{expression(temp)} = {expression(value)}"
        case Assign(target=target, indices=indices, value=value):
            return f"{_element(target.name, indices)} = {expression(value)}"
        case Load(temps=temps, array=array, index=index):
            return f"{_list(temps)} = load {_element(array.name, index)}{_load_options(s)}"
        case Store(array=array, index=index, values=values, guard=guard):
            return f"store {_element(array.name, index)} = {_list(values)}{_guard(guard)}"
        case Atomic(temp=temp, op=op, array=array, index=index, value=value):
            return f"{expression(temp)} = atomic_{op} {_element(array.name, index)}, {expression(value)}"
        case Shuffle(temp=temp, kind=kind, value=value, lane=lane):
            return f"{expression(temp)} = shfl_{kind}({expression(value)}, {expression(lane)})"
        case Barrier():
            return "barrier"
        case LoadMatrices() | Mma() | CopyAsync() | CopyCommit() | CopyWait():
            return _of_matrices(s)
        case For():
            return _for(s)
        case If(cond=cond):
            return f"if {expression(cond)}:"
    raise TypeError(f"not a statement: {s!r}")


def _of_matrices(s: LoadMatrices | Mma | CopyAsync | CopyCommit | CopyWait) -> str:
    match s:
        case LoadMatrices(fragments=fragments, array=array, index=index, transpose=transpose):
            how = "transposed matrices" if transpose else "matrices"
            return f"{', '.join(map(_fragment, fragments))} = load {how} {_element(array.name, index)}"
        case Mma(sums=sums, a=a, b=b):
            return f"{_fragment(sums)} += {_fragment(a)} times {_fragment(b)}"
        case CopyAsync(array=array, index=index, source=source, source_index=origin, count=count, guard=guard):
            there, here = _element(source.name, origin), _element(array.name, index)
            return f"copy {count} of {there} to {here}{_guard(guard)}"
        case CopyWait(left=left):
            return f"wait until {expression(left)} groups of copies are left"
    return "end a group of copies"


def _fragment(f: Fragment) -> str:
    return _element(f.array.name, f.indices)


def _list(values: Iterable[Expr]) -> str:
    return ", ".join(expression(v) for v in values)


def _guard(guard: Expr | None) -> str:
    return f" where {expression(guard)}" if guard is not None else ""


def _load_options(s: Load) -> str:
    other = f" else {expression(s.other)}" if s.other is not None else ""
    cache = f" cache={s.cache}" if s.cache != "ca" else ""
    return _guard(s.guard) + other + cache


def _for(s: For) -> str:
    kind = "doubling" if s.geometric else "unroll" if s.unroll else "range"
    bounds = (s.start, s.stop) if s.geometric or s.step == Const(1, s.step.dtype) else (s.start, s.stop, s.step)
    return f"for {s.index.name} in {kind}({_list(bounds)}):"


def _lines(body: Iterable[Stmt], depth: int) -> list[str]:
    lines = []
    for s in body:
        lines.append(f"{s.line:5d} | {'  ' * depth}{statement(s)}")
        if isinstance(s, For):
            lines += _lines(s.body, depth + 1)
        elif isinstance(s, If):
            lines += _lines(s.then, depth + 1)
            if s.orelse:
                lines += [f"      | {'  ' * depth}else:", *_lines(s.orelse, depth + 1)]
    return lines


def listing(tree: Tree) -> str:
    """The whole kernel: arguments, launch shape, storage, then statements with their source lines."""
    head = [f"kernel {tree.name}({', '.join(_argument(a) for a in tree.globals)})"]
    for role, title in (("size", "sizes"), ("tile", "tiles"), ("scalar", "scalars")):
        names = [_parameter(p, tree) for p in tree.params if p.role == role]
        head += [f"  {title:8s}{', '.join(names)}"] if names else []
    head.append(f"  {'grid':8s}{_list(tree.grid)}")
    head.append(f"  {'block':8s}{_list(tree.block)}")
    head += [f"  {'needs':8s}{expression(c)}  ({text})" for c, text in tree.requires]
    head += [f"  {'shared':8s}{_storage(a)}" for a in tree.shared]
    head += [f"  {'local':8s}{_storage(a)}" for a in tree.locals]
    return "\n".join([*head, *_lines(tree.body, 0)])


def _argument(a: GlobalArray) -> str:
    return f"{a.name}: {a.intent} {a.dtype.value}[{_list(a.shape)}]"


def _parameter(p: Param, tree: Tree) -> str:
    if p.role == "scalar":
        return f"{p.name}: {p.dtype.value}"
    return f"{p.name} = {tree.defaults[p.name]}" if p.name in tree.defaults else p.name


def _storage(a: SharedArray | LocalArray | Var) -> str:
    extents = "" if isinstance(a, Var) else f"[{_list(a.shape)}]"
    how = " swizzled" if isinstance(a, SharedArray) and a.swizzled else ""
    return f"{a.name}: {a.dtype.value}{extents}{how}"
