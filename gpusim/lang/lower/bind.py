"""Binding: tile sizes become numbers, arrays get their place, statements are measured for the choices made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from gpusim.isa.program import ArrayInfo, ParamInfo
from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.evaluate import evaluate
from gpusim.lang.tree import (
    Assign,
    Atomic,
    Barrier,
    CopyAsync,
    CopyWait,
    DType,
    Expr,
    For,
    GlobalArray,
    If,
    Let,
    Load,
    LoadMatrices,
    LocalArray,
    Mma,
    SharedArray,
    Shuffle,
    Stmt,
    Store,
    Tree,
    Var,
    children,
)

SHARED_ALIGNMENT = 16


def check_tiles(tree: Tree, tiles: Mapping[str, int]) -> None:
    """Every tile has a value, and every requirement that speaks of tiles alone holds."""
    missing = [p.name for p in tree.params if p.role == "tile" and p.name not in tiles]
    if missing:
        raise DescriptionError(f"{tree.name} needs a value for {', '.join(missing)}")
    for condition, message in tree.requires:
        try:
            holds = bool(evaluate(condition, tiles))
        except DescriptionError:
            continue  # speaks of sizes: a launch checks it
        if not holds:
            raise DescriptionError(f"{tree.name}: {message}")


def constant_of(e: Expr, tiles: Mapping[str, int], what: str) -> int:
    """Value of an expression that tiles alone must determine."""
    try:
        return int(evaluate(e, tiles))
    except DescriptionError as error:
        raise DescriptionError(f"{what} must be known once tiles are bound: {error}") from None


def block_shape(tree: Tree, tiles: Mapping[str, int]) -> tuple[int | None, ...]:
    """Threads a block along x, y, z; None where it depends on sizes."""

    def extent(e: Expr) -> int | None:
        try:
            return int(evaluate(e, tiles))
        except DescriptionError:
            return None

    return tuple(extent(e) for e in tree.block)


def shared_layout(tree: Tree, tiles: Mapping[str, int], most: int) -> tuple[list[ArrayInfo], int]:
    """Shared arrays one after the other, each on 16 bytes; and the bytes in all, of which a block has ``most``."""
    arrays, total = [], 0
    for number, array in enumerate(tree.shared):
        nbytes = element_bytes(array.dtype)
        for extent in array.shape:
            nbytes *= constant_of(extent, tiles, f"{tree.name}: the shape of {array.name}")
        offset = -(-total // SHARED_ALIGNMENT) * SHARED_ALIGNMENT
        arrays.append(ArrayInfo(array.name, "shared", array.dtype.value, offset, nbytes))
        total = offset + nbytes
        if total > most:
            names = ", ".join(a.name for a in tree.shared[: number + 1])
            raise DescriptionError(
                f"{tree.name}: shared memory of {total} bytes for {names}; a block has at most {most}"
            )
    return arrays, total


def array_layout(
    tree: Tree, tiles: Mapping[str, int], offsets: Mapping[str, int], most: int
) -> tuple[list[ArrayInfo], int]:
    """All arrays, global ones first (``offsets``: their pointers in constant bank 0); bytes of shared memory."""
    shared, nbytes = shared_layout(tree, tiles, most)
    return [ArrayInfo(a.name, "global", a.dtype.value, offsets[a.name], 0) for a in tree.globals] + shared, nbytes


def element_bytes(dtype: DType) -> int:
    """Storage size of an element."""
    return 4 if dtype is DType.PRED else dtype.nbytes


def parameter_layout(tree: Tree, base: int) -> tuple[ParamInfo, ...]:
    """Constant bank 0: buffers (8 bytes each, in order), then sizes and scalars (4 bytes each)."""
    params, offset = [], base
    for array in tree.globals:
        params.append(ParamInfo(array.name, "buffer", offset))
        offset += 8
    for param in tree.params:
        if param.role != "tile":
            params.append(ParamInfo(param.name, param.dtype.value, offset))
            offset += 4
    return tuple(params)


# ------------------------------------------------------------------ looking at statements


def walk(body: Iterable[Stmt]) -> Iterable[Stmt]:
    """All statements of a body, inner ones too."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, For):
            yield from walk(stmt.body)
        elif isinstance(stmt, If):
            yield from walk(stmt.then)
            yield from walk(stmt.orelse)


def assigned(body: Iterable[Stmt]) -> list[Var | LocalArray]:
    """Variables and local arrays that a body assigns, in order of first assignment."""
    return list(dict.fromkeys(target for s in walk(body) for target in _targets(s)))


def _targets(stmt: Stmt) -> tuple[Var | LocalArray, ...]:
    """What a statement assigns."""
    match stmt:
        case Assign(target=target):
            return (target,)
        case LoadMatrices(fragments=fragments):
            return tuple(fragment.array for fragment in fragments)
        case Mma(sums=sums):
            return (sums.array,)
    return ()


def stored(body: Iterable[Stmt]) -> set[GlobalArray | SharedArray]:
    """Arrays that a body writes."""
    return {s.array for s in walk(body) if isinstance(s, (Store, Atomic, CopyAsync))}


def has_barrier(body: Iterable[Stmt]) -> bool:
    """Whether a body synchronises."""
    return any(isinstance(s, (Barrier, CopyWait)) for s in walk(body))


def size_of(e: Expr) -> int:
    """Operations in an expression."""
    below = children(e)
    return (1 if below else 0) + sum(size_of(child) for child in below)


def statement_size(stmt: Stmt) -> int:
    """Rough number of instructions of a statement without its index arithmetic."""
    match stmt:
        case Let(value=value) | Assign(value=value):
            return size_of(value)
        case Store(values=values):
            return 1 + sum(size_of(v) for v in values)
        case Load() | Shuffle() | Atomic() | Barrier():
            return 1
        case For() | If():
            return 2
    return 1


def body_size(body: Iterable[Stmt], tiles: Mapping[str, int] = MappingProxyType({})) -> int:
    """Rough number of instructions of a body, its unrolled loops written out."""
    total = 0
    for s in body:
        copies = _copies(s, tiles) if isinstance(s, For) and s.unroll else 1
        inside = [*s.then, *s.orelse] if isinstance(s, If) else s.body if isinstance(s, For) else []
        total += statement_size(s) + copies * body_size(inside, tiles)
    return total


def _copies(loop: For, tiles: Mapping[str, int]) -> int:
    """Iterations of an unrolled loop; 1 where they hang on those of another."""
    try:
        start, stop, step = (int(evaluate(e, tiles)) for e in (loop.start, loop.stop, loop.step))
    except DescriptionError:
        return 1
    return len(range(start, stop, max(step, 1)))


def is_straight(body: Iterable[Stmt]) -> bool:
    """Whether a body does nothing but compute, load and store, so that it may be repeated freely."""
    return all(
        isinstance(s, (Let, Assign, Load, Store))
        or (isinstance(s, For) and s.unroll and is_straight(s.body))
        or (isinstance(s, If) and is_short([*s.then, *s.orelse]))
        for s in body
    )


def is_short(body: list[Stmt], most: int = 6) -> bool:
    """Whether a branch is better predicated than jumped over: few instructions, nothing that needs whole warps."""
    plain = all(isinstance(s, (Let, Assign, Load, Store)) for s in body)
    return plain and body_size(body) <= most
