"""Statements as lines of C++."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import groupby

from gpusim.lang.emit import types
from gpusim.lang.emit.accesses import LANES_HERE, Accesses, zero
from gpusim.lang.emit.homes import Storage, fragments_of, homes, starts, zeroed
from gpusim.lang.emit.lines import Lines
from gpusim.lang.rewrite import defined
from gpusim.lang.tree import (
    Assign,
    Atomic,
    Barrier,
    CopyAsync,
    CopyCommit,
    CopyWait,
    DType,
    Expr,
    For,
    If,
    Let,
    Load,
    LoadMatrices,
    Mma,
    Read,
    Shuffle,
    Stmt,
    Store,
    Temp,
    Tree,
    Var,
    leaves,
    operands,
    statements,
)


class Statements:
    """The body of a kernel.

    Parameters
    ----------
    tree : Tree
    accesses : Accesses
        With the names of arrays and parameters known.
    body : sequence of Stmt
        The tree's, with names introduced.
    """

    def __init__(self, tree: Tree, accesses: Accesses, body: Sequence[Stmt]) -> None:
        self.tree, self.accesses, self.body = tree, accesses, body
        self.write, self.scope = accesses.write, accesses.scope
        self.homes = homes(body)
        self.read = {s.value.target for s in statements(body) if isinstance(s, Let) and isinstance(s.value, Read)}
        self.read |= {fragment.array for s in statements(body) for fragment in fragments_of(s)}
        self.used = {leaf for s in statements(body) for e in operands(s) for leaf in leaves(e)}
        self.taken = {s.index.name for s in statements(body) if isinstance(s, For)} | {*accesses.names.temps.values()}
        self.lines = Lines(indent=1)

    def text(self) -> str:
        """The lines between the braces."""
        self._block(self.body)
        return self.lines.text()

    def _block(self, body: Sequence[Stmt]) -> None:
        written = [s for s in body if not any(t.id in self.accesses.inlined for t in defined(s))]
        for _, together in groupby(written, _guard):
            first, *more = together
            if isinstance(first, Store):
                self._stores([first, *(s for s in more if isinstance(s, Store))])
            else:
                self._first_words(first)

    def _first_words(self, s: Stmt) -> None:
        """A statement, after declaring what it is the first to speak of."""
        new = self.homes.get(id(s), ())
        for storage in new:
            if not starts(s, storage):
                self._declare(storage)
        if not self._starts_any(s, new):
            self._statement(s)

    def _statement(self, s: Stmt) -> None:
        match s:
            case Let() | Shuffle():
                self._define(s, s.temp)
            case Load():
                self._load(s)
            case Assign():
                self.lines.add(self._assignment(s))
            case Atomic():
                self._atomic(s)
            case LoadMatrices():
                self.lines.add(self.accesses.matrices(s))
            case Mma():
                self.lines.add(self.accesses.product(s))
            case CopyAsync():
                self.lines.add(self.accesses.copy(s))
            case CopyCommit():
                self.lines.add("copy_commit();")
            case CopyWait(left=left):
                self.lines.add(f"copy_wait<{self.write.text(left)}>();")
            case Barrier():
                self.lines.add("__syncthreads();")
            case For():
                self._for(s)
            case If():
                self._if(s)
            case _:
                raise TypeError(f"not a statement: {s!r}")

    # ---------------------------------------------------------- variables

    def _storage(self, storage: Storage) -> str:
        """Type and name of a new variable or array."""
        name = self.accesses.storage[storage] = self.scope.declare(storage.name)
        extents = "".join(f"[{self.write.text(e)}]" for e in getattr(storage, "shape", ()))
        unused = "" if storage in self.read else "[[maybe_unused]] "
        return f"{unused}{types.NAMES[storage.dtype]} {name}{extents}"

    def _declare(self, storage: Storage) -> None:
        first = f" = {types.literal(zero(storage.dtype))}" if isinstance(storage, Var) else ""
        self.lines.add(f"{self._storage(storage)}{first};")

    def _starts_any(self, s: Stmt, new: Sequence[Storage]) -> bool:
        """Write ``s`` as a declaration, if it is the first word on a variable."""
        if not any(starts(s, storage) for storage in new):
            return False
        if isinstance(s, Assign):
            value = self.write.text(s.value)
            self.lines.add(f"{self._storage(s.target)} = {value};")
        elif (array := zeroed(s)) is not None:
            self.lines.add(f"{self._storage(array)} = {{}};")
        return True

    def _assignment(self, s: Assign) -> str:
        place = self.accesses.element(s.target, s.indices)
        return f"{place} {self.accesses.update(s.value, s.target, s.indices)};"

    def _define(self, s: Let | Shuffle, temp: Temp) -> None:
        value, _ = self.accesses.value(s)
        kind = "const"
        if isinstance(s, Let):
            kind = "constexpr" if self.write.facts.static(s.value) else "const"
            self.write.facts.note(s)
        self._constant(f"{kind} {types.NAMES[temp.dtype]}", s, temp, value)

    def _constant(self, kind: str, s: Stmt, temp: Temp, value: str) -> None:
        name = self.accesses.temps[temp.id] = self.accesses.name_for(s, temp)
        self.lines.add(f"{kind} {name} = {value};")

    # ---------------------------------------------------------- memory

    def _load(self, s: Load) -> None:
        first = s.temps[0]
        value, _ = self.accesses.value(s)
        if len(s.temps) == 1:
            self._constant(f"const {types.NAMES[first.dtype]}", s, first, value)
            return
        name = self.accesses.name_for(s, first)
        if s.array.dtype.is_narrow:
            self._load_narrow(s, name, value)
        else:
            self.lines.add(f"const {types.vector(s.array.dtype, len(s.temps))} {name} = {value};")
        self.accesses.define_parts(s, name)

    def _load_narrow(self, s: Load, name: str, value: str) -> None:
        """Narrow types have no wide vectors: an array that is loaded as one word or vector."""
        self._narrow_array(s.array.dtype, name, len(s.temps))
        self.lines.add(f"{self.accesses.bits(name, s.array.dtype, len(s.temps))} = {value};")
        if s.guard is not None and s.other is not None and getattr(s.other, "value", None) != 0:
            with self._braces(f"if (!({self.write.text(s.guard)}))"):
                for number in range(len(s.temps)):
                    self.lines.add(f"{name}[{number}] = {self.write.text(s.other)};")

    def _narrow_array(self, dtype: DType, name: str, count: int, values: str = "") -> None:
        self.lines.add(f"__align__({dtype.nbytes * count}) {types.NAMES[dtype]} {name}[{count}]{values};")

    def _stores(self, together: Sequence[Store]) -> None:
        """Stores with one guard."""
        guard = together[0].guard
        with nullcontext() if guard is None else self._braces(f"if ({self.write.text(guard)})"):
            for s in together:
                self._stored(s)

    def _stored(self, s: Store) -> None:
        if self.accesses.is_packed(s):
            name = self.accesses.packed[id(s)] = self.scope.declare(f"{s.array.name.lower()}{len(s.values)}")
            values = ", ".join(map(self.write.text, s.values))
            self._narrow_array(s.array.dtype, name, len(s.values), f" = {{{values}}}")
        self.lines.add(self.accesses.store(s))

    def _atomic(self, s: Atomic) -> None:
        value, _ = self.accesses.value(s)
        if s.temp in self.used:
            self._constant(f"const {types.NAMES[s.temp.dtype]}", s, s.temp, value)
        else:
            self.lines.add(f"{value};")

    # ---------------------------------------------------------- control flow

    @contextmanager
    def _braces(self, head: str) -> Iterator[None]:
        with self.lines.block(head), self.scope.block():
            yield

    @contextmanager
    def _lanes(self, *deciding: Expr) -> Iterator[None]:
        """Inside, only lanes for which it was so decided are there."""
        before = self.accesses.lanes
        if not all(map(self.write.facts.uniform, deciding)):
            self.accesses.lanes = LANES_HERE
        yield
        self.accesses.lanes = before

    def _if(self, s: If, before: str = "") -> None:
        with self._lanes(s.cond):
            with self._braces(f"{before}if ({self.write.text(s.cond)})"):
                self._block(s.then)
            if s.orelse:
                self.lines.join()
                self._else(s.orelse)

    def _else(self, body: Sequence[Stmt]) -> None:
        first = body[0]
        if len(body) == 1 and isinstance(first, If) and id(first) not in self.homes:
            self._if(first, before="else ")
        else:
            with self._braces("else"):
                self._block(body)

    def _index_name(self, name: str) -> str:
        """Loops whose index the description does not name get a letter that it uses for nothing else."""
        if name != "_":
            return name
        return next((letter for letter in "ijklmn" if letter not in self.taken), "i")

    def _for(self, s: For) -> None:
        if s.unroll:
            self.lines.add("#pragma unroll")
        bare = self.write.facts.natural(s.start) and self.write.facts.natural(s.stop)
        start, stop = self.write.text(s.start), self.write.text(s.stop) if bare else self.write.signed(s.stop)
        step = self.write.text(s.step)
        with self.scope.block():
            self.write.facts.note(s)
            name = self.write.names[s.index] = self.scope.declare(self._index_name(s.index.name))
            forward = f"{name} *= {step}" if s.geometric else f"++{name}" if step == "1" else f"{name} += {step}"
            kind = types.NAMES[s.index.dtype]
            with (
                self._lanes(s.start, s.stop, s.step),
                self._braces(f"for ({kind} {name} = {start}; {name} < {stop}; {forward})"),
            ):
                self._block(s.body)


def _guard(s: Stmt) -> tuple[int, Expr | None]:
    """Equal for neighbouring stores under one guard."""
    return (0, s.guard) if isinstance(s, Store) and s.guard is not None else (id(s), None)
