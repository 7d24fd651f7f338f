"""``gpusim profile``, all the way through: what a user sees, what is written, and what is refused how."""

import json

import pytest

from gpusim.cli import main
from gpusim.cuda import nvrtc, toolchain
from tests.profile.running import SAXPY

pytestmark = pytest.mark.usefixtures("compiler", "sources")

ARGUMENTS = "--arg int32:1024 --arg float32:2 --arg float32:normal:1024 --arg float32:normal:1024"
SHAPE = "--grid 4 --block 256"
GOOD = f"saxpy.cu {SHAPE} {ARGUMENTS}"
TEXTS = {
    "saxpy.cu": SAXPY,
    "two.cu": f"{SAXPY}__global__ void other(int* x) {{ *x = 1; }}\n",
    "template.cu": "template <int N, int M> __global__ void fill(float* x) { x[threadIdx.x] = N * M; }\n",
    "broken.cu": "__global__ void k(float* x) {\n    x[0] = y;\n}\n",
    "endless.cu": "__global__ void spin(volatile int* x) { while (x[0] == 0) {} }\n",
    "odd.cu": "__global__ void odd(char* x) {\n    *(float*)(x + 2) = 1;\n}\n",
    "macro.cu": '#include "size.h"\n__global__ void k(int* x) { x[threadIdx.x] = SIZE + MORE; }\n',
    "struct.cu": "struct P { float a; int b; };\n__global__ void k(P p, float* x) { x[threadIdx.x] = p.a * p.b; }\n",
    "warns.cu": "__global__ void k(int* x) { int unused = 3; x[0] = 1; }\n",
}


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A folder with every source, which is the current one."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers/size.h").write_text("#define SIZE 3\n")
    return tmp_path


def profile(command):
    return main(["profile", *command.split()])


def complaint(capsys):
    """The one line that is not progress."""
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.endswith(" ...")]
    assert len(lines) == 1, lines
    assert lines[0].startswith("gpusim: ")
    return lines[0]


# ------------------------------------------------------------------ one launch


def test_a_source_that_comes_with_gpusim_is_found_by_its_name(capsys):
    arrays = [*["float16:normal:12800"] * 3, "float16:zeros:12800", "float32:zeros:200"]
    arguments = " ".join(f"--arg {text}" for text in ["int32:200", "float32:0.125", *arrays])
    launch = "--kernel fa2_d64 --grid 2 --block 128 --dynamic-shared 49152"
    assert profile(f"flash_attention_2_mma.cu {launch} {arguments}") == 0
    assert "fa2_d64  N=200 scale=0.125" in capsys.readouterr().out


def test_a_table_of_one_launch(capsys):
    assert profile(GOOD) == 0
    text = capsys.readouterr().out
    assert text.startswith("saxpy  n=1024 a=2.0  on h200  cold caches\ngrid 4 of 256 threads")
    assert "HBM reads 11.0 kB" in text
    assert "textbook" not in text
    assert max(map(len, text.splitlines())) <= 100


