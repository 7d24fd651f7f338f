"""From a GPU's specification to the engine's tables: latencies, service times, caches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.alu.routines import addresses
from gpusim.engine.compiling.threads import APART, TAKEN
from gpusim.engine.core.asynchronous import OPS
from gpusim.engine.core.device_heap import CHECKED, N_HEAP, PLAIN, UNIT
from gpusim.engine.core.free_slots import N_FREE_SLOT
from gpusim.engine.hierarchy.access_patterns import N_PATTERN, PATTERNS_KEPT
from gpusim.engine.hierarchy.coalescer import empty_coalescer
from gpusim.engine.hierarchy.l1 import ORDER, empty_l1
from gpusim.engine.hierarchy.l2_sets import USED, empty_l2
from gpusim.engine.hierarchy.outbox import MOST_ASKED, N_ASKED, N_HEARD, N_OUTBOX, N_WAITER, ROOM
from gpusim.engine.hierarchy.requests import N_REQUEST, N_WAYS_OUT
from gpusim.engine.hierarchy.servers import BEGUN, CHANNELS, CLOSED, N_PLANES, N_SPANS, PERIOD, SPAN, SPANS
from gpusim.engine.load_store.below import CYCLES, N_BATCH
from gpusim.engine.load_store.unwritten import BLANK_BITS
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state.arrays import Machine, aligned
from gpusim.engine.state.copies import MOST_COPIES, N_COPY
from gpusim.engine.state.geometry import CODE_LINE_BITS, WORD, bits_of
from gpusim.errors import ParameterError
from gpusim.hardware.fixed import HALF_STRETCH, L1_WAYS, LINE, TPC_SMS
from gpusim.isa.encode import N_PRED_ROWS, F, Image
from gpusim.isa.image_memory import needs_local
from gpusim.isa.opcodes import SYSTEM_CALLS
from gpusim.isa.program import HEAP
from gpusim.simulate import clusters
from gpusim.simulate.dependence import may_race
from gpusim.simulate.kept_for_checks import Looks, kept
from gpusim.simulate.launch import arrays_of, banks_of, in_memory, texture_table, zeros
from gpusim.simulate.placement import first_wave
from gpusim.simulate.printed import formats, room
from gpusim.simulate.without import LARGER, paced, switches

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.simulate.launch import Launch, Layout

COALESCER_ENTRIES = 8192  # table entries a GPC; large enough that two live lines seldom share one
LEAST_AHEAD = 32  # cycles that two windows of time have at least; what comes sooner is heard of later
PARTIAL_ENTRIES = 1 << 18  # queue of lines written in part, whole ones that still stand in it among them
TAG_QUEUE_CYCLES = 256
"""Work that the tag stage of an SM has ahead, in global accesses of several lines, where pace alone is modelled; of how
many accesses schedulers let wait there is a limit besides."""
ISSUE_QUEUE_CYCLES = 256
"""Work that the schedulers and units of an SM have ahead, where pace alone is modelled, before another warp waits.
There a warp runs on for up to 512 cycles, and what it issues lies in all of them: half of that. On an H200, of four
blocks of an SM that no unit holds up (64 x 64 tiles of 4096 x 4096) all end within 4000 of 1.9 million cycles; here
within 5000, or 700 000 if nothing is ahead. Of two and of eight blocks that wait for the data stage, where the older
one goes first (32 x 32 and 16 x 16 tiles), the last ends 154 000 and 322 000 cycles after the first; here 117 000 and
323 000."""


def cache_geometry(lines: int, associativity: int) -> tuple[int, int]:
    """Sets and ways of a cache of so many lines.

    Sets are a power of two, the one that comes nearest; where it does not divide the lines, some sets lack a way.

    Examples
    --------
    >>> cache_geometry(245760, 16), cache_geometry(204800, 16)
    ((16384, 15), (16384, 13))
    """
    sets = 1 << max(round(math.log2(lines / associativity)), bits_of(HALF_STRETCH // LINE))
    return sets, -(-lines // sets)


def _ticks(cycles: float) -> int:
    return round(cycles * S.TICKS)


def rates(gpu: Gpu, warps: int) -> np.ndarray:
    """Latencies and service times of a GPU, in ticks, for blocks of so many warps.

    Returns
    -------
    int64 array, shape (N_RATES,)
    """
    r = np.zeros(S.N_RATES, np.int64)
    _latencies(r, gpu)
    _services(r, gpu)
    _generation(r, gpu)
    gap = gpu.placement.start_gap_cycles + gpu.placement.start_gap_cycles_per_warp * (warps - 1)
    r[S.LAUNCH] = _ticks(gpu.clock.sm_hz / gpu.clock.l2_hz)
    r[S.GPC_TURN], r[S.START_GAP] = gpu.launch.gpc_turn_l2_cycles * r[S.LAUNCH], _ticks(gap)
    r[S.TURNOVER] = max(_ticks(gpu.placement.turnover_cycles) - r[S.GPC_TURN] * len(gpu.gpcs) // 2, 0)
    r[S.MAX_MERGE], r[S.WINDOW] = gpu.l2.coalescer_max_merge, _ticks(gpu.l2.coalescer_window_cycles)
    r[S.PROMOTE] = gpu.l2.fetch_bytes > gpu.l2.sector_bytes
    r[S.WINDOWS :] = _windows(gpu)
    lines = gpu.l2.size_bytes // gpu.l2.line_bytes
    r[S.PARTIAL_HIGH], r[S.PARTIAL_LOW] = gpu.l2.partial_high_share * lines, gpu.l2.partial_low_share * lines
    return r


def _windows(gpu: Gpu) -> list[int]:
    """Ticks for which a request that hits L2 is outstanding at the coalescer, of the nearest slice to the farthest."""
    mean, spread = _ticks(gpu.l2.coalescer_window_cycles), gpu.l2.coalescer_window_spread
    return [math.floor(mean * (1 + spread * share)) for share in np.linspace(-1, 1, S.N_WINDOWS)]


def _soonest(gpu: Gpu) -> float:
    """Cycles until an SM can affect another one: L2 answers it at least so much later, and it gets no block sooner."""
    lat = gpu.latency
    joined = lat.l2_hit_near_cycles - gpu.l2.coalescer_window_cycles
    nearest = lat.l2_hit_near_cycles - lat.l2_spread_cycles / 2
    return max(min(joined, nearest, gpu.placement.turnover_cycles), LEAST_AHEAD)


def _latencies(r: np.ndarray, gpu: Gpu) -> None:
    lat = gpu.latency
    r[S.L1_HIT], r[S.SHARED], r[S.SHUFFLE] = (
        _ticks(x) for x in (lat.l1_hit_cycles, lat.shared_cycles, lat.shfl_cycles)
    )
    r[S.PRODUCT_LASTS], r[S.PRODUCT_PLACE] = (_ticks(x or 0) for x in (lat.wgmma_cycles, lat.wgmma_place_cycles))
    r[S.PRODUCT_SLOWS], r[S.PRODUCT_SLOWS_XU] = (
        _ticks(x or 0) for x in (lat.wgmma_slows_cycles, lat.wgmma_slows_mufu_cycles)
    )
    r[S.L2_NEAR], r[S.L2_FAR] = _ticks(lat.l2_hit_near_cycles), _ticks(lat.l2_fabric_cycles)
    r[S.DRAM], r[S.AHEAD] = _ticks(lat.dram_cycles), _ticks(_soonest(gpu) / 2)
    r[S.L2_SPREAD], r[S.DRAM_SPREAD] = _ticks(lat.l2_spread_cycles), _ticks(lat.dram_spread_cycles)
    r[S.BARRIER], r[S.BARRIER_WARP] = _ticks(lat.barrier_cycles), _ticks(lat.barrier_cycles_per_warp)


def _services(r: np.ndarray, gpu: Gpu) -> None:
    sm, sector = gpu.sm, gpu.l2.sector_bytes
    r[S.ISSUE] = _ticks(1 / (sm.schedulers * sm.issue_per_scheduler))
    r[S.FMA_RATE], r[S.ALU_RATE] = _ticks(S.LANES / sm.fp32_lanes), _ticks(S.LANES / sm.int32_lanes)
    r[S.XU_RATE] = _ticks(S.LANES / sm.mufu_lanes)
    r[S.LSU_RATE] = _ticks(sm.lsu_issue_interval_cycles)
    r[S.TAG_QUEUE] = _ticks(TAG_QUEUE_CYCLES)
    r[S.ISSUE_QUEUE] = _ticks(ISSUE_QUEUE_CYCLES)
    r[S.FILL_SECTOR] = _ticks(sector / gpu.throughput.l2_to_sm_bytes_per_cycle)
    wire = gpu.throughput.sm_to_l2_bytes_per_cycle
    for column, nbytes in {
        S.OUT_LINE: gpu.access.out_line_bytes,
        S.OUT_SECTOR: gpu.access.out_sector_bytes,
        S.OUT_BROKEN: gpu.access.out_broken_sector_bytes,
    }.items():
        r[column] = _ticks(nbytes / wire)
    r[S.PORT_SECTOR] = _ticks(sector * len(gpu.gpcs) / gpu.throughput.l2_read_bytes_per_cycle)
    r[S.SLICE_REQUEST] = _ticks(gpu.clock.sm_hz / gpu.clock.l2_hz)
    r[S.SLICE_SECTOR] = _ticks(sector / gpu.l2.slice_bytes_per_cycle * gpu.clock.sm_hz / gpu.clock.l2_hz)
    r[S.SLICE_WRITE] = _ticks(sector / gpu.l2.slice_write_bytes_per_cycle * gpu.clock.sm_hz / gpu.clock.l2_hz)
    l2_cycle = gpu.clock.sm_hz / gpu.clock.l2_hz
    r[S.ATOMIC_REQUEST] = _ticks(gpu.l2.atomic_request_cycles * l2_cycle)
    r[S.ATOMIC_CHAIN] = _ticks(gpu.l2.atomic_chain_cycles * l2_cycle)
    if gpu.l2.link_bytes_per_cycle:
        r[S.LINK_SECTOR] = _ticks(sector / gpu.l2.link_bytes_per_cycle * gpu.clock.sm_hz / gpu.clock.l2_hz)
        r[S.LINK_WRITE] = round(gpu.l2.link_write_turns * int(r[S.LINK_SECTOR]) * (1 << S.LINK_WRITE_FIELD))
    r[S.CHANNEL_SECTOR] = _ticks(sector * gpu.dram.channels * gpu.clock.sm_hz / gpu.dram_peak_bytes_per_s)
    r[S.WRITE_BATCH] = gpu.dram.write_batch_cycles * S.TICKS // max(int(r[S.CHANNEL_SECTOR]), 1)


def _generation(r: np.ndarray, gpu: Gpu) -> None:
    """What GPUs of a generation have in common."""
    for column, cycles in {
        S.WAVE_APART: gpu.access.wavefront_apart_cycles,
        S.ASKING: gpu.issue.operand_cycles,
        S.FIRST_ASKS: gpu.issue.first_operand_cycles,
        S.READ_LASTS: gpu.issue.operand_release_cycles,
        S.READ_BY: gpu.spacing.operands_read_cycles,
        S.QUEUE: gpu.access.data_queue_cycles,
        S.REFUSING: gpu.l2.coalescer_refusing_cycles,
        S.DENSE: gpu.access.dense_load_cycles,
        S.DENSE_WAIT: gpu.access.dense_load_wait_cycles,
        S.XU_HELD: gpu.issue.special_function_held_cycles,
        S.OUT_HELD: gpu.access.out_held_cycles,
        S.OUT_LASTS: gpu.access.out_lasts_cycles,
        S.SLICE_QUEUE: gpu.access.slice_queue_cycles,
        S.ASK: gpu.access.ask_cycles,
        S.ASK_ALONG: gpu.access.ask_along_cycles,
        S.SEND_ALONG: gpu.access.send_along_cycles,
        S.DRAM_HALF: gpu.dram.half_line_cycles,
        S.TURNAROUND: gpu.dram.turnaround_cycles,
        S.TAKEN: gpu.fetch.taken_branch_cycles,
        S.BUBBLE: gpu.fetch.taken_branch_bubble_cycles,
        S.FETCH: gpu.fetch.first_code_cycles,
        S.FETCH_NEXT: gpu.fetch.next_line_cycles,
        S.GPC_GIVES: gpu.fetch.gpc_gives_cycles,
        S.CONSTANT: gpu.fetch.constant_cycles,
        S.CONSTANT_FETCH: gpu.fetch.constant_sm_miss_cycles,
        S.CONSTANT_SEEK: gpu.fetch.constant_gpc_miss_cycles,
        S.NOBODY: gpu.access.predicated_off_cycles,
        S.AWAITED: gpu.access.awaited_cycles,
        S.BETWEEN_SHARED: gpu.access.global_between_shared_cycles,
        S.WIDE_ASKS: gpu.access.wide_delays_global_cycles,
        S.WARP_START: gpu.launch.warp_start_cycles,
        S.WARP_APART: gpu.launch.warp_apart_cycles,
        S.SPECIAL: gpu.fetch.special_register_cycles,
        S.WARP_EXIT: gpu.launch.warp_exit_cycles,
        S.MBARRIER: gpu.copies.mbarrier_cycles,
        S.LOOKS: gpu.copies.phase_look_cycles,
        S.BULK_START: gpu.copies.load_start_cycles,
        S.STORE_START: gpu.copies.store_start_cycles,
        S.BULK_REQUEST: gpu.copies.request_cycles,
        S.BULK_SECTOR: gpu.l2.sector_bytes / gpu.copies.load_bytes_per_cycle,
        S.CLUSTER_BARRIER: gpu.clusters.barrier_cycles,
        S.CLUSTER_BARRIER_BLOCK: gpu.clusters.barrier_cycles_per_block,
        S.CLUSTER_FENCE: gpu.clusters.fence_cycles,
        S.CLUSTER_FENCE_WARP: gpu.clusters.fence_cycles_per_warp,
        S.REMOTE: gpu.clusters.load_cycles,
        S.REMOTE_TPC: gpu.clusters.far_cycles,
        S.REMOTE_ATOMIC: gpu.clusters.atomic_cycles,
        S.REMOTE_LOAD: gpu.l2.sector_bytes / gpu.clusters.load_bytes_per_cycle,
        S.REMOTE_STORE: gpu.l2.sector_bytes / gpu.clusters.store_bytes_per_cycle,
        S.REMOTE_ARRIVE: gpu.clusters.arrive_cycles,
    }.items():
        r[column] = _ticks(cycles)


def shape(gpu: Gpu, launch: Launch, held: Occupancy) -> np.ndarray:
    """Sizes of everything, as the engine wants them.

    Returns
    -------
    int64 array, shape (N_SHAPE,)
    """
    s = np.zeros(S.N_SHAPE, np.int64)
    s[S.BLOCK_X : S.BLOCK_Z + 1], s[S.GRID_X : S.GRID_Z + 1] = launch.block, launch.grid
    s[S.CLUSTER_X : S.CLUSTER_Z + 1] = launch.cluster or (1, 1, 1)
    s[S.CLUSTER] = launch.cluster_blocks
    s[S.WARPS], s[S.SLOTS], s[S.SHARED_BYTES] = launch.warps, held.blocks_per_sm, launch.shared_bytes
    s[S.THREAD_REGISTERS] = -(-launch.registers_per_thread * S.LANES // gpu.sm.register_alloc_unit) * (
        gpu.sm.register_alloc_unit // S.LANES
    )
    s[S.LIMIT], s[S.SHOWN], s[S.BARRIERS] = S.NEVER, -1, launch.program.barriers
    s[S.N_SCHEDULERS] = gpu.sm.schedulers * gpu.sm.issue_per_scheduler
    s[S.MIO_DEPTH], s[S.LG_DEPTH] = gpu.sm.shared_queue, gpu.sm.global_queue
    s[S.CODE_AHEAD], s[S.CODE_LINES] = gpu.sm.code_lines_ahead, gpu.fetch.sm_code_lines
    s[S.CONSTANT_LINES], s[S.GPC_MISSES] = gpu.fetch.sm_constant_lines, gpu.fetch.gpc_constant_misses
    s[S.L1_VACATED], s[S.L1_FRONT] = gpu.l1.vacated_lines, gpu.l1.front_ways
    s[S.DENSE_WAVES] = gpu.access.dense_load_wavefronts
    s[S.HOME_MASK] = sum(1 << bit for bit in set(gpu.l2.half_bits)) // HALF_STRETCH
    s[S.L1_SETS] = 1 << len(gpu.l1.tag_hash) + len(gpu.l1.set_hash)
    s[S.L1_LINES] = max(held.l1_bytes // gpu.l1.line_bytes - gpu.l1.unused_lines, 1)
    s[S.HALVES] = gpu.l2.partitions
    s[S.L2_SETS], s[S.L2_WAYS] = cache_geometry(gpu.l2.partition_lines, gpu.l2.associativity)
    s[S.L2_BITS] = int(s[S.HALVES] * s[S.L2_SETS]).bit_length() - 1
    s[S.N_GPCS], s[S.N_SLICES], s[S.N_CHANNELS] = len(gpu.gpcs), gpu.l2.slices, gpu.dram.channels
    s[S.SHARED_BASE], s[S.LOCAL_BYTES] = launch.program.shared_base, -(-launch.program.local_bytes // WORD) * WORD
    return s


def _l2(gpu: Gpu, sets: int, ways: int) -> np.ndarray:
    """An empty L2; the last way of the sets that lack it holds no line, and is never the oldest one."""
    found = empty_l2(gpu.l2.partitions * sets, ways)
    lacking = np.arange(len(found)) % sets >= gpu.l2.partition_lines - sets * (ways - 1)
    found[lacking, USED * ways + ways - 1] = S.NEVER
    return found


def _registers(image: Image, slots: int) -> np.ndarray:
    """Register rows: those that all warps share filled in, then every warp's own."""
    shared = len(image.shared_values)
    rows = aligned((shared + slots * image.n_private, S.LANES), np.uint32)
    rows[:shared] = image.shared_values[:, None]
    return rows


