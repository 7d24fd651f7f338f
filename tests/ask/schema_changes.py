"""What differs between two JSON Schemas that would break who reads documents of the first one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SAID = {"description", "title", "$id", "$comment", "examples"}
"""Keywords that say something to people alone."""

NAMED = {"properties", "$defs"}
"""Those whose values are schemas by name: more of them may come."""


def breaking(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Everything that is not the same but for optional properties, definitions and kinds of documents that were added.

    A property that is no more, one that must be there now (or need be no more), a type or a list of values that is
    another, wider or narrower: each breaks somebody who reads, or who checks what was written before.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_schemas(before, after, where)
    elif before != after:
        yield f"{where}: was {before}, is {after}"


def _of_schemas(before: dict[str, Any], after: dict[str, Any], where: str) -> Iterator[str]:
    for key in sorted((before.keys() | after.keys()) - SAID):
        at = f"{where}/{key}"
        if key not in before or key not in after:
            yield f"{at}: {'came' if key in after else 'went'}"
        elif key in NAMED:
            yield from _of_named(before[key], after[key], at)
        elif key == "required":
            yield from (f"{at}: {name} changed" for name in sorted(set(before[key]) ^ set(after[key])))
        elif where == "" and key == "anyOf":  # kinds of documents
            yield from (f"{at}: {one} went" for one in before[key] if one not in after[key])
        elif isinstance(before[key], list) and isinstance(after[key], list) and len(before[key]) == len(after[key]):
            for number, (one, other) in enumerate(zip(before[key], after[key], strict=True)):
                yield from breaking(one, other, f"{at}[{number}]")
        else:
            yield from breaking(before[key], after[key], at)


def _of_named(before: dict[str, Any], after: dict[str, Any], where: str) -> Iterator[str]:
    for name, schema in before.items():
        if name in after:
            yield from breaking(schema, after[name], f"{where}/{name}")
        else:
            yield f"{where}/{name}: went"
