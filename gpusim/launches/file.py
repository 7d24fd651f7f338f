"""Launch files: many launches of CUDA sources.

A file is a JSON list of launches, each with ``id``, ``source`` (relative to the file), ``options``, ``kernel``,
``grid``, ``block``, ``dynamic_shared`` and ``args`` (see :mod:`gpusim.arguments`).
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gpusim import arguments
from gpusim.errors import GpusimError
from gpusim.launches.spec import LaunchSpec

if TYPE_CHECKING:
    from pydantic import BaseModel


class LaunchFileError(GpusimError):
    """A launch file that cannot be read; the message gives the path of the offending key."""


def read(path: Path) -> list[LaunchSpec]:
    """Read a launch file.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of LaunchSpec

    Raises
    ------
    LaunchFileError
        Not there, no JSON, or a key with a wrong value: its path in the file is named.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LaunchFileError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise LaunchFileError(f"{path}: no JSON: {error}") from None
    if not isinstance(raw, list) or not raw:
        raise LaunchFileError(f"{path}: a launch file is a list of launches")
    specs = [_spec(path, index, entry) for index, entry in enumerate(raw)]
    seen: set[str] = set()
    for index, spec in enumerate(specs):
        if spec.id in seen:
            raise LaunchFileError(f"{path}: [{index}].id: {spec.id!r} is there twice")
        seen.add(spec.id)
    return specs


@cache
def _model() -> type[BaseModel]:
    """Shape of one entry."""
    from pydantic import ConfigDict, Field, create_model

    positive = Annotated[int, Field(strict=True, ge=1)]
    sizes = Annotated[list[positive], Field(min_length=1, max_length=3)]
    text = Annotated[str, Field(strict=True, min_length=1)]
    return create_model(
        "Launch",
        __config__=ConfigDict(extra="forbid"),
        id=(text, ...),
        source=(text, ...),
        options=(list[str], []),
        kernel=(text | None, None),
        grid=(sizes, ...),
        block=(sizes, ...),
        dynamic_shared=(Annotated[int, Field(strict=True, ge=0)], 0),
        args=(list[Any], []),
    )


def _spec(path: Path, index: int, entry: Any) -> LaunchSpec:
    """Check one entry of the file."""
    from pydantic import ValidationError

    try:
        checked: Any = _model().model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in first["loc"])
        raise LaunchFileError(f"{path}: [{index}]{where}: {first['msg']}") from None
    args = tuple(arguments.from_json(a, f"{path}: [{index}].args[{k}]") for k, a in enumerate(checked.args))
    return LaunchSpec(
        checked.id, path.parent / checked.source, tuple(checked.options), checked.kernel,
        _three(checked.grid), _three(checked.block), checked.dynamic_shared, args,
    )  # fmt: skip


def _three(sizes: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = [*sizes, 1, 1][:3]
    return x, y, z


def select(specs: Iterable[LaunchSpec], pattern: str | None) -> list[LaunchSpec]:
    """Those whose id matches a glob; all without one.

    Raises
    ------
    LaunchFileError
        None does.
    """
    everything = list(specs)
    chosen = [s for s in everything if pattern is None or fnmatch.fnmatchcase(s.id, pattern)]
    if not chosen:
        raise LaunchFileError(f"no launch matches {pattern!r}: there are {', '.join(s.id for s in everything)}")
    return chosen
