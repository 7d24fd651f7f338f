"""A launch as a test tells it: a kernel of the catalogue, a file or a text with CUDA, or a kernel object; predicted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError, ParameterError, shown

if TYPE_CHECKING:
    from gpusim.launches.spec import LaunchSpec
    from gpusim.profiles.profile import Profile

FILES = (".cu", ".cubin", ".ptx", ".fatbin")
"""How names of files with kernels end."""

COMPILED = ("defines", "include", "options", "arch")
"""What may be told of how a source is compiled."""

TOLD = (*COMPILED, "kernel", "dynamic_shared", "cluster", "symbols")
"""What may be told of a launch of CUDA besides its sizes and arguments."""


def predicted(
    what: Any,
    grid: Any,
    block: Any,
    args: Sequence[Any] | Mapping[str, Any],
    gpu: str,
    folder: Path,
    how: dict[str, Any],
) -> Profile:
    """Predict a launch.

    Parameters
    ----------
    what : str, Path or object
        A kernel's name or description; a file, or CUDA as text; a kernel that :func:`gpusim.profile` takes.
    grid, block : int, str, sequence of int or None
        Of CUDA.
    args : sequence or mapping
        Of CUDA: texts as on the command line, or values by the name of their parameter; or arrays and numbers.
    gpu : str
    folder : Path
        Where names of files begin.
    how : dict
        Parameters of a described kernel; :data:`TOLD` of CUDA; and what :func:`gpusim.predict` or
        :func:`gpusim.profile` take besides.

    Raises
    ------
    GpusimError
        A launch that is not told as one, or cannot be run.
    """
    source = source_of(what, folder)
    if source is None and (isinstance(what, str) or is_described(what)):
        return _described(what, grid, block, args, gpu, how)
    demand_sizes(grid, block, source)
    told = {name: how.pop(name) for name in TOLD if name in how}
    if isinstance(args, Mapping) or (source is not None and all(isinstance(one, str) for one in args)):
        return _told(source, grid, block, args, gpu, told, how)
    return _with_arrays(what if source is None else source, grid, block, args, gpu, told, how)


def demand_sizes(grid: Any, block: Any, source: Path | str | None) -> None:
    """Refuse a launch of CUDA without a grid, or without a block where machine code may not say which."""
    if grid is None or (block is None and not isinstance(source, Path)):
        raise ParameterError(
            f"{'grid' if grid is None else 'block'} is missing: a launch of CUDA needs one, such as 64"
        )


def source_of(what: Any, folder: Path) -> Path | str | None:
    """The file, or the text of a source; None for what is neither."""
    if isinstance(what, str) and ("\n" in what or "__global__" in what):
        return what
    if isinstance(what, Path) or (isinstance(what, str) and what.endswith(FILES)):
        return folder / what
    return None


def is_described(what: Any) -> bool:
    """Whether it is a described kernel."""
    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.lang import Kernel

    return isinstance(what, Algorithm | Kernel)


def _described(what: Any, grid: Any, block: Any, args: Any, gpu: str, how: dict[str, Any]) -> Profile:
    from gpusim.frontends.described import predict

    if grid is not None or block is not None or args:
        raise GpusimError(f"{shown(what)} is a kernel of the catalogue: its parameters say its grid: n=512, tile=32")
    return predict(what, gpu, **how)


def _told(
    source: Path | str | None, grid: Any, block: Any, args: Any, gpu: str, more: dict[str, Any], how: dict[str, Any]
) -> Profile:
    """A launch whose arguments are texts, or values by name."""
    from gpusim.launches.profiling import profile

    with told_by_texts(source, grid, block, args, more) as spec:
        return profile(spec, gpu, **how)


@contextmanager
def told_by_texts(
    source: Path | str | None, grid: Any, block: Any, args: Any, more: Mapping[str, Any]
) -> Iterator[LaunchSpec]:
    """Give a launch of a source whose arguments are texts, or values by name; a text is a file meanwhile.

    Raises
    ------
    GpusimError
        There is no source, or it is not told as a launch.
    """
    from gpusim.launches import told

    if source is None:
        raise GpusimError("arguments by name are of a source: a kernel object takes arrays and numbers in order")
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(source, str):
            Path(folder, "kernel.cu").write_text(source, encoding="utf-8")
        file = source if isinstance(source, Path) else Path(folder, "kernel.cu")
        yield told.launch(file, grid=grid, block=block, args=args or (), **more)


def _with_arrays(
    what: Any, grid: Any, block: Any, args: Sequence[Any], gpu: str, more: dict[str, Any], how: dict[str, Any]
) -> Profile:
    """A launch whose arguments are arrays and numbers, in order; nothing is computed."""
    from gpusim import cuda, hardware
    from gpusim.frontends.cuda import profile

    if isinstance(what, Path | str):
        compiled = {name: more.pop(name) for name in COMPILED if name in more}
        arch = hardware.load(gpu).arch
        what = cuda.compile(what, gpu=arch, kernel=more.pop("kernel", None), **compiled).kernel()
    else:
        more["name"] = more.pop("kernel", None)
    return profile(what, grid, block, args, gpu=gpu, values=False, **more, **how)
