"""What does somebody see who measures: on a machine with a GPU (a stand-in here), and on one without?"""

import json
import sys
from pathlib import Path

import pytest

from gpusim.cli import main
from gpusim.cli.measure import _specs
from gpusim.measure import counters, session
from gpusim.measured import measurement
from tests.measure.standin import StandIn, starting

SINGLE = {"--kernel": None, "--grid": None, "--block": None, "--dynamic-shared": None, "--arg": None, "-D": None,
          "-I": None, "--option": None}  # fmt: skip


def wanted(*words, launches=None, only=None, scenario=None, **single):
    given = SINGLE | {f"--{name.replace('_', '-')}": value for name, value in single.items()}
    return list(_specs(words, launches, only, scenario, (), given))


@pytest.fixture
def gpu(monkeypatch, compiler):
    """A stand-in for the GPU, with no profiler."""
    runtime = StandIn()
    monkeypatch.setattr(session, "start", lambda job, limit: starting(runtime)(job))
    monkeypatch.setattr(counters, "version", lambda: "")
    return runtime


def test_a_kernel_is_timed_and_its_outputs_checked(gpu, capsys, tmp_path):
    file = tmp_path / "m.json"
    assert main(["measure", "copy", "--N", "100,200", "--repeats", "3", "--json", str(file)]) == 0
    shown = capsys.readouterr()
    assert [line.split()[-1] for line in shown.out.splitlines() if line.startswith("copy N=")] == ["match", "match"]
    assert "no counters: ncu is not on the PATH" in shown.err
    found = measurement.read(file)
    assert [launch.launch["params"]["N"] for launch in found.launches] == [100, 200]
    assert found.launches[0].seconds == [1e-5, 1.1e-5, 1.2e-5]
    assert found.profiler == ""


def test_what_was_measured_can_be_compared(gpu, capsys, tmp_path):
    file = str(tmp_path / "m.json")
    assert main(["measure", "copy", "--N", "100", "--repeats", "3", "--runs", "0", "--json", file]) == 0
    assert main(["compare", file]) == 0
    assert "time_beyond_empty_launch" in capsys.readouterr().out


def test_json_on_standard_output_is_all_there_is(gpu, capsys):
    assert main(["measure", "copy", "--N", "64", "--runs", "0", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "gpusim measurement"


def test_where_nothing_can_be_measured_the_file_is_kept_and_the_status_is_2(gpu, capsys, tmp_path):
    gpu._breaks_at = "copy_words"
    assert main(["measure", "copy", "--N", "64", "--runs", "0"]) == 2
    assert "none of 1 launches could be measured: failed on the device" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no kernel is named"),
        (["copie"], "unknown kernel 'copie'"),
        (["copy", "--size", "4"], "unknown parameter of copy 'size'"),
        (["copy", "--grid", "4"], "--grid is for a CUDA source"),
        (["mine.cu", "--block", "32"], "--grid is missing: measure needs X,Y,Z"),
        (["mine.cu", "--n", "4"], "measure knows no --n for a CUDA source"),
        (["--launches", "none.json"], "none.json: cannot be read: No such file"),
        (["copy", "--launches", "none.json"], "a kernel is for a single launch"),
        (["copy", "--only", "c*"], "--only is for launch files"),
        (["--scenario", "tilling"], "unknown scenario 'tilling'"),
        (["--scenario", "tiling", "--launches", "x.json"], "exclude each other"),
        (["copy", "--json", "nowhere/m.json"], "there is no folder nowhere"),
    ],
)
def test_a_wrong_request_is_refused_in_a_line(capsys, tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    assert main(["measure", *words]) == 2
    complaint = capsys.readouterr().err
    assert says in complaint
    assert complaint.count("\n") == 1


def test_without_cupy_it_says_what_to_install(capsys, tmp_path, monkeypatch):
    without = tmp_path / "cupy"
    without.mkdir()
    (without / "__init__.py").write_text("raise ImportError('No module named cupy')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["measure", "copy", "--json", str(tmp_path / "m.json")]) == 2
    assert "measuring needs CuPy (No module named cupy): pip install 'gpusim[gpu-cu13]'" in capsys.readouterr().err
    assert not (tmp_path / "m.json").exists()


CUPY = """
class cuda:
    class runtime:
        class CUDARuntimeError(RuntimeError):
            status = {status}
        driverGetVersion = staticmethod(lambda: {driver})
        runtimeGetVersion = staticmethod(lambda: 13000)
        @staticmethod
        def getDeviceProperties(number):
            raise cuda.runtime.CUDARuntimeError("cudaErrorSomething")
"""


@pytest.mark.parametrize(
    ("status", "driver", "says"),
    [
        (35, 0, "no NVIDIA driver on"),
        (
            35,
            12040,
            "CuPy is built for CUDA 13.0, the driver here knows CUDA up to 12.4: pip install 'gpusim[gpu-cu12]'",
        ),
        (100, 13000, "CUDA shows no GPU here: is CUDA_VISIBLE_DEVICES set to none?"),
        (999, 13000, "CUDA shows no GPU here: cudaErrorSomething"),
    ],
)
def test_without_a_gpu_it_says_why(capsys, tmp_path, monkeypatch, status, driver, says):
    (tmp_path / "cupy.py").write_text(CUPY.format(status=status, driver=driver))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["measure", "copy"]) == 2
    assert says in capsys.readouterr().err


# ---------------------------------------------------------------- what is launched


def test_every_combination_of_parameters_is_a_launch():
    found = wanted("matmul-tiled", "--n", "64,128", "--tile", "8,16")
    assert [(spec.params["N"], spec.params["T"]) for spec in found] == [(64, 8), (64, 16), (128, 8), (128, 16)]


def test_a_chain_is_its_steps():
    found = wanted("attention-standard", "--H", "1", "--N", "64")
    assert [spec.kernel for spec in found] == ["attention-scores", "softmax-online", "matmul-batched-nn"]


def test_a_parameter_called_like_an_option_is_the_kernels():
    (sin, *_) = wanted("sin2cos2-unfused", "--N", "64", block="32")
    assert sin.block == (32, 1, 1)


def test_a_scenario_is_what_it_predicts(capsys):
    found = wanted(scenario="bank-conflicts")
    assert {spec.kernel for spec in found} == {"transpose-naive", "transpose-shared", "transpose-padded"}
    assert "padded" in capsys.readouterr().out


@pytest.mark.long
def test_the_launches_that_come_with_gpusim_are_one_file():
    file = Path(measurement.__file__).parents[1] / "data" / "launches.json"
    found = wanted(launches=file)
    assert [spec.id for spec in found] == [
        launch.id for launch in measurement.read(measurement.shipped("h200")).launches
    ]
    assert wanted(launches=file, only="matmul-naive*") == [spec for spec in found if spec.kernel == "matmul-naive"]


def test_nothing_of_cupy_is_imported_here():
    assert "cupy" not in sys.modules
