"""The GPUs there are, and what a name means."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, TypeVar

from gpusim.errors import shown
from gpusim.hardware.clocks import at_clock, split_clock
from gpusim.hardware.cpu import refuse_cpu
from gpusim.hardware.errors import SpecError
from gpusim.hardware.programming import Instructions
from gpusim.hardware.quantities import rules
from gpusim.hardware.reader import Shelf, generation, read, texts
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import Gpu, key_of
from gpusim.kept.store import HARDWARE
from gpusim.names import suggest

SPECS = Path(__file__).parent / "specs"
"""The folder of built-in specifications."""

ARCHITECTURES = Path(__file__).parent / "architectures"
"""The folder of what GPUs of a generation have in common, a file an architecture."""

DEFAULT_ARCHITECTURE = "sm_90"
"""What descriptions are lowered and written for where nobody says it: that of the GPU that gpusim is validated on."""

Section = TypeVar("Section")

ALIASES = {
    "a100": "a100-40gb",
    "a100-40": "a100-40gb",
    "a100-80": "a100-80gb",
    "h100": "h100-sxm",
    "a6000": "rtx-a6000",
    "4090": "rtx-4090",
    "rtx4090": "rtx-4090",
}
"""Shorter names that are accepted too."""


def names() -> list[str]:
    """Give the names of the built-in GPUs, in alphabetical order.

    Returns
    -------
    list of str

    Examples
    --------
    >>> {'a100-40gb', 'h200'} <= set(names())
    True
    """
    return list(_files())


def load_gpu(name_or_path: str | Path) -> Gpu:
    """Load a GPU by its name, or from a TOML file of the user's.

    Parameters
    ----------
    name_or_path : str or Path
        A name (see :func:`names`; letter case does not matter), or a path: whatever ends in ``.toml`` or has a
        folder in it.  With ``@`` and a clock behind it, as in ``"h200@1410MHz"``, its SMs are locked to that.

    Returns
    -------
    Gpu
        The same object every time, as long as the file and its bases stay the same.

    Raises
    ------
    SpecError
        If there is no such GPU, or its file cannot be used; one line.

    Examples
    --------
    >>> load_gpu("h200").sm_count
    132
    >>> load_gpu("h20")
    Traceback (most recent call last):
    gpusim.hardware.errors.SpecError: unknown GPU 'h20': did you mean h200?
    """
    if not isinstance(name_or_path, str | Path):
        raise SpecError(
            f"a GPU is given by name, by file or as gpusim.load_gpu gives it, not as {type(name_or_path).__name__}"
        )
    text, hz = split_clock(str(name_or_path))
    gpu = _at_boost(text, is_path=isinstance(name_or_path, Path) or _looks_like_a_path(text))
    return gpu if hz is None else at_clock(gpu, hz)


def _at_boost(text: str, *, is_path: bool) -> Gpu:
    """The GPU of a name or a path, as its file has it."""
    if is_path:
        return _from_file(Path(text).expanduser())
    name = text.strip().lower().replace("_", "-").replace(" ", "-")
    name = ALIASES.get(name, name)
    if name not in _files():
        refuse_cpu(text)
        raise SpecError(f"unknown GPU {shown(text)}: {suggest(text, _files(), 'gpusim gpus')}")
    return _built_in(name)


@functools.cache
def architecture(arch: str) -> dict[str, Any]:
    """What GPUs of an architecture have in common.

    Parameters
    ----------
    arch : str
        ``"sm_90"``; the ``a`` of ``"sm_90a"`` makes no difference.

    Returns
    -------
    dict of str to number
        By key.

    Raises
    ------
    SpecError
        If nothing is known of it.

    Examples
    --------
    >>> architecture("sm_90")["launch.warp_apart_cycles"]
    2
    """
    known, name = _shelf().architectures, arch.rstrip("af")
    if name not in known:
        raise SpecError(f"unknown architecture {shown(arch)}: {suggest(name, known)}")
    return HARDWARE.remembered(("architecture", name), lambda: _numbers(name))


def _numbers(arch: str) -> dict[str, Any]:
    return {key: entry.value for key, entry in generation(arch, _shelf()).numbers.items()}


def of_architecture(arch: str, section: type[Section]) -> Section:
    """One section of what GPUs of an architecture have in common.

    Parameters
    ----------
    arch : str
        As for :func:`architecture`.
    section : type
        One of which the architecture's file says all, such as :class:`~gpusim.hardware.programming.Limits`.

    Raises
    ------
    SpecError
        If nothing is known of the architecture.

    Examples
    --------
    >>> from gpusim.hardware.programming import Abi
    >>> hex(of_architecture("sm_90", Abi).parameters)
    '0x210'
    """
    known, place = architecture(arch), next(name for name, kind in SECTIONS.items() if kind is section)
    keys = {name: key_of(place, name) for name in rules(section)}
    return section(**{name: known[key] for name, key in keys.items() if key in known})


def having(instruction_class: str) -> list[str]:
    """Give the architectures that have a class of instructions, oldest first.

    Examples
    --------
    >>> having("fp8_conversion")[0]
    'sm_89'
    """
    every = sorted(_shelf().architectures, key=lambda arch: int(arch.removeprefix("sm_")))
    return [arch for arch in every if instruction_class in of_architecture(arch, Instructions).classes]


def given(gpu: str | Path | Gpu) -> Gpu:
    """A GPU as given to a function: loaded, or by name or file.

    Raises
    ------
    SpecError
        As :func:`load_gpu`, or neither of these.
    """
    if isinstance(gpu, Gpu):
        return gpu
    return load_gpu(gpu)


def _looks_like_a_path(text: str) -> bool:
    return text.endswith(".toml") or "/" in text or "\\" in text


@functools.cache
def _files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(SPECS.glob("*.toml"))}


@functools.cache
def _shelf() -> Shelf:
    return Shelf(_files(), {path.stem: path for path in sorted(ARCHITECTURES.glob("*.toml"))})


@functools.cache
def _built_in(name: str) -> Gpu:
    return HARDWARE.remembered(("gpu", name), lambda: read(_files()[name], _shelf()))


def _from_file(path: Path) -> Gpu:
    try:
        path.stat()
    except OSError as error:
        known = ", ".join(names())
        raise SpecError(f"{path}: cannot be read: {error.strerror}; GPUs known by name are {known}") from None
    return _read_file(path.resolve(), tuple(texts(path.resolve(), _shelf())))


@functools.lru_cache(maxsize=64)
def _read_file(path: Path, said: tuple[tuple[Path, str], ...]) -> Gpu:
    """Read a user's file; what it and its bases have ``said`` tells its versions apart."""
    gpu = read(path, _shelf())
    if gpu.name in _files() and gpu != _built_in(gpu.name):  # whose known errors would stand beside its numbers
        there = f"that of a GPU that comes with gpusim, not {gpu.name!r}"
        raise SpecError(f"{path.name}: name: must be another than {there}")
    return gpu
