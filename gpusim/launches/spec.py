"""One launch, as told on a command line or in a launch file: of a user's CUDA source, or of a described kernel."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.launches import arguments, named
from gpusim.launches.arguments import Argument, Drawn
from gpusim.launches.elements import ArgumentError
from gpusim.launches.named import Named
from gpusim.launches.plain import Filled, Given, Raw

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm, Arrays, KernelLaunch
    from gpusim.catalogue.chain import Chain
    from gpusim.cuda import Kernel, Module

EMITTED = ("-ftz=true",)
"""Compiler options for emitted CUDA: a description's arithmetic flushes subnormal numbers, as its lowering does."""


class Sizes(NamedTuple):
    """Blocks and threads of a block in x, y, z, and bytes of dynamic shared memory."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_shared: int


@dataclass(frozen=True)
class LaunchSpec:
    """One launch of a CUDA source.

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
        Blocks, and threads of a block, in x, y, z; no block: what the code is for, if it is for one alone.
    dynamic_shared : int or None
        Bytes; None: what Triton noted, else none.
    args : tuple of Argument or Named
        Those that Triton adds may be left out where it noted them.
    defines : mapping
        Macros to define, with their values.
    include : tuple of Path
        Folders with headers.
    arch : str or None
        What to compile for, such as ``"sm_90a"``; None: what the source needs.
    cluster : tuple of int or None
        Blocks of a cluster in x, y, z, where the kernel does not say.
    symbols : tuple of Named
        What ``__constant__`` and ``__device__`` variables hold.
    """

    id: str
    source: Path
    options: tuple[str, ...]
    kernel: str | None
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_shared: int | None = None
    args: tuple[Argument | Named, ...] = ()
    defines: Mapping[str, str | None] = field(default_factory=dict)
    include: tuple[Path, ...] = ()
    arch: str | None = None
    cluster: tuple[int, ...] | None = None
    symbols: tuple[Named, ...] = ()

    def compile(self, gpu: str) -> Module:
        """Machine code for a GPU, by name, or for an architecture such as ``"sm_90"``."""
        from gpusim import cuda

        return cuda.compile(
            self.source,
            gpu=gpu,
            arch=self.arch,
            options=self.options,
            kernel=self.kernel,
            defines=self.defines,
            include=self.include,
        )

    def kernel_of(self, gpu: str) -> Kernel:
        """The kernel, compiled for a GPU."""
        from gpusim import hardware

        return self.compile(hardware.load(gpu).arch).kernel()

    def sizes(self, kernel: Kernel) -> Sizes:
        """Blocks, threads and shared memory, with what the kernel's code and Triton's note beside it say.

        Raises
        ------
        ArgumentError
            No block is given, and the code does not say which.
        """
        block = self.block or kernel.code.block
        if not block:
            raise ArgumentError(f"{self.id}: block is missing, and the code of {kernel.name.full} is for any block")
        noted = kernel.noted.shared_bytes if kernel.noted else 0
        return Sizes(self.grid, block, noted if self.dynamic_shared is None else self.dynamic_shared)

    def opened(self, kernel: Kernel) -> Kernel:
        """The kernel with the fields of those structs as parameters that are told field by field."""
        return named.opened(self.args, kernel)

    def values(self, kernel: Kernel, seed: int = 0) -> dict[str, Any]:
        """What variables hold, by name."""
        return named.values(self.symbols, kernel, seed)

    def arguments(self, kernel: Kernel) -> tuple[Argument, ...]:
        """The arguments in the order of the parameters."""
        return named.in_order((*self.args, *self._added(kernel)), kernel)

    def _added(self, kernel: Kernel) -> tuple[Argument, ...]:
        """Arguments that Triton adds to a kernel, where they are left out."""
        added = () if kernel.noted is None else kernel.noted.scratch
        if len(self.args) + len(added) != len(kernel.parameters):
            return ()
        blocks = math.prod(self.grid)
        return tuple(Filled("uint8", "zeros", blocks * n) if n else Raw(bytes(8)) for n in added)

    def arrays(self, kernel: Kernel) -> list[int]:
        """Positions of the arguments that are arrays."""
        return [
            position for position, argument in enumerate(self.arguments(kernel)) if isinstance(argument, Given | Drawn)
        ]

    def draw(self, kernel: Kernel, seed: int = 0, *, contents: Collection[int] | None = None) -> list[Any]:
        """The arguments; arrays at positions that are not in ``contents`` have type and size alone."""
        return arguments.make(self.arguments(kernel), seed, contents=contents)

    def to_json(self, folder: Path) -> dict[str, Any]:
        """The launch as a launch file in ``folder`` has it."""
        defined = [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in self.defines.items()]
        included = [f"-I{_seen_from(folder, path)}" for path in self.include]
        may_be = {
            "kernel": self.kernel, "arch": self.arch, "block": list(self.block) or None,
            "dynamic_shared": self.dynamic_shared, "cluster": None if self.cluster is None else list(self.cluster),
            "symbols": [one.to_json() for one in self.symbols] or None,
        }  # fmt: skip
        return {
            "id": self.id, "source": _seen_from(folder, self.source), "options": [*self.options, *defined, *included],
            "grid": list(self.grid), "args": [argument.to_json() for argument in self.args],
            **{key: value for key, value in may_be.items() if value is not None},
        }  # fmt: skip


@dataclass(frozen=True)
class DescribedLaunch:
    """One launch of a described kernel, through the CUDA C++ emitted from it.

    Attributes
    ----------
    id : str
        Unique in its file.
    kernel : str
        Name in the catalog.
    params : mapping of str to int
        Complete.
    folders : tuple of Path
        The user's own folders of kernels.
    """

    id: str
    kernel: str
    params: Mapping[str, Any]
    folders: tuple[Path, ...] = ()

    @classmethod
    def of(
        cls, algorithm: Algorithm, given: Mapping[str, int], folders: tuple[Path, ...] = (), name: str = ""
    ) -> DescribedLaunch:
        """A launch of a kernel; its id is name and parameters unless there is one.

        Parameters
        ----------
        algorithm : Algorithm
        given : mapping of str to int
            Parameters; the others take their defaults.
        folders : tuple of Path
            Where the kernel is to be found again.
        name : str
            The id.
        """
        params = algorithm.bind(**given)
        texts = (f"{key}={value}" for key, value in params.items())
        return cls(name or " ".join((algorithm.name, *texts)), algorithm.name, params, folders)

    @classmethod
    def each(
        cls, algorithm: Algorithm | Chain, given: Mapping[str, int], folders: tuple[Path, ...] = ()
    ) -> Iterator[DescribedLaunch]:
        """The launch of a kernel, or every launch of a chain, in their order; as :meth:`of`."""
        from gpusim.catalogue.chain import Chain

        if isinstance(algorithm, Chain):
            for step in algorithm.launch(**given).steps:
                yield cls.of(step.step.algorithm, step.bound.params, folders)
        else:
            yield cls.of(algorithm, given, folders)

    @property
    def algorithm(self) -> Algorithm:
        """The kernel."""
        from gpusim.catalogue import lookup

        return lookup.get(self.kernel, self.folders)

    @property
    def bound(self) -> KernelLaunch:
        """The kernel with its parameters bound."""
        return self.algorithm.launch(**self.params)

    @property
    def grid(self) -> tuple[int, ...]:
        """Blocks in x, y, z."""
        return self.bound.grid

    @property
    def block(self) -> tuple[int, ...]:
        """Threads of a block in x, y, z."""
        return self.bound.block

    cluster = None

    def sizes(self, kernel: Kernel) -> Sizes:
        """Blocks, threads, and the shared memory that is not static because it is too much for that."""
        from gpusim.frontends.described import tiles_of

        bound = self.bound
        return Sizes(self.grid, self.block, bound.kernel.dynamic_shared(**tiles_of(bound)))

    def compile(self, gpu: str) -> Module:
        """Machine code for a GPU, by name, or for an architecture such as ``"sm_90"``."""
        from gpusim import cuda
        from gpusim.frontends.described import tiles_of

        bound = self.bound
        tiles: Mapping[str, Any] = tiles_of(bound)
        return cuda.compile(bound.kernel.emit(**tiles), gpu=gpu, options=EMITTED)

    def opened(self, kernel: Kernel) -> Kernel:
        """The kernel: its structs are none."""
        return kernel

    def values(self, kernel: Kernel, seed: int = 0) -> dict[str, Any]:
        """What variables hold: there are none."""
        return {}

    def inputs(self, seed: int = 0) -> Arrays:
        """The input arrays by name, as the algorithm draws them."""
        import numpy as np

        return self.algorithm.inputs(np.random.default_rng(seed), **self.params)

    def arrays(self, kernel: Kernel) -> list[int]:
        """Positions of the arguments that are arrays."""
        names = {spec.name for spec in self.bound.arrays}
        return [position for position, parameter in enumerate(kernel.parameters) if parameter.name in names]

    def draw(self, kernel: Kernel, seed: int = 0, *, contents: Collection[int] | None = None) -> list[Any]:
        """The arguments; arrays at positions that are not in ``contents`` have type and size alone."""
        import numpy as np

        from gpusim.catalogue.algorithm import numpy_dtype
        from gpusim.frontends.described import drawn

        bound = self.bound
        only = None if contents is None else [kernel.parameters[position].name for position in contents]
        zero = {spec.name: np.zeros((), numpy_dtype(spec.dtype)) for spec in bound.arrays}
        arrays = {spec.name: np.broadcast_to(zero[spec.name], spec.shape) for spec in bound.arrays}
        arrays |= drawn(self.algorithm, bound, seed, only=only)
        types = {p.name: numpy_dtype(p.dtype.value).type for p in bound.kernel.tree.params}
        numbers = {name: types[name](value) for name, value in bound.params.items()}
        return [(arrays | numbers)[parameter.name] for parameter in kernel.parameters]

    def to_json(self, folder: Path) -> dict[str, Any]:
        """The launch as a launch file has it; where the user's own kernels lie, that does not say."""
        return {"id": self.id, "kernel": self.kernel, "params": dict(self.params)}


AnyLaunch = LaunchSpec | DescribedLaunch


def _seen_from(folder: Path, path: Path) -> str:
    """A path relative to a folder."""
    return Path(os.path.relpath(path, folder)).as_posix()
