"""GPUs of which there is a row each: every one once, and no two that tables could not tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpusim import hardware
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from gpusim.hardware import Gpu


def each_once(gpus: Sequence[str | Gpu]) -> list[str | Gpu]:
    """Give the GPUs, without those that are there already under another spelling.

    Parameters
    ----------
    gpus : sequence of str or Gpu
        Names, paths of TOML files, or loaded specifications.

    Raises
    ------
    GpusimError
        One of them is not known, or two that differ have one name: rows are told apart by it.

    Examples
    --------
    >>> each_once(["h200", "H200", "a100-40gb"])
    ['h200', 'a100-40gb']
    """
    found: dict[str, tuple[str | Gpu, Gpu]] = {}
    for given in gpus:
        gpu = hardware.given(given)
        before = found.setdefault(gpu.name, (given, gpu))
        if before[1] != gpu:
            raise GpusimError(
                f"{_said(before[0])} and {_said(given)} are two GPUs of one name, {gpu.name}: tables tell GPUs apart "
                "by name, so give one another, as the name of its file or as name in [identity]"
            )
    return [given for given, _ in found.values()]


def _said(given: str | Gpu) -> str:
    return given if isinstance(given, str) else f"a loaded {given.name}"