def _sms(gpu: Gpu, warps: int) -> np.ndarray:
    """SMs; the second one of a TPC starts its first block after the other, and CPCs and halves do one after another."""
    sms = aligned((gpu.sm_count, S.N_SM), np.int64)
    sms[:, S.TRY_AT : S.TRY_AT + S.MAX_SCHEDULERS] = S.NEVER
    sms[1::TPC_SMS, S.FREE_AT] = _ticks(gpu.launch.tpc_gap_cycles + gpu.launch.tpc_gap_cycles_per_warp * warps)
    sms[:, S.GPC] = gpu.placement.sm_gpc
    later = cpc_of_sms(gpu) * gpu.launch.cpc_gap_cycles
    sms[:, S.FREE_AT] += (later + np.array(gpu.placement.sm_half) * gpu.launch.half_gap_cycles) * S.TICKS
    sms[:, S.COMES] = S.NEVER
    sms[:, S.HALF] = gpu.placement.sm_half if gpu.l2.partitions > 1 else 0
    return sms


def cpc_of_sms(gpu: Gpu) -> np.ndarray:
    """CPC of every SM within its GPC: its TPCs belong to them in turn."""
    gpcs, found = np.array(gpu.placement.sm_gpc), np.zeros(gpu.sm_count, np.int64)
    for gpc in set(gpu.placement.sm_gpc):
        mine = np.flatnonzero(gpcs == gpc)
        found[mine] = np.arange(len(mine)) // TPC_SMS % gpu.placement.cpcs
    return found


