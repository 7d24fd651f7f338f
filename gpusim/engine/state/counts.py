"""What is counted, and where: column numbers of ``counts``, ``arrays`` and ``sites`` of a machine."""

from __future__ import annotations

# Columns of Machine.counts
INST = 0  # warp instructions executed
THREAD_INST = 1  # lanes active
THREAD_ON = 2  # lanes active whose guard held
LD_REQ = 3  # global load requests
LD_SECTORS = 4
LD_HIT = 5  # sectors found in L1
ST_REQ = 6
ST_SECTORS = 7
LD_TAGS = 8  # tag-stage wavefronts of loads
LD_WAVES = 9  # data-stage wavefronts of global loads
ST_WAVES = 10  # of global stores
SH_LD_WAVES = 11
SH_ST_WAVES = 12  # of stores alone
SH_OTHER_WAVES = 13  # shuffles, thread-index reads, barriers, accesses (global ones too) no lane takes part in
SH_LD_IDEAL = 14  # what shared loads would take without conflicts
SH_ST_IDEAL = 15
INST_LDG = 16
INST_STG = 17
INST_LDS = 18
INST_STS = 19
BRANCHES = 20
LINES = 21  # distinct lines of global loads and stores
L2_READ = 22  # sectors L2 is asked for
L2_WRITE = 23
L2_READ_REQ = 24
L2_WRITE_REQ = 25
L2_MISS = 26  # sectors not in the half asked
FABRIC = 27  # sectors that cross between the halves
DRAM_READ = 28  # sectors
DRAM_WRITE = 29
MERGED = 30  # sectors served by another SM's outstanding request
PENDING = 31  # sectors served by the same SM's outstanding miss
BLOCKS = 32
WARPS = 33
INST_ATOM = 34
DIVERGED = 35  # branches on which a warp split
ATOM_REQ = 36  # global atomics that give the old value
ATOM_SECTORS = 37
RED_REQ = 38  # those that do not
RED_SECTORS = 39
INST_LDL = 40
INST_STL = 41
LOCAL_LD_REQ = 42
LOCAL_LD_SECTORS = 43
LOCAL_LD_HIT = 44
LOCAL_ST_REQ = 45
LOCAL_ST_SECTORS = 46
LOCAL_WAVES = 47  # data-stage wavefronts of local loads and stores
INST_LDGSTS = 48
SH_ASYNC_WAVES = 49  # of LDGSTS's writes to shared memory, those that go past L1 left out
INST_LDSM = 50
INST_ATOMS = 51
ST_TAGS = 52  # tag-stage wavefronts of stores
L2_ATOM = 53  # sectors that atomics change in L2
L2_ATOM_REQ = 54
L2_READ_HIT = 55  # sectors asked of L2 that the half asked holds
L2_READ_MISS = 56  # sectors fetched because reads lack some, those that come along included
SH_ASYNC_IDEAL = 57  # what LDGSTS's writes would take without conflicts
SH_ATOM_WAVES = 58  # data-stage wavefronts of shared atomics
ATOM_WAVES = 59  # of global ones, values brought back included
PREFETCH_WAVES = 60

# Columns of Machine.arrays: loads and stores of each array; IDEAL: sectors that would do for the words touched; HIT:
# sectors found in L1; L2: sectors asked of L2 or written to it, HBM: sectors read from HBM because of it
A_LD_REQ, A_LD_SECTORS, A_LD_IDEAL, A_LD_BYTES, A_ST_REQ, A_ST_SECTORS, A_ST_IDEAL, A_ST_BYTES = range(8)
A_HIT, A_L2, A_HBM = 8, 9, 10
N_ARRAY_COUNTS = 11

# Columns of Machine.sites: the same for each memory instruction; WAVES: data-stage wavefronts, WAVES_IDEAL: what they
# would be without bank conflicts
S_REQ, S_SECTORS, S_IDEAL, S_HIT, S_L2, S_HBM, S_WAVES, S_WAVES_IDEAL, N_SITE_COUNTS = range(9)
N_COUNTS = 61
