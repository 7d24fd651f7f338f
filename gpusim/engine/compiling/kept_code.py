"""What numba asks for code that was compiled before, and gives what it has compiled."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from itertools import chain
from typing import Any

import llvmlite.binding as llvm
from numba.core import sigutils
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from gpusim.engine.compiling import store


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
        body = store.read(self._name(sig))
        return None if body is None else self.rebuild(target_context, pickle.loads(body))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled; not where addresses of this process are part of it."""
        if not data.lifted and not data.library.has_dynamic_globals:
            store.write(self._name(sig), dumps(self.reduce(data)))

    def reduce(self, compiled: Any) -> Any:
        """What is written of compiled code: as numba has it, without what only another function would link."""
        library, what = compiled.library, compiled.fndesc
        what.typemap = what.calltypes = None  # of use while it is lowered, and large
        code = library.name, "object", (library._get_compiled_object(), _names_alone(library._final_module))
        environments = tuple(compiled._find_referenced_environments())
        return code, what, compiled.environment, compiled.signature, False, (), None, compiled.reload_init, environments

    def rebuild(self, target_context: Any, written: Any) -> Any:
        """Compiled code again; None where what it needs is not there."""
        return CompileResult._rebuild(target_context, *written)

    def _name(self, sig: Any) -> str:
        function, types = self._function, [str(each) for each in sigutils.normalize_signature(sig)[0]]
        key = type(self).__name__, function.__module__, function.__qualname__, types
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return f"{store.name_of(function)}-{digest}.code"


def _names_alone(module: Any) -> bytes:
    """A module that defines the names which another one does, and nothing else: numba looks for them when it loads."""
    defined = [each.name for each in chain(module.functions, module.global_variables) if not each.is_declaration]
    return bytes(llvm.parse_assembly("\n".join(f'@"{name}" = global i8 0' for name in defined)).as_bitcode())
