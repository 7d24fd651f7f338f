"""Malformed words, numbers and files of every kind, and command lines made of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from hypothesis import strategies as st

from gpusim import hardware

NUMBERS = """
0 -1 1 7 31 2147483647 2147483648 -2147483649 4294967296 9223372036854775807 9223372036854775808 1e400 nan inf -inf 1.5
1e-400 0x10 1_0 ١ ² 1, ,1 , 1,,2 1;2 None -- - + 1e 00
""".split()
WORDS = st.one_of(
    st.sampled_from([*"-=:*/~[\\%", "", " ", "--", "..", "copy", "h200", "é", "\udcff", "a\nb", "%s%n", "9" * 5000]),
    st.text(st.characters(exclude_characters="\0"), max_size=8),
)
VALUES = st.one_of(st.sampled_from(NUMBERS), WORDS)

MINE = """
import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 64),), block=lambda p: (64,))
def kernel(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"]):
    N = gl.sizes("N")
    i = gl.ctaid.x * 64 + gl.tid.x
    with gl.if_(i < N):
        y[i] = x[i]


mine = Algorithm(
    name="mine", family="", summary="", kernel=kernel, sizes={"N": 256}, aliases={"n": ("N",)},
    reference=lambda x, **p: {},
)
"""
SOURCE = "__global__ void k(int n, float *x) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
LAUNCH = {
    "id": "a", "source": "good.cu", "grid": [1], "block": [32],
    "args": [{"int32": 1}, {"buffer": "float32", "count": 32}],
}  # fmt: skip
CSV = '"ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum"\n"","","","","byte"\n'
CSV += '"0","k","(32, 1, 1)","(4, 1, 1)","7"\n'
DEVICE = {"name": "NVIDIA H200", "gpu": "h200", "arch": "sm_90", "sm_count": 132, "driver": "", "cuda": ""}
METRICS = {"dram__bytes_read.sum": 7}
PROFILE = {"profiles": [{"kernel": "k", "grid": [4, 1, 1], "block": [32, 1, 1], "metrics": METRICS}]}
MEASURED = {
    "format": "gpusim measurement", "version": 1, "device": DEVICE, "date": "", "cache": "cold", "compiler": "",
    "profiler": "", "overhead_seconds": None,
    "launches": [{"id": "k", "launch": LAUNCH, "metrics": METRICS, "seconds": [1e-6]}],
}  # fmt: skip


def contents() -> dict[str, bytes]:
    """Files by name: right ones, ones that are cut short, and some that are nothing of the kind."""
    gpu = (Path(hardware.__file__).with_name("specs") / "h200.toml").read_bytes()
    garbage = bytes(range(256)) * 4
    texts = {
        "good.cu": SOURCE, "mine.py": MINE, "good.toml": 'base = "h200"\n', "launches.json": json.dumps([LAUNCH]),
        "good.csv": CSV, "profile.json": json.dumps(PROFILE), "measured.json": json.dumps(MEASURED),
        "null.json": "null", "list.json": '[1, null, {}, [], "x"]', "deep.json": "[" * 100_000, "empty": "",
        "bad.toml": 'base = "h200"\n[l2]\nsize_bytes = 5\n', "deep.toml": "x = " + "[" * 100_000,
        "none.cu": "int main() {}\n",
    }  # fmt: skip
    files = {name: text.encode() for name, text in texts.items()}
    cut = {f"cut.{name}": content[: len(content) * 2 // 3] for name, content in files.items() if "good" in name}
    return files | cut | {
        "cut.toml": gpu[:3000], "garbage": garbage, "latin.cu": "é".encode("latin-1"), "garbage.csv": b'"ID"' + garbage,
        "cut.cubin": b"\x7fELF\x02\x01\x01", "elf.cubin": b"\x7fELF" + garbage, "garbage.ncu-rep": garbage,
    }  # fmt: skip


def write_contents(folder: Path) -> None:
    """Write a file of every kind."""
    for name, content in contents().items():
        (folder / name).write_bytes(content)


def files(folder: Path) -> None:
    """Write a file of every kind, and what is no file."""
    write_contents(folder)
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")


NAMES = [*contents(), "folder", "pipe", "zero", "nothing"]

RIGHT = [
    "predict copy --n 64",
    "predict copy --n 64 --gpu h200,a100-40gb --json out.json",
    "predict matmul-tiled --n 64 --tile 8,16 --cache warm",
    "predict copy --N 64 --gpu good.toml --registers 32 --timeline out.json --timeline-sm 124 --timeline-from 0",
    "predict attention-standard --N 32 --d 16 --H 1 --B 1 --json -",
    "profile good.cu --grid 1 --block 32 --arg int32:32 --arg float32:ones:32 --json out.json",
    "profile good.cu --kernel k --grid 1 --block 32 --arg int32:32 --arg float32:randint:9:32 --seed 1 --limit 9999",
    "profile good.cu --grid 1,1,1 --block 8,2,2 --arg int32:0 --arg bytes:0000000000000000 --dynamic-shared 1024",
    "profile --launches launches.json --only a --jobs 1 --seconds-per-launch 9 --json out.json",
    "measure copy --n 64 --repeats 1 --runs 0",
    "measure good.cu --grid 1 --block 32 --arg int32:32 --arg float32:ones:32",
    "measure --launches launches.json --only a",
    "compare good.csv profile.json --json out.json",
    "compare measured.json profile.json --each",
    "formula matmul-tiled --n 64 --tile 8",
    "formula matmul-tiled --M 25600",
    "kernels --kernels mine.py",
    "predict mine --n 64 --kernels mine.py",
    "emit matmul-tiled --tile 16 --name f --output out.json",
    "gpus good.toml",
]
"""Command lines that are right, and quick."""

ANY_FILE = st.sampled_from(NAMES)
OUTPUT = st.sampled_from(["-", "folder", "nothing/out.json", "/dev/full", "pipe", "", "a\udcffb", "x" * 300, "/proc/x"])
ARGUMENT = st.builds(
    "{}:{}".format,
    st.sampled_from(
        "int32 float32 bytes uint8 int64 bfloat16:ones int32:randint:0 int8:randint:9999 bool nothing".split()
    ),
    VALUES,
)
ANYTHING = st.one_of(VALUES, ANY_FILE, OUTPUT, ARGUMENT)


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """A command line that is right but for a value or two, or, now and then, a word gone or one too many."""
    words = draw(st.sampled_from(RIGHT)).split()
    values = [n for n, word in enumerate(words) if n and not word.startswith("--")]
    for at in draw(st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True)):
        words[at] = draw(ANYTHING)
    kind = draw(st.sampled_from(["as it is"] * 6 + ["gone", "added"]))
    at = draw(st.integers(1, len(words)))
    if kind != "as it is":
        words[at : at + (kind == "gone")] = [draw(ANYTHING)] if kind == "added" else []
    return words
