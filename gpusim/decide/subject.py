"""What is predicted at the points of a space: described kernels, or a CUDA source with macros."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gpusim.decide.objective import OF_LAUNCHES, WORDS
from gpusim.decide.space import Point, SpaceError
from gpusim.errors import GpusimError, ParameterError, UnknownNameError, shown
from gpusim.expressions import Number
from gpusim.reading import SOURCE, SOURCES

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.catalogue.chain import Chain
    from gpusim.hardware.spec import Gpu
    from gpusim.launches.spec import LaunchSpec

Call = Callable[..., Any]
"""Predicts a point; takes ``progress`` and ``jobs``."""

GIVEN_TWICE = "{} is given a value, and values to search over: leave one of them out"

COLUMNS = frozenset(
    {"kernel", "gpu", "error", "claim", "rank", "low", "high", "full", "pareto", "measure", *WORDS, *OF_LAUNCHES}
)
"""What tables of sweeps and searches call their own columns."""


class Subject(Protocol):
    """What has a launch at every point."""

    @property
    def name(self) -> str:
        """What tables call it."""
        raise NotImplementedError

    @property
    def way(self) -> str:
        """How its code comes about: ``description``, ``machine_code``, or ``chain`` of several launches."""
        raise NotImplementedError

    def check(self, names: Sequence[str]) -> None:
        """Refuse names that it does not know."""
        raise NotImplementedError

    def known(self, point: Point) -> Mapping[str, Number]:
        """What names mean in conditions at a point."""
        raise NotImplementedError

    def call(self, point: Point, gpu: str | Gpu, how: Mapping[str, Any]) -> Call:
        """What predicts a point; raises GpusimError where it has no launch."""
        raise NotImplementedError

    def entries(self, point: Point, folder: Path) -> list[dict[str, Any]]:
        """A point as a launch file in a folder has it."""
        raise NotImplementedError


@dataclass(frozen=True)
class DescribedSubject:
    """A kernel or a chain of the catalogue, or a description.

    Attributes
    ----------
    kernel : Algorithm, Chain or Kernel
    params : mapping of str to int
        Those that are the same at every point.
    folders : sequence of str
        The user's own folders of kernels.
    is_listed : bool
        Whether it is found by its name, as another process finds it.
    """

    kernel: Algorithm | Chain
    params: Mapping[str, Any] = field(default_factory=dict)
    folders: Sequence[str] = ()
    is_listed: bool = True

    @property
    def name(self) -> str:
        """Name in the catalogue."""
        return self.kernel.name

    @property
    def way(self) -> str:
        """``description``, or ``chain``."""
        from gpusim.catalogue.chain import Chain

        return "chain" if isinstance(self.kernel, Chain) else "description"

    def check(self, names: Sequence[str]) -> None:
        """Refuse names that are no parameters.

        Raises
        ------
        UnknownNameError
        """
        words = self.kernel.words
        for name in (*names, *self.params):
            if name not in words:
                raise UnknownNameError(f"parameter of {self.name}", name, words)
        if twice := [name for name in names if name in self.params]:
            raise SpaceError(GIVEN_TWICE.format(twice[0]))

    def known(self, point: Point) -> Mapping[str, Number]:
        """Every parameter, by its own name."""
        return self.kernel.bind(**{**self.params, **point})

    def call(self, point: Point, gpu: str | Gpu, how: Mapping[str, Any]) -> Call:
        """What predicts a point.

        Raises
        ------
        ParameterError
            The kernel cannot be launched with these parameters.
        """
        from gpusim.frontends.chains import predict_chain
        from gpusim.frontends.described import predict

        params = {**self.params, **point}
        self.kernel.launch(**params)
        kernel: Any = self.name if self.is_listed else self.kernel
        how = {**how, "kernels": list(self.folders), **params}
        if self.way == "chain":
            return partial(predict_chain, kernel, gpu, **how)
        return partial(predict, kernel, gpu, **how)

    def entries(self, point: Point, folder: Path) -> list[dict[str, Any]]:
        """A point as a launch file has it; of a chain every launch."""
        from gpusim.launches.spec import DescribedLaunch

        return [one.to_json(folder) for one in DescribedLaunch.each(self.kernel, {**self.params, **point})]


@dataclass(frozen=True)
class SourceSubject:
    """A CUDA source whose macros differ from point to point.

    Attributes
    ----------
    source : Path
    told : mapping of str to object
        Texts of the launch, as :func:`gpusim.launches.told.launch` takes them.
    """

    source: Path
    told: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name of the kernel, or of the file."""
        return self.told.get("kernel") or self.source.name

    @property
    def way(self) -> str:
        """``machine_code``."""
        return "machine_code"

    def check(self, names: Sequence[str]) -> None:
        """Refuse names that no macro can have, or that nothing uses.

        Raises
        ------
        GpusimError
        """
        from gpusim.launches import told

        arguments = {text.partition("=")[0].strip() for text in told.texts(self.told.get("args"))}
        for name in names:
            if not (name.isidentifier() and name.isascii()):
                raise GpusimError(f"{name}: that is no name of a macro")
            if name in COLUMNS:
                raise GpusimError(f"{name}: a column of the table is called so: give the macro another name")
            if name in arguments:
                raise GpusimError(f"{name} is an argument: sweep another name, and give --arg {name}=NAME")
            if name in (self.told.get("defines") or {}):
                raise SpaceError(GIVEN_TWICE.format(name))
        self._check_used(names)

    def _check_used(self, names: Sequence[str]) -> None:
        """Refuse a name that stands nowhere in the source and in what tells of the launch."""
        from gpusim.launches import told

        source = told.source_of(self.source)
        if source.suffix != SOURCE or not source.is_file():
            return
        text = source.read_text(encoding="utf-8", errors="replace")
        if re.search(r'#\s*include\s*"', text):
            return  # a header may use it
        words = set(re.findall(r"\w+", f"{text} {self.told}"))
        for name in names:
            if name not in words:
                raise UnknownNameError(f"macro of {self.source.name}", name, sorted(w for w in words if w.isupper()))

    def launch(self, point: Point) -> LaunchSpec:
        """The launch at a point.

        Raises
        ------
        GpusimError
            Sizes that have no value there.
        """
        from gpusim.launches import told

        macros = {**(self.told.get("defines") or {}), **{name: str(value) for name, value in point.items()}}
        return told.launch(told.source_of(self.source), **{**self.told, "defines": macros})

    def known(self, point: Point) -> Mapping[str, Number]:
        """Sizes of grid and block, and threads of a block."""
        launch = self.launch(point)
        named = {f"{kind}_{axis}": size for kind, sizes in (("grid", launch.grid), ("block", launch.block))
                 for axis, size in zip("xyz", (*sizes, 1, 1), strict=False)}  # fmt: skip
        return {**named, **self._macros(launch)}

    def _macros(self, launch: LaunchSpec) -> Mapping[str, Number]:
        from gpusim.expressions import number

        read = {name: number(value or "") for name, value in launch.defines.items()}
        return {name: value for name, value in read.items() if not isinstance(value, str)}

    def call(self, point: Point, gpu: str | Gpu, how: Mapping[str, Any]) -> Call:
        """What predicts a point.

        Raises
        ------
        GpusimError
            As :meth:`launch`.
        """
        from gpusim.launches.profiling import profile

        if not isinstance(gpu, str):
            raise GpusimError(f"{self.name}: the GPU of a CUDA source is told by name, or by its TOML file")
        return partial(profile, self.launch(point), gpu, **how)

    def entries(self, point: Point, folder: Path) -> list[dict[str, Any]]:
        """A point as a launch file in a folder has it."""
        named = " ".join(f"{name}={value}" for name, value in point.items())
        return [self.launch(point).to_json(folder) | {"id": f"{self.name} {named}".rstrip()}]


