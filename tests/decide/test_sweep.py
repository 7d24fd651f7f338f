"""A sweep has a row for every point: the same wherever it is predicted, and one that fails leaves the others alone."""

import json
import math
import os
import signal
import threading
import time

import pandas as pd
import pytest

import gpusim
from gpusim.cli import main
from gpusim.decide.sweep import MOST_SHOWN
from gpusim.errors import GpusimError, LackingError
from gpusim.frontends.described import predict
from gpusim.launches.side_by_side import side_by_side

SCALE = """\
__global__ void scale(const float* x, float* y, int n) {
#if PER == 3
    this does not compile
#endif
    int i = (blockIdx.x * TILE + threadIdx.x) * PER;
    for (int k = 0; k < PER; ++k)
        if (i + k < n) y[i + k] = 2 * x[i + k];
}
"""
LAUNCH = {"grid": "ceildiv(n,TILE*PER)", "block": "TILE", "args": {"n": 4096, "x": "normal:n", "y": "zeros:n"}}


def test_a_row_is_what_predict_gives():
    found = gpusim.sweep("matmul-tiled", {"tile": [8, 16]}, ["h200", "a100-40gb"], n=64)
    assert [(row.gpu, row.point) for row in found.rows] == [
        (gpu, {"tile": tile}) for gpu in ("h200", "a100-40gb") for tile in (8, 16)
    ]
    for row in found.rows:
        alone = predict("matmul-tiled", row.gpu, n=64, **row.point)
        assert row.profile.metrics == alone.metrics


def test_the_frame_is_tidy():
    frame = gpusim.sweep("matmul-tiled", {"tile": [8, 16]}, ["h200", "a100-40gb"], n=64).to_dataframe()
    assert list(frame.columns[:5]) == ["kernel", "gpu", "tile", "error", "claim"]
    assert len(frame) == 4
    cycles = "gpc__cycles_elapsed.max"
    known = frame[frame.gpu == "h200"]
    assert (known[f"{cycles}.low"] < known[f"{cycles}.high"]).all()
    assert frame[frame.gpu == "a100-40gb"][f"{cycles}.low"].isna().all()  # no interval is known there
    assert (frame.dram_bytes_read == frame["dram__bytes_read.sum"]).all()


def test_points_that_cannot_be_launched_are_rows_too():
    found = gpusim.sweep("copy", {"B": [64, 4096]}, N=4096)
    assert [bool(row.error) for row in found.rows] == [False, True]
    assert "B threads must fit a block" in found.failed[0].error
    assert "Not predicted: 1." in repr(found)
    assert "B=4096 on h200" in repr(found)


def test_chains_and_kernels_stand_in_one_table():
    frame = gpusim.sweep(["copy", "softmax-online"]).to_dataframe()
    assert list(frame.kernel) == ["copy", "softmax-online"]
    chain = gpusim.sweep("attention-standard", {"N": [64, 128]}).to_dataframe()
    assert (chain.seconds > 0).all()
    assert (chain.dram_bytes_read > 0).all()


def test_a_description_of_ones_own_is_predicted_here(monkeypatch):
    from gpusim.catalogue import lookup

    kernel = lookup.get("copy").kernel
    found = gpusim.sweep(kernel, {"B": [64, 128]}, N=4096)
    assert [row.profile.block[0] for row in found.rows] == [64, 128]


