"""Launch files: many launches of CUDA sources and of described kernels.

A file is a JSON list of launches.  One of a CUDA source has ``id``, ``source`` (relative to the file), ``options``,
``kernel``, ``arch``, ``grid``, ``block``, ``cluster``, ``dynamic_shared``, ``args`` (see
:mod:`gpusim.launches.arguments` and :mod:`gpusim.launches.named`) and ``symbols``; one of a described kernel has
``kernel`` and ``params``, and an ``id`` where name and parameters are not to be it.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

from gpusim import reading
from gpusim.errors import GpusimError
from gpusim.launches import arguments, named
from gpusim.launches.arguments import Argument
from gpusim.launches.named import Named
from gpusim.launches.spec import AnyLaunch, DescribedLaunch, LaunchSpec
from gpusim.names import suggest

if TYPE_CHECKING:
    from pydantic import BaseModel


class LaunchFileError(GpusimError):
    """A launch file that cannot be read; the message gives the path of the offending key."""


def read(path: Path, folders: Sequence[Path] = ()) -> list[AnyLaunch]:
    """Read a launch file.

    Parameters
    ----------
    path : Path
    folders : sequence of Path
        The user's own folders of kernels.

    Returns
    -------
    list of LaunchSpec or DescribedLaunch

    Raises
    ------
    LaunchFileError
        Not there, no JSON, or a key with a wrong value: its path in the file is named.
    """
    raw = reading.read_json(path, LaunchFileError)
    if not isinstance(raw, list) or not raw:
        raise LaunchFileError(f"{path}: a launch file is a list of launches")
    return launches(raw, path.parent, str(path), folders)


def launches(raw: Sequence[Any], folder: Path, where: str, folders: Sequence[Path] = ()) -> list[AnyLaunch]:
    """Check the entries of a launch file.

    Parameters
    ----------
    raw : sequence
    folder : Path
        Where paths of sources begin.
    where : str
        What messages call the file.
    folders : sequence of Path
        The user's own folders of kernels.

    Raises
    ------
    LaunchFileError
        A key with a wrong value, an id that is there twice.
    """
    specs: list[AnyLaunch] = []
    for index, entry in enumerate(raw):
        at = f"{where}: [{index}]"
        if isinstance(entry, dict) and "params" in entry:
            specs.append(_described(entry, at, folders))
        else:
            specs.append(_spec(entry, at, folder))
    seen: set[str] = set()
    for index, spec in enumerate(specs):
        if spec.id in seen:
            raise LaunchFileError(f"{where}: [{index}].id: {spec.id!r} is there twice")
        seen.add(spec.id)
    return specs


def _described(entry: Any, at: str, folders: Sequence[Path]) -> DescribedLaunch:
    """Check an entry with a described kernel."""
    from gpusim.catalogue import lookup

    checked: Any = _checked(_described_model(), entry, at)
    try:
        algorithm = lookup.get(checked.kernel, folders)
        return DescribedLaunch.of(algorithm, checked.params, tuple(folders), checked.id or "")
    except GpusimError as error:
        raise LaunchFileError(f"{at}: {error}") from None


@cache
def _described_model() -> type[BaseModel]:
    """Shape of an entry with a described kernel."""
    from pydantic import ConfigDict, Field, create_model

    text = Annotated[str, Field(strict=True, min_length=1)]
    whole = Annotated[int, Field(strict=True)]
    return create_model(
        "Described", __config__=ConfigDict(extra="forbid"), id=(text | None, None), kernel=(text, ...),
        params=(dict[str, whole], ...),
    )  # fmt: skip


@cache
def _model() -> type[BaseModel]:
    """Shape of an entry with a CUDA source."""
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
        block=(sizes | None, None),
        dynamic_shared=(Annotated[int, Field(strict=True, ge=0)] | None, None),
        args=(list[Any], []),
        arch=(text | None, None),
        cluster=(sizes | None, None),
        symbols=(list[text], []),
    )


def _spec(entry: Any, at: str, folder: Path) -> LaunchSpec:
    """Check an entry with a CUDA source."""
    from gpusim.cuda.cuda_errors import OptionError
    from gpusim.cuda.safe_options import check_safe

    checked: Any = _checked(_model(), entry, at)
    try:
        check_safe(checked.options)
    except OptionError as error:
        raise LaunchFileError(f"{at}.options: {error}") from None
    args = _arguments(checked.args, f"{at}.args")
    symbols = _arguments(checked.symbols, f"{at}.symbols")
    source = folder / checked.source
    if checked.block is None and source.suffix == reading.SOURCE:
        raise LaunchFileError(f"{at}.block: this is missing")
    block = () if checked.block is None else _three(checked.block)
    return LaunchSpec(
        checked.id, source, tuple(checked.options), checked.kernel, _three(checked.grid), block,
        checked.dynamic_shared, args, arch=checked.arch,
        cluster=checked.cluster and _three(checked.cluster), symbols=_all_named(symbols, f"{at}.symbols"),
    )  # fmt: skip


def _arguments(given: Sequence[Any], at: str) -> tuple[Argument | Named, ...]:
    """Arguments: those that are texts are as on the command line."""
    texts = [one for one in given if isinstance(one, str)]
    read, _ = named.read(texts, {}, at)
    of_texts = iter(read)
    return tuple(
        next(of_texts) if isinstance(one, str) else arguments.from_json(one, f"{at}[{k}]")
        for k, one in enumerate(given)
    )


def _all_named(given: Sequence[Argument | Named], at: str) -> tuple[Named, ...]:
    """Values of variables, each by name."""
    found = tuple(one for one in given if isinstance(one, Named))
    if len(found) != len(given):
        raise LaunchFileError(f'{at}: the value of a variable is told by name, such as "coef=float32:normal"')
    return found


def _checked(model: type[BaseModel], entry: Any, at: str) -> BaseModel:
    """An entry, if it has the shape."""
    from pydantic import ValidationError

    try:
        return model.model_validate(entry)
    except ValidationError as error:
        # what is missing may only be misspelt, so an unknown key comes first
        first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in first["loc"])
        says = _unknown(str(first["loc"][-1])) if first["type"] == "extra_forbidden" else first["msg"]
        raise LaunchFileError(f"{at}{where}: {says}") from None


def _unknown(key: str) -> str:
    """What a key may have been meant for that a launch of its kind does not have."""
    known = dict.fromkeys((*_model().model_fields, *_described_model().model_fields))
    if key in known:  # only a described kernel is told by its params
        return "this is for a CUDA source; a launch with params has id, kernel and params alone"
    return f"unknown key: {suggest(key, known)}"


def _three(sizes: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = [*sizes, 1, 1][:3]
    return x, y, z


class HasId(Protocol):
    """What has an id: a launch, or what was measured of one."""

    @property
    def id(self) -> str:
        """Unique among its like."""


N = TypeVar("N", bound=HasId)


def matches(spec: HasId, pattern: str | None) -> bool:
    """Whether an id matches a glob; every one does without."""
    return pattern is None or fnmatch.fnmatchcase(spec.id, pattern)


def select(specs: Iterable[N], pattern: str | None) -> list[N]:
    """Those whose id matches a glob; all without one.

    Raises
    ------
    LaunchFileError
        A glob that none matches.
    """
    everything = list(specs)
    chosen = [spec for spec in everything if matches(spec, pattern)]
    if pattern is not None and not chosen:
        raise LaunchFileError(f"no launch matches {pattern!r}: {suggest(pattern, [s.id for s in everything])}")
    return chosen