def test_json_of_one_launch(sources, capsys):
    assert profile(f"{GOOD} --json out.json") == 0
    (written,) = json.loads((sources / "out.json").read_text())["profiles"]
    assert written["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]["value"] == 256
    assert written["derived"]["local_load_bytes"] == 0
    capsys.readouterr()
    assert profile(f"{GOOD} --json -") == 0
    assert json.loads(capsys.readouterr().out)["profiles"][0]["kernel"] == "saxpy"


def test_several_gpus_are_rows(capsys):
    assert profile(f"{GOOD} --gpu h200,a100-40gb --exact --cache warm") == 0
    text = capsys.readouterr().out
    assert [line.split()[0] for line in text.splitlines()[4:6]] == ["h200", "a100-40gb"]
    assert "warm caches" in text


@pytest.mark.parametrize(
    "command",
    [
        f"two.cu --kernel saxpy {SHAPE} {ARGUMENTS}",
        "template.cu --kernel fill<4,8> --grid 1 --block 32 --arg float32:zeros:32",
        "macro.cu -I headers -D MORE=2 --grid 1 --block 32 --arg int32:zeros:32",
        "macro.cu -Iheaders -DMORE --grid 1,1,1 --block 8,4 --arg int32:zeros:32",
        "macro.cu --option=-Iheaders --option=-DMORE=1 --grid 1 --block 32 --arg int32:zeros:32",
        "struct.cu --grid 1 --block 32 --arg bytes:0000803f02000000 --arg float32:zeros:32",
        f"{GOOD} --dynamic-shared 1000 --seed 3 --limit 1000000 --seconds-per-launch 60 --sample",
    ],
)
def test_what_can_be_asked_for(command, capsys):
    assert profile(command) == 0, capsys.readouterr().err


def test_warnings_of_the_compiler_are_shown(capsys):
    assert profile("warns.cu --grid 1 --block 1 --arg int32:zeros:1") == 0
    assert 'variable "unused" was declared but never referenced' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("", "FILE is missing"),
        ("saxpy.cu --grid 4", "--block is missing"),
        ("none.cu --grid 4 --block 256", "none.cu: cannot be read: No such file"),
        ("headers --grid 4 --block 256", "headers: cannot be read"),
        (f"two.cu {SHAPE} {ARGUMENTS}", "two.cu has 2 kernels, name one: "),
        (f"saxpy.cu --kernel sax {SHAPE}", "has no kernel 'sax': did you mean saxpy?"),
        ("template.cu --grid 1 --block 32", "has only templates, name an instance: fill<int N, int M>"),
        ("template.cu --kernel fill<x> --grid 1 --block 32", "has no kernel 'fill<x>'"),
        (f"saxpy.cu {SHAPE}", "saxpy takes 4 arguments (int n, float a, const float* x, float* y), not 0"),
        (GOOD.replace("float32:2", "int32:2"), "it is saxpy(int n, float a, const float* x, float* y)"),
        (GOOD.replace("float32:normal", "float64:normal"), "points to float, but an array of float64 is given"),
        (GOOD.replace("float32:2", "float:2"), "unknown element type in --arg float:2 'float'"),
        (GOOD.replace("--grid 4", "--grid 4,x"), "--grid 4,x: one to three whole numbers are needed"),
        (GOOD.replace("--grid 4", "--grid 1,2,3,4"), "--grid 1,2,3,4: one to three whole numbers are needed"),
        (GOOD.replace("--grid 4", "--grid 1,70000"), "grid.y = 70000: a grid has 1 to 65535 in y"),
        (GOOD.replace("--block 256", "--block 2048"), "block.x = 2048: a block has 1 to 1024 in x"),
        (f"{GOOD} --dynamic-shared 300000", "at most 232448 bytes fit"),
        (f"{GOOD} --dynamic-shared=-1", "greater than or equal to 0"),
        (GOOD.replace("--grid 4", "--grid 8").replace("int32:1024", "int32:2048"), "out of bounds: address 0x1"),
        (
            "odd.cu --grid 1 --block 32 --arg uint8:zeros:64",
            "gpusim: odd.cu:2: odd: thread (0, 0, 0)",
        ),
        ("endless.cu --grid 1 --block 32 --arg int32:zeros:1 --limit 9999", "9999 warp instructions"),
        pytest.param(
            "endless.cu --grid 1 --block 32 --arg int32:zeros:1 --seconds-per-launch 0.1",
            "given up after 0.1 s",
            marks=pytest.mark.long,
        ),
        (f"{GOOD} --gpu h20", "unknown GPU 'h20'"),
        (f"{GOOD} --option=--bogus", "unrecognized option --bogus"),
        (f"{GOOD} --option=-arch=sm_80", "must be left out"),
        (f"{GOOD} -I nowhere", "include folder 'nowhere' does not exist"),
        (f"{GOOD} -D 3=4", "'3' cannot be the name of a macro"),
        (f"{GOOD} --json nowhere/out.json", "there is no folder nowhere"),
        (f"{GOOD} --only x", "--only is for launch files"),
        (f"{GOOD} --jobs 0", "greater than or equal to 1"),
        (f"{GOOD} --tile 32", "No such option"),
    ],
)
def test_what_is_wrong_is_one_line_and_status_2(sources, capsys, command, says):
    before = sorted(sources.iterdir())
    assert profile(f"{command} --json out.json" if "--json" not in command else command) == 2
    assert says in complaint(capsys)
    assert sorted(sources.iterdir()) == before


def test_what_a_compiler_wrote_is_shown_as_it_wrote_it(capsys):
    assert profile("broken.cu --grid 1 --block 1 --arg float32:zeros:1") == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("gpusim: broken.cu does not compile for sm_90")
    assert lines[1].startswith('broken.cu(2): error: identifier "y" is undefined')
    assert lines[2:4] == ["      x[0] = y;", "             ^"]