@pytest.mark.long
def test_long_sweeps_show_the_fastest():
    found = gpusim.sweep("copy", {"N": range(1024, 1024 + MOST_SHOWN + 5)})
    assert f"the {MOST_SHOWN} fastest of {MOST_SHOWN + 5}" in repr(found)


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_macros_of_a_source_are_swept_and_what_does_not_compile_is_a_row(tmp_path):
    source = tmp_path / "scale.cu"
    source.write_text(SCALE)
    found = gpusim.sweep(source, {"TILE": [32, 64], "PER": [1, 2, 3]}, where=["TILE*PER <= 128"], launch=LAUNCH)
    good = {(row.point["TILE"], row.point["PER"]): row.profile for row in found.rows if row.profile}
    assert set(good) == {(32, 1), (32, 2), (64, 1), (64, 2)}
    assert {(tile, per): profile.grid[0] for (tile, per), profile in good.items()} == {
        (tile, per): 4096 // (tile * per) for tile, per in good
    }
    assert {row.point["PER"] for row in found.failed} == {3}
    assert all("does not compile" in row.error for row in found.failed)


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("n", "n is an argument"),
        ("PRE", "unknown macro of scale.cu 'PRE': did you mean PER"),
        ("rank", "a column of the table is called so"),
        ("a b", "no name of a macro"),
    ],
)
def test_names_that_are_no_macros(name, says, tmp_path):
    source = tmp_path / "scale.cu"
    source.write_text(SCALE)
    launch = {"grid": 16, "block": 64, "args": LAUNCH["args"]}
    with pytest.raises(GpusimError, match=says):
        gpusim.sweep(source, {name: [1, 2]}, launch=launch)


@pytest.mark.usefixtures("compiler")
def test_the_table_of_a_source_tells_its_macros(tmp_path):
    source = tmp_path / "scale.cu"
    source.write_text(SCALE)
    found = gpusim.sweep(source, {"TILE": [32, 64], "PER": [1, 2]}, launch=LAUNCH)
    assert [row.profile.params["PER"] for row in found.rows] == [1, 2, 1, 2]
    assert {"TILE", "PER"} <= set(repr(found).split())


@pytest.mark.parametrize(
    "wrong",
    [
        {"over": {"B": 8}}, {"over": [8]}, {"gpu": []}, {"gpu": None}, {"over": {"B": [8]}, "where": "B > 1"},
        {"over": {"N": [128]}, "N": 64}, {"quick": True}, {"over": {"B": [[64]]}}, {"over": {"B": [None]}},
        {"over": {"B": [math.nan]}}, {"over": {"B": [True]}}, {"over": {"B": b"ab"}}, {"over": {5: [64]}}, {"where": 5},
        {"where": None}, {"cache": "lukewarm"}, {"cache": 5}, {"sample": "much"}, {"fresh": "yes"}, {"jobs": "two"},
        {"jobs": 0}, {"progress": 5}, {"launch": 5}, {"launch": {"grd": 5}}, {"folders": 5}, {"gpu": ["h200", 5]},
    ],
)  # fmt: skip
def test_what_is_wrong_in_python_is_an_error_of_ours(wrong):
    with pytest.raises(GpusimError):
        gpusim.sweep("copy", **wrong)


def test_a_word_on_a_launch_that_is_not_known_is_named():
    with pytest.raises(GpusimError, match="unknown word on a launch 'blok': did you mean block"):
        gpusim.sweep("scale.cu", {"A": [1]}, launch={"grid": 5, "blok": 5})


