"""numba's way from bytecode to LLVM's code, less what the engine has no use for.

Most of the time to compile the engine is this, not LLVM.  numba asks anew, for every operator and call, in every round
of type inference, which implementation fits; and before each function, whether new types were registered meanwhile.
Here an answer is remembered for as long as one whole is compiled.  Passes that look for what no function of the engine
has, such as closures and array expressions, are left out.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.compiler import DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.registry import cpu_target
from numba.core.typed_passes import (
    InlineOverloads,
    IRLegalization,
    NativeLowering,
    NopythonRewrites,
    NoPythonSupportedFeatureValidation,
)
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    WithLifting,
)

NEEDLESS = frozenset({
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    InlineOverloads,
    IRLegalization,  # says where variables are let go, which counts references
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    NopythonRewrites,
    NoPythonSupportedFeatureValidation,
    RewriteDynamicRaises,
    WithLifting,
})  # fmt: skip
"""Passes for what the engine's functions do without; one that did not would fail to compile."""


def passes(state: Any, name: str, lowering: type[NativeLowering]) -> PassManager:
    """The passes that numba has and the engine needs, with another one that lowers."""
    chosen = PassManager(name)
    own = DefaultPassBuilder.define_nopython_pipeline(state).passes
    needed = [(each, why) for each, why in own if each not in NEEDLESS]
    chosen.passes.extend((lowering if each is NativeLowering else each, why) for each, why in needed)
    chosen.finalize()
    return chosen


_answers: dict[Any, Any] = {}
"""What functions give, by what they are and the types of their arguments, of the whole that is being compiled."""
_implementations: dict[Any, Any] = {}
"""What lowers them, likewise."""


def begin_whole() -> None:
    """Forget what was remembered, and learn what was registered since: others may compile between two wholes."""
    _answers.clear()
    _implementations.clear()
    cpu_target.target_context.refresh()


class _Typing:
    """Methods of a typing context that asks once which implementation fits."""

    def refresh(self) -> None:
        """Nothing: :func:`begin_whole` has seen to it."""

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """What a function gives for arguments of these types; errors are not remembered."""
        key = func, tuple((type(each), each) for each in args), tuple(kws.items() if kws else ())
        try:
            return _answers[key]
        except KeyError:
            found = _answers[key] = super().resolve_function_type(func, args, kws)  # type: ignore[misc]
            return found
        except TypeError:  # an index that is constant and cannot be a key, such as a slice
            return super().resolve_function_type(func, args, kws)  # type: ignore[misc]


class _Lowering:
    """Methods of a target's context that looks for what was registered where it lacks something."""

    def refresh(self) -> None:
        """Nothing: :func:`begin_whole` has seen to it."""

    def get_constant_generic(self, builder: Any, ty: Any, val: Any) -> Any:
        """A constant; a function that is called is known by its type, and no code looks at its value."""
        if isinstance(ty, types.Dispatcher):
            return self.get_dummy_value()  # type: ignore[attr-defined]
        return super().get_constant_generic(builder, ty, val)  # type: ignore[misc]

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """The implementation of a function; intrinsics are registered as they are typed."""
        if fn in ("static_getitem", "static_setitem") and isinstance(sig.args[0], types.Array):
            raise NotImplementedError  # numba then lowers it as any other index
        key = fn, sig.args, sig.return_type
        found = _implementations.get(key)
        if found is None:
            found = _implementations[key] = self._find(fn, sig)
        mine = object.__new__(type(found))
        mine.__dict__.update(found.__dict__, _context=self, _sig=sig.as_function())
        return mine

    def _find(self, fn: Any, sig: Any) -> Any:
        try:
            return super().get_function(fn, sig, _firstcall=False)  # type: ignore[misc]
        except NotImplementedError:
            super().refresh()  # type: ignore[misc]
            return super().get_function(fn, sig, _firstcall=False)  # type: ignore[misc]


def _as(methods: type, context: Any) -> Any:
    """The same context, all that it knows shared, with other methods before its own."""
    made: Any = object.__new__(type(methods.__name__, (methods, type(context)), {}))
    made.__dict__ = context.__dict__
    return made


class Target:
    """What numba's compilers take for the processor: its own, with contexts that remember."""

    options = cpu_target.options
    typing_context = _as(_Typing, cpu_target.typing_context)
    target_context = _as(_Lowering, cpu_target.target_context)
