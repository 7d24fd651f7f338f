"""Checks that the numbers of one GPU agree with each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gpusim.hardware.errors import SpecError
from gpusim.hardware.fixed import HALF_STRETCH, LINE, MOST_ISSUED, MOST_WARPS, SECTOR, WARP
from gpusim.hardware.inherit import Sheet
from gpusim.hardware.spec import Gpu
from gpusim.isa.classes import CLASSES
from gpusim.names import suggest

MOST_ROW_BITS = 8
"""Sets of L1 that share a set of the tag stage, as a power of two."""

LEAST_L2_SETS = HALF_STRETCH // LINE
"""Of a partition of L2: the lines of a stretch lie in as many sets."""

LEAST_L2_LINES = LEAST_L2_SETS * 12
"""Lines of a partition of L2: sets of 12 ways at least."""

LONGEST_SECTOR = 1024
"""Cycles of an SM in which a channel of the DRAM moves a sector at least."""


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
    for part in (_sm, _memory, _l1, _l2, _clock, _dram, _placement, _architecture):
        for holds, key, allowed in part(gpu):  # one after the other: a check counts on those before it
            if not holds:
                raise SpecError(f"{origin}: {key}: must be {allowed}")


def _sm(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    sm = gpu.sm
    parts = sm.schedulers * sm.issue_per_scheduler
    yield parts <= MOST_ISSUED, "sm.schedulers", f"such that an SM issues at most {MOST_ISSUED} a cycle, not {parts}"
    most = parts * MOST_WARPS
    yield sm.max_warps <= most, "sm.max_warps", f"at most {most}, {MOST_WARPS} for each instruction issued a cycle"
    fits = sm.max_threads_per_block <= sm.max_threads
    yield fits, "sm.max_threads_per_block", f"at most {sm.max_threads}, 32 for each of sm.max_warps"
    yield sm.registers % sm.register_partitions == 0, "sm.registers", "a multiple of sm.register_partitions"
    whole = sm.register_alloc_unit % WARP == 0
    yield whole, "sm.register_alloc_unit", f"a multiple of {WARP}, not {sm.register_alloc_unit}"


def _memory(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    shared, l1 = gpu.shared, gpu.l1
    steps = shared.carveout_steps
    yield tuple(sorted(set(steps))) == steps, "shared.carveout_steps", "ascending"
    largest = shared.bytes_per_sm
    yield steps[-1] == largest, "shared.carveout_steps", f"such that the last is shared.bytes_per_sm, {largest}"
    room = largest - shared.reserved_bytes_per_block
    yield shared.max_bytes_per_block <= room, "shared.max_bytes_per_block", f"at most {room}"
    unit = shared.alloc_granularity_bytes
    taken = -(-(shared.max_bytes_per_block + shared.reserved_bytes_per_block) // unit) * unit
    fits = taken <= largest
    yield fits, "shared.alloc_granularity_bytes", f"such that the largest block, {taken} bytes with it, fits {largest}"
    yield l1.size_bytes is None or l1.size_bytes >= LINE, "l1.size_bytes", f"at least a line, {LINE}"
    one = (l1.unified_bytes is None) != (l1.size_bytes is None)
    yield one, "l1.unified_bytes", "given, or else l1.size_bytes: one of the two"
    yield l1.unified_bytes is None or l1.unified_bytes >= largest, "l1.unified_bytes", f"at least {largest}"


def _l1(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    l1 = gpu.l1
    for name in ("tag_hash", "set_hash"):
        lists = getattr(l1, name)
        apart = len({frozenset(bits) for bits in lists}) == len(lists) and not any(map(_repeats, lists))
        yield apart, f"l1.{name}", "lists that differ, each of different bits"
    yield 1 << len(l1.tag_hash) == l1.tag_sets, "l1.tag_hash", f"a list for each bit of a set, of {l1.tag_sets} sets"
    bits = len(l1.set_hash)
    yield bits <= MOST_ROW_BITS, "l1.set_hash", f"at most {MOST_ROW_BITS} lists, not {bits}"
    order = l1.vacating_order
    yield (
        len(order) == 1 + bits,
        "l1.vacating_order",
        f"the first row and a number for each list of l1.set_hash, {bits}",
    )
    rows = {order[0]}
    for change in order[1:]:
        rows |= {row ^ change for row in rows}
    every = rows == set(range(1 << bits))
    yield every, "l1.vacating_order", f"such that each of {1 << bits} rows has its turn"


def _l2(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    l2 = gpu.l2
    least = l2.partitions * LEAST_L2_LINES * LINE
    yield l2.size_bytes >= least, "l2.size_bytes", f"at least {least}, not {l2.size_bytes}"
    unit = l2.partitions * LINE
    yield l2.size_bytes % unit == 0, "l2.size_bytes", f"a multiple of {unit}, a line in each partition"
    yield not _repeats(l2.half_bits), "l2.half_bits", "different bits"
    most = int(math.sqrt(2) * l2.partition_lines / LEAST_L2_SETS)  # sets are the nearest power of two
    yield l2.associativity <= most, "l2.associativity", f"at most {most}: a partition has {LEAST_L2_SETS} sets or more"
    yield l2.slices >= l2.partitions, "l2.slices", f"at least one for each of l2.partitions, {l2.partitions}"
    yield l2.fetch_bytes % SECTOR == 0, "l2.fetch_bytes", f"{SECTOR} or {2 * SECTOR}"
    low, high = l2.partial_low_share, l2.partial_high_share
    yield low <= high, "l2.partial_low_share", f"at most l2.partial_high_share, {high:g}"


def _repeats(bits: Sequence[int]) -> bool:
    return len(set(bits)) < len(bits)


def _clock(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    clock = gpu.clock
    fast, slow = max(clock.sm_hz, clock.l2_hz), min(clock.sm_hz, clock.l2_hz)
    yield fast <= 16 * slow, "clock.l2_hz", f"within 16 times of clock.sm_hz, {clock.sm_hz:g}, both ways"
    if clock.tensor_load_hz is not None:
        within = clock.l2_hz <= 16 * clock.tensor_load_hz and clock.tensor_load_hz <= clock.sm_hz
        yield (
            within,
            "clock.tensor_load_hz",
            f"at most clock.sm_hz, {clock.sm_hz:g}, and a 16th of clock.l2_hz at least",
        )
    if clock.tensor_full_hz is not None:
        load = clock.tensor_load_hz or clock.sm_hz
        yield clock.tensor_full_hz <= load, "clock.tensor_full_hz", f"at most that of a launch that begins, {load:g}"
        yield clock.tensor_settle_s is not None, "clock.tensor_settle_s", "given where clock.tensor_full_hz is"


def _dram(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    dram, peak = gpu.dram, gpu.dram_peak_bytes_per_s
    least = dram.channels * SECTOR * gpu.clock.sm_hz / LONGEST_SECTOR
    bus = f"such that dram.bus_bits / 4 of it are {least:g} at least, a sector in {LONGEST_SECTOR} cycles a channel"
    yield peak >= least, "clock.memory_hz", bus
    for name in ("read", "write", "copy"):
        rate = getattr(dram, f"{name}_bytes_per_s")
        within = rate is None or peak / 10 <= rate <= peak
        yield (
            within,
            f"dram.{name}_bytes_per_s",
            f"a tenth of the peak at least and all of it at most, {peak:g} by dram.bus_bits and clock.memory_hz",
        )


def _placement(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    place, sms = gpu.placement, range(gpu.sm_count)
    counts = tuple(place.sm_gpc.count(gpc) for gpc in range(len(gpu.gpcs)))
    agree = counts == gpu.gpcs and len(place.sm_gpc) == gpu.sm_count
    yield agree, "placement.sm_gpc", "a GPC for every SM, as gpcs counts them"
    yield sorted(place.order) == list(sms), "placement.order", f"every SM from 0 to {gpu.sm_count - 1} once"
    halves = len(place.sm_half) == gpu.sm_count and max(place.sm_half) < gpu.l2.partitions
    yield halves, "placement.sm_half", f"a half below l2.partitions, {gpu.l2.partitions}, for every SM"


def _architecture(gpu: Gpu) -> Iterator[tuple[bool, str, str]]:
    yield len(gpu.limits.grid) == 3, "limits.grid", "three numbers, along x, y and z"
    yield len(gpu.limits.block) == 3, "limits.block", "three numbers, along x, y and z"
    for name in gpu.instructions.classes:
        yield name in CLASSES, "instructions.classes", f"known, not {name!r}: {suggest(name, CLASSES)}"
