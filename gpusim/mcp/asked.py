"""What tools are asked with: a launch, of a described kernel or of CUDA source, and the GPU; and its prediction."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gpusim.errors import GpusimError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    from gpusim.checks.result import CheckResult
    from gpusim.decide.subject import Subject
    from gpusim.profiles.chain import ChainProfile
    from gpusim.profiles.profile import Profile
    from gpusim.progress import Progress

LONGEST = 200_000
"""Characters of a source."""

Size = str | int | list[int]
Kernel = Annotated[
    str | None,
    Field(
        description="A kernel of gpusim's catalogue, such as 'matmul-tiled' (the tool kernels lists them); with "
        "`source`, which of its kernels, if there are several."
    ),
]
Params = Annotated[
    dict[str, int | float] | None,
    Field(description="Of a kernel of the catalogue: its sizes and tiles, such as {'n': 1024, 'tile': 32}."),
]
Source = Annotated[
    str | None,
    Field(
        description="CUDA C++ with the kernel, as a .cu file has it. It may include CUDA's headers and no others.",
        max_length=LONGEST,
    ),
]
Grid = Annotated[
    Size | None, Field(description="Of source: blocks in x, y, z: 64, [32, 32], or 'ceildiv(n,256)' of args.")
]
Block = Annotated[Size | None, Field(description="Of source: threads of a block: 256 or [32, 8].")]
Args = Annotated[
    dict[str, str | int | float] | list[str] | None,
    Field(
        description="Of source: arguments by the name of their parameter. Scalars are numbers; of arrays their "
        "contents and count: {'n': 1024, 'x': 'normal:n*n', 'y': 'zeros:n*n', 'i': 'randint:100:n'}."
    ),
]
Symbols = Annotated[
    dict[str, str | int | float] | None,
    Field(description="Of source: what __constant__ and __device__ variables hold: {'coef': 'normal'}."),
]
Defines = Annotated[dict[str, str | int] | None, Field(description="Of source: macros to define: {'TILE': 32}.")]
Shared = Annotated[int | None, Field(description="Of source: bytes of dynamic shared memory.", ge=0)]
Gpu = Annotated[str, Field(description="As the tool gpus lists them: 'h200', 'a100-40gb'.")]
Cache = Annotated[
    Literal["cold", "warm", "flushed"],
    Field(description="Caches empty before the launch, as the same launch left them, or full of other data."),
]
Tools = Annotated[
    list[Literal["memcheck", "racecheck", "initcheck", "synccheck"]] | None,
    Field(description="What is looked for, as compute-sanitizer calls it; all unless given."),
]
Detail = Annotated[
    Literal["short", "full"],
    Field(description="short: what matters, 6 000 characters at most; full: every counter and source line."),
]


class Launch(BaseModel):
    """One launch: a kernel of the catalogue with its parameters, or CUDA source with grid, block and arguments."""

    model_config = ConfigDict(extra="forbid")

    kernel: Kernel = None
    params: Params = None
    source: Source = None
    grid: Grid = None
    block: Block = None
    args: Args = None
    symbols: Symbols = None
    defines: Defines = None
    dynamic_shared: Shared = None

    def predict(self, gpu: str, **how: Any) -> Profile | ChainProfile:
        """Predict it.

        Parameters
        ----------
        gpu : str
            By name alone: no file is read.
        **how
            ``progress``, ``sample``, ``cache``.

        Raises
        ------
        GpusimError
            It tells of no launch, or of one that cannot be run.
        """
        check_gpu(gpu)
        return self._of_source(gpu, how) if self.source is not None else self._described(self._name(), gpu, how)

    def check(self, gpu: str, tools: Sequence[str] | None, progress: Progress) -> CheckResult:
        """Look for what is wrong with it.

        Parameters
        ----------
        gpu : str
            By name alone: no file is read.
        tools : sequence of str, optional
            Groups of faults; all unless given.
        progress : callable

        Raises
        ------
        GpusimError
            It tells of no launch, of several, or of one that cannot be run.
        """
        from gpusim import hardware
        from gpusim.checks import work
        from gpusim.checks.how import CheckHow, tools_of
        from gpusim.checks.run import checked
        from gpusim.frontends.described import Described, algorithm_of
        from gpusim.launches import told

        check_gpu(gpu)
        spec, how = hardware.load(gpu), CheckHow(tools_of(tools), progress=progress)
        if self.source is None:
            algorithm, params = algorithm_of(self._name()), dict[str, Any](self.params or {})
            given = work.of_description(Described(algorithm, algorithm.launch(**params)), spec)
            return checked(given.work, spec, how)
        with self._file() as path:
            given = work.of_spec(told.launch(path, **self._told()), spec)
            return checked(given.work, spec, how, unwritten=given.unwritten).without_folder(path.parent)

    @contextmanager
    def subject(self, gpu: str) -> Iterator[tuple[Subject, Callable[[str], str]]]:
        """Give it as what is searched, and what takes the folder of its source out of a message.

        Parameters
        ----------
        gpu : str
            By name alone.

        Raises
        ------
        GpusimError
            It tells of no launch.
        """
        from gpusim.catalogue import lookup
        from gpusim.decide.subject import DescribedSubject, SourceSubject

        check_gpu(gpu)
        if self.source is None:
            yield DescribedSubject(lookup.find(self._name()), self.params or {}), str
            return
        with self._file() as path:
            yield SourceSubject(path, self._told()), lambda text: _without(path, text)

    def _name(self) -> str:
        """The kernel of the catalogue that it is of."""
        if self.kernel is None:
            raise ParameterError("nothing says what is launched: give kernel (and params), or source, grid and block")
        own = {name: getattr(self, name) for name in ("grid", "block", "args", "symbols", "defines", "dynamic_shared")}
        if given := [name for name, value in own.items() if value is not None]:
            raise ParameterError(f"{given[0]} is for source: a kernel of the catalogue is told by its params")
        return self.kernel

    @property
    def is_chain(self) -> bool:
        """Whether it is several launches, one after another."""
        from gpusim.catalogue import lookup
        from gpusim.catalogue.chain import Chain

        return self.source is None and self.kernel is not None and isinstance(lookup.find(self.kernel), Chain)

    def _described(self, name: str, gpu: str, how: dict[str, Any]) -> Profile | ChainProfile:
        from gpusim.catalogue import lookup
        from gpusim.catalogue.chain import Chain
        from gpusim.frontends.chains import predict_chain
        from gpusim.frontends.described import predict

        params: dict[str, Any] = dict(self.params or {})
        found = lookup.find(name)
        found.launch(**params)  # names that are none of its own are refused here
        how = {**how, **params}
        return predict_chain(found, gpu, **how) if isinstance(found, Chain) else predict(found, gpu, **how)

    def _of_source(self, gpu: str, how: dict[str, Any]) -> Profile:
        from gpusim.launches import told
        from gpusim.launches.profiling import profile

        with self._file() as path:
            return profile(told.launch(path, **self._told()), gpu, **how)

    @contextmanager
    def _file(self) -> Iterator[Path]:
        """The source as a file; refused where it may read another, or where nothing says how it is launched.

        What is wrong with it is said without the folder that it lies in.
        """
        from gpusim.launches.profiling import TimeLimitError
        from gpusim.mcp.inline import check_alone

        if self.params is not None:
            raise ParameterError("params are of a kernel of the catalogue: of source, args says them")
        for name in ("grid", "block"):
            if getattr(self, name) is None:
                raise ParameterError(f"{name} is missing: a launch of source needs one, such as 64 or [16, 16]")
        check_alone(self.source or "")
        text = (self.source or "").encode(errors="replace")
        folder = Path(_sources().name, hashlib.sha256(text).hexdigest())
        folder.mkdir(exist_ok=True)
        path = folder / "kernel.cu"
        path.write_bytes(text)
        try:
            yield path
        except TimeLimitError:
            raise
        except GpusimError as error:
            raise GpusimError(_without(path, str(error))) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _told(self) -> dict[str, Any]:
        """What tells of the launch of source."""
        return {
            "grid": self.grid or "", "block": self.block, "args": self.args or (), "symbols": self.symbols or (),
            "defines": self.defines, "kernel": self.kernel, "dynamic_shared": self.dynamic_shared,
        }  # fmt: skip


@cache
def _sources() -> tempfile.TemporaryDirectory[str]:
    """Where sources lie, each always in the same place: what was predicted of it is found again under its path."""
    return tempfile.TemporaryDirectory(prefix="gpusim-sources-")


def _without(path: Path, text: str) -> str:
    """A message without the folder of a source."""
    return text.replace(f"{path.parent}{os.sep}", "")


def check_gpu(name: str) -> None:
    """Refuse what is no GPU of gpusim's own: a file is not read."""
    from gpusim.hardware import library
    from gpusim.hardware.clocks import split_clock

    if split_clock(name)[0] not in library.names():
        raise UnknownNameError("GPU", name, library.names(), "the tool gpus")
