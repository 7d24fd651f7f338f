"""What numba asks for code that was compiled before, and gives what it has compiled."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import sigutils
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from gpusim.engine.compiling import store
from gpusim.folders import keep, load


class Kept(NullCache):
    """What numba asks for a function's compiled code, and gives it to, before and after it compiles.

    Parameters
    ----------
    function : callable
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code for arguments of these types, or None."""
        target_context.refresh()
        body = load(self._path(sig, target_context.codegen()))
        return None if body is None else self.rebuild(target_context, pickle.loads(body))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled; not where addresses of this process are part of it."""
        if not data.lifted and not data.library.has_dynamic_globals:
            keep(self._path(sig, data.codegen), dumps(self.reduce(data)))

    def reduce(self, compiled: Any) -> Any:
        """What is written of compiled code."""
        return compiled._reduce()

    def rebuild(self, target_context: Any, written: Any) -> Any:
        """Compiled code again; None where what it needs is not there."""
        return CompileResult._rebuild(target_context, *written)

    def _path(self, sig: Any, codegen: Any) -> Path:
        function, types = self._function, [str(each) for each in sigutils.normalize_signature(sig)[0]]
        key = (type(self).__name__, function.__module__, function.__qualname__, types, codegen.magic_tuple())
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return store.FOLDER / f"{store.name_of(self._function)}-{digest}.code"
