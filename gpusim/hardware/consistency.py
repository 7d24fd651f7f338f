"""Checks that the numbers of one GPU agree with each other."""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.hardware.errors import SpecError
from gpusim.hardware.inherit import Sheet
from gpusim.hardware.spec import Gpu


def check_layout(sheet: Sheet, origin: str) -> None:
    """Check the number of SMs against the GPCs.

    Parameters
    ----------
    sheet : Sheet
    origin : str
        The file, for messages.

    Raises
    ------
    SpecError
    """
    gpcs, count = sheet.numbers["gpcs"].value, sheet.numbers["sm_count"].value
    if sum(gpcs) != count:
        raise SpecError(f"{origin}: gpcs: must add up to sm_count, {count}, not {sum(gpcs)}")


def check(gpu: Gpu, origin: str) -> None:
    """Check the numbers of a GPU against each other.

    Parameters
    ----------
    gpu : Gpu
    origin : str
        The file, for messages.

    Raises
    ------
    SpecError
        For the first contradiction.
    """
    for holds, key, allowed in (*_sm(gpu), *_memory(gpu), *_placement(gpu)):
        if not holds:
            raise SpecError(f"{origin}: {key}: must be {allowed}")


def _sm(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    sm = gpu.sm
    yield sm.max_threads == 32 * sm.max_warps, "sm.max_threads", f"32 * sm.max_warps, {32 * sm.max_warps}"
    fits = sm.max_threads_per_block <= sm.max_threads
    yield fits, "sm.max_threads_per_block", f"at most sm.max_threads, {sm.max_threads}"
    yield sm.registers % sm.register_partitions == 0, "sm.registers", "a multiple of sm.register_partitions"


def _memory(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    shared, l1 = gpu.shared, gpu.l1
    steps = shared.carveout_steps
    yield tuple(sorted(set(steps))) == steps, "shared.carveout_steps", "ascending"
    largest = shared.bytes_per_sm
    yield steps[-1] == largest, "shared.carveout_steps", f"such that the last is shared.bytes_per_sm, {largest}"
    room = largest - shared.reserved_bytes_per_block
    yield shared.max_bytes_per_block <= room, "shared.max_bytes_per_block", f"at most {room}"
    one = (l1.unified_bytes is None) != (l1.size_bytes is None)
    yield one, "l1.unified_bytes", "given, or else l1.size_bytes: one of the two"
    yield l1.unified_bytes is None or l1.unified_bytes >= largest, "l1.unified_bytes", f"at least {largest}"
    yield 1 << len(l1.tag_hash) == l1.tag_sets, "l1.tag_hash", f"a list for each bit of a set, of {l1.tag_sets} sets"


def _placement(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    place, sms = gpu.placement, range(gpu.sm_count)
    counts = tuple(place.sm_gpc.count(gpc) for gpc in range(len(gpu.gpcs)))
    agree = counts == gpu.gpcs and len(place.sm_gpc) == gpu.sm_count
    yield agree, "placement.sm_gpc", "a GPC for every SM, as gpcs counts them"
    yield sorted(place.order) == list(sms), "placement.order", f"every SM from 0 to {gpu.sm_count - 1} once"
    halves = len(place.sm_half) == gpu.sm_count and max(place.sm_half) < gpu.l2.partitions
    yield halves, "placement.sm_half", f"a half below l2.partitions, {gpu.l2.partitions}, for every SM"
