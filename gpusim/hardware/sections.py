"""What a specification says of one GPU: one frozen dataclass a section.

Units and ranges are those of :mod:`.quantities`; what a generation has in common is in :mod:`.generation`, what
it promises programs in :mod:`.programming`.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.hardware.fixed import (
    CHANNEL_STRETCH,
    DATA_STAGE,
    DRAM_PAGE,
    HALF_STRETCH,
    L1_WAYS,
    LINE,
    MOST_QUEUED,
    MOST_RESIDENT_WARPS,
    MOST_SMS,
    SECTOR,
    TAG_SETS,
    TENSOR_BITS,
    TENSOR_OCTET_BITS,
    TPC_SMS,
    WARP,
)
from gpusim.hardware.generation import Access, Clusters, Copies, Fetch, Issue, Launching, Spacing
from gpusim.hardware.links import Links
from gpusim.hardware.programming import ARCHITECTURE_SECTIONS
from gpusim.hardware.quantities import LONGEST, SHARED_WINDOW, fixed, quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which GPU this is; its attributes are attributes of :class:`gpusim.hardware.Gpu`.

    Attributes
    ----------
    name : str
        What the user types, such as ``"h200"``.
    full_name : str
    arch : str
        ``"sm_90"``.
    measured : bool
        Whether the model's constants were measured on it, not on a GPU like it.
    sm_count : int
    gpcs : tuple of int
        SMs of each GPC.
    """

    name: str
    full_name: str
    arch: str
    measured: bool
    sm_count: int = quantity("1", high=MOST_SMS)
    gpcs: tuple[int, ...] = quantity("1", high=1024)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sm:
    """One streaming multiprocessor.

    Attributes
    ----------
    schedulers : int
        Warp schedulers.
    issue_per_scheduler : int
        Instructions a scheduler issues a cycle.
    max_warps, max_blocks : int
        Resident at once.
    max_threads_per_block : int
    registers : int
        32-bit registers.
    max_registers_per_thread : int
    register_alloc_unit : int
        Registers of a warp are allocated in multiples of this.
    register_partitions : int
        Register files that a warp's registers may not straddle.
    fp32_lanes, int32_lanes, fp64_lanes, fp16_lanes, mufu_lanes, lsu_lanes, shuffle_lanes : int
        Results a cycle (fp16: a half2 counts two); lsu: address lanes.
    lsu_issue_interval_cycles : int
        Cycles between two instructions entering the load/store pipe.
    shared_interval_cycles, global_interval_cycles : int
        Between two shared, and two global accesses that leave a scheduler's queue to the load/store pipe; it takes in
        one a cycle.
    shared_queue, global_queue : int
        Instructions that wait in this queue, and how many of them may be global accesses.
    code_lines_ahead : int
        Lines of code that are fetched ahead of the one that runs.
    tensor_bits : int
        Bits that a tensor core keeps of a product, below the first one of the largest product of a sum.
    tensor_octet_bits : int
        The same where a warpgroup multiplies 8-bit floats, and bits of the fraction of their sums.
    """

    schedulers: int = quantity("1", high=16)
    issue_per_scheduler: int = quantity("1", high=4)
    max_warps: int = quantity("1", high=MOST_RESIDENT_WARPS)
    max_blocks: int = quantity("1", high=64)
    max_threads_per_block: int = quantity("1", high=1024)
    registers: int = quantity("1", high=1 << 20)
    max_registers_per_thread: int = quantity("1", low=16, high=255)
    register_alloc_unit: int = quantity("1", high=8192)
    register_partitions: int = quantity("1", high=16)
    fp32_lanes: int = quantity("1", high=4096)
    int32_lanes: int = quantity("1", high=4096)
    fp64_lanes: int = quantity("1", high=4096)
    fp16_lanes: int = quantity("1", high=4096)
    mufu_lanes: int = quantity("1", high=4096)
    lsu_lanes: int = quantity("1", high=4096, informational=True)
    shuffle_lanes: int = fixed("1", WARP)
    lsu_issue_interval_cycles: int = quantity("cycle", high=64)
    shared_interval_cycles: int = quantity("cycle", high=64)
    global_interval_cycles: int = quantity("cycle", high=64)
    shared_queue: int = quantity("1", high=MOST_QUEUED)
    global_queue: int = quantity("1", high=MOST_QUEUED)
    code_lines_ahead: int = quantity("1", low=0, high=64)
    tensor_bits: int = fixed("bit", TENSOR_BITS)
    tensor_octet_bits: int = fixed("bit", TENSOR_OCTET_BITS)

    @property
    def max_threads(self) -> int:
        """Threads resident at once."""
        return WARP * self.max_warps


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Shared memory of one SM.

    Attributes
    ----------
    bytes_per_sm : int
        The largest carve-out, bytes.
    max_bytes_per_block : int
        Static plus dynamic, with opt-in, bytes.
    default_max_bytes_per_block : int
        Without opt-in, bytes.
    reserved_bytes_per_block : int
        Taken by the system from every block, bytes.
    alloc_granularity_bytes : int
        A block's bytes (with the reserved ones) are rounded up to a multiple of this.
    carveout_steps : tuple of int
        Sizes the driver can choose, ascending, bytes.
    """

    bytes_per_sm: int = quantity("byte", high=SHARED_WINDOW)
    max_bytes_per_block: int = quantity("byte", high=SHARED_WINDOW)
    default_max_bytes_per_block: int = quantity("byte", high=SHARED_WINDOW, informational=True)
    reserved_bytes_per_block: int = quantity("byte", low=0, high=SHARED_WINDOW)
    alloc_granularity_bytes: int = quantity("byte", high=SHARED_WINDOW)
    carveout_steps: tuple[int, ...] = quantity("byte", low=0, high=SHARED_WINDOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class L1:
    """L1 cache of one SM.  Exactly one of ``unified_bytes`` and ``size_bytes`` is given.

    Attributes
    ----------
    unified_bytes : int or None
        L1 and shared memory together, bytes; L1 keeps what the carve-out leaves.
    size_bytes : int or None
        An L1 apart from shared memory, bytes.
    line_bytes, sector_bytes : int
    tag_sets : int
        Tags of one request in different sets are looked up together.
    tag_hash : tuple of tuple of int
        For each bit of the number of that set (lowest first) the bits of the line number (byte address /
        ``line_bytes``) whose parity it is.
    set_hash : tuple of tuple of int
        The same for the bits that tell apart the sets of L1 that share a set of the tag stage.
    vacating_order : tuple of int
        Rows (sets that differ in the bits of ``tag_hash`` only) in the order in which they lose lines when none of
        data is left: the first one, then what each bit of a place in the order, lowest first, changes of it (exclusive
        or).
    unused_lines : int
        Lines of what the carve-out leaves that never hold data.
    ways : int
        Lines of a set.
    front_ways : int
        Of these, for lines that were used again: one that comes in lies behind them.
    vacated_lines : int
        Lines dropped at once when none of data is left; up to a row more.
    data_bytes_per_cycle : int
        Width of the data stage, which shared memory uses too.
    """

    line_bytes: int = fixed("byte", LINE)
    sector_bytes: int = fixed("byte", SECTOR)
    tag_sets: int = fixed("1", TAG_SETS)
    tag_hash: tuple[tuple[int, ...], ...] = quantity("1", low=0, high=31)
    set_hash: tuple[tuple[int, ...], ...] = quantity("1", low=0, high=31)
    vacating_order: tuple[int, ...] = quantity("1", low=0, high=255)
    unused_lines: int = quantity("1", low=0, high=1 << 20)
    ways: int = fixed("1", L1_WAYS)
    front_ways: int = quantity("1", low=0, high=L1_WAYS)
    vacated_lines: int = quantity("1", high=256)
    data_bytes_per_cycle: int = fixed("byte/cycle", DATA_STAGE)
    unified_bytes: int | None = quantity("byte", high=1 << 30, optional=True)
    size_bytes: int | None = quantity("byte", high=1 << 30, optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class L2:
    """L2 cache.

    Attributes
    ----------
    size_bytes : int
        All partitions together.
    partitions : int
        Halves joined by a fabric (2), or one piece (1).
    slices : int
        Live slices, all partitions together.
    slice_bytes_per_cycle : int
        Peak of one slice, per cycle of the L2 clock.
    slice_write_bytes_per_cycle : int
        What one slice takes in, per cycle of the L2 clock.
    link_bytes_per_cycle : int or None
        What goes to the other half over a link, of which two slices share one, per cycle of the L2 clock (None:
        nothing is known to limit it).
    link_write_turns : float
        Turns of a link for each one of a sector written, where data that is read queues for it.
    half_stretch_bytes : int
        That belong to one half.
    half_bits : tuple of int
        Bits of an address whose parity tells to which; so do some of those that translation changes.
    line_bytes, sector_bytes : int
    fetch_bytes : int
        Bytes that a miss of one sector brings from DRAM.
    coalescer_max_merge : int
        Requests for one line by SMs of one GPC that become one L2 read (1: there is no coalescer).
    coalescer_window_cycles : int
        How long, on average, a request that hits L2 is outstanding at the coalescer, so that others may join it.
    coalescer_window_spread : float
        By which share of that it is longer for the farthest slice, and shorter for the nearest.
    coalescer_refusing_cycles : int
        For which, from a request on, one for other sectors of its line keeps more from joining.
    atomic_request_cycles : float
        Of the L2 clock, for which a request of an atomic takes its slice besides a cycle for each sector.
    atomic_chain_cycles : float
        Of the L2 clock, from one addition of floating-point numbers at an address to the next.
    associativity : int
        Ways of a set, about: sets are a power of two, the one that comes nearest.
    partial_high_share, partial_low_share : float
        Lines that may hold sectors written in part, as a share of all: beyond the first the oldest are filled from
        DRAM, until the second is left.
    """

    size_bytes: int = quantity("byte", high=1 << 32)
    partitions: int = quantity("1", high=2)
    slices: int = quantity("1", high=1024)
    slice_bytes_per_cycle: int = quantity("byte/cycle", high=65536)
    slice_write_bytes_per_cycle: int = quantity("byte/cycle", high=65536)
    line_bytes: int = fixed("byte", LINE)
    sector_bytes: int = fixed("byte", SECTOR)
    fetch_bytes: int = quantity("byte", low=SECTOR, high=2 * SECTOR)
    coalescer_max_merge: int = quantity("1", high=1024)
    coalescer_window_cycles: int = quantity("cycle", low=0, high=LONGEST)
    coalescer_window_spread: float = quantity("1", low=0, high=1)
    coalescer_refusing_cycles: int = quantity("cycle", low=0, high=LONGEST)
    atomic_request_cycles: float = quantity("cycle", low=0, high=LONGEST)
    atomic_chain_cycles: float = quantity("cycle", low=0, high=LONGEST)
    associativity: int = quantity("1", low=4, high=1024)
    partial_high_share: float = quantity("1", low=0, high=1)
    partial_low_share: float = quantity("1", low=0, high=1)
    link_write_turns: float = quantity("1", high=16)
    half_stretch_bytes: int = fixed("byte", HALF_STRETCH)
    half_bits: tuple[int, ...] = quantity("1", low=HALF_STRETCH.bit_length() - 1, high=DRAM_PAGE.bit_length() - 2)
    link_bytes_per_cycle: int | None = quantity("byte/cycle", high=65536, optional=True)

    @property
    def partition_lines(self) -> int:
        """Lines of one partition."""
        return self.size_bytes // self.partitions // self.line_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Dram:
    """Device memory.

    Attributes
    ----------
    type : str
        ``"HBM3e"``, ``"GDDR6"``, ...
    size_bytes : int
    bus_bits : int
        With two transfers a memory clock they give the peak, :attr:`gpusim.hardware.Gpu.dram_peak_bytes_per_s`.
    channels : int
        Channels in Nsight Compute's sense: 128 bits of an HBM bus, 16 of a GDDR bus.
    channel_stretch_bytes : int
        That lie in one channel.
    page_bytes : int
        That are translated as one: bits of an address above are not those of where it lies.
    datasheet_bytes_per_s : float or None
        What the vendor's datasheet prints, mostly rounded; None where it is not known to print any.
    refresh_interval_s : float
        From one refresh of a channel to the next (JEDEC's tREFI).
    half_line_cycles : int
        The second 64 bytes of a line after the first.
    write_batch_cycles, turnaround_cycles : int
        For which a channel writes in one go, and between reading and writing.
    read_bytes_per_s : float
        Achieved by streaming kernels.
    write_bytes_per_s, copy_bytes_per_s : float or None
        Likewise; None where nobody measured. A copy counts what it reads and what it writes.
    """

    type: str
    size_bytes: int = quantity("byte", high=1 << 50, informational=True)
    bus_bits: int = quantity("bit", high=1 << 20)
    channels: int = quantity("1", high=1024)
    channel_stretch_bytes: int = fixed("byte", CHANNEL_STRETCH)
    page_bytes: int = fixed("byte", DRAM_PAGE)
    refresh_interval_s: float = quantity("s", low=1e-7, high=1e-3)
    half_line_cycles: int = quantity("cycle", low=0, high=LONGEST)
    write_batch_cycles: int = quantity("cycle", high=LONGEST)
    turnaround_cycles: int = quantity("cycle", low=0, high=LONGEST)
    read_bytes_per_s: float = quantity("byte/s", low=1e6, high=1e15)
    datasheet_bytes_per_s: float | None = quantity("byte/s", low=1e6, high=1e15, optional=True, informational=True)
    write_bytes_per_s: float | None = quantity("byte/s", low=1e6, high=1e15, optional=True, informational=True)
    copy_bytes_per_s: float | None = quantity("byte/s", low=1e6, high=1e15, optional=True, informational=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Cycles of the SM clock from an instruction to the first one that can use its result.

    Attributes
    ----------
    fma_cycles : int
        FFMA, and the other fixed-latency arithmetic.
    mufu_cycles : int
        Special functions.
    shfl_cycles : int
        Warp shuffle.
    shared_cycles : int
        Shared load without conflicts.
    l1_hit_cycles : int
        Global load that hits L1.
    l2_hit_near_cycles, l2_hit_far_cycles : int
        L2 hit on a line whose home is the SM's own half, or the other one (equal where there is one partition).
    l2_fabric_cycles : int
        What the fabric adds where a line is at home in the other half and no copy is in the SM's own: to a hit, to a
        miss.
    dram_cycles : int
        L2 miss.
    l2_spread_cycles, dram_spread_cycles : int
        Width of the distribution of those latencies: over pairs of SM and L2 slice, and over accesses.
    fp64_cycles : int
        DFMA, where code waits for it by a scoreboard: on GPUs with few lanes for doubles.
    barrier_cycles, barrier_cycles_per_warp : int
        A block's barrier costs the first plus the second for each warp of the block.
    dram_far_cycles : int or None
        L2 miss on a line whose home is the other half.
    mma_cycles : int or None
        A product of matrices (measured with ``mma.sync.m16n8k16`` of halves), where code waits for it by a scoreboard:
        that of doubles.  For others compilers count the cycles themselves.
    wgmma_cycles : int or None
        From the end of a tensor core's work on a product by a warpgroup until who waits for it goes on; None where
        there are no such products.
    wgmma_place_cycles : int or None
        From when a tensor core begins such a product until another one may take its place in the queue.
    wgmma_slows_cycles : float or None
        How much longer other instructions read a register while a tensor core works on such products.
    wgmma_slows_mufu_cycles : float or None
        How much longer an instruction takes the special functions meanwhile.
    """

    fma_cycles: int = quantity("cycle", high=LONGEST)
    mufu_cycles: int = quantity("cycle", high=LONGEST)
    shfl_cycles: int = quantity("cycle", high=LONGEST)
    shared_cycles: int = quantity("cycle", high=LONGEST)
    l1_hit_cycles: int = quantity("cycle", high=LONGEST)
    l2_hit_near_cycles: int = quantity("cycle", high=LONGEST)
    l2_hit_far_cycles: int = quantity("cycle", high=LONGEST, informational=True)
    l2_fabric_cycles: int = quantity("cycle", low=0, high=LONGEST)
    dram_cycles: int = quantity("cycle", high=LONGEST)
    l2_spread_cycles: int = quantity("cycle", low=0, high=LONGEST)
    dram_spread_cycles: int = quantity("cycle", low=0, high=LONGEST)
    fp64_cycles: int = quantity("cycle", high=LONGEST)
    barrier_cycles: int = quantity("cycle", low=0, high=LONGEST)
    barrier_cycles_per_warp: int = quantity("cycle", low=0, high=LONGEST)
    dram_far_cycles: int | None = quantity("cycle", high=LONGEST, optional=True, informational=True)
    mma_cycles: int | None = quantity("cycle", high=LONGEST, optional=True)
    wgmma_cycles: int | None = quantity("cycle", low=0, high=LONGEST, optional=True)
    wgmma_place_cycles: int | None = quantity("cycle", low=0, high=LONGEST, optional=True)
    wgmma_slows_cycles: float | None = quantity("cycle", low=0, high=16, optional=True)
    wgmma_slows_mufu_cycles: float | None = quantity("cycle", low=0, high=16, optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Clocks under load.

    Attributes
    ----------
    sm_hz : float
        Boost clock of the SMs.
    l2_hz : float
        Clock of the L2 slices.
    memory_hz : float
        Memory clock; two transfers a cycle.
    tensor_hz : float or None
        Clock that the datasheet's tensor peaks assume, where it differs.
    tensor_load_hz : float or None
        Clock of the SMs during a launch that uses tensor cores, where that was measured to be lower.
    tensor_full_hz : float or None
        Clock at which a long launch settles whose wgmma keeps all tensor cores busy; others in proportion.
    tensor_settle_s : float or None
        Time in which the clock goes most of the way from the one to the other.
    """

    sm_hz: float = quantity("Hz", low=1e8, high=1e11)
    l2_hz: float = quantity("Hz", low=1e8, high=1e11)
    memory_hz: float = quantity("Hz", low=1e8, high=1e11)
    tensor_hz: float | None = quantity("Hz", low=1e8, high=1e11, optional=True, informational=True)
    tensor_load_hz: float | None = quantity("Hz", low=1e8, high=1e11, optional=True)
    tensor_full_hz: float | None = quantity("Hz", low=1e8, high=1e11, optional=True)
    tensor_settle_s: float | None = quantity("s", low=1e-9, high=1, optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """Rates of the whole chip, and of the wires between an SM and L2.

    Attributes
    ----------
    l2_to_sm_bytes_per_cycle : int
        Into one SM.
    sm_to_l2_bytes_per_cycle : int
        Out of one SM.
    l2_read_bytes_per_cycle : float
        Achieved by all SMs together, per cycle of the SM clock.
    fp32_flops, fp64_flops : float
        Peak outside the tensor cores; a fused multiply-add counts two.
    fp16_flops : float or None
        Likewise of half2 arithmetic; None where it was not looked up.
    tensor_fp16_flops, tensor_bf16_flops, tensor_tf32_flops, tensor_fp64_flops, tensor_fp8_flops, tensor_fp4_flops \
: float or None
        Peak of the tensor cores, dense.
    tensor_int8_ops : float or None
        Likewise, integer operations.
    mma_16816_cycles, mma_1688_cycles : int or None
        Between two ``mma.sync`` of this shape with half inputs on a scheduler; None without tensor cores.  Shapes of
        other types take as long as the two of halves.
    wgmma_columns_per_cycle : float or None
        Columns of the second matrix that a product by a warpgroup works off a cycle, 32 bytes each, whatever their
        type; None where there are no such products.
    wgmma_least_cycles : int or None
        Between two such products, however few their columns are.
    """

    l2_to_sm_bytes_per_cycle: int = quantity("byte/cycle", high=65536)
    sm_to_l2_bytes_per_cycle: int = quantity("byte/cycle", high=65536)
    l2_read_bytes_per_cycle: float = quantity("byte/cycle", high=1e8)
    fp32_flops: float = quantity("flop/s", low=1e6, high=1e20, informational=True)
    fp64_flops: float = quantity("flop/s", low=1e6, high=1e20, informational=True)
    fp16_flops: float | None = quantity("flop/s", low=1e6, high=1e20, optional=True, informational=True)
    tensor_fp16_flops: float | None = quantity("flop/s", low=1e6, high=1e20, optional=True, informational=True)
    tensor_bf16_flops: float | None = quantity("flop/s", low=1e6, high=1e20, optional=True, informational=True)
    tensor_tf32_flops: float | None = quantity("flop/s", low=1e6, high=1e20, optional=True, informational=True)
    tensor_fp64_flops: float | None = quantity("flop/s", low=1e6, high=1e20, optional=True, informational=True)
    tensor_fp8_flops: float | None = quantity("flop/s", low=1e6, high=1e20, optional=True, informational=True)
    tensor_fp4_flops: float | None = quantity("flop/s", low=1e6, high=1e20, optional=True, informational=True)
    tensor_int8_ops: float | None = quantity("op/s", low=1e6, high=1e20, optional=True, informational=True)
    mma_16816_cycles: int | None = quantity("cycle", high=LONGEST, optional=True)
    mma_1688_cycles: int | None = quantity("cycle", high=LONGEST, optional=True)
    wgmma_columns_per_cycle: float | None = quantity("1/cycle", high=256, optional=True)
    wgmma_least_cycles: int | None = quantity("cycle", low=0, high=LONGEST, optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """How blocks reach the SMs.

    Attributes
    ----------
    order : tuple of int
        SM ids in the order in which the blocks of the first wave go to them, one block an SM.
    sm_gpc, sm_half : tuple of int
        GPC and L2 half of every SM.
    early_sms, early_groups : int
        The first ``early_sms`` SMs of the order get their next block before the others: each time ``early_groups``
        groups of SMs (stretches of the order in one GPC) have had one. 0: they do not.
    tpc_sms : int
        SMs of a TPC; their numbers follow one another.
    cpcs : int
        Groups of a GPC to which its TPCs belong in turn.
    turnover_cycles : int
        From a block's end to the start of the next block in its place.
    start_gap_cycles : int
        Between the starts of two blocks of one warp on one SM.
    start_gap_cycles_per_warp : float
        Added to that gap for every further warp of a block.
    """

    order: tuple[int, ...] = quantity("1", low=0)
    sm_gpc: tuple[int, ...] = quantity("1", low=0)
    sm_half: tuple[int, ...] = quantity("1", low=0, high=1)
    early_sms: int = quantity("1", low=0, high=1024)
    early_groups: int = quantity("1", low=0, high=1024)
    tpc_sms: int = fixed("1", TPC_SMS)
    cpcs: int = quantity("1", high=64)
    turnover_cycles: int = quantity("cycle", low=0, high=LONGEST)
    start_gap_cycles: int = quantity("cycle", low=0, high=LONGEST)
    start_gap_cycles_per_warp: float = quantity("cycle", low=0, high=LONGEST)


SECTIONS: dict[str, type] = {
    "identity": Identity,
    "sm": Sm,
    "shared": Shared,
    "l1": L1,
    "l2": L2,
    "dram": Dram,
    "latency": Latency,
    "clock": Clock,
    "throughput": Throughput,
    "placement": Placement,
    "launch": Launching,
    "fetch": Fetch,
    "issue": Issue,
    "access": Access,
    "copies": Copies,
    "clusters": Clusters,
    "spacing": Spacing,
    "links": Links,
    **ARCHITECTURE_SECTIONS,
}
"""Tables of a specification file, in the order in which they are shown."""
