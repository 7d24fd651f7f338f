"""Structured code between the tree and the flow graph: effects in order, values as graph nodes."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpusim.lang.lower.values import Node


@dataclass(eq=False)
class Array:
    """A global or shared array with its layout.

    Attributes
    ----------
    number : int
        Index in the program's arrays.
    offset : int
        Shared: byte offset in the block's shared memory; global: of its pointer in constant bank 0.
    strides : tuple of Node
        Elements between neighbours along each axis.
    """

    name: str
    space: str
    dtype: str
    nbytes: int
    number: int
    offset: int
    strides: tuple[Node, ...]
    readonly: bool


@dataclass(eq=False)
class Access:
    """A load, store or atomic of ``width`` consecutive bytes a lane.

    ``index`` counts elements; the address passes turn it into ``base`` (a pointer for global arrays, a
    byte offset for shared ones, None for zero) plus ``offset`` bytes.
    """

    kind: str  # "load" | "store" | "atomic" | "matrices" (a row of one a lane; ``op`` "transpose")
    array: Array
    index: Node
    width: int
    line: int
    results: tuple[Node, ...] = ()
    values: tuple[Node, ...] = ()
    guard: Node | None = None
    other: tuple[Node, ...] = ()
    cache: str = "ca"
    op: str = ""
    base: Node | None = None
    offset: int = 0

    @property
    def is_shared(self) -> bool:
        """Whether it is to shared memory."""
        return self.array.space == "shared"

    def operands(self) -> list[Node]:
        """Every node it reads."""
        single = [n for n in (self.base, self.guard) if n is not None]
        return [*single, *self.values, *self.other]


@dataclass(eq=False)
class AsyncCopy:
    """What ``source`` reads goes to where ``to`` writes, past the registers; zeros where its guard does not hold."""

    source: Access
    to: Access
    line: int


@dataclass(eq=False)
class Groups:
    """The copies so far are a group (``left`` None); or wait until at most ``left`` groups are under way."""

    left: int | None
    line: int


@dataclass(eq=False)
class Product:
    """``results = a b + sums`` by the warp's tensor core; every tuple is the registers of a fragment."""

    variant: int  # Mma
    results: tuple[Node, ...]
    a: tuple[Node, ...]
    b: tuple[Node, ...]
    sums: tuple[Node, ...]
    line: int

    def operands(self) -> list[Node]:
        """Every node it reads."""
        return [*self.a, *self.b, *self.sums]


@dataclass(eq=False)
class Sync:
    """Barrier of the block."""

    line: int


@dataclass(eq=False)
class Exchange:
    """``result`` = ``value`` of another lane."""

    kind: str
    result: Node
    value: Node
    lane: Node
    line: int


@dataclass(eq=False)
class Reread:
    """``result`` = special register ``name``, read once more at this place."""

    result: Node
    name: str
    line: int


@dataclass(eq=False)
class Carried:
    """A value that a loop carries: ``phi`` is ``init`` at first, then ``next`` of the iteration before.

    ``out`` is what the code after the loop sees, or None while nobody asked.
    """

    phi: Node
    init: Node
    next: Node | None = None
    out: Node | None = None


@dataclass(eq=False)
class Loop:
    """A loop tested at its bottom; ``carried[0]`` is its index."""

    carried: list[Carried]
    body: list[Item]
    enter: Node  # whether there is a first iteration
    again: Node  # whether there is another one
    step: Node | None  # of the index, None where it is multiplied
    line: int


@dataclass(eq=False)
class Merge:
    """A value that differs between the two sides of a branch."""

    result: Node
    then: Node
    orelse: Node


@dataclass(eq=False)
class Branch:
    """Two paths and what they leave behind; an idle one has nothing to do."""

    cond: Node
    then: list[Item]
    orelse: list[Item]
    merges: list[Merge]
    line: int
    then_idle: bool = False
    else_idle: bool = False


@dataclass(eq=False)
class Leave:
    """Lanes for which ``cond`` does not hold leave the kernel."""

    cond: Node
    line: int


Item = Access | AsyncCopy | Groups | Product | Sync | Exchange | Reread | Loop | Branch | Leave


@dataclass
class Body:
    """A kernel as structured code."""

    items: list[Item]
    arrays: list[Array] = field(default_factory=list)
