"""What a wheel carries: the whole engine, compiled for a baseline of this machine's architecture."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from gpusim.engine.compiling import plain, store
from gpusim.engine.compiling.baselines import Baseline
from gpusim.engine.compiling.compilation import Compilation
from gpusim.engine.compiling.jit import MODE
from gpusim.engine.core.ready import every_kind, make_ready, wholes
from gpusim.folders import intact, keep


def write(package: Path, baseline: Baseline, show: Callable[[Compilation], AbstractContextManager[Any]]) -> None:
    """Compile the engine, and write it where a package has it; nothing where numba keeps code in its own way.

    Parameters
    ----------
    package : Path
        A folder that stands for the package's.
    baseline : Baseline
        What numba has been told to compile for.
    show : callable
        As :func:`gpusim.engine.core.ready.make_ready` has it.

    Raises
    ------
    OSError
        If something could not be written.
    """
    if MODE is plain:
        return
    path = store.shipped_file(package, baseline)
    keep(path, pickle.dumps(_everything(show)))
    if intact(path) is None:
        raise OSError(f"{path} could not be written")


def _everything(show: Callable[[Compilation], AbstractContextManager[Any]]) -> dict[str, bytes]:
    """All that any program needs, compiled or from the cache folder, by the names of its files."""
    found = {}
    for code in every_kind():
        make_ready(code, show)
        for whole in wholes(code):
            kept = store.kept(whole)
            if not kept:
                raise OSError(f"{store.name_of(whole)} could not be written to {store.FOLDER}")
            found.update(kept)
    return found
