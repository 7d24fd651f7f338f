"""gpusim: predict what a GPU kernel moves through the memory hierarchy, on a machine with no GPU.

>>> import gpusim
>>> profile = gpusim.predict("matmul-tiled", gpu="h200", n=4096, tile=32)  # doctest: +SKIP

Everything is imported when it is first used, so that ``import gpusim`` costs nothing.  What there is, and where it
comes from, is a line each of ``__init__.pyi``.
"""

from __future__ import annotations

import time

__version__ = "0.1.0"

IMPORTED_NS = time.time_ns()
"""When this process imported gpusim: files that changed later are not what runs in it."""


def _public() -> dict[str, str]:
    """Public names, and the module that each comes from."""
    import pkgutil
    import re

    stub = (pkgutil.get_data(__name__, "__init__.pyi") or b"").decode()
    return {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as \2$", stub, re.MULTILINE)}


def __getattr__(name: str) -> object:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    public = _public()
    if name == "__all__":
        return sorted([*public, "__version__"])
    if name not in public:
        from gpusim.names import suggest

        hint = "" if name.startswith("_") else f": {suggest(name, public)}"
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    import importlib

    module = public[name]
    if module == __name__:
        value: object = importlib.import_module(f"{module}.{name}")
    else:
        value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_public(), *(name for name in globals() if name.startswith("__"))])