def _bounds(launch: Launch, layout: Layout, reads: frozenset[str] | None) -> tuple[np.ndarray, int]:
    """Where each array lies, and whether its values are read; how many are to be searched.

    Of arrays that share memory the first stands for all.
    """
    arrays = arrays_of(launch)
    rows = np.zeros((max(len(arrays), 1), S.N_BOUNDS), np.int64)
    groups = in_memory(launch, layout)
    for group in groups:
        for k, first, end in group:
            rows[k, [S.FIRST_BYTE, S.PAST_END]] = first, end
        rows[group[0].number, S.PAST_END] = max(one.end for one in group)
    rows[: len(groups), S.IN_ORDER] = [group[0].number for group in groups]
    rows[: len(arrays), S.HELD] = [reads is None or array.name in reads for array in arrays]
    rows[: len(arrays), S.FREE] = [array.name in launch.free for array in arrays]
    rows[: len(arrays), S.ONCE] = [array.name in launch.once for array in arrays]
    return rows, len(groups)


def _constants(banks: Mapping[int, bytes], dims: np.ndarray) -> np.ndarray:
    """All constant banks, one after another; where each starts goes into the shape."""
    end = 0
    for bank, content in sorted(banks.items()):
        dims[S.BANK_FIRST + bank], dims[S.BANK_BYTES + bank] = end, len(content)
        end += len(content)
    return _joined(banks).copy()


