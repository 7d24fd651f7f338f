"""Closed-form models: what a line of algebra says about a kernel, a chain of kernels, or a training step.

A module answers one question; it is imported when it is first used.

====================== ==========================================================================
``roofline``           how many FLOP/s an intensity allows, and which level of memory is in the way
``marks``              where kernels stand below a GPU's or a CPU's roof, level by level
``memory_hierarchy``   how large, how far and how fast each level of a GPU's memory is
``gpu_figures``        figures by which GPUs are compared, with how each is known
``gpu_tables``         those and the memory hierarchy as tables
``waves``              how much of the GPU the last wave of blocks leaves idle
``latency``            how many bytes and warps must be in flight to hide a latency (Little's law)
``fusion``             what a chain of pointwise kernels moves, apart and as one
``recomputation``      what the backward pass moves and keeps, with activations stored or computed again
``training_memory``    bytes a parameter of mixed-precision training, and activations of a layer
``fp8``                bytes of FP8 tensors with their scales; quantisation tile by tile
``formats``            bits, range and epsilon of fp32, tf32, bf16, fp16, e4m3 and e5m2; rounding to them
``rounding``           what rounding loses in training: updates, gradients, sums, exponentials
``online_softmax``     maximum and sum of a softmax, pile after pile, with the factor that corrects the sum
``attention_memory``   bytes of attention's N x N matrices, against FlashAttention's extra
``attention_training`` what a framework keeps of attention for the backward pass, and both passes' peaks
``flash_attention_3``  FlashAttention-3: bytes, exponentials beside products, and the time they allow
``copies``             copies between host and device: one after another with kernels, or overlapped in chunks
``pipeline``           kernels and the tensors between them: traffic, launches, peak memory, fusion
====================== ==========================================================================

>>> from gpusim.model import roofline
>>> round(roofline.ridge_point("h100-sxm", "bf16"))
295
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpusim.model import (
        attention_memory,
        attention_training,
        copies,
        flash_attention_3,
        formats,
        fp8,
        fusion,
        gpu_figures,
        gpu_tables,
        latency,
        marks,
        memory_hierarchy,
        online_softmax,
        pipeline,
        recomputation,
        roofline,
        rounding,
        training_memory,
        waves,
    )

__all__ = [
    "attention_memory", "attention_training", "copies", "flash_attention_3", "formats", "fp8", "fusion",
    "gpu_figures", "gpu_tables", "latency", "marks", "memory_hierarchy", "online_softmax", "pipeline",
    "recomputation", "roofline", "rounding", "training_memory", "waves",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
