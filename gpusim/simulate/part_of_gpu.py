"""A GPC with its share of what the GPCs of a GPU share: an eighth of an H200, simulated in an eighth of the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu


def sms_of_a_gpc(gpu: Gpu) -> tuple[int, ...]:
    """SMs of the first GPC that has as many as most have, and none that is given blocks before all others.

    Parameters
    ----------
    gpu : Gpu
    """
    sizes = Counter(gpu.placement.sm_gpc)
    early = {gpu.placement.sm_gpc[sm] for sm in gpu.placement.order[: gpu.placement.early_sms]}
    usual = Counter(sizes.values()).most_common(1)[0][0]
    gpc = min(sizes, key=lambda gpc: (gpc in early, sizes[gpc] != usual, gpc))
    return tuple(sm for sm, of in enumerate(gpu.placement.sm_gpc) if of == gpc)


def one_gpc(gpu: Gpu, sms: Iterable[int]) -> Gpu:
    """A GPU that is one GPC of another: L2 as large, but slices, links and device memory as fast as is this GPC's share.

    L2 keeps its size because what GPCs share lies there once for all of them.

    Parameters
    ----------
    gpu : Gpu
    sms : iterable of int
        As :func:`sms_of_a_gpc` gives them.
    """
    halves = tuple(gpu.placement.sm_half[sm] for sm in sms)
    n = len(halves)
    share, gpcs = n / gpu.sm_count, len(gpu.gpcs)
    slices = _some(gpu.l2.slices * share / gpu.l2.partitions) * gpu.l2.partitions
    channels = _some(gpu.dram.channels * share)
    return replace(
        gpu,
        sm_count=n,
        gpcs=(n,),
        placement=replace(
            gpu.placement, order=tuple(range(n)), sm_gpc=(0,) * n, sm_half=halves, early_sms=0
        ),
        l2=replace(gpu.l2, slices=slices),
        dram=replace(gpu.dram, channels=channels, bus_bits=gpu.dram.bus_bits * channels / gpu.dram.channels),
        throughput=replace(gpu.throughput, l2_read_bytes_per_cycle=gpu.throughput.l2_read_bytes_per_cycle / gpcs),
    )  # fmt: skip


def _some(share: float) -> int:
    """A share of several units, in whole ones."""
    return max(round(share), 1)