def _joined(banks: Mapping[int, bytes]) -> np.ndarray:
    return np.frombuffer(b"".join(content for _, content in sorted(banks.items())) or bytes(1), np.uint8)


def rebind(m: Machine, launch: Launch, layout: Layout, image: Image, data: np.ndarray) -> Machine:
    """Give a new machine of a launch another one of the same kernel and sizes.

    Parameters
    ----------
    m : Machine
        As :func:`machine` made it for `launch` with other arguments, other contents of memory and of constant banks.
    launch, layout, image, data
        As for :func:`machine`.
    """
    m.regs[: len(image.shared_values)] = image.shared_values[:, None]
    m.bounds[:], m.shape[S.N_BUFFERS] = _bounds(launch, layout, image.reads)
    m.constants[:] = _joined(banks_of(launch, layout))
    return m._replace(data=data)


def _local(launch: Launch, image: Image, warp_slots: int) -> np.ndarray:
    """Local memory of every warp, as far as its values matter."""
    words = -(-launch.program.local_bytes // WORD)
    size = (warp_slots, words, S.LANES) if words and needs_local(image) else (1, 1, S.LANES)
    try:
        return np.zeros(size, np.uint32)
    except MemoryError:
        held = f"{launch.program.local_bytes} bytes of local memory of a thread, of {warp_slots} warps"
        raise ParameterError(f"{launch.program.name}: {held}, are more than this machine has") from None


def _hierarchy(gpu: Gpu, dims: np.ndarray, n_sm: int) -> dict[str, np.ndarray]:
    """Empty caches of so many SMs and what lies below them; the least there can be where there are none."""
    gpcs = 1 + max(gpu.placement.sm_gpc)
    servers = max(gpu.l2.slices, gpu.dram.channels, gpcs * gpu.fetch.gpc_constant_misses)
    sets = int(n_sm * dims[S.L1_SETS]) or 1
    return {
        "l1": empty_l1(sets),
        "l1_words": np.zeros((sets, L1_WAYS), np.int64),
        "l1_sets": l1_table(gpu),
        "requests": aligned((max(n_sm, 1) * N_WAYS_OUT * S.MAX_SCHEDULERS * 2, N_REQUEST), np.int64),
        "gpc_lines": np.full((gpcs, gpu.fetch.gpc_constant_lines if n_sm else 1, 2), -1, np.int64),
        "lrc": empty_coalescer(gpcs, COALESCER_ENTRIES if n_sm else 1),
        "l2": _l2(gpu, int(dims[S.L2_SETS]), int(dims[S.L2_WAYS])) if n_sm else empty_l2(1, int(dims[S.L2_WAYS])),
        "servers": _servers(gpu, servers if n_sm else 1),
        "partial": np.zeros(PARTIAL_ENTRIES if n_sm else 1, np.int64),
    }


def l1_table(gpu: Gpu) -> np.ndarray:
    """What each byte of a line's number contributes to the number of its set of L1, and which rows lose lines when.

    Returns
    -------
    int64 array, shape (5, 256)
        The set is the exclusive or of an entry of each of the first four rows; its lowest bits are the set of the tag
        stage, the others its row.  The last has the rows in the order in which they lose lines.
    """
    byte, found = np.arange(256), np.zeros((5, 256), np.int64)
    for k, bits in enumerate([*gpu.l1.tag_hash, *gpu.l1.set_hash]):
        for bit in bits:
            found[bit // 8] ^= (byte >> bit % 8 & 1) << k
    found[ORDER], changes = gpu.l1.vacating_order[0], gpu.l1.vacating_order[1:]
    for k, change in enumerate(changes):
        found[ORDER] ^= (byte >> k & 1) * change
    return found


def _servers(gpu: Gpu, most: int) -> np.ndarray:
    """Servers with nothing booked; DRAM channels take turns to refresh.

    What streaming reads lack of the peak is the time that refreshing takes.  On an H200 (7.8 %) it also gives the
    latency of single loads its tail (one in twenty 300 cycles longer) and its growth with load (50 cycles at half the
    peak, 270 at nine tenths).
    """
    found = aligned((N_PLANES, most, SPANS + N_SPANS), np.int64)
    if most > 1:
        interval = gpu.dram.refresh_interval_s * gpu.clock.sm_hz
        channels = found[CHANNELS, : gpu.dram.channels]
        channels[:, PERIOD] = round(interval * S.TICKS / SPAN)
        channels[:, BEGUN] = channels[:, PERIOD] * np.arange(len(channels)) // len(channels)
        channels[:, CLOSED] = channels[:, PERIOD] * SPAN * (1 - gpu.dram.read_bytes_per_s / gpu.dram_peak_bytes_per_s)
    return found


def machine(
    gpu: Gpu,
    launch: Launch,
    held: Occupancy,
    image: Image,
    layout: Layout,
    data: np.ndarray,
    kinds: int,
    *,
    checked: bool = False,
    timeless: bool = False,
    timed: bool = False,
    n_sm: int | None = None,
    threads: int = 1,
    looks: Looks | None = None,
) -> Machine:
    """Allocate a machine ready to run.

    Parameters
    ----------
    gpu, launch, held, image, layout
        What runs where; ``image`` with its constants bound.
    data : uint32 array
        Global memory (one word suffices where the image needs no values).
    kinds : int
        Rows of counts.
    checked : bool
        Look for races and for reads of what was never written.
    timeless : bool
        Only execute: no caches, no time.
    timed : bool
        Issue every instruction at its cycle.
    n_sm : int, optional
        Fewer SMs than the GPU has (timeless runs).
    threads : int
        By how many it is run.
    looks : Looks, optional
        What is known of global memory, for an image that looks at accesses; unless given, it does not.
    """
    sms, dims = _sms(gpu, launch.warps)[:n_sm], _shape_of(gpu, launch, held, image, layout)
    dims[S.CHECKED], dims[S.TIMELESS], dims[S.TIMED] = checked, timeless, timed
    if n_sm is not None:
        sms[:, S.GPC] = 0
    bounds, dims[S.N_BUFFERS] = _bounds(launch, layout, image.reads)
    constants = _constants(banks_of(launch, layout), dims)
    block_slots, code_lines = len(sms) * held.blocks_per_sm, (len(image.code) >> CODE_LINE_BITS) + 1
    return Machine(
        code=image.code,
        place=image.place,
        routines=addresses(np.unique(image.code[:, F.OP])),
        patterns=np.zeros((2 * len(image.code), PATTERNS_KEPT, N_PATTERN), np.int64),
        **_residents(launch, image, block_slots, checked),
        **kept(launch, image, block_slots, len(data), looks),
        schedulers=_schedulers(gpu, len(sms) * int(dims[S.N_SCHEDULERS])),
        sms=sms,
        fetched=np.zeros((len(sms), code_lines), np.int64),
        ran=np.zeros((len(sms), code_lines), np.int64),
        constant_lines=np.full((len(sms), 2 * gpu.fetch.sm_constant_lines), -1, np.int64),
        **_hierarchy(gpu, dims, 0 if timeless else len(sms)),
        copies=_copies(image, len(sms)),
        clusters=aligned((block_slots if dims[S.AMONG] else 1, S.N_CLUSTER), np.int64),
        data=data,
        bounds=bounds,
        unwritten=zeros(len(data) if checked else 1, np.uint8),
        blank=zeros(1 + (len(data) >> BLANK_BITS if checked else 0), np.uint8),
        constants=constants,
        scratch=aligned((S.N_SCRATCH, S.LANES), np.int64),
        bits=np.zeros((2, S.LANES), np.uint32),
        **_tallies(kinds, len(bounds), len(image.code), threads),
        **_outboxes(len(sms), timeless),
        **_of_system_calls(launch, layout, dims, looks is not None),
        textures=texture_table(launch, layout),
        sought=np.zeros((len(sms), 2 * S.LANES), np.int64),
        faults=np.zeros((len(sms), S.N_ERROR + 1), np.int64),
        gate=aligned((TAKEN + APART * threads,), np.int64),
        rates=paced(rates(gpu, launch.warps), launch.without),
        shape=dims,
        order=np.array(_first_wave(gpu, launch, held, n_sm), np.int64),
    )


def _shape_of(gpu: Gpu, launch: Launch, held: Occupancy, image: Image, layout: Layout) -> np.ndarray:
    """The shape of a machine, with what the image says of it."""
    dims = shape(gpu, launch, held)
    dims[S.ONE_BY_ONE] = may_race(image) or launch.program.has(*SYSTEM_CALLS)
    dims[S.WITHOUT] = switches(launch.without, image)
    dims[S.DIRTY_ROOM] = gpu.l2.size_bytes // (2 * LARGER) // gpu.l2.sector_bytes  # the rest is clean
    dims[S.AMONG] = np.any(np.isin(image.code[:, F.OP], OPS))
    dims[S.N_STATIC], dims[S.PRIVATE] = len(image.shared_values), image.n_private
    dims[S.UNIFORM], dims[S.N_CODE] = image.first_uniform, len(image.code)
    dims[S.LOCAL_BASE] = (int(S.GLOBAL_BASE) + layout.total) // LINE + 1
    return dims


def _first_wave(gpu: Gpu, launch: Launch, held: Occupancy, n_sm: int | None) -> Sequence[int]:
    """SMs in the order in which they get the first blocks; of so many SMs, one after another."""
    if n_sm is not None:
        return list(range(n_sm)) * held.blocks_per_sm
    if launch.cluster is None:
        return first_wave(gpu, held.blocks_per_sm, launch.blocks)
    return clusters.first_wave(gpu, held.blocks_per_sm, launch)


def _of_system_calls(launch: Launch, layout: Layout, dims: np.ndarray, checked: bool) -> dict[str, np.ndarray]:
    """What printf and malloc keep, and where the heap lies; the least there can be where none is called."""
    program, units = launch.program, 0
    known = formats(program)
    if program.variable(HEAP) is not None:
        units = layout.nbytes[HEAP] // UNIT
        dims[S.HEAP_FIRST], dims[S.HEAP_UNITS] = layout.address[HEAP], units
    before = None if launch.memory is None or not units else launch.memory.heap
    heap = zeros(N_HEAP + (CHECKED if checked else PLAIN) * units, np.int64)
    if before is not None:
        heap[:] = before[: len(heap)]
    return {"formats": known, "printed": room(program, known), "heap": heap}


def _copies(image: Image, n_sm: int) -> np.ndarray:
    """Room for the bulk copies of so many SMs, where there are any: pages that are written to alone take memory."""
    rows = n_sm * (MOST_COPIES + 1) if np.any(np.isin(image.code[:, F.OP], OPS)) else 1
    return zeros(rows * N_COPY, np.int64).reshape(rows, N_COPY)


def _residents(launch: Launch, image: Image, block_slots: int, checked: bool) -> dict[str, np.ndarray]:
    """Places for so many blocks and for their warps, all of them vacant."""
    warp_slots, shared_bytes = block_slots * launch.warps, launch.program.shared_base + launch.shared_bytes
    words = max(-(-shared_bytes // WORD), 1)
    blocks = aligned((block_slots, S.N_BLOCK), np.int64)
    blocks[:, S.ID] = -1
    return {
        "regs": _registers(image, warp_slots),
        "preds": aligned((warp_slots, N_PRED_ROWS), np.uint32),
        "warps": aligned((warp_slots, S.N_WARP), np.int64),
        "awake": np.full(warp_slots + S.MAX_ENTRIES, S.NEVER, np.int64),
        "turns": aligned((warp_slots, S.N_TURN), np.int64),
        "local": _local(launch, image, warp_slots),
        "blocks": blocks,
        "free_slots": np.zeros((1 + block_slots, N_FREE_SLOT), np.int64),
        "ended": np.zeros((1 + block_slots, N_FREE_SLOT), np.int64),
        "ages": np.full(block_slots, S.NEVER, np.int64),
        "shared": np.zeros((block_slots, words), np.uint32),
        "touched": np.zeros((block_slots, 2 * words if checked else 1, 2), np.int64),
    }


def _outboxes(n_sm: int, timeless: bool) -> dict[str, np.ndarray]:
    """What SMs ask L2 for and hear of it, nothing so far; the least there can be where there is no L2."""
    most = ROOM if timeless else MOST_ASKED
    return {
        "asked": aligned((2 * n_sm * most, N_ASKED), np.int64),
        "outboxes": aligned((2 * n_sm, N_OUTBOX), np.int64),
        "waiters": np.zeros((2 * n_sm, 2 * most, N_WAITER), np.int64),
        "heard": np.zeros((n_sm, N_HEARD), np.int64),
        "batch": np.zeros((N_BATCH, max(n_sm * most, CYCLES + 1)), np.int64),
    }


def _tallies(kinds: int, arrays: int, instructions: int, threads: int) -> dict[str, np.ndarray]:
    """Counts of each kind of block, each array, each instruction; what else a run leaves, nothing so far."""
    crew = aligned((threads, S.N_MISC), np.int64)
    return {
        "counts": np.zeros((kinds, C.N_COUNTS), np.int64),
        "arrays": np.zeros((arrays, C.N_ARRAY_COUNTS), np.int64),
        "sites": np.zeros((instructions, C.N_SITE_COUNTS), np.int64),
        "crew": crew,
        "misc": crew[0],
        "trace": np.zeros((1, S.N_TRACE), np.int64),
    }


def _schedulers(gpu: Gpu, n: int) -> np.ndarray:
    """Schedulers with nothing to do; where an FMA pipe has no more lanes than integer multiplies, it has one half."""
    found = aligned((n, S.N_SCHEDULER_COLUMNS), np.int64)
    found[:, S.READY_AT : S.READY_AT + S.MAX_ENTRIES] = S.NEVER
    if gpu.sm.fp32_lanes <= gpu.sm.int32_lanes:
        found[:, S.UNIT_FREE + S.U_LITE] = S.NEVER
    return found


def waves(gpu: Gpu, launch: Launch, held: Occupancy) -> float:
    """Blocks of the grid over blocks the GPU holds at once."""
    return launch.blocks / clusters.held_at_once(gpu, launch, held)
