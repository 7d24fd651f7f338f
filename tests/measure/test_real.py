"""On a machine with a GPU: does a kernel run there, compute what it should, and execute what is predicted?"""

import json
import shutil

import pytest

from gpusim.catalogue import lookup
from gpusim.cli import main
from gpusim.launches.profiling import record
from gpusim.launches.spec import DescribedLaunch
from gpusim.measure import MeasureError
from gpusim.measure.counters import PROFILER
from gpusim.measured import measurement
from gpusim.measured.comparison import rows

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("compiler")]
EXECUTED = (
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
)


@pytest.fixture(scope="module", autouse=True)
def gpu():
    """Skips where there is no GPU, and says what is missing."""
    from gpusim.measure.runtime import CupyRuntime

    try:
        CupyRuntime()
    except MeasureError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(
    "kernel", ["copy", "matmul-tiled", "softmax-online-bf16", "flash-attention-2", "reduce-shuffle"]
)
def test_outputs_are_those_of_the_reference(kernel, tmp_path):
    file = tmp_path / "m.json"
    assert main(["measure", kernel, "--runs", "0", "--repeats", "3", "--json", str(file)]) == 0
    (launch,) = measurement.read(file).launches
    assert launch.values == "match"
    assert all(seconds > 0 for seconds in launch.seconds)


def test_a_struct_is_passed_by_value(tmp_path):
    source, launches, file = (tmp_path / name for name in ("s.cu", "launches.json", "m.json"))
    source.write_text(
        'struct S { int a[3]; }; extern "C" __global__ void sum(S s, int* y) { *y = s.a[0] + s.a[1] + s.a[2]; }'
    )
    args = [{"bytes": "010000000200000004000000"}, {"buffer": "int32", "count": 1, "init": "zeros"}]
    launches.write_text(json.dumps([{"id": "a", "source": "s.cu", "grid": [1], "block": [1], "args": args}]))
    asked = ["measure", "--launches", str(launches), "--runs", "0", "--repeats", "1", "--outputs", "--json", str(file)]
    assert main(asked) == 0
    (launch,) = measurement.read(file).launches
    assert [*launch.outputs.values()] == [[7]]


@pytest.mark.skipif(shutil.which(PROFILER) is None, reason="needs Nsight Compute")
def test_what_is_executed_is_what_is_predicted(tmp_path):
    file = tmp_path / "m.json"
    assert main(["measure", "matmul-tiled", "--n", "512", "--runs", "1", "--json", str(file)]) == 0
    found = measurement.read(file)
    if not found.device.gpu or not found.profiler:
        pytest.skip("the GPU is not known here, or counters are not permitted")
    predicted = record(DescribedLaunch.of(lookup.get("matmul-tiled"), {"n": 512}), found.device.gpu)["metrics"]
    errors = {row.metric: row.error for row in rows(predicted, found.launches[0])}
    assert {metric: errors[metric] for metric in EXECUTED} == dict.fromkeys(EXECUTED, 0)
