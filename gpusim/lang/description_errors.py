"""What a wrong description is told: one line, ``file:line: what is wrong; what would be right``."""

from __future__ import annotations

import ast
import difflib
import inspect
import linecache
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import NoReturn

from gpusim.errors import GpusimError
from gpusim.lang.tree import (
    Assign,
    Atomic,
    Barrier,
    Const,
    CopyAsync,
    Expr,
    For,
    If,
    Index,
    Let,
    Load,
    LoadMatrices,
    LocalArray,
    Mma,
    Param,
    Read,
    SharedArray,
    Shuffle,
    Special,
    Stmt,
    Store,
    Temp,
    Tree,
    leaves,
    operands,
    statements,
)

_source: ContextVar[tuple[str, int] | None] = ContextVar("gpusim_description", default=None)


class DescriptionError(GpusimError):
    """A kernel description (or its parameters) is wrong; the message names the line and the remedy."""


@contextmanager
def describing(file: str, line: int) -> Iterator[None]:
    """Locate errors in ``file``, at ``line`` where no frame of that file is running."""
    token = _source.set((file, line))
    try:
        yield
    finally:
        _source.reset(token)


def frame_here() -> FrameType | None:
    """Innermost running frame of the file being described, or None."""
    source = _source.get()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (source is None or frame.f_code.co_filename != source[0]):
        frame = frame.f_back
    return frame


def line_here() -> int:
    """Line of the description now running (0 outside of any)."""
    frame, source = frame_here(), _source.get()
    if frame is not None:
        return frame.f_lineno
    return source[1] if source else 0