def subjects(
    kernels: Any, params: Mapping[str, Any], told: Mapping[str, Any], folders: Sequence[str] = ()
) -> list[Subject]:
    """What is predicted, of what a user named.

    Parameters
    ----------
    kernels : str, Path, Algorithm, Chain, Kernel, or a sequence of such
        Names as in ``gpusim kernels``, descriptions, or CUDA sources.
    params : mapping
        Parameters that every point has.
    told : mapping
        What tells of the launch of a CUDA source.
    folders : sequence of str
        The user's own folders of kernels.

    Raises
    ------
    GpusimError
        A name that is not known; parameters of a CUDA source, or a grid for a described kernel.
    """
    several = kernels if isinstance(kernels, list | tuple) else [kernels]
    if not several:
        raise GpusimError("no kernel is named: gpusim kernels lists them")
    return [_subject(one, params, told, folders) for one in several]


def _subject(one: Any, params: Mapping[str, Any], told: Mapping[str, Any], folders: Sequence[str]) -> Subject:
    given = _given(told)
    if isinstance(one, Path) or (isinstance(one, str) and one.endswith(SOURCES)):
        if params:
            raise GpusimError(f"{next(iter(params))}: {one} takes macros, told by defines, and arguments, told by args")
        if "grid" not in given:
            raise GpusimError(f"{one} needs a grid, such as grid='ceildiv(N, 256)'")
        return SourceSubject(Path(one), given)
    if given:
        raise GpusimError(f"{next(iter(given))} is for a CUDA source (.cu)")
    return DescribedSubject(_described(one, folders), params, folders, isinstance(one, str))


def _given(told: Any) -> dict[str, Any]:
    """What was told of a launch.

    Raises
    ------
    GpusimError
        It is no mapping, or has a name that tells nothing.
    """
    import inspect

    from gpusim.launches.told import launch

    if not isinstance(told, Mapping):
        raise ParameterError(f"launch is names with values, such as {{'grid': 64, 'block': 256}}, not {shown(told)}")
    known = [*inspect.signature(launch).parameters][1:]
    if unknown := [name for name in told if name not in known]:
        raise UnknownNameError("word on a launch", unknown[0], known)
    return {name: value for name, value in told.items() if value is not None and value not in ("", (), [], {})}


def _described(one: Any, folders: Sequence[str]) -> Algorithm | Chain:
    from gpusim.catalogue import lookup
    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.catalogue.chain import Chain

    if isinstance(one, Algorithm | Chain):
        return one
    if isinstance(one, str):
        return lookup.find(one, folders)
    from gpusim.frontends.described import algorithm_of

    return algorithm_of(one, folders)
