"""How everything in the engine is compiled, with parts of numba that are its own affair.

:mod:`gpusim.engine.compiling.plain` does the same without them, and slower.

numba makes machine code of every function, and optimises a function once more in each that calls it, at every level
again.  Here a function that others call is a part of them: LLVM optimises and translates a whole once, with all its
parts.  numba's own work, before that, is two thirds of what is left (:mod:`gpusim.engine.compiling.front_end`);
``benchmarks/compiling.py`` shows where the time goes.

Parts and wholes are kept on disk (:mod:`gpusim.engine.compiling.store`), each as soon as it is done: a process that is
killed leaves to the next one what it has compiled, and a whole finds the parts that another one has in common with it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import _dynfunc, int32, int64  # type: ignore[attr-defined]
from numba.core import sigutils
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, compile_result
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.core.types import unliteral

from gpusim.engine.compiling import store
from gpusim.engine.compiling.array_access import Lowering
from gpusim.engine.compiling.compilation import Compilation, Function
from gpusim.engine.compiling.front_end import Target, begin_whole, passes
from gpusim.engine.compiling.kept_code import Kept
from gpusim.engine.compiling.optimising import optimise, optimises_at_once
from gpusim.engine.compiling.watching import kept, tell, without_collection

_OPTIONS: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}
"""``_nrt=False``: no reference counting, which would cost more than most instructions do; so nothing may allocate."""
_PARTS: dict[tuple[str, str], _Part] = {}
"""Every part by its function's module and name."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _WholeLowering(NativeLowering):
    """Says when LLVM begins."""

    _name = "whole_lowering"
    lowering_class = Lowering

    def run_pass(self, state: Any) -> bool:
        tell(Compilation.optimises, state.func_id.func)
        state.library = _WholeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


class _WholeLibrary(JITCodeLibrary):
    """Code of a whole, optimised when all its parts are there and not before."""

    def _optimize_functions(self, module: Any) -> None:
        if not optimises_at_once(self._codegen):
            super()._optimize_functions(module)

    def _optimize_final_module(self) -> None:
        if optimises_at_once(self._codegen):
            optimise(self._final_module, self._codegen)
        else:
            super()._optimize_final_module()


class _WholeCompiler(CompilerBase):
    """The passes of a whole, which is not remembered longer than it takes."""

    def define_pipelines(self) -> list[PassManager]:
        begin_whole()
        return [passes(self.state, "whole", _WholeLowering)]


class _Whole(CPUDispatcher):
    """A function that is called from Python.  Machines run side by side, so it lets go of the interpreter's lock."""

    _compiler: Any

    def __init__(self, function: Function) -> None:
        options = {"nopython": True, "nogil": True, **_OPTIONS}
        super().__init__(function, targetoptions=options, pipeline_class=_WholeCompiler)
        self._cache = Kept(function)
        self._compiler.targetdescr = Target  # for what is compiled; what is read takes numba's own

    def compile(self, signature: Any) -> Any:
        """Compile for arguments of these types, or load what was."""
        with without_collection():
            compiled = super().compile(signature)
        tell(Compilation.finished, self.py_func)
        return compiled


_whole = kept(_Whole)