def test_without_a_compiler_the_command_that_installs_it_is_named(monkeypatch, capsys):
    monkeypatch.setattr(toolchain, "kits", list)
    monkeypatch.setattr(nvrtc, "identity", toolchain.nvrtc)
    assert profile(GOOD) == 2
    assert "NVRTC, the CUDA compiler, is not installed: pip install 'gpusim[cuda]'" in complaint(capsys)


def test_without_a_disassembler_no_launch_of_a_file_is_tried(sources, monkeypatch, capsys):
    launch_file(sources)
    monkeypatch.setattr(toolchain, "kits", list)
    monkeypatch.setenv("PATH", "")
    assert profile("--launches sub/launches.json --json out.json") == 2
    assert "nvdisasm, the CUDA disassembler, is not installed: pip install 'gpusim[cuda]'" in complaint(capsys)
    assert not (sources / "out.json").exists()


# ------------------------------------------------------------------ a launch file

ENTRY = {
    "id": "good",
    "source": "saxpy.cu",
    "grid": [4],
    "block": [256],
    "args": [{"int32": 1024}, {"float32": 2}, *[{"buffer": "float32", "count": 1024, "init": "normal"}] * 2],
}


def launch_file(sources, **changes):
    """A launch file with a good launch and others that differ from it, each by one key."""
    entries = [ENTRY, *({**ENTRY, "id": name, **change} for name, change in changes.items())]
    (sources / "sub").mkdir()
    for name in TEXTS:
        (sources / name).rename(sources / "sub" / name)
    (sources / "sub/launches.json").write_text(json.dumps(entries))


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_failing_launch_is_recorded_and_the_rest_go_on(sources, capsys, jobs):
    launch_file(
        sources, broken={"source": "broken.cu"}, none={"source": "none.cu"}, few={"args": []}, last={"grid": [2]}
    )
    assert profile(f"--launches sub/launches.json --gpu h200 --json out.json --jobs {jobs}") == 0
    written = json.loads((sources / "out.json").read_text())
    assert written["gpu"] == "h200"
    records = {record["id"]: record for record in written["launches"]}
    assert list(records) == ["good", "broken", "none", "few", "last"]
    assert [name for name, record in records.items() if record["error"] is None] == ["good", "last"]
    assert records["good"]["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 256
    assert set(records["good"]) >= {"id", "metrics", "warp_instructions", "wall_s", "error"}
    assert 'error: identifier "y" is undefined\n' in records["broken"]["error"]
    text = capsys.readouterr().out
    assert "none.cu: cannot be read: No such file or directory" in " ".join(text.split())
    assert "2 of 5 launches on h200" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_glob_and_a_limit(sources, capsys):
    launch_file(sources, endless={"source": "endless.cu", "args": [{"buffer": "int32", "count": 1}]})
    assert profile("--launches sub/launches.json --only *less --seconds-per-launch 0.1 --json -") == 2
    captured = capsys.readouterr()
    written = json.loads(captured.out)
    (record,) = written["launches"]
    assert (written["gpu"], written["cache"]) == ("h200", "cold")
    assert record["error"].startswith("given up after 0.1 s")
    assert "none of 1 launches could be run: given up after 0.1 s" in captured.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--launches none.json", "none.json: cannot be read: No such file or directory"),
        ("--launches sub/launches.json", "sub/launches.json: [1].grid[0]: "),
        ("--launches sub/launches.json --gpu h20", "unknown GPU 'h20'"),
        ("saxpy.cu --launches sub/launches.json", "FILE is for a single launch"),
        ("--launches sub/launches.json --grid 4", "--grid is for a single launch"),
        ("--launches sub/launches.json --arg int32:4", "--arg is for a single launch"),
        ("--launches sub/launches.json --jobs 0", "greater than or equal to 1"),
    ],
)
def test_a_wrong_request_for_a_launch_file(sources, capsys, options, says):
    launch_file(sources, wrong={"grid": [0]})
    assert profile(f"{options} --json out.json") == 2
    assert says in complaint(capsys)
    assert not (sources / "out.json").exists()


def test_no_launch_matches(sources, capsys):
    launch_file(sources)
    assert profile("--launches sub/launches.json --only zz --json out.json") == 2
    assert "no launch matches 'zz': there are good" in complaint(capsys)
    assert not (sources / "out.json").exists()
