"""One launch of a user's CUDA source, as told on a command line or in a launch file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gpusim.arguments import Argument


@dataclass(frozen=True)
class LaunchSpec:
    """One launch.

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
    args : tuple of Argument
    defines : mapping
        Macros to define, with their values.
    include : tuple of Path
        Folders with headers.
    """

    id: str
    source: Path
    options: tuple[str, ...]
    kernel: str | None
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_shared: int = 0
    args: tuple[Argument, ...] = ()
    defines: Mapping[str, str | None] = field(default_factory=dict)
    include: tuple[Path, ...] = ()
