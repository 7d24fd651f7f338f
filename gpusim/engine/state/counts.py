"""What is counted: a row a counter, of ``counts``, ``arrays`` and ``sites`` of a machine.

A row's number is its column.  All else that is said of counters follows from the rows.  Metrics are listed as they
stand here.  Columns are plain ints, which numba folds into the code it makes.
"""

from __future__ import annotations

from gpusim.engine.state.counter_table import Counters, MetricName, Shares, Stage

_COUNTERS, _ARRAYS, _SITES = Counters(), Shares(), Shares()
_executed, _of_caches, _total = _COUNTERS.executed, _COUNTERS.of_caches, _COUNTERS.total
_SHARED, _DATA, _TAG = (Stage.SHARED,), (Stage.DATA,), (Stage.TAG,)


def _inst(name: str, *, exact: bool = False) -> MetricName:
    return MetricName(f"smsp__{name}.sum", "inst", exact)


def _l1(unit: str, of: str, *, exact: bool = False) -> MetricName:
    return MetricName(f"l1tex__t_{unit}s_pipe_lsu_mem_{of}.sum", unit, exact)


def _tex(unit: str, of: str = "") -> MetricName:
    return MetricName(f"l1tex__t_{unit}s_pipe_tex_mem_texture{of}.sum", unit)


def _tags(of: str, *, exact: bool = False) -> MetricName:
    return MetricName(f"l1tex__t_output_wavefronts_pipe_lsu_mem_{of}.sum", "wavefront", exact)


def _waves(of: str = "") -> MetricName:
    return MetricName(f"l1tex__data_pipe_lsu_wavefronts{of}.sum", "wavefront")


