"""What sets one generation of GPUs apart, beside sizes: one frozen dataclass a section, as in :mod:`.sections`."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.hardware.fixed import (
    CODE_LINE,
    CONSTANT_LINE,
    REGISTER_BANKS,
    REGISTER_STAGES,
    REQUEST_LINES,
    REQUEST_SECTORS,
)
from gpusim.hardware.quantities import LONGEST, fixed, quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Launching:
    """From the start of a launch to its end, beside what its instructions take.

    Attributes
    ----------
    overhead_cycles : int
        From the start of a launch to its first block, and from its last block to its end.
    stores_done_cycles : int
        Until a kernel's last stores are seen by all, which its end waits for.
    gpc_turn_l2_cycles : int
        Cycles of L2's clock in which a GPC is given blocks before the next one has its turn.
    tpc_gap_cycles : int
        Start of the second SM of a TPC after the first, for a block of no warp.
    tpc_gap_cycles_per_warp : float
        What each warp of a block adds to that.
    cpc_gap_cycles : int
        Start of each CPC of a GPC after the one before.
    half_gap_cycles : int
        Start of the GPCs of the second half after those of the first.
    warp_start_cycles : int
        From a warp's arrival to its first instruction.
    warp_apart_cycles : int
        From one warp of a block to the next.
    warp_exit_cycles : int
        From a warp's EXIT until it is gone.
    dram_read_bytes : int
        Read from device memory by a launch that finds the caches empty, before its kernel reads anything.
    code_piece_bytes : int
        Pieces in which all of the code is read then, that which is never run too.
    event_s : float
        Between two events of a stream, besides the launches between them.
    graph_saves_s : float
        What a launch takes less behind another one of the same graph.
    """

    overhead_cycles: int = quantity("cycle", low=0, high=100000)
    stores_done_cycles: int = quantity("cycle", low=0, high=LONGEST)
    gpc_turn_l2_cycles: int = quantity("cycle", high=LONGEST)
    tpc_gap_cycles: int = quantity("cycle", low=0, high=LONGEST)
    tpc_gap_cycles_per_warp: float = quantity("cycle", low=0, high=LONGEST)
    cpc_gap_cycles: int = quantity("cycle", low=0, high=LONGEST)
    half_gap_cycles: int = quantity("cycle", low=0, high=LONGEST)
    warp_start_cycles: int = quantity("cycle", low=0, high=LONGEST)
    warp_apart_cycles: int = quantity("cycle", low=0, high=LONGEST)
    warp_exit_cycles: int = quantity("cycle", low=0, high=LONGEST)
    dram_read_bytes: int = quantity("byte", low=0, high=1 << 20)
    code_piece_bytes: int = quantity("byte", high=1 << 20)
    event_s: float = quantity("s", low=0, high=1e-3, informational=True)
    graph_saves_s: float = quantity("s", low=0, high=1e-3, informational=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """Code and constants on their way to an SM, and branches.

    Attributes
    ----------
    first_code_cycles : int
        Until a scheduler has its first code.
    next_line_cycles : int
        Until an SM has another line of code.
    gpc_gives_cycles : int
        Between two schedulers that a GPC gives their first code, and two lines of constants that it gives its
        SMs.
    taken_branch_cycles : int
        What a branch that is taken costs its warp beyond its stall count.
    taken_branch_bubble_cycles : float
        What it costs its scheduler.
    constant_cycles : int
        From the read of a constant until it is there.
    constant_sm_miss_cycles : int
        The same longer, of a line that the SM does not hold.
    constant_gpc_miss_cycles : int
        Longer still, of one that its GPC does not hold.
    special_register_cycles : int
        Between two reads of special registers (S2R) on an SM, and between two addresses of LDC, which the same
        unit reads.
    uniform_special_cycles : int
        Until the result of S2UR is there.
    code_line_bytes, constant_line_bytes : int
    sm_code_lines, sm_constant_lines, gpc_constant_lines : int
        Lines that an SM holds, and a GPC.
    gpc_constant_misses : int
        Lines of constants that a GPC asks L2 for at once.
    """

    first_code_cycles: int = quantity("cycle", low=0, high=LONGEST)
    next_line_cycles: int = quantity("cycle", low=0, high=LONGEST)
    gpc_gives_cycles: int = quantity("cycle", low=0, high=LONGEST)
    taken_branch_cycles: int = quantity("cycle", low=0, high=LONGEST)
    taken_branch_bubble_cycles: float = quantity("cycle", low=0, high=LONGEST)
    constant_cycles: int = quantity("cycle", low=0, high=LONGEST)
    constant_sm_miss_cycles: int = quantity("cycle", low=0, high=LONGEST)
    constant_gpc_miss_cycles: int = quantity("cycle", low=0, high=LONGEST)
    special_register_cycles: int = quantity("cycle", low=0, high=LONGEST)
    uniform_special_cycles: int = quantity("cycle", low=0, high=LONGEST)
    code_line_bytes: int = fixed("byte", CODE_LINE)
    constant_line_bytes: int = fixed("byte", CONSTANT_LINE)
    sm_code_lines: int = quantity("1", low=128, high=1 << 16)
    sm_constant_lines: int = quantity("1", high=1 << 12)
    gpc_constant_lines: int = quantity("1", high=1 << 16)
    gpc_constant_misses: int = quantity("1", high=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """What holds up a scheduler and its warps between two instructions.

    Attributes
    ----------
    wide_cycles : int
        By which IMAD.WIDE and IMAD.HI hold their scheduler longer than others.
    wide_turns : int
        Turns of their unit that they take; IMAD takes one.
    factor_cycles : int
        From an instruction to an IMAD.WIDE or IMAD.HI that multiplies what it computed, whatever its stall
        count.
    wide_factor_cycles : int
        From an IMAD.WIDE to one that multiplies the upper half of its result.
    operand_cycles : int
        Between two registers that an instruction to the load/store pipe or the special functions reads, and so
        between two instructions of one register each that a scheduler lets go.
    first_operand_cycles : int
        From when such an instruction leaves its scheduler's queue until it reads the first of them.
    late_operand_cycles : int
        By which what stores, and special functions, read them later than loads do.
    operand_release_cycles : int
        From when it has read all of them until its scoreboard lets them be written.
    register_banks, register_stages : int
        Banks of a register file, which give a register a cycle each, and stages in which an instruction reads them.
    uniform_cycles : int
        Between two instructions of a scheduler to the uniform datapath.
    run_ahead_cycles : int
        For which a warp at a barrier goes on to issue what is no branch and no access.
    special_function_held_cycles : int
        By which a product of matrices makes the special function under way on its scheduler take longer.
    """

    wide_cycles: int = quantity("cycle", low=0, high=LONGEST)
    wide_turns: int = quantity("1", high=64)
    factor_cycles: int = quantity("cycle", low=0, high=LONGEST)
    wide_factor_cycles: int = quantity("cycle", low=0, high=LONGEST)
    operand_cycles: int = quantity("cycle", low=0, high=LONGEST)
    first_operand_cycles: int = quantity("cycle", low=0, high=32)
    late_operand_cycles: int = quantity("cycle", low=0, high=32)
    operand_release_cycles: int = quantity("cycle", low=0, high=LONGEST)
    register_banks: int = fixed("1", REGISTER_BANKS)
    register_stages: int = fixed("1", REGISTER_STAGES)
    uniform_cycles: int = quantity("cycle", low=0, high=LONGEST)
    run_ahead_cycles: int = quantity("cycle", low=0, high=LONGEST)
    special_function_held_cycles: int = quantity("cycle", low=0, high=LONGEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Accesses to memory between their scheduler and L2.

    Attributes
    ----------
    wide_delays_global_cycles : float
        By which an IMAD.WIDE or IMAD.HI delays the global loads that wait in its scheduler's queue, where the
        SM holds more than a warp a scheduler.
    global_between_shared_cycles : float
        That the pipe loses where a global access comes between two shared ones.
    awaited_cycles : float
        Of the pipe that a global load takes more whose data is not there when it passes the tags.
    predicated_off_cycles : int
        Of an access in which no lane takes part, which also has the data stage for a cycle.
    wavefront_apart_cycles : int
        From the data of one wavefront of a load to that of the next.
    dense_load_cycles : int
        Cycles without a result that a load of 16 bytes a lane needs whose lanes agree in pairs or more.
    dense_load_wavefronts : int
        Wavefronts without conflicts that such a load has at most.
    dense_load_wait_cycles : int
        Results wait when those of so many cycles are due.
    data_queue_cycles : int
        Work that the data stage has ahead of it before the tag stage waits.
    request_lines : int
        Lines of what a scheduler asked L2 for last, to which more may go along.
    request_sectors : int
        Sectors of these lines.
    out_line_bytes : float
        What a store takes of the wire from SM to L2 for each line.
    out_sector_bytes : float
        The same for each sector it fills.
    out_broken_sector_bytes : float
        The same for each sector it fills in part.
    out_held_cycles : int
        Of which the tag stage waits for none: it takes few stores ahead.
    out_lasts_cycles : int
        After which a line that is on its way to L2 may be written again without being dropped, where 32 lines
        are stored at a time; each leaves 2 cycles after the one before.
    ask_cycles : int
        Between two requests of an SM to L2, each for one line, whatever part of it.
    ask_along_cycles : int
        After which no more goes along with what an SM asked L2 for last, of the same line.
    send_along_cycles : int
        The same of what it wrote last.
    slice_queue_cycles : int
        For which a request waits for a slice of L2 behind the coalescer, where others may still join it; what
        it waits longer, it waits in front.
    """

    wide_delays_global_cycles: float = quantity("cycle", low=0, high=LONGEST)
    global_between_shared_cycles: float = quantity("cycle", low=0, high=LONGEST)
    awaited_cycles: float = quantity("cycle", low=0, high=LONGEST)
    predicated_off_cycles: int = quantity("cycle", low=0, high=LONGEST)
    wavefront_apart_cycles: int = quantity("cycle", low=0, high=LONGEST)
    dense_load_cycles: int = quantity("cycle", low=0, high=LONGEST)
    dense_load_wavefronts: int = quantity("1", low=0, high=64)
    dense_load_wait_cycles: int = quantity("cycle", low=0, high=LONGEST)
    data_queue_cycles: int = quantity("cycle", low=0, high=LONGEST)
    request_lines: int = fixed("1", REQUEST_LINES)
    request_sectors: int = fixed("1", REQUEST_SECTORS)
    out_line_bytes: float = quantity("byte", low=0, high=1 << 20)
    out_sector_bytes: float = quantity("byte", low=0, high=1 << 20)
    out_broken_sector_bytes: float = quantity("byte", low=0, high=1 << 20)
    out_held_cycles: int = quantity("cycle", low=0, high=LONGEST)
    out_lasts_cycles: int = quantity("cycle", low=0, high=LONGEST)
    ask_cycles: int = quantity("cycle", low=0, high=LONGEST)
    ask_along_cycles: int = quantity("cycle", low=0, high=LONGEST)
    send_along_cycles: int = quantity("cycle", low=0, high=LONGEST)
    slice_queue_cycles: int = quantity("cycle", low=0, high=LONGEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Bulk copies and boxes of tensors, which an SM makes while its warps go on, and the mbarriers that hear of them.

    Attributes
    ----------
    mbarrier_cycles : int
        From an instruction on an mbarrier until its result is there, and from the end of a phase until a warp that
        waited for it goes on.
    phase_look_cycles : int
        From one warp's look at an mbarrier's phase to that of the SM's next one.
    load_start_cycles : int
        From the instruction of a copy to shared memory, or of a prefetch, until its first request goes out, beyond what
        that of a warp's load takes.
    store_start_cycles : int
        The same of a copy from shared memory, which it reads until then.
    request_cycles : float
        Between two requests of an SM's copies, each for one line, at least.
    load_bytes_per_cycle : float
        What copies bring an SM at most.
    """

    mbarrier_cycles: int = quantity("cycle", low=0, high=LONGEST)
    phase_look_cycles: int = quantity("cycle", low=0, high=LONGEST)
    load_start_cycles: int = quantity("cycle", low=0, high=LONGEST)
    store_start_cycles: int = quantity("cycle", low=0, high=LONGEST)
    request_cycles: float = quantity("cycle", low=0, high=LONGEST)
    load_bytes_per_cycle: float = quantity("byte/cycle", low=0.01, high=LONGEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """What blocks of a cluster, on SMs of one GPC, take for one another.

    Attributes
    ----------
    barrier_cycles : int
        From the arrival of the last warp of a cluster until those that wait go on, but for what blocks add.
    barrier_cycles_per_block : float
        What each block of the cluster adds.
    fence_cycles : int
        Until what a warp wrote is seen by the other blocks.
    fence_cycles_per_warp : float
        Between two such fences of an SM.
    load_cycles : int
        Of a load from the shared memory of the other SM of a TPC.
    far_cycles : int
        Added where the SM is one of another TPC.
    atomic_cycles : int
        Added where what is there is changed.
    load_bytes_per_cycle, store_bytes_per_cycle : float
        What an SM loads and stores, in the shared memory of others.
    arrive_cycles : int
        From an arrival at an mbarrier of another block until that has heard of it.
    """

    barrier_cycles: int = quantity("cycle", low=0, high=LONGEST)
    barrier_cycles_per_block: float = quantity("cycle", low=0, high=LONGEST)
    fence_cycles: int = quantity("cycle", low=0, high=LONGEST)
    fence_cycles_per_warp: float = quantity("cycle", low=0, high=LONGEST)
    load_cycles: int = quantity("cycle", low=0, high=LONGEST)
    far_cycles: int = quantity("cycle", low=0, high=LONGEST)
    atomic_cycles: int = quantity("cycle", low=0, high=LONGEST)
    load_bytes_per_cycle: float = quantity("byte/cycle")
    store_bytes_per_cycle: float = quantity("byte/cycle")
    arrive_cycles: int = quantity("cycle", low=0, high=LONGEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spacing:
    """How far apart the lowering of descriptions puts dependent instructions, as ptxas does.

    Attributes
    ----------
    other_pipe_cycles : int
        To an instruction of another pipe.
    guard_cycles : int
        From a predicate to an instruction that it guards.
    jump_cycles : int
        Behind a branch.
    barrier_cycles : int
        Behind a block's barrier.
    tensor_cycles : int
        From a product of a warp's matrices to whatever takes its sums.
    operands_read_cycles : int
        From a load or a store to what writes a register that it reads, about; runs that only count take it to be so.
    global_cycles : int
        What a global load is taken to last; this and the next ones only rank instructions, a scoreboard guards
        them when run.
    shared_cycles : int
        What a shared load is taken to last; an atomic twice as long.
    shuffle_cycles : int
        What a shuffle is taken to last.
    constant_cycles : int
        What a load of a constant is taken to last.
    variable_cycles : int
        What another result of variable latency is taken to last.
    """

    other_pipe_cycles: int = quantity("cycle", low=0, high=LONGEST)
    guard_cycles: int = quantity("cycle", high=15)
    jump_cycles: int = quantity("cycle", high=15)
    barrier_cycles: int = quantity("cycle", high=15)
    tensor_cycles: int = quantity("cycle", high=LONGEST)
    operands_read_cycles: int = quantity("cycle", low=0, high=LONGEST)
    global_cycles: int = quantity("cycle", high=LONGEST)
    shared_cycles: int = quantity("cycle", high=LONGEST)
    shuffle_cycles: int = quantity("cycle", high=LONGEST)
    constant_cycles: int = quantity("cycle", high=LONGEST)
    variable_cycles: int = quantity("cycle", high=LONGEST)