@pytest.mark.parametrize("wrong", [{"y": 5}, {"y": "kernel"}, {"x": 5}, {"ax": 5}])
def test_what_cannot_be_drawn_is_an_error_of_ours(wrong):
    found = gpusim.sweep("copy", {"B": [64, 128]}, N=4096)
    with pytest.raises(GpusimError):
        found.plot(**wrong)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "needs a kernel"),
        (["nothere"], "unknown kernel 'nothere'"),
        (["copy", "--Q", "4"], "unknown parameter of copy 'Q'"),
        (["copy", "--over", "Q=4"], "unknown parameter of copy 'Q'"),
        (["copy", "--over", "B=64", "--B", "32"], "B has values already"),
        (["copy", "--over", "B=64", "--where", "B > 100"], "the space is empty"),
        (["copy", "--over", "B=64", "--where", "C > 100"], "C has no value here"),
        (["copy", "--grid", "4"], "--grid is for a CUDA source"),
        (["none.cu", "--over", "A=1"], "--grid is missing"),
        (["copy", "--over", "B=4096"], "of 1 points none could be predicted"),
        (["matmul-tiled", "--n", "64", "--over", "T=8", "--over", "tile=16"], "T and tile set the same"),
        (["copy", "--over", "B=64,128", "--where", "1/(B-64) > 0"], "divides by 0 (at B=64)"),
        (["copy", "--csv", "-", "--json", "-"], "--csv and --json name the same file"),
        (["copy", "--plot", "a.nothing"], "a picture's name ends in .png, .svg or .pdf"),
        (["copy", "--dask", "tcp://127.0.0.1:9"], "no scheduler answers there"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words, says, capsys, monkeypatch, tmp_path):
    from gpusim.decide import dask

    monkeypatch.setattr(dask, "PATIENCE_S", 0.5)
    monkeypatch.chdir(tmp_path)
    assert main(["sweep", *words]) in (1, 2)
    found = capsys.readouterr()
    assert says in found.err
    assert "Traceback" not in found.err
    assert list(tmp_path.iterdir()) == []


def test_files_have_every_row(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["copy", "--N", "1024,4096", "--over", "B=64..256*2"]
    written = ["--csv", "a.csv", "--parquet", "a.parquet", "--json", "a.json", "--plot", "a.png"]
    assert main(["sweep", *words, *written]) == 0
    frames = [pd.read_csv("a.csv"), pd.read_parquet("a.parquet")]
    assert [len(frame) for frame in frames] == [6, 6]
    assert list(frames[0].columns) == list(frames[1].columns)
    assert len(json.loads((tmp_path / "a.json").read_text())["profiles"]) == 6
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_a_figure_has_a_line_for_each_combination():
    found = gpusim.sweep("copy", {"N": [1024, 4096], "B": [64, 128, 256]})
    axes = found.plot("dram_bytes_read", x="B")
    assert sorted(line.get_label() for line in axes.get_lines()) == ["N=1024", "N=4096"]
    with pytest.raises(GpusimError, match="unknown column"):
        found.plot("dram_bytes_rea")


# ---------------------------------------------------------------- on a cluster


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None, silence_logs=50) as found:
        yield found


def kill_one_when(cluster, is_time):
    """Kill a worker once it is time."""

    def wait():
        while not is_time():
            time.sleep(0.05)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


@pytest.mark.parametrize("count", [pytest.param(6, marks=pytest.mark.slow), pytest.param(50, marks=pytest.mark.long)])
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_is_killed_costs_its_points_and_nothing_else(cluster, count):
    from gpusim.decide import dask

    over = {"N": range(1024, 1024 * (count + 1), 1024), "B": [32, 64, 128, 256]}
    told = []
    kill_one_when(cluster, lambda: len(told) > 2)
    with dask.cluster(cluster.scheduler_address):
        there = gpusim.sweep("copy", over, progress=lambda *one: told.append(one))
    assert len(there.rows) == 4 * count
    assert not there.failed
    here = gpusim.sweep("copy", over)
    pd.testing.assert_frame_equal(there.to_dataframe(), here.to_dataframe())


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_call_that_ends_every_worker_is_an_error_and_the_others_go_on(cluster):
    from gpusim.decide import dask

    def fatal(number):
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with dask.cluster(cluster.scheduler_address):
        found = dict(side_by_side(fatal, [{"number": number} for number in range(4)], 1))
    assert {number: found[number] for number in (0, 2, 3)} == {0: 0, 2: 2, 3: 3}
    assert isinstance(found[1], GpusimError)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_gone_is_said(cluster):
    from gpusim.decide import dask

    def slow(number):
        time.sleep(0.5)
        return number

    calls = side_by_side(slow, [{"number": number} for number in range(40)], 1)
    with dask.cluster(cluster.scheduler_address):
        next(calls)
        cluster.close()
        with pytest.raises(LackingError, match="the Dask scheduler is gone"):
            list(calls)
