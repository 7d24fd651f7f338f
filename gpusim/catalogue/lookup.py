"""Catalog: every algorithm that can be named, of one kernel or a chain of several, and where it came from.

Three places are looked in, in this order: the kernels that come with gpusim, folders of Python files (an argument,
then the environment variable ``GPUSIM_KERNELS``), and installed packages with an entry point in the group
``gpusim.kernels``.  Each Python file of a folder is run once, and every
:class:`~gpusim.catalogue.algorithm.Algorithm` and :class:`~gpusim.catalogue.chain.Chain` at its top level, alone or in
a tuple, belongs to the catalog: there is nothing to register.  Files whose name starts with ``_`` or ``test_`` are left
alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import CodeType, ModuleType

from gpusim import reading
from gpusim.catalogue.algorithm import Algorithm
from gpusim.catalogue.chain import Chain
from gpusim.errors import GpusimError, UnknownNameError, listed, shown

ENVIRONMENT = "GPUSIM_KERNELS"
ENTRY_POINTS = "gpusim.kernels"
SKIPPED = ("_", "test_")
LISTING = "gpusim kernels"

PathLike = str | os.PathLike[str]


class UnknownKernelError(UnknownNameError):
    """A kernel name that no place in the catalog defines."""


class WrongKindError(GpusimError):
    """A chain named where a kernel is wanted, or the other way round."""


class KernelFileError(GpusimError):
    """A kernel file, folder or entry point that cannot be loaded."""


class DuplicateKernelError(GpusimError):
    """Two files that define the same kernel name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An algorithm or a chain, and the file (or entry point) it came from."""

    algorithm: Algorithm | Chain
    origin: str


def get(name: str, folders: Iterable[PathLike] = ()) -> Algorithm:
    """Find an algorithm of one kernel by name.

    Parameters
    ----------
    name : str
        As the listing shows it, or one of its other names.
    folders : iterable of path
        The user's own folders of kernel files (or single files), besides the built-in kernels.

    Returns
    -------
    Algorithm

    Raises
    ------
    UnknownKernelError
        If there is none of that name; the message gives the nearest.
    WrongKindError
        If it is a chain.
    KernelFileError, DuplicateKernelError
        If the catalog itself is faulty.

    Examples
    --------
    >>> get("vector-add").summary
    'c = a + b'
    """
    known = entries(folders)
    found = _named(name, known)
    if isinstance(found, Chain):
        raise WrongKindError(f"{found.name} is a chain of {len(found.steps)} kernels: {', '.join(found.labels)}")
    return found


def chain(name: str, folders: Iterable[PathLike] = ()) -> Chain:
    """Find a chain of kernels by name, each of its kernels found too.

    Parameters
    ----------
    name, folders
        As for :func:`get`.

    Returns
    -------
    Chain

    Raises
    ------
    UnknownKernelError
        If there is none of that name, or a kernel of one.
    WrongKindError
        If it is a kernel.
    KernelFileError, DuplicateKernelError
        If the catalog itself is faulty.
    """
    found = find(name, folders)
    if isinstance(found, Algorithm):
        raise WrongKindError(f"{found.name} is a kernel, not a chain of several")
    return found


def find(name: str, folders: Iterable[PathLike] = ()) -> Algorithm | Chain:
    """Find an algorithm by name, of one kernel or several.

    Parameters
    ----------
    name, folders
        As for :func:`get`.

    Returns
    -------
    Algorithm or Chain

    Raises
    ------
    UnknownKernelError, KernelFileError, DuplicateKernelError
        As for :func:`get`.
    """
    known = entries(folders)
    found = _named(name, known)
    return found.linked(lambda step: _kernel(step, known)) if isinstance(found, Chain) else found


def _kernel(name: str, known: Mapping[str, Entry]) -> Algorithm:
    """The kernel that a step names."""
    found = _named(name, known)
    if isinstance(found, Chain):
        raise WrongKindError(f"{name} is a chain itself: name its kernels, {', '.join(found.labels)}")
    return found


def _named(name: str, known: Mapping[str, Entry]) -> Algorithm | Chain:
    for entry in known.values():
        if name == entry.algorithm.name or name in entry.algorithm.also:
            return entry.algorithm
    others = [other for entry in known.values() if not entry.algorithm.hidden for other in entry.algorithm.also]
    shown = [key for key, entry in known.items() if not entry.algorithm.hidden]
    raise UnknownKernelError("kernel", name, [*shown, *others], LISTING)


def all(folders: Iterable[PathLike] = (), *, hidden: bool = False) -> list[Algorithm]:  # noqa: A001
    """List the algorithms of one kernel, in the order they are found.

    Parameters
    ----------
    folders : iterable of path
        As for :func:`get`.
    hidden : bool
        Whether to list microbenchmarks and the like too.
    """
    found = (entry.algorithm for entry in entries(folders).values())
    return [known for known in found if isinstance(known, Algorithm) and (hidden or not known.hidden)]


def chains(folders: Iterable[PathLike] = ()) -> list[Chain]:
    """List the chains of kernels, in the order they are found.

    Parameters
    ----------
    folders : iterable of path
        As for :func:`get`.
    """
    return [chain(name, folders) for name, entry in entries(folders).items() if isinstance(entry.algorithm, Chain)]


def kernels(folders: Iterable[PathLike] = (), *, hidden: bool = False) -> list[str]:
    """List the names of all that can be predicted, kernels and chains, in the order they are found.

    Parameters
    ----------
    folders, hidden
        As for :func:`all`.

    Examples
    --------
    >>> "matmul-tiled" in kernels(), "attention-standard" in kernels(), "row-mean" in kernels()
    (True, True, False)
    """
    return [name for name, entry in entries(folders).items() if hidden or not entry.algorithm.hidden]


def search(words: Iterable[str], folders: Iterable[PathLike] = (), *, hidden: bool = False) -> list[Algorithm | Chain]:
    """List what can be predicted and has every one of some words in its names, family or summary.

    Parameters
    ----------
    words : iterable of str
        Parts of words; letter case does not matter.
    folders, hidden
        As for :func:`all`.

    Returns
    -------
    list of Algorithm or Chain
        In the order they are found.

    Examples
    --------
    >>> [kernel.name for kernel in search(["transpose", "padded"])]
    ['transpose-padded']
    """
    wanted = [word.lower() for word in words]
    found = (entry.algorithm for entry in entries(folders).values())
    return [known for known in found if (hidden or not known.hidden) and _has(known, wanted)]


def _has(algorithm: Algorithm | Chain, words: Iterable[str]) -> bool:
    text = " ".join((algorithm.name, *algorithm.also, algorithm.family, algorithm.summary)).lower()
    return not [word for word in words if word not in text]


def entries(folders: Iterable[PathLike] = ()) -> dict[str, Entry]:
    """Map every algorithm's name to the algorithm and its origin.

    Parameters
    ----------
    folders : iterable of path
        As for :func:`get`.

    Raises
    ------
    KernelFileError, DuplicateKernelError
    """
    table: dict[str, Entry] = {}
    taken: dict[str, Entry] = {}
    for entry in _found(folders):
        if _is_repeated(entry, taken):
            continue
        for name in (entry.algorithm.name, *entry.algorithm.also):
            if name in taken:
                raise DuplicateKernelError(
                    f"two kernels are called {name!r}: one in {taken[name].origin}, one in {entry.origin}; rename one"
                )
            taken[name] = entry
        table[entry.algorithm.name] = entry
    return table


def _is_repeated(entry: Entry, taken: dict[str, Entry]) -> bool:
    """Whether it is the very object already listed (a file that imports another's algorithm, a folder given twice)."""
    same = taken.get(entry.algorithm.name)
    return same is not None and same.algorithm is entry.algorithm


def _found(folders: Iterable[PathLike]) -> Iterator[Entry]:
    for path in _files(builtin_folder()):
        yield from _entries_of(_load(path), str(path))
    given = listed(folders, "folders of kernels are a list of paths", KernelFileError, str, os.PathLike)
    for folder in [*map(Path, given), *_environment_folders()]:
        for path in _files(folder):
            yield from _entries_of(_load(path), str(path))
    for point in entry_points(group=ENTRY_POINTS):
        yield from _entry_point(point)


def builtin_folder() -> Path:
    """Find the kernels that come with gpusim: inside an installed wheel, beside the package in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "kernels"
    return inside if inside.is_dir() else package.parent / "kernels"


def _environment_folders() -> list[Path]:
    return [Path(folder) for folder in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if folder]


def _files(folder: Path) -> list[Path]:
    """List the kernel files of a folder, by name; a file is its own only one."""
    folder = folder.expanduser()
    if os.path.isfile(folder):  # noqa: PTH113 (a path that cannot be one is no file and no folder)
        return [folder.resolve()]
    if not os.path.isdir(folder):  # noqa: PTH112
        raise KernelFileError(f"no such folder of kernels: {folder}")
    found = (path for path in folder.glob("*.py") if path.is_file() and not path.name.startswith(SKIPPED))
    return sorted(path.resolve() for path in found)


# ------------------------------------------------------------------ loading

_loaded: dict[tuple[Path, int, bytes], ModuleType] = {}


class _AsItIs(SourceFileLoader):
    """Compiles what a file says now: Python tells versions of it by their second and size alone."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _load(path: Path) -> ModuleType:
    """Run a kernel file as a module of its own, once for each version of it."""
    key = (path, path.stat().st_mtime_ns, reading.read_bytes(path, KernelFileError))
    if key not in _loaded:
        _loaded[key] = _run(path)
    return _loaded[key]


def _run(path: Path) -> ModuleType:
    name = f"gpusim_kernels_{hashlib.sha1(os.fsencode(path)).hexdigest()[:8]}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise KernelFileError(f"{path} is not a Python file")
    if isinstance(spec.loader, SourceFileLoader) and path.parent != builtin_folder():
        spec.loader = _AsItIs(name, str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise KernelFileError(_why(error, path)) from error
    return module


def _why(error: BaseException, path: Path) -> str:
    """One line: where in the file it failed, and with what."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"{path}, line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    where = f"{path}, line {lines[-1]}" if lines else str(path)
    text = " ".join(str(error).split())
    return f"{where}: {type(error).__name__}: {text}"


def _entries_of(module: ModuleType, origin: str) -> Iterator[Entry]:
    """Pick the algorithms at a module's top level, alone or in a tuple, each once."""
    seen: set[int] = set()
    for value in vars(module).values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Algorithm | Chain) and id(one) not in seen:
                seen.add(id(one))
                yield Entry(one, origin)


def _entry_point(point: EntryPoint) -> Iterator[Entry]:
    origin = f"the entry point {point.name} = {point.value}"
    try:
        value = point.load()
    except Exception as error:
        text = " ".join(str(error).split())
        raise KernelFileError(f"{origin}: {type(error).__name__}: {text}") from error
    if isinstance(value, ModuleType):
        yield from _entries_of(value, origin)
        return
    for algorithm in [value] if isinstance(value, Algorithm | Chain) else value:
        if not isinstance(algorithm, Algorithm | Chain):
            raise KernelFileError(
                f"{origin}: not an Algorithm or Chain, a list of them or a module, but {shown(algorithm)}"
            )
        yield Entry(algorithm, origin)
