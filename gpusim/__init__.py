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
    from gpusim.catalogue.lookup import names as kernels
    from gpusim.errors import GpusimError
    from gpusim.frontends.chains import predict_chain
    from gpusim.frontends.cuda import profile
    from gpusim.frontends.described import predict
    from gpusim.frontends.values import run, run_chain
    from gpusim.hardware import load as load_gpu
    from gpusim.profiles.chain import ChainProfile
    from gpusim.profiles.profile import Profile
    from gpusim.results.metric import Claim, Metric
    from gpusim.results.timeline import Recording, Timeline

__version__ = "0.1.0"

__all__ = [
    "ChainProfile", "Claim", "GpusimError", "Metric", "Profile", "Recording", "Timeline", "__version__", "kernels",
    "load_gpu", "model", "predict", "predict_chain", "profile", "run", "run_chain",
]  # fmt: skip

_SOURCES = {
    "ChainProfile": ("gpusim.profiles.chain", "ChainProfile"),
    "Claim": ("gpusim.results.metric", "Claim"),
    "GpusimError": ("gpusim.errors", "GpusimError"),
    "Metric": ("gpusim.results.metric", "Metric"),
    "Profile": ("gpusim.profiles.profile", "Profile"),
    "Recording": ("gpusim.results.timeline", "Recording"),
    "Timeline": ("gpusim.results.timeline", "Timeline"),
    "kernels": ("gpusim.catalogue.lookup", "names"),
    "load_gpu": ("gpusim.hardware", "load"),
    "model": ("gpusim.model", ""),
    "predict": ("gpusim.frontends.described", "predict"),
    "predict_chain": ("gpusim.frontends.chains", "predict_chain"),
    "profile": ("gpusim.frontends.cuda", "profile"),
    "run": ("gpusim.frontends.values", "run"),
    "run_chain": ("gpusim.frontends.values", "run_chain"),
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
