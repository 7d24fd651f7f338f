"""What LLVM does to a whole: each function once, when all of the whole is there.

numba has LLVM simplify every function by itself, then inline, then do all of it again.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm


def optimises_at_once(codegen: Any) -> bool:
    """Whether this release of numba has LLVM's newer passes, which do it all in one go."""
    return hasattr(codegen, "_pass_builder")


def optimise(module: Any, codegen: Any) -> None:
    """Inline and simplify a module, in place; who calls a part is known, for nobody outside of the whole does."""
    for function in module.functions:
        if function.linkage == llvm.Linkage.linkonce_odr and not function.is_declaration:
            function.linkage = "internal"
    builder = codegen._pass_builder(loop_vectorize=True, slp_vectorize=False)
    builder.getModulePassManager().run(module, builder)
