"""What time depends on and no specification says: measured once, on an H200, and taken for every GPU.

Unless said otherwise: microbenchmarks with clock64 on an H200, driver 580.159, CUDA 13.0, 1980 MHz, November 2026.
Cycles are of the SM.
"""

from __future__ import annotations

# ------------------------------------------------------------------ launch
LAUNCH_CYCLES = 2890
"""From the start of a launch to its first block, and from its last block to its end: empty kernels of 1 to 65 536
blocks, 32 to 512 threads each, take 2700 cycles and 1.19 a block (Nsight Compute), which is
the time in which the GPU hears of its end."""
GPC_TURN_L2_CYCLES = 3
"""Cycles of L2's clock in which a GPC is given blocks before the next one has its turn.  From the SMs of 3000 blocks in
the order of their numbers: they go through the SMs of one GPC after another, 3 in a turn when one is handed out every
2.6 cycles, and an SM hardly ever has two within 10 blocks (handout.cu)."""
STORES_DONE_CYCLES = 450
"""Until a kernel's last stores are seen by all, which its end waits for: a store and a fence take 410 to 610."""
TPC_GAP_CYCLES, TPC_GAP_CYCLES_PER_WARP = 6, 1.3
"""Start of the second SM of a TPC after the first: 9, 14, 22 and 48 cycles for blocks of 2, 8, 16 and 32 warps."""
WARP_START_CYCLES, WARP_EXIT_CYCLES = 10, 24
"""From a warp's arrival to its first instruction, and from its EXIT until it is gone.  The second: warps of kernels
that end with a store wait 22 cycles to drain (Nsight Compute).  The first: what is left of the 57 cycles that a warp of
an empty kernel stays, less instruction fetch."""
FETCH_CYCLES, FETCH_NEXT_CYCLES = 180, 61
"""Until a scheduler has its first code: each of the two instructions of an empty kernel waits 58 to 124 cycles for it
in one block, 100 to 113 in one on each SM, where schedulers take turns (Nsight Compute).  Until an SM has another line
of code, of 128 bytes: straight code that no warp of it has run takes 17.6 cycles a line, for three of them are asked
for ahead, and a jump to such a line 57 more than to one that is there (fetches.cu)."""
GPC_GIVES_CYCLES = 2
"""Between two schedulers that a GPC gives their first code, and two lines of constants that it gives its SMs: where a
launch begins on all SMs the schedulers of one have their first warp begin 16 or 32 cycles apart, for 8 TPCs or 16 SMs
are served in turn; 16 SMs that ask for 16 lines each at once have them after 570 cycles."""
CONSTANT_CYCLES, CONSTANT_FETCH_CYCLES, CONSTANT_SEEK_CYCLES = 28, 70, 205
"""From the read of a constant until it is there: chains of loads.  Longer, of a line of 64 bytes that the SM does not
hold: every fourth load of 16 bytes further on, and each that is 64 further.  Longer still, of one that its GPC does not
hold: 4 lines are there after 340 cycles, 8 after 636, 16 after 1272 (constants.cu)."""
NOBODY_CYCLES = 22
"""Of an access in which no lane takes part, which also has the data stage for a cycle: chains of loads from shared
memory, and up to 32 warps that load or store (predicated.cu).  What a store would write is not read
from its register then: four warps a scheduler send one every 4 cycles, 6 where lanes take part."""
WARP_APART_CYCLES = 2
"""From one warp of a block to the next: where the code is there they note clocks 0, 2, 4, ... cycles (in_step.cu)."""
LAUNCH_READ_BYTES, CODE_PIECE_BYTES = 2304, 256
"""What a launch that finds the caches empty reads from HBM before its kernel reads anything: what the GPU is told of
it, and all of its code, that which is never run too, in such pieces.  Empty kernels of 1 to 21 120 blocks read 2560
bytes, their code included (latency.cu, micro.cu).  Kernels with 384 bytes to 43 KB of code read more than their data by
this, half of them to the byte."""

