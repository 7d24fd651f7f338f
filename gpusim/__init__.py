"""gpusim: predict what a GPU kernel moves through the memory hierarchy, on a machine with no GPU.

>>> import gpusim
>>> profile = gpusim.predict("matmul-tiled", gpu="h200", n=4096, tile=32)  # doctest: +SKIP

Everything is imported when it is first used, so that ``import gpusim`` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # by the name that type checkers know; to import typing takes longer than all else here
    from typing import Any

    from gpusim import model
    from gpusim.catalog import names as kernels
    from gpusim.chained import ChainProfile, predict_chain, run_chain
    from gpusim.errors import GpusimError
    from gpusim.hardware import load as load_gpu
    from gpusim.prediction import predict, run
    from gpusim.profiling import profile
    from gpusim.result import Claim, Metric, Profile
    from gpusim.timeline import Recording, Timeline

__version__ = "0.1.0"

__all__ = [
    "ChainProfile", "Claim", "GpusimError", "Metric", "Profile", "Recording", "Timeline", "__version__", "kernels",
    "load_gpu", "model", "predict", "predict_chain", "profile", "run", "run_chain",
]  # fmt: skip

_SOURCES = {
    "ChainProfile": ("gpusim.chained", "ChainProfile"),
    "Claim": ("gpusim.result", "Claim"),
    "GpusimError": ("gpusim.errors", "GpusimError"),
    "Metric": ("gpusim.result", "Metric"),
    "Profile": ("gpusim.result", "Profile"),
    "Recording": ("gpusim.timeline", "Recording"),
    "Timeline": ("gpusim.timeline", "Timeline"),
    "kernels": ("gpusim.catalog", "names"),
    "load_gpu": ("gpusim.hardware", "load"),
    "model": ("gpusim.model", ""),
    "predict": ("gpusim.prediction", "predict"),
    "predict_chain": ("gpusim.chained", "predict_chain"),
    "profile": ("gpusim.profiling", "profile"),
    "run": ("gpusim.prediction", "run"),
    "run_chain": ("gpusim.chained", "run_chain"),
}
"""Public names, and where each comes from: module and name in it (none: the module itself)."""


def __getattr__(name: str) -> Any:
    if name not in _SOURCES:
        from gpusim.names import suggest

        hint = "" if name.startswith("_") else f": {suggest(name, __all__)}"
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    import importlib

    module, attribute = _SOURCES[name]
    value = importlib.import_module(module)
    if attribute:
        value = getattr(value, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
