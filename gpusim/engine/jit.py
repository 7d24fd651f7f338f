"""How everything in the engine is compiled."""

from __future__ import annotations

from typing import Any

# `_nrt=False`: no reference counting, which would cost more than most instructions do; so nothing
# jitted here may allocate.  Helpers are inlined by LLVM: a Machine is too many arrays to pass by value.
JIT: dict[str, Any] = {"cache": True, "_nrt": False, "error_model": "numpy"}
INLINE: dict[str, Any] = {**JIT, "forceinline": True}
FLOAT: dict[str, Any] = {**JIT, "fastmath": {"contract"}}
