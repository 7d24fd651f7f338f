"""A GPC with its share of what the GPCs of a GPU share: an eighth of an H200, simulated in an eighth of the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gpusim.hardware.fixed import TPC_SMS

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu


def sms_of_gpcs(gpu: Gpu, count: int, lands: Sequence[int] = (), *, evenly: bool = False) -> tuple[int, ...]:
    """SMs of some GPCs: of those that have as many as most have, and are not given blocks before all others.

    Where blocks do not land evenly, those go first of which an SM gets as many as any SM.

    Parameters
    ----------
    gpu : Gpu
    count : int
        GPCs.
    lands : sequence of int
        SM of each block.
    evenly : bool
        Take those of them that get about as many blocks an SM as GPCs get on average.
    """
    sizes, landed = Counter(gpu.placement.sm_gpc), Counter(lands)
    most = max(landed.values(), default=0)
    busiest = {gpu.placement.sm_gpc[sm] for sm, blocks in landed.items() if blocks == most}
    early = {gpu.placement.sm_gpc[sm] for sm in gpu.placement.order[: gpu.placement.early_sms]}
    usual = Counter(sizes.values()).most_common(1)[0][0]
    blocks = Counter(gpu.placement.sm_gpc[sm] for sm in lands)

    def rank(gpc: int) -> tuple[bool, bool, bool, float, int]:
        off = abs(blocks[gpc] / sizes[gpc] - len(lands) / gpu.sm_count) if evenly else 0.0
        return bool(busiest) and gpc not in busiest, gpc in early, sizes[gpc] != usual, off, gpc

    chosen = sorted(sizes, key=rank)[:count]
    return tuple(sm for sm, of in enumerate(gpu.placement.sm_gpc) if of in chosen)


def shares(gpu: Gpu, sms: Sequence[int]) -> list[float]:
    """What an SM has of what GPCs share, in a part of a GPU, over what it has in the whole.

    Parameters
    ----------
    gpu, sms
        As for :func:`part_of`.
    """
    part = part_of(gpu, sms)
    each = (
        (
            one.l2.slices / one.sm_count,
            one.l2.size_bytes / one.sm_count,
            one.throughput.l2_read_bytes_per_cycle / one.sm_count,
            one.dram_peak_bytes_per_s / one.sm_count,
        )
        for one in (part, gpu)
    )
    return [now / was for now, was in zip(*each, strict=True)]


def part_of(gpu: Gpu, sms: Sequence[int]) -> Gpu:
    """A GPU that is some GPCs of another, with their share of L2, of its slices and links, and of device memory.

    TPCs belong to the halves of L2 in turns, whatever half a GPC belongs to, so that links are used both ways.

    Parameters
    ----------
    gpu : Gpu
    sms : sequence of int
        As :func:`sms_of_gpcs` gives them.
    """
    was = [gpu.placement.sm_gpc[sm] for sm in sms]
    gpcs = sorted(set(was))
    share = len(sms) / gpu.sm_count
    slices = _some(gpu.l2.slices * share / gpu.l2.partitions) * gpu.l2.partitions
    channels = _some(gpu.dram.channels * share)
    return replace(
        gpu,
        sm_count=len(sms),
        gpcs=tuple(was.count(gpc) for gpc in gpcs),
        placement=replace(
            gpu.placement,
            order=tuple(range(len(sms))),
            sm_gpc=tuple(gpcs.index(gpc) for gpc in was),
            sm_half=tuple(sm // TPC_SMS % gpu.l2.partitions for sm in range(len(sms))),
            early_sms=0,
        ),
        l2=replace(gpu.l2, slices=slices, size_bytes=_whole_lines(gpu.l2.size_bytes * share, gpu)),
        dram=replace(gpu.dram, channels=channels, bus_bits=round(gpu.dram.bus_bits * share)),
        throughput=replace(
            gpu.throughput,
            l2_read_bytes_per_cycle=gpu.throughput.l2_read_bytes_per_cycle * len(gpcs) / len(gpu.gpcs),
        ),
    )


def _some(share: float) -> int:
    """A share of several units, in whole ones."""
    return max(round(share), 1)


def _whole_lines(size: float, gpu: Gpu) -> int:
    """A size of L2 in lines, as many in each half."""
    unit = gpu.l2.line_bytes * gpu.l2.partitions
    return round(size / unit) * unit
