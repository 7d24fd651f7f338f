"""Kernels in Triton that ``torch.compile`` wrote: launched as any; what is tried is chosen by predicted times.

Source: PyTorch 2.13, ``torch/_inductor/runtime/triton_heuristics.py``, ``CachingAutotuner``.
"""

from __future__ import annotations

import math
import os
import sys
from typing import TYPE_CHECKING, Any

from gpusim.triton.benchmarks import benchmark

if TYPE_CHECKING:
    from gpusim.patches import Patches
    from gpusim.triton.session import Session

LAUNCHER = "TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER"
"""Whether PyTorch launches past Triton, by a launcher that its builds for CPUs have not."""

SPILLS = 32
"""Words that a kernel may spill before PyTorch does not try it, where it says nothing else."""

RUNTIME = "torch._inductor.runtime.triton_heuristics"


def launch_by_triton(patches: Patches) -> None:
    """Have PyTorch launch by way of Triton's driver.

    Parameters
    ----------
    patches : Patches
    """
    config = sys.modules.get("torch._inductor.config")
    if config is not None:
        patches.set_setting(config, "use_static_cuda_launcher", False)
    else:
        patches.set_item(os.environ, LAUNCHER, "0")


def time_by_prediction(session: Session, patches: Patches) -> None:
    """Have PyTorch compare predicted times, as soon as its part that compares any is there.

    Parameters
    ----------
    session : Session
    patches : Patches
    """
    runtime = sys.modules.get(RUNTIME)
    if runtime is None or getattr(runtime.CachingAutotuner.bench, "predicts", False):
        return

    def bench(self: Any, launcher: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("with_profiler", None)
        if not self.custom_kernel and (launcher.n_spills or 0) > self.inductor_meta.get("spill_threshold", SPILLS):
            return math.inf
        own = self._get_args_with_constexprs(args, launcher) if hasattr(self, "_get_args_with_constexprs") else args
        return benchmark(session, lambda: launcher(*own, **kwargs, stream=0), computes=False)

    bench.predicts = True  # type: ignore[attr-defined]
    patches.set(runtime.CachingAutotuner, "bench", bench)
