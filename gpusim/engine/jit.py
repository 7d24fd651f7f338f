"""How everything in the engine is compiled, and where the compiled code is kept.

numba makes machine code of every function, and optimises a function once more in each that calls it, at every level
again.  Here a function that others call is a part of them: LLVM optimises and translates a whole once, with all its
parts, which takes two fifths of the time.

The cache folder's name holds a digest of every engine source, so an edit in one
file never serves stale code of another that it was inlined into.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from threading import RLock
from typing import Any

import numba
from numba import _dynfunc, cfunc  # type: ignore[attr-defined]
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from gpusim.folders import cache_folder


def source_digest() -> str:
    """Digest of all sources that jitted code is made from."""
    here = Path(__file__).parent
    encodings = [here.parent / "isa" / name for name in ("encode.py", "opcodes.py")]
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted([*here.glob("*.py"), *encodings]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


FOLDER = cache_folder() / f"engine-{source_digest()}"
"""Where compiled code is kept; there once something is."""
_COMPILING = RLock()
_OPTIONS: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}
"""``_nrt=False``: no reference counting, which would cost more than most instructions do; so nothing may allocate."""


def kept(compiles: Callable[..., Any]) -> Callable[..., Any]:
    """``functools.cache`` for what compiles: whatever thread asks, all have the same code, which is never let go."""
    found: Callable[..., Any] = cache(compiles)

    @wraps(compiles)
    def one_by_one(*args: Any) -> Any:
        with _COMPILING:
            return found(*args)

    return one_by_one


@contextmanager
def _compiling() -> Iterator[None]:
    """What is compiled now is kept in our folder; the process's own setting is left alone.

    Nothing is collected meanwhile: little of what a compiler makes is garbage, and to look for it takes a tenth of
    the time.
    """
    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(FOLDER)
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        settings.CACHE_DIR = before
        if collects:
            gc.enable()


class _Whole(CPUDispatcher):
    """A function that is called from Python.  Machines run side by side, so it lets go of the interpreter's lock."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions={"nopython": True, "nogil": True, **_OPTIONS})
        with _compiling():
            self.enable_caching()

    def compile(self, signature: Any) -> Any:
        """Compile for arguments of these types, or load what was."""
        with _compiling():
            return super().compile(signature)


_whole = kept(_Whole)


class _Part(CPUDispatcher):
    """A function that jitted functions call; called from Python, it is compiled as a whole."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        no_wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        settings = {"nopython": True, **_OPTIONS, **no_wrappers, **options}
        super().__init__(function, targetoptions=settings, pipeline_class=_PartCompiler)

    @property
    def whole(self) -> Any:
        """The same function as Python calls it."""
        return _whole(self.py_func)

    def add_overload(self, result: Any) -> None:
        """Known to callers that are compiled, not to the interpreter."""
        self.overloads[tuple(result.signature.args)] = result

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        """What the interpreter is to call."""
        return self.whole


class _PartLibrary(JITCodeLibrary):
    """Code that others link: neither optimised nor made machine code of by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Lowers a function, and gives its library to callers instead of an address."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        library = state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        what = lowered.fndesc
        key = _dynfunc.make_function(what.lookup_module(), what.qualname, "", 0, lowered.env, (library,))
        state.targetctx.insert_user_function(key, what, [library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class _PartCompiler(CompilerBase):
    """numba's own passes but for the last."""

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("part")
        own = DefaultPassBuilder.define_nopython_pipeline(self.state).passes
        passes.passes.extend((_PartLowering if each is NativeLowering else each, why) for each, why in own)
        passes.finalize()
        return [passes]


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile; LLVM chooses whether it becomes part of its callers' code or is called."""
    return _Part(function)


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile into its callers: for what is small, or called from one place with many arrays."""
    return _Part(function, forceinline=True)


def spliced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Part of its one caller already as numba sees it: for what is large."""
    return _Part(function, inline="always")


def compile_for_calls(function: Callable[..., Any], signature: Any) -> Any:
    """Compile now, to be called by address: numba's ``CFunc``, whose ``address`` holds while it lives.

    Such a function is no part of its callers, which therefore compile faster.
    """
    compiler: Any = cfunc
    with _compiling():
        return compiler(signature, cache=True, **_OPTIONS)(function)
