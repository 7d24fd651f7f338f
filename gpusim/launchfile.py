"""Launch files: many launches of CUDA sources, profiled one after the other or side by side.

A file is a JSON list of launches, each with ``id``, ``source`` (relative to the file), ``options``, ``kernel``,
``grid``, ``block``, ``dynamic_shared`` and ``args`` (see :mod:`gpusim.arguments`).
"""

from __future__ import annotations

import fnmatch
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gpusim import arguments
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from pydantic import BaseModel


class LaunchFileError(GpusimError):
    """A launch file that cannot be read; the message gives the path of the offending key."""


@dataclass(frozen=True)
class LaunchSpec:
    """One launch of a file.

    Attributes
    ----------
    id : str
        Unique in its file.
    source : Path
        CUDA source or cubin.
    options : tuple of str
        Compiler options as given.
    kernel : str or None
        None where the source has but one.
    grid, block : tuple of int
        Blocks, and threads of a block, in x, y, z.
    dynamic_shared : int
        Bytes.
    args : tuple of arguments.Argument
    """

    id: str
    source: Path
    options: tuple[str, ...]
    kernel: str | None
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int
    args: tuple[arguments.Argument, ...]


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


def run(spec: LaunchSpec, gpu: str, **how: Any) -> dict[str, Any]:
    """Profile one launch.

    Parameters
    ----------
    spec : LaunchSpec
    gpu : str
    **how
        As for :func:`gpusim.profile`.

    Returns
    -------
    dict
        ``id``, ``metrics`` (name to number), ``claims``, ``warp_instructions``, ``wall_s``, ``error`` (text or None).
    """
    began = time.perf_counter()
    record: dict[str, Any] = {"id": spec.id, "metrics": {}, "warp_instructions": 0, "error": None}
    try:
        profile = _profile(spec, gpu, **how)
        values = profile.to_dict()["metrics"]
        record["metrics"] = {name: value["value"] for name, value in values.items()}
        record["warp_instructions"] = profile.warp_instructions
        record["notes"] = list(profile.notes)
    except Exception as error:
        record["error"] = f"{type(error).__name__}: {' '.join(str(error).split())}"
    record["wall_s"] = round(time.perf_counter() - began, 3)
    return record


def _profile(spec: LaunchSpec, gpu: str, **how: Any) -> Any:
    import gpusim
    from gpusim import cuda

    module = cuda.compile(spec.source, gpu=gpu, options=spec.options, kernel=spec.kernel)
    drawn = arguments.make(list(spec.args))
    return gpusim.profile(
        module.kernel(spec.kernel), spec.grid, spec.block, drawn, gpu=gpu, dynamic_shared=spec.dynamic_shared, **how
    )


def run_all(
    specs: Sequence[LaunchSpec], gpu: str, *, jobs: int = 1, progress: Callable[[int, int, str], None] | None = None,
    **how: Any,
) -> list[dict[str, Any]]:  # fmt: skip
    """Profile many launches; one that fails is recorded and the rest go on.

    Parameters
    ----------
    specs : sequence of LaunchSpec
    gpu : str
    jobs : int
        Processes.
    progress : callable, optional
        Called with (launches done, launches, text).
    **how
        As for :func:`gpusim.profile`.

    Returns
    -------
    list of dict
        As :func:`run` gives them, in the order of ``specs``.
    """
    import joblib

    tasks = (joblib.delayed(run)(spec, gpu, **how) for spec in specs)
    found = {}
    for record in joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks):
        found[record["id"]] = record
        if progress is not None:
            progress(len(found), len(specs), record["id"])
    return [found[spec.id] for spec in specs]
