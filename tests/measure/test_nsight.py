"""Is what Nsight Compute writes read as it is meant, and refused in a line where it cannot be?"""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpusim.measured import nsight

DATA = Path(__file__).parent / "data"
HEAD = '"ID","Kernel Name","Block Size","Grid Size"'
LAUNCH = '"0","k","(32, 1, 1)","(4, 1, 1)"'


def raw(metric, unit, value):
    return f'{HEAD},"{metric}"\n"","","","","{unit}"\n{LAUNCH},"{value}"\n'


@pytest.mark.parametrize("file", ["raw.csv", "long.csv"])
def test_both_forms_of_a_recorded_profile_say_the_same(file):
    first, second = nsight.read(DATA / file)
    assert (first.kernel, second.kernel) == (
        "cupy_arange__float_float_float32",
        "cupy_multiply__float32_float_float32",
    )
    assert (second.grid, second.block) == ((8192, 1, 1), (128, 1, 1))
    assert second.metrics["smsp__inst_executed.sum"] == 1507328
    assert second.metrics["gpu__time_duration.sum"] == pytest.approx(7e-6, rel=0.15)
    assert second.units["gpu__time_duration.sum"] == "s"
    assert second.metrics["dram__bytes_read.sum"] == pytest.approx(4.19e6, rel=0.01)


def test_what_is_no_number_is_left_out():
    first, _ = nsight.read(DATA / "raw.csv")
    assert "launch__func_cache_config" not in first.metrics
    assert first.metrics["launch__registers_per_thread"] == 18


@pytest.mark.parametrize(
    ("metric", "unit", "text", "value"),
    [
        ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", "1,024", 1024),
        ("dram__bytes_write.sum", "Mbyte", "1.5", 1.5e6),
        ("gpu__time_duration.sum", "msecond", "0.25", 2.5e-4),
        ("gpu__time_duration.sum", "us", "3", 3e-6),
        ("gpc__cycles_elapsed.avg.per_second", "Ghz", "1.98", 1.98e9),
        ("dram__bytes_read.sum.per_second", "Gbyte/second", "3.2", 3.2e9),
        ("launch__shared_mem_per_block_static", "Kbyte/block", "4.1", 4100),
    ],
)
def test_values_come_in_base_units(metric, unit, text, value):
    (launch,) = nsight.parse(raw(metric, unit, text), "x.csv")
    assert launch.metrics == {metric: pytest.approx(value)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "x.csv: not what ncu --csv prints"),
        ("==ERROR== ERR_NVGPUCTRPERM - no permission", "ERR_NVGPUCTRPERM"),
        (raw("dram__bytes_read.sum", "sector", "7"), "dram__bytes_read.sum is in 'sector', not in byte"),
        (raw("gpu__time_duration.sum", "", "7"), "'no unit', not in s"),
        (raw("dram__bytes_read.sum", "Kbyte²", "7"), "'Kbyte²', which is no unit known here"),
        (raw("Elapsed Cycles", "cycle", "7"), "no metric like dram__bytes_read.sum"),
        (f'{HEAD},"dram__bytes_read.sum"\n{LAUNCH},"7"\n', "the row of units is missing"),
        (
            '"ID","Grid Size","dram__bytes_read.sum"\n"","",""\n"0","(1, 1, 1)","4"\n',
            "x.csv: the columns Kernel Name, Block Size and Grid Size are needed",
        ),
        (raw("dram__bytes_read.sum", "byte", "7").replace("(4, 1, 1)", "four"), "x.csv, line 3: Grid Size and Block"),
        (
            f'==PROF== x\n{raw("dram__bytes_read.sum", "byte", "7")}"1","k","(32,',
            "x.csv, line 5: no CSV: unexpected end",
        ),
        (f'{raw("dram__bytes_read.sum", "byte", "7")}"1","k"\n', "x.csv, line 4: 2 columns, not 5 as headings"),
        (raw("dram__bytes_read.sum", "byte", "7").replace('"ID",', '"ID"x,'), "x.csv, line 1: no CSV: ',' expected"),
        (f"{HEAD}\n", "no metric like"),
    ],
)
def test_what_cannot_be_understood_is_refused_in_a_line(text, says):
    with pytest.raises(nsight.NsightError) as caught:
        nsight.parse(text, "x.csv")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_profile_whose_metrics_have_other_names_is_told_how_to_have_theirs():
    with pytest.raises(nsight.NsightError, match="use ncu --csv --page raw"):
        nsight.read(DATA / "details.csv")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(nsight.NsightError, match="No such file"):
        nsight.read(tmp_path / "none.csv")


def test_a_report_without_its_reader_says_where_that_is(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    with pytest.raises(nsight.NsightError, match=r"extras/python.*ncu --import mine\.ncu-rep --csv --page raw"):
        nsight.read(tmp_path / "mine.ncu-rep")


def report(*actions):
    """As NVIDIA's reader presents a report: ranges of actions."""
    part = SimpleNamespace(num_actions=lambda: len(actions), action_by_idx=lambda n: actions[n])
    return SimpleNamespace(num_ranges=lambda: 1, range_by_idx=lambda n: part)


def action(name, **metrics):
    def metric(key):
        value, unit = metrics[key]
        told = {"as_uint64": value, "as_double": 0.0 if isinstance(value, str) else float(value), "unit": unit}
        return SimpleNamespace(as_string=lambda: str(value), **{name: lambda v=v: v for name, v in told.items()})

    return SimpleNamespace(name=lambda: name, metric_names=lambda: tuple(metrics), metric_by_name=metric)


def test_a_report_is_read_by_its_reader(monkeypatch, tmp_path):
    sizes = {f"launch__{what}_dim_{axis}": (n, "") for n, axis in enumerate("xyz", 1) for what in ("grid", "block")}
    loaded = report(action("k", **sizes, gpu__time_duration=(1, ""), dram__bytes=(4, "Kbyte")))
    monkeypatch.setitem(sys.modules, "ncu_report", SimpleNamespace(load_report=lambda path: loaded))
    file = tmp_path / "mine.ncu-rep"
    file.touch()
    (launch,) = nsight.read(file)
    assert (launch.kernel, launch.grid, launch.block) == ("k", (1, 2, 3), (1, 2, 3))
    assert launch.metrics["dram__bytes"] == 4000


def test_a_report_says_on_which_gpu_it_was_profiled(monkeypatch, tmp_path):
    sizes = {f"launch__{what}_dim_{axis}": (1, "") for axis in "xyz" for what in ("grid", "block")}
    about = {"display_name": "NVIDIA H200", "multiprocessor_count": 132, "compute_capability_major": 9}
    about = {f"device__attribute_{name}": (value, "") for name, value in about.items()}
    whole = about | {"device__attribute_compute_capability_minor": (0, "")}
    loaded = report(action("k", **sizes, **whole), action("k", **sizes))
    monkeypatch.setitem(sys.modules, "ncu_report", SimpleNamespace(load_report=lambda path: loaded))
    (tmp_path / "mine.ncu-rep").touch()
    found = [(one.device, one.capability, one.sm_count) for one in nsight.read(tmp_path / "mine.ncu-rep")]
    assert found == [("NVIDIA H200", "9.0", 132), ("", "", None)]


def test_a_recorded_profile_says_its_compute_capability():
    assert {launch.capability for launch in nsight.read(DATA / "raw.csv")} == {"9.0"}