class _Part(CPUDispatcher):
    """A function that jitted functions call; called from Python, it is compiled as a whole."""

    targetdescr: Any = Target
    _compiler: Any

    def __init__(self, function: Function, attributes: tuple[str, ...] = (), **options: Any) -> None:
        # numba's callee inherits what it does not state from whoever asks first; options are part of a function's name
        fixed = {"forceinline": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        settings = {"nopython": True, **_OPTIONS, **fixed, **options}
        super().__init__(function, targetoptions=settings, pipeline_class=_PartCompiler)
        self._cache = _KeptPart(function)
        self.attributes = attributes
        _PARTS[function.__module__, function.__qualname__] = self

    @property
    def whole(self) -> Any:
        """The same function as Python calls it."""
        return _whole(self.py_func)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """A part is compiled once for all integers, be they constant or of 32 bits."""
        widened = {name: _widened(each) for name, each in kws.items()}
        return super().get_call_template(tuple(map(_widened, args)), widened)

    def compile(self, signature: Any) -> Any:
        """Compile for arguments of these types, or load what was; a whole that is compiled has numba's locks."""
        arguments, result = sigutils.normalize_signature(signature)
        if arguments not in self.overloads:
            compiled = self._cache.load_overload(signature, self.targetctx)
            if compiled is not None:
                self.targetctx.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
                self.add_overload(compiled)
            else:
                compiled = self._compiler.compile(arguments, result)
                self.add_overload(compiled)
                self._cache.save_overload(signature, compiled)
        found: Any = self.overloads[arguments]
        return found.entry_point

    def add_overload(self, result: Any) -> None:
        """Known to callers that are compiled, not to the interpreter."""
        self.overloads[tuple(result.signature.args)] = result
        tell(Compilation.lowered, self.py_func)

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        """What the interpreter is to call."""
        return self.whole


def _widened(kind: Any) -> Any:
    """The type as which an argument is handed on; numba computes with integers of 64 bits, and keeps the sign."""
    plain = unliteral(kind)
    return int64 if plain == int32 else plain


class _PartLibrary(JITCodeLibrary):
    """Code that others link: neither optimised nor made machine code of by itself.

    Attributes
    ----------
    of : tuple
        Module and name of the function, and the types of its arguments.
    """

    of: tuple[str, str, tuple[Any, ...]]

    @property
    def parts(self) -> list[_PartLibrary]:
        """The parts it calls."""
        return [library for library in dict.fromkeys(self._linking_libraries) if isinstance(library, _PartLibrary)]

    @cached_property
    def defines(self) -> set[str]:
        """Names by which others may call it."""
        functions = self._final_module.functions
        return {each.name for each in functions if each.linkage == llvm.Linkage.external and not each.is_declaration}

    @property
    def lacks(self) -> set[str]:
        """Names by which it calls nothing that is there; LLVM would end the process over them."""
        functions = self._final_module.functions
        called = {each.name for each in functions if each.is_declaration and not each.name.startswith("llvm.")}
        there: set[str] = set().union(*(part.defines for part in self.parts))
        return {name for name in called - there if llvm.address_of_symbol(name) is None}

    def add_llvm_module(self, module: Any) -> None:
        """The function that was lowered; where that can be, LLVM optimises it with its whole alone."""
        if not optimises_at_once(self._codegen):
            super().add_llvm_module(module)
            return
        module.data_layout = self._codegen._data_layout
        self._final_module = module

    def finalize(self) -> None:
        """Take in what it calls that is no part, under names that nobody else sees."""
        others = [each for each in dict.fromkeys(self._linking_libraries) if not isinstance(each, _PartLibrary)]
        if others:
            own = {function.name for function in self._final_module.functions if not function.is_declaration}
            for library in others:
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            for function in self._final_module.functions:
                if not function.is_declaration and function.name not in own:
                    function.linkage = "internal"
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """It and all the parts it calls, by way of others too, each once: for a whole to take in."""
        if self._shared_module is None:
            self._ensure_finalized()
            module, seen, todo = self._final_module.clone(), {self}, self.parts[::-1]
            while todo:
                part = todo.pop()
                if part not in seen:
                    seen.add(part)
                    module.link_in(part._final_module, preserve=True)
                    todo += part.parts[::-1]
            for function in module.functions:
                if function.linkage == llvm.Linkage.external and not function.is_declaration:
                    function.linkage = "linkonce_odr"  # others that the whole calls bring it too
            self._shared_module = module
        return self._shared_module


class _KeptPart(Kept):
    """What is written of a part: its code as LLVM reads it, and which parts it calls."""

    def reduce(self, compiled: Any) -> Any:
        """Without those parts, which have files of their own."""
        library, what = compiled.library, compiled.fndesc
        what.typemap = what.calltypes = None  # of use while it is lowered, and large
        calls = [part.of for part in library.parts]
        return library.name, library._final_module.as_bitcode(), what, compiled.environment, compiled.signature, calls

    def rebuild(self, target_context: Any, written: Any) -> Any:
        """A part and those it calls, each read or compiled; None where one is unknown or has another name now."""
        name, code, what, environment, signature, calls = written
        library = _PartLibrary(target_context.codegen(), name)
        library.of = *self._names, tuple(signature.args)
        library._final_module, library._finalized = llvm.parse_bitcode(code), True
        for module, function, types in calls:
            if (module, function) not in _PARTS:
                return None
            part: Any = _PARTS[module, function]
            part.compile(types)
            library._linking_libraries.append(part.overloads[types].library)
        if library.lacks:
            return None
        return compile_result(
            typing_context=_PARTS[self._names].typingctx, target_context=target_context, library=library, fndesc=what,
            entry_point=_key(what, environment, library), environment=environment, signature=signature,
            objectmode=False, lifted=(), call_helper=None, type_annotation=None, typing_error=None, metadata=None,
            reload_init=[],
        )  # fmt: skip

    @property
    def _names(self) -> tuple[str, str]:
        return self._function.__module__, self._function.__qualname__


def _key(what: Any, environment: Any, library: _PartLibrary) -> Any:
    """What stands for a part where numba looks for the function that is called."""
    return _dynfunc.make_function(what.lookup_module(), what.qualname, "", 0, environment, (library,))


class _PartsLowering(Lowering):
    """Tells LLVM which functions are rarely run."""

    def setup_function(self, fndesc: Any) -> None:
        super().setup_function(fndesc)
        for attribute in _PARTS[fndesc.modname, fndesc.qualname].attributes:
            self.function.attributes.add(attribute)


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Lowers a function, and gives its library to callers instead of an address."""

    _name = "part_lowering"
    lowering_class = _PartsLowering

    def run_pass(self, state: Any) -> bool:
        library = state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        library.of = state.func_id.func.__module__, state.func_id.func_qualname, tuple(state.args)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        key = _key(lowered.fndesc, lowered.env, library)
        state.targetctx.insert_user_function(key, lowered.fndesc, [library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class _PartCompiler(CompilerBase):
    """The passes of a part."""

    def define_pipelines(self) -> list[PassManager]:
        self.state.func_id.unique_id = 0  # counted by process otherwise, and part of the name by which parts call it
        return [passes(self.state, "part", _PartLowering)]


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile; LLVM chooses whether it becomes part of its callers' code or is called."""
    return _Part(function)


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile into its callers: for what is small, or called from one place with many arrays."""
    return _Part(function, forceinline=True)


def cold(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile for what is rarely run: called wherever it is, out of the way of what runs often, and small."""
    return _Part(function, attributes=("cold", "noinline", "optsize"))


spliced = inline
"""For what is large and has one caller: numba takes longer to make it part of that than LLVM does."""


def compile_for_calls(function: Callable[..., Any], signature: Any) -> Any:
    """Compile now, to be called by address: numba's ``CFunc``, whose ``address`` holds while it lives.

    Such a function is no part of its callers, which therefore compile faster.
    """
    compiled: Any = CFunc(
        function, sigutils.normalize_signature(signature), locals={}, options=dict(_OPTIONS),
        pipeline_class=_WholeCompiler,  # type: ignore[arg-type]
    )  # fmt: skip
    compiled._compiler.targetdescr = Target
    compiled._cache = Kept(function)
    with without_collection():
        compiled.compile()
    tell(Compilation.finished, function)
    return compiled


@jit
def _trial_part(x: Any) -> Any:
    return x + 1


def _trial(x: Any) -> Any:
    return 2 * _trial_part(x)


@cold
def _trial_row(a: Any, i: Any) -> Any:
    a[i][0] = 20


@jit
def _trial_array(a: Any) -> Any:
    _trial_row(a, -1)
    return _trial_part(a[1, 0])


def prove() -> None:
    """Compile something small in every way that is special; an error says what is not as numba had it.

    Raises
    ------
    Exception
        Whatever numba makes of it.
    """
    routine: Any = compile_for_calls(_trial, int64(int64)).ctypes
    compile_whole(_trial_array, (int64[:, ::1],))
    if (routine(20), whole(_trial_array)(np.zeros((2, 1), np.int64))) != (42, 21):
        raise ArithmeticError("functions that call each other do not give what they should")


def is_kept(function: Function) -> bool:
    """Whether compiled code of a function is there, for some types of its arguments."""
    return store.is_kept(function)


def whole(function: Any) -> Any:
    """What :func:`jit` made, as Python calls it."""
    return function.whole


def compile_whole(function: Any, signature: tuple[Any, ...]) -> None:
    """Compile what Python calls, for arguments of these types, or load it."""
    function.whole.compile(signature)