def _conflicts(of: str) -> MetricName:
    return MetricName(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{of}.sum", "conflict")


def _l2(unit: str, of: str) -> MetricName:
    return MetricName(f"lts__t_{unit}s_srcunit_{of}.sum", unit)


# Instructions
INST = _executed("instructions of warps", _inst("inst_executed"))
THREAD_INST = _executed("instructions of warps, times lanes active", _inst("thread_inst_executed"))
THREAD_ON = _executed("the same, of lanes whose guard held", _inst("thread_inst_executed_pred_on"))
BRANCHES = _executed("branches", _inst("sass_inst_executed_op_branch"))
DIVERGED = _executed("branches on which a warp split")
INST_LDG = _executed("global loads", _inst("inst_executed_op_global_ld", exact=True))
INST_STG = _executed("global stores", _inst("inst_executed_op_global_st", exact=True))
INST_ATOM = _executed("global atomics")
INST_LDS = _executed("shared loads", _inst("inst_executed_op_shared_ld"))
INST_STS = _executed("shared stores", _inst("inst_executed_op_shared_st"))
INST_WARPGROUP = _executed(
    "products of matrices by a warpgroup", MetricName("sm__inst_executed_pipe_tensor_op_gmma.sum", "inst")
)
INST_TEX = _executed("texture fetches", _inst("inst_executed_op_texture"))
SYSTEM_CALLS = _executed("calls of printf, malloc and free by warps")

# Global loads and stores in L1
LD_REQ = _executed("requests of global loads", _l1("request", "global_op_ld", exact=True))
LD_SECTORS = _executed("sectors of global loads", _l1("sector", "global_op_ld", exact=True))
LD_HIT = _of_caches("sectors of global loads found in L1", _l1("sector", "global_op_ld_lookup_hit"))
LD_TAGS = _executed("tag-stage wavefronts of global loads", _tags("global_op_ld", exact=True), _TAG)
ST_REQ = _executed("requests of global stores", _l1("request", "global_op_st", exact=True))
ST_SECTORS = _executed("sectors of global stores", _l1("sector", "global_op_st", exact=True))
ST_TAGS = _executed("tag-stage wavefronts of global stores", stages=_TAG)

INST_LDL = _executed("local loads", _inst("inst_executed_op_local_ld"))
INST_STL = _executed("local stores", _inst("inst_executed_op_local_st"))
INST_LDGSTS = _executed("copies from global to shared memory", _inst("inst_executed_op_ldgsts"))
INST_LDSM = _executed("loads of matrices from shared memory", _inst("inst_executed_op_ldsm"))
INST_ATOMS = _executed("shared atomics", _inst("inst_executed_op_shared_atom"))

# Global atomics and local memory in L1
ATOM_REQ = _executed("requests of global atomics that give the old value", _l1("request", "global_op_atom"))
ATOM_SECTORS = _executed("sectors of global atomics that give the old value", _l1("sector", "global_op_atom"))
RED_REQ = _executed("requests of global atomics that give nothing back", _l1("request", "global_op_red"))
RED_SECTORS = _executed("sectors of global atomics that give nothing back", _l1("sector", "global_op_red"))
LOCAL_LD_REQ = _executed("requests of local loads", _l1("request", "local_op_ld"))
LOCAL_LD_SECTORS = _executed("sectors of local loads", _l1("sector", "local_op_ld"))
LOCAL_LD_HIT = _of_caches("sectors of local loads found in L1", _l1("sector", "local_op_ld_lookup_hit"))
LOCAL_ST_REQ = _executed("requests of local stores", _l1("request", "local_op_st"))
LOCAL_ST_SECTORS = _executed("sectors of local stores", _l1("sector", "local_op_st"))
TEX_REQ = _executed("requests of texture fetches", _tex("request"))
TEX_SECTORS = _executed("sectors of texture fetches", _tex("sector"))
TEX_HIT = _of_caches("sectors of texture fetches found in L1", _tex("sector", "_lookup_hit"))
LINES = _executed("distinct lines of each access", MetricName("l1tex__t_set_accesses.sum", "access"))
PENDING = _of_caches("sectors served by the same SM's outstanding miss")

# Wavefronts of L1's data stage; IDEAL: what they would be without bank conflicts
SH_LD_WAVES = _executed("data-stage wavefronts of shared loads", _waves("_mem_shared_op_ld"), _SHARED)
SH_ST_WAVES = _executed("data-stage wavefronts of shared stores alone", _waves("_mem_shared_op_st"), _SHARED)
SH_ATOM_WAVES = _executed("data-stage wavefronts of shared atomics", _waves("_mem_shared_op_atom"), _SHARED)
SH_ASYNC_WAVES = _executed(
    "data-stage wavefronts of LDGSTS's writes to shared memory; of those that go past L1 only of zeros",
    _waves("_mem_shared_op_ldgsts"),
    _SHARED,
)
SH_PRODUCT_WAVES = _executed(
    "data-stage wavefronts of matrices that warpgroups multiply", _waves("_mem_shared_op_gmma"), _SHARED
)
SH_OTHER_WAVES = _executed(
    "data-stage wavefronts of shuffles, thread-index reads, barriers, accesses (global ones too) no lane takes part in",
    stages=_SHARED,
)
SH_LD_IDEAL = _executed("wavefronts without bank conflicts of shared loads")
SH_ST_IDEAL = _executed("wavefronts without bank conflicts of shared stores")
SH_ASYNC_IDEAL = _executed("wavefronts without bank conflicts of LDGSTS's writes")
LD_WAVES = _of_caches("data-stage wavefronts of global loads", stages=_DATA)
ST_WAVES = _executed("data-stage wavefronts of global stores", stages=_DATA)
LOCAL_WAVES = _executed(
    "data-stage wavefronts of local loads and stores; a line is one of the tag stage, too", stages=_DATA + _TAG
)
ATOM_WAVES = _executed("data-stage wavefronts of global atomics, values brought back included", stages=_DATA)
PREFETCH_WAVES = _executed("data-stage wavefronts of prefetches", stages=_DATA)

SHARED = _COUNTERS.of(Stage.SHARED)
"""Columns that are wavefronts of shared memory."""
DATA_STAGE = SHARED + _COUNTERS.of(Stage.DATA)
"""Columns that are wavefronts of L1's data stage."""
TAG_STAGE = _COUNTERS.of(Stage.TAG)
"""Columns that are wavefronts of L1's tag stage."""
_total(_waves(), *DATA_STAGE, before=_waves("_mem_shared_op_ld").name)
_total(_waves("_mem_shared"), *SHARED, before=_waves("_mem_shared_op_ld").name)
_total(_conflicts("ld"), SH_LD_WAVES, minus=(SH_LD_IDEAL,))
_total(_conflicts("st"), SH_ST_WAVES, minus=(SH_ST_IDEAL,))
_total(_conflicts("ldgsts"), SH_ASYNC_WAVES, minus=(SH_ASYNC_IDEAL,))

# L2, of the half that is asked
L2_READ_REQ = _of_caches("requests to read from L2", _l2("request", "tex_op_read"))
L2_WRITE_REQ = _of_caches("requests to write to L2", _l2("request", "tex_op_write"))
L2_ATOM_REQ = _of_caches("requests of atomics to L2")
_total(_l2("request", "tex"), L2_READ_REQ, L2_WRITE_REQ, L2_ATOM_REQ, before=_l2("request", "tex_op_read").name)
L2_READ = _of_caches("sectors read from L2", _l2("sector", "tex_op_read"))
L2_WRITE = _of_caches("sectors written to L2", _l2("sector", "tex_op_write"))
L2_ATOM = _of_caches("sectors that atomics change in L2")
L2_ALL = L2_READ, L2_WRITE, L2_ATOM
"""Columns that are sectors asked of L2."""
_total(_l2("sector", "tex"), *L2_ALL, before=_l2("sector", "tex_op_read").name)
L2_MISS = _of_caches("sectors of L2 not in the half asked", _l2("sector", "tex_lookup_miss"))
_total(_l2("sector", "tex_lookup_hit"), *L2_ALL, minus=(L2_MISS,))
L2_READ_HIT = _of_caches("sectors read that the half asked holds", _l2("sector", "tex_op_read_lookup_hit"))
L2_READ_MISS = _of_caches(
    "sectors fetched because reads lack some, those that come along included", _l2("sector", "tex_op_read_lookup_miss")
)
# L2 takes every write: H200 and H100 count none that misses
_total(_l2("sector", "tex_op_write_lookup_hit"), L2_WRITE)
_total(_l2("sector", "tex_op_write_lookup_miss"))
FABRIC = _of_caches("sectors that cross between the halves of L2", _l2("sector", "ltcfabric"))
MERGED = _of_caches("sectors served by another SM's outstanding request")

# HBM
DRAM_READ = _of_caches("sectors read from HBM", MetricName("dram__bytes_read.sum", "byte"))
DRAM_WRITE = _of_caches("sectors written to HBM", MetricName("dram__bytes_write.sum", "byte"))

# The launch
BLOCKS = _executed("blocks of the launch")
WARPS = _executed("warps of the launch")

COUNTERS = tuple(_COUNTERS.rows)
"""What each column of ``counts`` is."""
N_COUNTS = len(COUNTERS)
EXECUTED = tuple(column for column, row in enumerate(COUNTERS) if row.executed)
"""Columns that follow from execution alone, whatever the caches do."""
METRICS = _COUNTERS.metrics()
"""Metrics that are sums of counters, as they are listed."""

# Loads and stores of each array.  IDEAL: sectors that would do for the words touched; BYTES: of the lanes' accesses
A_LD_REQ = _ARRAYS.add("requests of loads")
A_LD_SECTORS = _ARRAYS.add("sectors of loads")
A_LD_IDEAL = _ARRAYS.add("sectors that loads would need")
A_LD_BYTES = _ARRAYS.add("bytes that lanes load")
A_ST_REQ = _ARRAYS.add("requests of stores and atomics")  # these four in the order of those above
A_ST_SECTORS = _ARRAYS.add("sectors of stores and atomics")
A_ST_IDEAL = _ARRAYS.add("sectors that stores and atomics would need")
A_ST_BYTES = _ARRAYS.add("bytes that lanes store")
A_HIT = _ARRAYS.add("sectors found in L1", adds_up_to=(LD_HIT, TEX_HIT))
A_L2 = _ARRAYS.add("sectors asked of L2 or written to it", adds_up_to=L2_ALL)
A_HBM = _ARRAYS.add("sectors read from HBM because of it", adds_up_to=(DRAM_READ,))

# The same of each memory instruction
S_REQ = _SITES.add("requests")
S_SECTORS = _SITES.add("sectors")
S_IDEAL = _SITES.add("sectors that it would need")
S_HIT = _SITES.add("sectors found in L1", adds_up_to=(LD_HIT, TEX_HIT))
S_L2 = _SITES.add("sectors asked of L2 or written to it", adds_up_to=L2_ALL)
S_HBM = _SITES.add("sectors read from HBM because of it", adds_up_to=(DRAM_READ,))
S_WAVES = _SITES.add("wavefronts of the data stage")
S_WAVES_IDEAL = _SITES.add("what they would be without bank conflicts")

ARRAYS, SITES = tuple(_ARRAYS.rows), tuple(_SITES.rows)
"""What each column of ``arrays`` and of ``sites`` is."""
N_ARRAY_COUNTS, N_SITE_COUNTS = len(ARRAYS), len(SITES)