# ------------------------------------------------------------------ instructions
TAKEN_CYCLES, BUBBLE_CYCLES = 5, 1.4
"""A branch that is taken costs its warp so much more than its stall count (loops of 1 to 64 FFMA, one warp; stall
counts of 5 and 6: after one of 15 half a cycle to 2.5, which is not modelled, tests/validation/tensor.py), and its
scheduler so much (the same with 32 warps)."""
WIDE_CYCLES = 2
"""IMAD.WIDE and IMAD.HI hold their scheduler so much longer than others, and their unit twice as long as IMAD: 64
independent ones take a warp 128 cycles more than their stall counts say; of eight warps, pairs of one and a LOP3 take
4.09 cycles, though they go to different units."""
FACTOR_CYCLES, WIDE_FACTOR_CYCLES = 7, 9
"""From an instruction to an IMAD.WIDE or IMAD.HI that multiplies what it computed, whatever its stall count; the
second: from an IMAD.WIDE to one that multiplies the upper half of its result.  What they add is there after the stall
count (pointers.py, 300 pairs)."""
OPERAND_CYCLES = 2
"""Between two registers that an instruction to the load/store pipe or the special functions reads, and so between
two instructions of one register each that a scheduler lets go: FFMAs of three registers of a bank that come 1 to 12
cycles after one are held up for as long as its registers of that bank are read (pointers.py)."""
WIDE_ASKS_CYCLES = 0.9
"""By which an IMAD.WIDE or IMAD.HI delays the global loads that wait in its scheduler's queue, where the SM holds more
than a warp a scheduler: loops whose loads take all that the pipe has lose 0.4 to 1.6 cycles a scheduler for each, by 8
and 16 warps; none by one warp, none where shared loads wait (pointers.py).  How is not known."""
BETWEEN_SHARED_CYCLES = 0.6
"""That the pipe loses where a global access comes between two shared ones: loops of 8 and 16 warps that take all it has
lose 0.06 to 0.12, 0.15 to 0.18, 0.23, 0.29 and 0.33 cycles for each load of global memory where a third, a half, three
fifths, two thirds and three quarters of the accesses are to shared memory, which is 0.6 times the square of their
share (pointers.py)."""
AWAITED_CYCLES = 0.45
"""Of the pipe that a global load takes more whose data is not there when it passes the tags: where other warps' shared
loads take all they can get, these lose 0.23, 0.27, 0.26 and 0.30 cycles more to loads of 16 warps of the same one, one,
two and four new lines (one of which misses) than to loads of lines that are there; here 0.23, 0.29, 0.29 and 0.22, for
shared loads do not have the pipe all of the time (awaited.cu)."""
UNIFORM_CYCLES = 1
"""Between two instructions of a scheduler to the uniform datapath."""
WAVE_APART_CYCLES = 2
"""From the data of one wavefront of a load to that of the next: chains of loads from shared memory and L1 on an H200, 2
to 32 lanes in one bank, 4, 8 and 16 bytes wide; conflicts and ldmatrix on an A100 (Sun et al. 2022, arXiv
2206.02874)."""
DENSE_CYCLES, DENSE_WAIT_CYCLES = 3, 4
"""Cycles without a result that a load of 16 bytes a lane needs whose lanes agree in pairs or more; results wait when
those of so many cycles are due.  Of 8 to 16 warps that load once in 7 to 30 FFMAs each takes 3.0 to 3.4 cycles on an
H200 that neither FFMAs nor the data stage account for (tests/validation/beside.py); one of 8 bytes at most 1, as do
those whose lanes all read something else.  The second: 2 to 10 fit within 1 % of one another."""
XU_HELD_CYCLES = 1
"""By which a product of matrices makes the exponential under way on its scheduler take longer: loops of one product and
one or two exponentials take 1.0 and 1.1 cycles a product more on an H200 than the eight of each exponential, by one
warp, 1.05 and 0.85 by two a scheduler (microbenchmarks/mio.cu)."""
SPECIAL_CYCLES, UNIFORM_SPECIAL_CYCLES = 2, 60
"""S2R: between two on an SM, and between two addresses of LDC, which the same unit reads: 8, 16 and 32 warps that read
many in a row take 16, 32 and 64 cycles for one of each (special.cu, constants.cu).  S2UR: until its result is there;
from the time that warps of kernels that only copy wait for a short scoreboard (70 to 85 cycles, Nsight Compute)."""
RUN_AHEAD_CYCLES = 13
"""A warp at a barrier goes on to issue what is no branch and no access: a loop of a multiplication and a barrier
takes no longer than one without, for one warp; the barrier alone takes 15 cycles."""

# ------------------------------------------------------------------ memory
OUT_LINE_BYTES, OUT_SECTOR_BYTES, OUT_BROKEN_BYTES = 26.24, 26.56, 41.28
"""What a store takes of the wire from SM to L2: for each line, each sector it fills, each it fills in part.  From
stores of 4 bytes a lane with strides of 1, 2, 4, 8, 32 and 128 words on one SM, whose wire carries 32 bytes a cycle:
4.2 cycles a warp when whole lines are written, 67 for 32 lines (0.82 a line, 0.83 and 1.29 a sector)."""
OUT_HELD_CYCLES = 16
"""Of which the tag stage waits for none: it takes few stores ahead."""
OUT_LASTS_CYCLES = 78
"""After which a line that is on its way to L2 may be written again without being dropped, where 32 lines are stored at
a time; each leaves 2 cycles after the one before. Of 32 rows that one warp stores twice, 32 are gone when the clock
says 71 cycles between, 20 at 100, 3 at 129; here 32 at 70, 20 at 96, 6 at 125 (microbenchmarks/l1_words.cu). With two
warps 0 to 27 are gone, from run to run; here 29 to 32. With a load before each store 30 are gone when the pairs are 131
cycles apart, 17 at 147 to 163, none at 203 (not run again with this model)."""
ASK_CYCLES = 1
"""Between two requests of an SM to L2, each for one line, whatever part of it: random loads of 8 to 32 lines that L2
holds, one, two or four sectors of each, bring 0.85 to 0.97 requests a cycle on one SM as on 16."""
ASK_ALONG_CYCLES, SEND_ALONG_CYCLES = 6, 10
"""After which no more goes along with what an SM asked L2 for last, or last wrote, of the same line: one warp's loads
of parts of a line are one request while 6 cycles are between each and the next, two from 7 on; stores while it is 10,
two from 11 on.  Nothing does once it has asked for another line (microbenchmarks/requests.cu)."""
SLICE_QUEUE_CYCLES = 50
"""For which a request waits for a slice of L2 behind the coalescer, where others may still join it; what it waits
longer, it waits in front. Chosen so that of a million random reads of 1 MiB by 64 warps an SM 2.5 % join, before it
was known that a request for other sectors ends the joining. Where all SMs read the same lines L2 reads are 6 to 10 %
high (3 to 4 % if requests wait behind the coalescer only)."""
DRAM_HALF_CYCLES = 34
"""The second 64 bytes of a line from DRAM after the first: loads of a warp against loads of a lane."""
WRITE_BATCH_CYCLES, TURNAROUND_CYCLES = 1200, 100
"""A DRAM channel writes for so long in one go.  From the latency of single loads beside traffic of known rate: with as
much written as read, 500 bytes a cycle each, one in twenty takes 1800 cycles longer, half of them 200; copies reach
4.25 TB/s, reads 4.44."""
