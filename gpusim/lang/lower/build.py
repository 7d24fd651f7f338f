"""The tree's statements, unrolled and scalarised, as structured code over graph nodes.

Loops that are to be unrolled are run here, with constant indices; variables and
local arrays dissolve into the nodes they hold; short branches become guards and
selects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import gcd

from gpusim.hardware.programming import Limits
from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.lower import bind, integer, logic, natural_division
from gpusim.lang.lower.accesses import LoadKey, Places
from gpusim.lang.lower.expressions import KIND
from gpusim.lang.lower.facts import Facts
from gpusim.lang.lower.matrices import Matrices, Place
from gpusim.lang.lower.regions import Body, Branch, Carried, Item, Leave, Loop, Merge, Sync
from gpusim.lang.lower.values import I32, PRED, Graph, Node
from gpusim.lang.tree import (
    Assign,
    Atomic,
    Barrier,
    CopyAsync,
    CopyCommit,
    CopyWait,
    For,
    If,
    Let,
    Load,
    LoadMatrices,
    LocalArray,
    Mma,
    Read,
    Shuffle,
    Stmt,
    Store,
    Tree,
)

Build = Callable[[], None]

UNROLL_TRIPS, UNROLL_SIZE = 8, 400  # plain loops of so few iterations and instructions in all are unrolled
TINY_TOTAL = 160  # as are those of so few instructions in all, whatever their number of iterations
PARTIAL_SIZE, TINY_SIZE = 24, 8  # bodies unrolled fourfold, and sixteenfold besides
MAX_ITERATIONS = 65536  # of an unrolled loop


def build(tree: Tree, tiles: Mapping[str, int], g: Graph, arrays: Places, limits: Limits) -> Body:
    """Structured code of a kernel.

    Parameters
    ----------
    tree : Tree
    tiles : mapping of str to int
        Tile sizes.
    g : Graph
        Where nodes are made.
    arrays : mapping
        Number and offset of each global and shared array (see :class:`~gpusim.lang.lower.regions.Array`).
    limits : Limits
        Of a launch: how large indices of threads and blocks can be.
    """
    return _Builder(tree, tiles, g, arrays, limits).run()


class _Builder(Matrices):
    def __init__(self, tree: Tree, tiles: Mapping[str, int], g: Graph, arrays: Places, limits: Limits) -> None:
        super().__init__(tree, tiles, g, arrays, limits)
        self.held: dict[Place, Node] = {}
        self.line = 0

    def run(self) -> Body:
        try:
            self._body(self.tree.body, last=True)
        except DescriptionError as error:
            raise DescriptionError(f"{self.tree.source}:{self.line}: {error}") from None
        return Body(self.items, list(self.arrays.values()))

    # ---------------------------------------------------------- statements

    def _body(self, body: Iterable[Stmt], *, last: bool = False) -> None:
        body = list(body)
        for position, stmt in enumerate(body):
            self.line = stmt.line
            self._statement(stmt, last and position == len(body) - 1)

    def _statement(self, stmt: Stmt, last: bool) -> None:
        match stmt:
            case Let(temp=temp, value=value):
                self.value.temps[temp.id] = self._read(value) if isinstance(value, Read) else self.value(value)
            case Assign():
                self._assign(stmt)
            case Load():
                self.load(stmt)
            case Store():
                self.store(stmt)
            case Atomic():
                self.atomic(stmt)
            case Shuffle():
                self.shuffle(stmt)
            case LoadMatrices():
                self.load_matrices(stmt)
            case Mma():
                self.mma(stmt)
            case CopyAsync():
                self.copy_async(stmt)
            case CopyCommit() | CopyWait():
                self.copy_groups(stmt)
            case Barrier():
                self.forget(lambda array: not array.readonly)
                self.items.append(Sync(stmt.line))
            case For():
                self._for(stmt)
            case If():
                self._if(stmt, last)

    def _read(self, e: Read) -> Node:
        return self.held.get(self.place(e.target, e.indices)) or self.g.const(0, KIND[e.dtype])

    def _assign(self, stmt: Assign) -> None:
        place, new = self.place(stmt.target, stmt.indices), self.value(stmt.value)
        old = self.held.get(place)
        if self.guard is not None and old is not None:
            new = logic.select(self.g, self.guard, new, old)
        self.held[place] = new

    # ---------------------------------------------------------- branches

    def _if(self, stmt: If, last: bool) -> None:
        cond = self.value(stmt.cond)
        if cond.is_const:
            self._body(stmt.then if cond.value else stmt.orelse, last=last)
        elif last and not stmt.orelse and self.depth == 0:
            self.items.append(Leave(cond, stmt.line))
            self._body(stmt.then, last=True)
        elif bind.is_short([*stmt.then, *stmt.orelse]):
            self._predicate(cond, stmt)
        else:
            self._branch(cond, stmt, partial(self._body, stmt.then), partial(self._body, stmt.orelse))

    def _predicate(self, cond: Node, stmt: If) -> None:
        """Both paths under guards."""
        loads = self.loaded
        for guard, body in ((cond, stmt.then), (logic.invert(self.g, cond), stmt.orelse)):
            self._guarding(guard, partial(self._body, body))
        self.loaded = {k: v for k, v in loads.items() if k in self.loaded}

    def _guarding(self, guard: Node, body: Build) -> None:
        """A path whose statements are done by the lanes where ``guard`` holds."""
        self.guard = guard
        body()
        self.guard = None

    def _branch(self, cond: Node, stmt: Stmt, then: Build, orelse: Build = lambda: None) -> None:
        """Two paths; all they store is stored in ``stmt``."""
        before = dict(self.held)
        ends = [self._path(then), self._path(orelse)]
        (_, held), (_, other) = ends
        written = {self.arrays[a] for a in bind.stored([stmt])}
        self.forget(lambda array: array in written)
        merges = []
        for place in dict.fromkeys([*held, *other]):
            a, b = held.get(place), other.get(place)
            if a is not None and b is not None and a is not b:
                merges.append(Merge(self.g.fresh("merge", a.dtype, depth=self.depth), a, b))
                self.held[place] = merges[-1].result
            elif (kept := a or b) is not None:
                self.held[place] = kept
        idle = [not path and all(after.get(p) is v for p, v in before.items()) for path, after in ends]
        self.items.append(Branch(cond, ends[0][0], ends[1][0], merges, stmt.line, *idle))

    def _path(self, body: Build) -> tuple[list[Item], dict[Place, Node]]:
        """One side of a branch: its effects, and what variables hold at its end."""
        items, held, loads = self.items, self.held, self.loaded
        self.items, self.held, self.loaded = [], dict(held), dict(loads)
        body()
        result = self.items, self.held
        self.items, self.held, self.loaded = items, held, loads
        return result

    # ---------------------------------------------------------- loops

    def _for(self, stmt: For) -> None:
        start, stop, step = self.value(stmt.start), self.value(stmt.stop), self.value(stmt.step)
        values = self._iterations(stmt, start, stop, step)
        if values is None and stmt.unroll:
            raise DescriptionError("an unrolled loop needs bounds that are known once tiles are bound; use gl.range")
        if values is not None and (stmt.unroll or self._unrolls(stmt, len(values))):
            for value in values:
                self.value.indices[stmt.index.id] = self.g.integer(value)
                self._body(stmt.body)
        elif start.varying and stop.is_const and self._fourfold(stmt, step):
            self._branch(self._enters(start, stop), stmt, partial(self._rest_first, stmt, start, stop, step))
        else:
            for copies in self._factors(stmt, start, step, values):
                start = self._loop(stmt, start, stop, step, copies)

    def _unrolls(self, stmt: For, trips: int) -> bool:
        rolled = any(isinstance(s, For) and not s.unroll for s in bind.walk(stmt.body))
        total = trips * self._size(stmt)
        return not rolled and (total <= UNROLL_SIZE if trips <= UNROLL_TRIPS else total <= TINY_TOTAL)

    def _size(self, stmt: For) -> int:
        return bind.body_size(stmt.body, self.value.tiles)

    def _factors(self, stmt: For, start: Node, step: Node, values: list[int] | None) -> list[int]:
        """Iterations a pass of each of the loops that make up this one; what one leaves over the next does."""
        if not self._fourfold(stmt, step):
            return [1]
        if values is not None:
            return [next(n for n in (16, 8, 4, 2, 1) if len(values) % n == 0)]
        return [4, 1] if start.varying or self._size(stmt) > TINY_SIZE else [16, 4, 1]

    def _fourfold(self, stmt: For, step: Node) -> bool:
        """Whether a loop's body is repeated in the code, four times or more."""
        plain = step.is_const and not stmt.geometric
        return plain and self._size(stmt) <= PARTIAL_SIZE and bind.is_straight(stmt.body)

    # ---------------------------------------------------------- loops whose threads differ in where they start

    def _enters(self, start: Node, stop: Node) -> Node:
        """Whether there is a first iteration; asked even where the block's size would answer it, as nvcc does."""
        return self.g.copy(self.g.make("cmp", start, stop, attr=("lt", "i"), dtype=PRED))

    def _rest_first(self, stmt: For, start: Node, stop: Node, step: Node) -> None:
        """First the one to three iterations that groups of four leave over, then the groups."""
        span = integer.sub(self.g, integer.sub(self.g, stop, self.g.integer(1)), start)
        rounds = integer.add(self.g, natural_division.floordiv(self.g, span, step), self.g.integer(1))
        rest = self.g.make("and", rounds, self.g.integer(3), dtype=I32)
        rest.facts = Facts(0, 3, 1)  # whatever the block's size would tell: nvcc does not ask it either
        self._rest(stmt, start, step, rest, 0)
        self._loop(stmt, integer.add(self.g, start, integer.mul(self.g, rest, step)), stop, step, 4)

    def _rest(self, stmt: For, start: Node, step: Node, rest: Node, done: int) -> None:
        """Iterations from the ``done``-th on, each in the branch of those before; a short last one is predicated."""
        more = self.g.copy(logic.compare(self.g, "ne", rest, self.g.integer(done)))

        def iteration() -> None:
            offset = integer.mul(self.g, step, self.g.integer(done))
            self.value.indices[stmt.index.id] = integer.add(self.g, start, offset)
            self._body(stmt.body)
            if done < 2:
                self._rest(stmt, start, step, rest, done + 1)

        if done == 2 and bind.is_short(stmt.body):
            self._guarding(more, iteration)
        else:
            self._branch(more, stmt, iteration)

    @staticmethod
    def _iterations(stmt: For, *bounds: Node) -> list[int] | None:
        """The index's values, where all bounds are constants and they are not too many to unroll."""
        if not all(b.is_const for b in bounds):
            return None
        start, stop, step = (int(b.value) for b in bounds)
        if step < 1 or (stmt.geometric and (step < 2 or start < 1)):
            raise DescriptionError(f"a loop from {start} to {stop} by {step} does not end")
        if not stmt.geometric:
            values = range(start, stop, step)
            return list(values) if len(values) <= MAX_ITERATIONS else None
        found = []
        while start < stop:
            found.append(start)
            start *= step
        return found

    def _loop(self, stmt: For, start: Node, stop: Node, step: Node, copies: int = 1) -> Node:
        """A loop whose body is the statement's ``copies`` times over; returns the index at its end."""
        stride = step if copies == 1 else integer.mul(self.g, step, self.g.integer(copies))
        limit = stop if copies == 1 else integer.sub(self.g, stop, integer.sub(self.g, stride, step))
        self.depth += 1
        index = Carried(self._index_phi(stmt, start, stop, stride), start)
        variables = self._carry(stmt)
        items, loads = self.items, self._reusable(stmt)
        self.items, self.loaded = [], dict(loads)
        for copy in range(copies):
            offset = integer.mul(self.g, step, self.g.integer(copy))
            self.value.indices[stmt.index.id] = integer.add(self.g, index.phi, offset)
            self._body(stmt.body)
        index.next = (integer.mul if stmt.geometric else integer.add)(self.g, index.phi, stride)
        again = logic.compare(self.g, "lt", index.next, limit)
        self.depth -= 1
        for place, carried in variables.items():
            carried.next = self.held[place]
            carried.out = self.held[place] = self.g.fresh("exit", carried.phi.dtype, depth=self.depth)
        varying = index.phi.varying or again.varying
        index.out = self.g.fresh("exit", start.dtype, depth=self.depth, varying=varying)
        index.out.facts = Facts(index.phi.facts.low, stop.facts.high, index.phi.facts.multiple)
        inside, self.items, self.loaded = self.items, items, loads
        enter = logic.compare(self.g, "lt", start, limit)
        if start.varying:
            enter = self.g.copy(enter)  # predicate registers are few: none is kept from one such loop to the next
        forward = None if stmt.geometric else stride
        self.items.append(Loop([index, *variables.values()], inside, enter, again, forward, stmt.line))
        return index.out

    def _index_phi(self, stmt: For, start: Node, stop: Node, step: Node) -> Node:
        varying = start.varying or step.varying
        index = self.g.fresh("phi", start.dtype, attr=stmt.index.name, depth=self.depth, varying=varying)
        low, high = start.facts.low, max(start.facts.low, stop.facts.high - 1)
        multiple = 1 if stmt.geometric else gcd(start.facts.multiple, step.facts.multiple)
        index.facts = Facts(low, high, multiple)
        return index

    def _carry(self, stmt: For) -> dict[Place, Carried]:
        """Loop-carried values for all that the body assigns; they are what it holds from here on."""
        carried = {}
        for target in bind.assigned(stmt.body):
            for indices in self.places(target) if isinstance(target, LocalArray) else [()]:
                place = id(target), indices
                init = self.held.get(place) or self.g.const(0, KIND[target.dtype])
                phi = self.g.fresh("phi", init.dtype, attr=target.name, depth=self.depth)
                self.held[place] = phi
                carried[place] = Carried(phi, init)
        return carried

    def _reusable(self, stmt: For) -> dict[LoadKey, tuple[Node, ...]]:
        """Loads before the loop that no iteration can make stale."""
        written = {self.arrays[a] for a in bind.stored(stmt.body)}
        synced = bind.has_barrier(stmt.body)
        self.forget(lambda array: array in written or (synced and not array.readonly))
        return self.loaded