def fail(message: str, line: int | None = None) -> NoReturn:
    """Raise :class:`DescriptionError` for ``message``, at ``line`` or the line now running."""
    source = _source.get()
    if source is None:
        raise DescriptionError(message)
    raise DescriptionError(f"{source[0]}:{line_here() if line is None else line}: {message}")


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` or the list of what is known, to end an error message with."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(known)}" if known else ""


def assigned_name(call: str, taken: Iterable[str], fallback: str) -> str:
    """Name that the running source line gives the result of ``call``, made unique among ``taken``."""
    source = _source.get()
    text = linecache.getline(source[0], line_here()) if source else ""
    match = re.match(rf"\s*(?:for\s+)?(\w+)\s*(?:=|in)\s*(?:\w+\.)*{call}\(", text)
    base = match.group(1) if match else fallback
    taken, name, n = set(taken), base, 2
    while name in taken:
        name, n = f"{base}_{n}", n + 1
    return name


# ------------------------------------------------------------------ what tracing once cannot see


def check_source(function: Callable[..., object]) -> None:
    """Refuse ``return``, ``break`` and ``continue`` inside traced loops and branches: they would vanish."""
    try:
        lines, first = inspect.getsourcelines(function)
        module = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return  # no source to look at (interactive, or a lambda): the tracer's own checks remain
    definition = module.body[0]
    if isinstance(definition, ast.FunctionDef):
        for statement in definition.body:
            _check_jumps(statement, first - 1, loop=None, traced=False)


def _check_jumps(node: ast.AST, offset: int, loop: str | None, traced: bool) -> None:
    """``loop``: kind of the innermost loop; ``traced``: whether a traced loop or branch encloses ``node``."""
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        return
    if isinstance(node, ast.Return) and traced:
        fail("return inside a traced loop or branch is not seen; use gl.if_ for what follows", offset + node.lineno)
    if isinstance(node, (ast.Break, ast.Continue)) and (loop == "traced" or (traced and loop is None)):
        word = "break" if isinstance(node, ast.Break) else "continue"
        fail(f"{word} in a loop whose body is traced once; put the rest of the body in gl.if_", offset + node.lineno)
    if isinstance(node, ast.For):
        loop = "traced" if _is_traced_loop(node.iter) else "python"
        traced = traced or loop == "traced"
    elif isinstance(node, ast.While):
        loop = "python"
    elif isinstance(node, ast.With):
        traced = True
    for child in ast.iter_child_nodes(node):
        _check_jumps(child, offset, loop, traced)


def _is_traced_loop(iterable: ast.expr) -> bool:
    """Whether a ``for`` runs over ``gl.range(...)``, ``gl.unroll(...)`` or ``gl.doubling(...)``."""
    if not isinstance(iterable, ast.Call):
        return False
    called = iterable.func
    if isinstance(called, ast.Attribute):
        return called.attr in ("range", "unroll", "doubling")
    return isinstance(called, ast.Name) and called.id in ("unroll", "doubling")


# ------------------------------------------------------------------ what only the whole tree shows


def check_tree(tree: Tree) -> None:
    """Refuse a traced kernel whose values, arrays or barriers cannot mean what was written."""
    _check_scopes(tree.body, frozenset())
    _check_shared(tree)
    _check_register_indices(tree)
    _Divergence(tree).check()


def _check_scopes(body: Iterable[Stmt], visible: frozenset[Expr]) -> None:
    """Values made in a loop or branch exist only there."""
    for s in body:
        for leaf in (leaf for e in operands(s) for leaf in leaves(e)):
            if isinstance(leaf, (Temp, Index)) and leaf not in visible:
                what = f"loop index {leaf.name!r}" if isinstance(leaf, Index) else "a value of a loop or branch"
                fail(f"{what} is used outside of it; keep it in gl.var(dtype, init)", s.line)
        match s:
            case Let(temp=temp) | Atomic(temp=temp) | Shuffle(temp=temp):
                visible = visible | {temp}
            case Load(temps=temps):
                visible = visible.union(temps)
            case For(index=index, body=inner):
                _check_scopes(inner, visible | {index})
            case If(then=then, orelse=orelse):
                _check_scopes(then, visible)
                _check_scopes(orelse, visible)


def _check_shared(tree: Tree) -> None:
    """A shared array that is read must be written somewhere."""
    written = {id(s.array) for s in statements(tree.body) if isinstance(s, (Store, Atomic, CopyAsync))}
    for s in statements(tree.body):
        if isinstance(s, (Load, LoadMatrices)) and isinstance(s.array, SharedArray) and id(s.array) not in written:
            fail(f"load from shared array {s.array.name}, which is never stored to; store, then gl.barrier()", s.line)


def _check_register_indices(tree: Tree) -> None:
    """Registers cannot be indexed at run time."""
    loops = {s.index: s for s in statements(tree.body) if isinstance(s, For)}

    def known(e: Expr) -> bool:
        return all(
            isinstance(leaf, Const)
            or (isinstance(leaf, Param) and leaf.role == "tile")
            or (isinstance(leaf, Index) and loops[leaf].unroll and known(loops[leaf].start))
            for leaf in leaves(e)
        )

    for s in statements(tree.body):
        for array, indices in _register_uses(s):
            if not all(map(known, indices)):
                fail(
                    f"index of register array {array.name} is not known when lowered; "
                    "use gl.unroll indices, tiles and ints, or gl.shared",
                    s.line,
                )


def _register_uses(s: Stmt) -> Iterator[tuple[LocalArray, tuple[Expr, ...]]]:
    """Register arrays that a statement reads or writes, and where."""
    used = s.value if isinstance(s, Let) else s
    if isinstance(used, (Read, Assign)) and isinstance(used.target, LocalArray):
        yield used.target, used.indices
    fragments = s.fragments if isinstance(s, LoadMatrices) else (s.sums, s.a, s.b) if isinstance(s, Mma) else ()
    for fragment in fragments:
        yield fragment.array, fragment.indices


_TOGETHER = {Barrier: "gl.barrier()", LoadMatrices: "load of a fragment", Mma: "gl.mma"}
"""What all threads of a block, or of a warp, do together."""


class _Divergence:
    """Which values may differ between the threads of a block (a fixed point over loops)."""

    def __init__(self, tree: Tree) -> None:
        self._body = tree.body
        self._varied: set[object] = set()

    def check(self) -> None:
        """Fail at a barrier or a product that some threads of the block may not reach."""
        size = -1
        while size != len(self._varied):
            size = len(self._varied)
            self._visit(self._body, None)
        self._visit(self._body, None, report=True)

    def _differs(self, *expressions: Expr) -> bool:
        return any(self._leaf_differs(leaf) for e in expressions for leaf in _with_reads(e))

    def _leaf_differs(self, leaf: Expr) -> bool:
        if isinstance(leaf, Special):
            return leaf.name.startswith("tid.") or leaf.name in ("laneid", "warpid")
        return (id(leaf.target) if isinstance(leaf, Read) else leaf) in self._varied

    def _visit(self, body: Iterable[Stmt], within: int | None, report: bool = False) -> None:
        """``within``: line of the innermost loop or branch that threads enter differently."""
        for s in body:
            differs = self._differs(*operands(s))
            if isinstance(s, tuple(_TOGETHER)) and report and within is not None:
                fail(
                    f"{_TOGETHER[type(s)]} where threads of a block part ways (line {within} depends on gl.tid); "
                    "move it out, or make the condition the same for all threads",
                    s.line,
                )
            if (isinstance(s, (Let, Shuffle)) and differs) or isinstance(s, Atomic):
                self._varied.add(s.temp)
            elif isinstance(s, Load) and differs:
                self._varied.update(s.temps)
            elif isinstance(s, (LoadMatrices, Mma)):
                self._varied.update(id(array) for array, _ in _register_uses(s))
            elif isinstance(s, Assign) and (differs or within is not None):
                self._varied.add(id(s.target))
            elif isinstance(s, For):
                if self._differs(s.start, s.step):
                    self._varied.add(s.index)
                self._visit(s.body, s.line if differs else within, report)
            elif isinstance(s, If):
                for branch in (s.then, s.orelse):
                    self._visit(branch, s.line if differs else within, report)


def _with_reads(e: Expr) -> list[Expr]:
    """Leaves of ``e``, and ``e`` itself where it is a Read."""
    return [e, *leaves(e)] if isinstance(e, Read) else leaves(e)
