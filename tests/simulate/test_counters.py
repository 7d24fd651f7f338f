"""The table of counters: what else is said of a counter follows from its row."""

import re
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim.catalogue import lookup
from gpusim.engine.state import counts as C
from gpusim.engine.state.counter_table import Counters, MetricName, Stage
from gpusim.simulate import count
from tests.engine.images import NAMES
from tests.kernels.run import prepare

ENGINE = Path(gpusim.__file__).parent / "engine"
LAUNCHES = {
    "matmul-tiled": {"M": 256, "N": 256, "K": 256, "T": 16},
    "reduce-shuffle": {"N": 100_000},
    "transpose-naive": {"M": 500, "N": 300},
}


@pytest.mark.parametrize(("prefix", "rows"), [("A_", C.ARRAYS), ("S_", C.SITES)])
def test_every_column_of_a_share_has_one_name(prefix, rows):
    columns = [value for name, value in vars(C).items() if name.startswith(prefix)]
    assert columns == list(range(len(rows)))


def test_columns_of_stores_are_in_the_order_of_those_of_loads():
    kinds = ("REQ", "SECTORS", "IDEAL", "BYTES")
    between = {vars(C)[f"A_ST_{kind}"] - vars(C)[f"A_LD_{kind}"] for kind in kinds}
    assert between == {C.A_ST_REQ - C.A_LD_REQ}


def test_every_counter_has_one_name():
    assert sorted(NAMES) == list(range(C.N_COUNTS))
    assert len({row.meaning for row in C.COUNTERS}) == C.N_COUNTS


def test_the_engine_counts_every_counter_and_no_other():
    sources = [path.read_text() for path in ENGINE.rglob("*.py") if path.parent.name != "state"]
    used = {name for text in sources for name in re.findall(r"\bC\.([A-Z]\w+)", text)}
    assert {name for name in used if name[:2] not in ("A_", "S_")} == {*NAMES.values()}


def test_columns_are_plain_ints():
    """numba folds these into the code; members of an IntEnum it would box."""
    assert {type(getattr(C, name)) for name in NAMES.values()} == {int}


def test_every_metric_of_the_table_is_in_a_profile():
    profile = gpusim.predict("copy", n=1000)
    listed = [name for name in profile.metrics if name in C.METRICS]
    assert listed == list(C.METRICS)
    assert {profile.metrics[name].unit for name in listed} == {metric.unit for metric in C.METRICS.values()}


@pytest.mark.parametrize("name", LAUNCHES)
def test_what_follows_from_execution_is_the_same_whatever_l2_holds(name):
    ready = prepare(lookup.get(name), LAUNCHES[name])
    cold = count(*ready, sample=False, keep_l2=True)
    warm = count(*ready, sample=False, l2=cold.l2)
    assert warm.total[C.DRAM_READ] < cold.total[C.DRAM_READ]
    executed = list(C.EXECUTED)
    np.testing.assert_array_equal(cold.total[executed], warm.total[executed])


def test_a_total_is_listed_before_its_parts():
    table = Counters()
    loads = table.executed("loads", MetricName("loads.sum", "inst"), (Stage.TAG,))
    hits = table.of_caches("hits", MetricName("hits.sum", "sector"))
    table.total(MetricName("all.sum", "inst"), loads, minus=(hits,), before="loads.sum")
    assert list(table.metrics()) == ["all.sum", "loads.sum", "hits.sum"]
    assert table.metrics()["all.sum"][:2] == ((loads,), (hits,))
    assert (table.of(Stage.TAG), [row.executed for row in table.rows]) == ((loads,), [True, False])


def test_a_metric_is_listed_once():
    table = Counters()
    table.executed("loads", MetricName("loads.sum", "inst"))
    with pytest.raises(ValueError, match="listed twice"):
        table.executed("loads again", MetricName("loads.sum", "inst"))
