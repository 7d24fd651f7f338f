"""Where variables and register arrays are declared: in the innermost block that has all that is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpusim.lang.tree import Assign, Const, For, Fragment, If, Let, LoadMatrices, LocalArray, Mma, Read, Stmt, Var

Storage = Var | LocalArray
Step = tuple[Stmt, bool]  # a statement, and whether its else branch is meant


def homes(body: Sequence[Stmt]) -> dict[int, list[Storage]]:
    """What is to be declared with or right before a statement, by the statement's id."""
    mentions: dict[Storage, list[tuple[Step, ...]]] = {}
    for path, storage in _mentions(body, ()):
        mentions.setdefault(storage, []).append(path)
    found: dict[int, list[Storage]] = {}
    for storage, paths in mentions.items():
        depth = _common([p[:-1] for p in paths])
        s = paths[0][depth][0]
        if not starts(s, storage):
            s = paths[0][0][0]  # it may keep its value from one iteration to the next
        found.setdefault(id(s), []).append(storage)
    return found


def _mentions(body: Sequence[Stmt], outer: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], Storage]]:
    for s in body:
        match s:
            case Assign(target=target) | Let(value=Read(target=target)):
                yield (*outer, (s, False)), target
            case LoadMatrices() | Mma():
                for fragment in fragments_of(s):
                    yield (*outer, (s, False)), fragment.array
            case For(body=inner):
                yield from _mentions(inner, (*outer, (s, False)))
            case If(then=then, orelse=orelse):
                yield from _mentions(then, (*outer, (s, False)))
                yield from _mentions(orelse, (*outer, (s, True)))


def fragments_of(s: Stmt) -> tuple[Fragment, ...]:
    """Fragments that a statement reads or writes."""
    match s:
        case LoadMatrices(fragments=fragments):
            return fragments
        case Mma(sums=sums, a=a, b=b):
            return sums, a, b
    return ()


def _common(paths: list[tuple[Step, ...]]) -> int:
    """How many steps all paths share."""
    depth = 0
    for steps in zip(*paths, strict=False):
        if any(s is not steps[0][0] or orelse != steps[0][1] for s, orelse in steps):
            break
        depth += 1
    return depth


def starts(s: Stmt, storage: Storage) -> bool:
    """Whether ``s`` gives all of ``storage`` its first value."""
    if isinstance(s, Assign):
        return s.target is storage and isinstance(storage, Var)
    return zeroed(s) is storage


def zeroed(s: Stmt) -> LocalArray | None:
    """The register array that a nest of loops fills with zeros."""
    indices = []
    while isinstance(s, For) and s.unroll and len(s.body) == 1:
        if not (_is_number(s.start, 0) and _is_number(s.step, 1)):
            return None
        indices.append((s.index, s.stop))
        (s,) = s.body
    if not (indices and isinstance(s, Assign) and isinstance(s.target, LocalArray)):
        return None
    whole = tuple(zip(s.indices, s.target.shape, strict=True)) == tuple(indices)
    return s.target if whole and isinstance(s.value, Const) and str(s.value.value) in ("0", "0.0", "False") else None


def _is_number(e: object, value: int) -> bool:
    return isinstance(e, Const) and e.value == value
