"""Are answers bounded in time and size, and is what may be read beside the text of a source refused?"""

from __future__ import annotations

import importlib.util
import itertools
import json
import sys
import threading
import time
from typing import Annotated

import pytest
from pydantic import Field

from gpusim.cli import main
from gpusim.errors import GpusimError
from gpusim.hardware import format as layout
from gpusim.hardware import library
from gpusim.launches.profiling import TimeLimitError
from gpusim.mcp import answers, call, process, tools, worker
from gpusim.mcp.asked import Gpu, Launch
from gpusim.mcp.call import Answer
from gpusim.mcp.inline import check_alone
from tests.ask.documents import faults
from tests.ask.transposes import LAUNCH, PADDED, READING, SLOW, TRANSPOSE
from tests.marks import most_by_hand

SHORT_CHAIN = {"kernel": "attention-standard", "params": {"N": 64}}
MATMUL = {"computation": "C[m,n] += A[m,k] * B[k,n]", "params": {"m": 4096, "n": 4096, "k": 4096}}


class Clock:
    """Seconds that go by as they are told to."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def working(clock, *, full, quick):
    """Work that takes so many seconds, and tells of progress each second."""

    def work(progress, sample):
        for done in range(quick if sample == "quick" else full):
            clock.now += 1
            progress(done + 1, 100, "counting")
        return sample

    return work


def test_what_fits_into_the_time_is_done_as_usual():
    clock = Clock()
    assert call.Call(100, clock=clock).in_time(working(clock, full=60, quick=1)) == (None, "")


def test_what_does_not_is_done_quickly_and_says_so():
    clock = Clock()
    found, remark = call.Call(100, clock=clock).in_time(working(clock, full=90, quick=10))
    assert (found, remark) == ("quick", call.QUICK)
    assert clock.now < 80


@pytest.mark.parametrize("quick", [40, 1])
def test_what_is_too_long_even_so_says_what_to_do(quick):
    clock = Clock()
    with pytest.raises(TimeLimitError, match=r"^not done within 100 s \(\d+ of 100 blocks done, counting\): ask for"):
        call.Call(100, clock=clock).in_time(working(clock, full=200, quick=quick), may_be_quick=quick == 40)
    assert clock.now <= 101


# ---------------------------------------------------------------- the process that answers


@pytest.fixture
def answering(monkeypatch):
    """What answers, as a process that runs some lines of Python."""
    started = []

    def start(text):
        head = "import json, sys, time\ndef say(**line): print(json.dumps(line), flush=True)\n"
        monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", head + text))
        monkeypatch.setattr(process, "GRACE", 0.5)
        started.append(process.Process())
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_a_process_that_does_not_answer_is_ended_in_time(answering):
    one = answering("say(ready=True)\nsys.stdin.readline()\nsay(doing='hanging')\ntime.sleep(60)")
    heard, began = [], time.monotonic()
    assert one.ask("predict", {}, 1, heard.append) == {"error": process.OVER.format(seconds=1)}
    assert heard == ["loading the engine", "hanging"]
    assert time.monotonic() - began < 20
    assert one._running is None


def test_a_process_that_dies_costs_its_call_alone(answering, tmp_path):
    been = tmp_path / "been"
    one = answering(
        f"import pathlib\nbeen = pathlib.Path({str(been)!r})\nsay(ready=True)\nsys.stdin.readline()\n"
        "if not been.exists(): been.touch(); sys.exit(9)\nsay(text='well', document=None)\nsys.stdin.read()"
    )
    assert one.ask("predict", {}, 30, lambda text: None)["error"].startswith("the process that simulates ended")
    assert one.ask("predict", {}, 30, lambda text: None) == {"text": "well", "document": None}


def test_a_call_that_was_taken_back_does_not_end_the_next_ones_process(answering):
    one = answering(
        "say(ready=True)\nfor line in sys.stdin:\n    if json.loads(line)['tool'] == 'slow': time.sleep(60)\n"
        "    say(text='well', document=None)"
    )
    first = threading.Thread(target=one.ask, args=("slow", {}, 30, lambda text: None))
    first.start()
    while one._running is None or not one._running.ready:
        time.sleep(0.01)
    one.end()
    assert one.ask("quick", {}, 30, lambda text: None) == {"text": "well", "document": None}
    second = one._running
    first.join(20)
    assert one._running is second
    assert one.ask("quick", {}, 30, lambda text: None) == {"text": "well", "document": None}


def test_a_bug_is_an_answer_without_a_traceback(monkeypatch, capsys):
    def broken(call):
        raise RuntimeError("no such thing")

    monkeypatch.setitem(tools.TOOLS, "broken", broken)
    said = []
    worker.serve([json.dumps({"tool": "broken", "arguments": {}, "seconds": 5})], said.append)
    assert said == [{"ready": True}, {"error": "a fault of gpusim's own: RuntimeError: no such thing"}]
    assert "Traceback" in capsys.readouterr().err


# ---------------------------------------------------------------- answers


def asked(tool, **arguments):
    return worker.answered({"tool": tool, "arguments": arguments, "seconds": 60}, lambda line: None)


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("detail", most_by_hand(["short", "full"], ["short"]))
@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("predict", {"kernel": "transpose-shared", "params": {"n": 128}}, "profiles"),
        ("predict", {"kernel": "attention-standard", "params": {"N": 64}}, "chains"),
        ("profile", {"source": SLOW, **LAUNCH}, "profiles"),
        ("advise", {"kernel": "transpose-shared", "params": {"n": 128}}, "advice"),
        ("diff", {"before": {"source": SLOW, **LAUNCH}, "after": {"source": PADDED, **LAUNCH}}, "diff"),
        pytest.param(
            "diff",
            {"before": SHORT_CHAIN, "after": {"kernel": "attention-standard", "params": {"N": 96}}},
            "diff",
            marks=pytest.mark.long,
        ),
        ("tune", {"kernel": "copy", "params": {"N": 8192}, "over": {"B": [*range(32, 1025, 32)]}, "top": 1}, "tuning"),
        ("tune", {**SHORT_CHAIN, "over": {"T": [16, 32]}}, "tuning"),
        ("bound", {"kernel": "matmul-tiled", "params": {"n": 128}}, "bound"),
        ("bound", SHORT_CHAIN, "bound"),
        ("bound", {**MATMUL, "memory_bytes": 1e6, "element_bytes": 2}, "bound"),
    ],
)
def test_an_answer_is_a_document_of_the_schema_within_its_size(tool, arguments, kind, detail):
    found = asked(tool, **arguments, detail=detail)
    assert faults(found["document"], kind) == []
    most = answers.SHORT if detail == "short" else answers.FULL
    assert len(found["text"]) <= most
    assert len(json.dumps(found["document"])) <= most
    if kind == "profiles":
        assert (len(found["document"]["profiles"][0]["metrics"]) > len(answers.KEPT)) == (detail == "full")


@pytest.mark.usefixtures("compiler")
def test_diff_says_the_gain_first_and_why():
    found = asked("diff", before={"source": SLOW, **LAUNCH}, after={"source": PADDED, **LAUNCH})
    one = found["document"]["diff"]
    assert found["text"].startswith(one["verdict"].partition(":")[0])
    assert one["time"]["interval"]["high"] < 1
    assert one["why"]["causes"][0]["cause"] == "bank conflicts"
    assert [line["b"]["name"] for line in one["lines"]] == [f"kernel.cu:{READING}"]
    assert {of["figure"] for of in one["metrics"]} <= set(answers.KEPT)


@pytest.mark.usefixtures("compiler")
def test_tune_takes_macros_and_a_point_that_does_not_compile_costs_itself_alone():
    found = asked("tune", source=TRANSPOSE, over={"PITCH": [32, 33, "x y"]}, top=1, **LAUNCH)
    tuning = found["document"]["tuning"]
    assert [(one["point"], one["full"]) for one in tuning["candidates"]] == [
        ({"PITCH": 33}, True),
        ({"PITCH": 32}, False),
    ]
    (failed,) = tuning["failed"]
    assert failed["error"].startswith("kernel.cu does not compile for sm_90")
    assert found["text"].startswith("PITCH=33 is the fastest, by ")
    assert found["text"].count("is the fastest") == 1
    none = asked("tune", source=TRANSPOSE, over={"PITCH": ["x y"]}, **LAUNCH)["error"]
    assert none.startswith("of 1 points none could be predicted: kernel.cu does not compile for sm_90")


def test_tune_takes_conditions_and_objectives():
    space = {"kernel": "transpose-shared", "params": {"n": 128}, "over": {"tile": [8, 16, 32]}, "where": ["tile > 8"]}
    tuning = asked("tune", **space, objective=["dram_bytes_read"])["document"]["tuning"]
    assert tuning["objectives"] == ["dram_bytes_read"]
    assert {one["point"]["tile"] for one in tuning["candidates"]} == {16, 32}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"over": {"tile": [8]}}, "nothing says what is launched"),
        ({"kernel": "copy", "over": {}}, "over: dictionary should have at least 1 item"),
        ({"kernel": "copy", "over": {"B": []}}, "B has no values"),
        ({"kernel": "copy", "params": {"N": 64}, "over": {"blck": [8]}}, "unknown parameter of copy 'blck'"),
        ({"kernel": "copy", "params": {"N": 64}, "over": {"N": [8]}}, "N is given a value, and values to search over"),
        ({"kernel": "copy", "params": {"N": 64}, "over": {"B": [32]}, "where": ["B > 99"]}, "the space is empty"),
        ({"kernel": "copy", "params": {"N": 64}, "over": {"B": [32]}, "objective": ["tim"]}, "did you mean time?"),
        ({"kernel": "copy", "params": {"N": 64}, "over": {"B": [*range(1, 202)]}}, "the space has 201 points"),
        ({"kernel": "copy", "over": {"N": [*range(1, 201)], "B": [*range(1, 101)]}}, "20000 combinations of values"),
        ({"source": SLOW, "grid": 1, "block": 32, "over": {"A-B": [1]}}, "A-B: that is no name of a macro"),
        ({"source": SLOW, "over": {"A": [1]}}, "grid is missing"),
        ({"source": '#include "/etc/passwd"', "grid": 1, "block": 1, "over": {"A": [1]}}, "includes '/etc/passwd'"),
        ({"kernel": "copy", "over": {"B": [32]}, "gpu": "mine.toml"}, "unknown GPU 'mine.toml'"),
    ],
)  # fmt: skip
def test_what_cannot_be_searched_is_said(arguments, says):
    assert says in asked("tune", **arguments)["error"]


def test_a_search_without_time_says_how_far_it_came():
    ticking = itertools.count()
    short = call.Call(1.0, clock=lambda: 0.1 * next(ticking))
    says = r"^not done within 1 s \(\d of 3 points done, .*\): ask for smaller sizes or fewer points"
    with pytest.raises(TimeLimitError, match=says):
        tools.tune(short, {"tile": [8, 16, 32]}, kernel="transpose-shared", params={"n": 128})


@pytest.mark.usefixtures("compiler")
def test_a_source_that_is_asked_about_again_is_not_simulated_again(monkeypatch, tmp_path):
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("GPUSIM_FORGET")
    for was_kept in (False, True):
        (profile,) = asked("profile", source=SLOW, **LAUNCH)["document"]["profiles"]
        assert bool(profile["kept"]) == was_kept
    assert not asked("profile", source=PADDED, **LAUNCH)["document"]["profiles"][0]["kept"]


def test_a_source_lies_in_its_place_while_it_is_asked_about_and_no_longer():
    places = []
    for source in (SLOW, SLOW, PADDED):
        with Launch(source=source, **LAUNCH).subject("h200") as (subject, without):
            places.append(subject.source)
            assert subject.source.read_text() == source
            assert without(f"{subject.source}: no") == "kernel.cu: no"
    assert places[0] == places[1] != places[2]
    assert not any(place.exists() for place in places)


def test_a_search_with_little_time_is_left_at_quick_predictions():
    clock = Clock()

    def late(text):
        clock.now = 70 if "in full" in text else clock.now

    with_little = call.Call(100, late, clock)
    found = tools.tune(with_little, {"tile": [8, 16, 32]}, kernel="transpose-shared", params={"n": 128})
    assert " ".join(found.text.split()).partition(call.QUICK)[1]
    assert not any(one["full"] for one in found.document["tuning"]["candidates"])


def test_bound_says_the_least_first_and_leaves_counting_out_where_there_is_no_time():
    found = asked("bound", kernel="matmul-tiled", params={"n": 128})
    levels = found["document"]["bounds"][0]["levels"]
    assert all(level["bound_bytes"] <= level["counted_bytes"] for level in levels)
    assert found["text"].startswith("No schedule moves less than 131 kB at HBM (this one ")
    ticking = itertools.count()
    hasty = tools.bound(call.Call(1.0, clock=lambda: 0.4 * next(ticking)), "matmul-tiled", params={"n": 128})
    assert tools.UNCOUNTED in " ".join(hasty.text.split())
    assert [level["bound_bytes"] for level in hasty.document["bounds"][0]["levels"]] == [
        of["bound_bytes"] for of in levels
    ]
    assert not any("counted_bytes" in level for level in hasty.document["bounds"][0]["levels"])


def test_bound_of_a_computation_in_one_memory():
    (found,) = asked("bound", **MATMUL, memory_bytes=1e6)["document"]["bounds"]
    assert found["formula"] == "2 K M N / sqrt(S)"
    (level,) = found["levels"]
    assert level["bound_bytes"] == pytest.approx(4 * 2 * 4096**3 / (1e6 / 4) ** 0.5, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "give kernel (and params), or computation"),
        ({"kernel": "copy", **MATMUL}, "give kernel (and params), or computation"),
        ({"kernel": "copy", "params": {"gpu": 1}}, "unknown parameter of copy 'gpu'"),
        ({"kernel": "copy", "params": {"N": 64}, "memory_bytes": 64}, "a size of memory is for a computation"),
        ({"kernel": "copy", "params": {"N": 64}, "element_bytes": 8}, "element_bytes is of a computation"),
        ({"computation": "C["}, "'C[' is no statement"),
        ({"computation": "C[m] += A[m,k]", "params": {"gpu": 1}}, "unknown loop 'gpu'"),
        ({"computation": "C[m] += A[m,k]", "params": {"m": 1}}, "how far does k run?"),
        ({**MATMUL, "gpu": "mine.toml"}, "unknown GPU 'mine.toml'"),
    ],
)
def test_what_has_no_bound_is_said(arguments, says):
    assert says in asked("bound", **arguments)["error"]


def test_a_list_that_is_too_long_is_cut_until_all_fits():
    lines = [{"name": f"kernel.cu:{n}", "size": [1, 2, 3]} for n in range(1000)]
    found = answers.bounded({"profiles": [{"lines": lines, "grid": [1, 2, 3]}]}, 2_000)
    assert len(json.dumps(found)) <= 2_000
    kept = found["profiles"][0]
    assert kept["grid"] == [1, 2, 3]
    assert kept["lines"] == lines[: len(kept["lines"])]
    assert kept["lines"]


def test_a_launch_must_be_told_as_one():
    for arguments, says in (
        ({}, "nothing says what is launched: give kernel"),
        ({"kernel": "copy", "grid": 4}, "grid is for source: a kernel of the catalogue is told by its params"),
        ({"source": SLOW, "block": 32}, "grid is missing: a launch of source needs one, such as 64 or [16, 16]"),
        ({"source": SLOW, "params": {"n": 4}, "grid": 1, "block": 1}, "params are of a kernel of the catalogue"),
        ({"source": SLOW, "grid": "n", "block": 32}, "grid n: one to three whole numbers are needed"),
        ({"source": SLOW, "grid": 1, "block": 32, "args": ["n"]}, "arg n: an argument is DTYPE:VALUE"),
        ({"kernel": "copy", "gpu": "mine.toml"}, "unknown GPU 'mine.toml'"),
        ({"kernel": "copy", "params": {"cache": 3}}, "unknown parameter of copy 'cache'"),
    ):
        assert says in asked("advise", **arguments)["error"]


def test_a_further_tool_is_a_function_and_may_take_two_launches(monkeypatch):
    one_launch = Annotated[Launch, Field(description="A launch.")]

    def ratio(call: call.Call, before: one_launch, after: one_launch, gpu: Gpu = "h200") -> call.Answer:
        def work(progress, sample):
            return [one.predict(gpu, progress=progress, sample=sample).bank_conflicts for one in (before, after)]

        (first, second), remark = call.in_time(work)
        return Answer(answers.as_text([f"{first} to {second}", remark], full=False))

    ratio.__annotations__ = {"before": one_launch, "after": one_launch, "gpu": Gpu}
    monkeypatch.setitem(tools.TOOLS, "ratio", ratio)
    taken = tools.parameters("ratio").model_json_schema()
    assert taken["required"] == ["before", "after"]
    assert {"kernel", "source", "grid"} <= taken["$defs"]["Launch"]["properties"].keys()
    found = asked("ratio", before={"kernel": "transpose-shared", "params": {"n": 128}},
                  after={"kernel": "transpose-padded", "params": {"n": 128}})  # fmt: skip
    assert found == {"text": "15872 to 0", "document": None}
    wrong = asked("ratio", before={"kernel": "copy", "parms": {}}, after={"kernel": "copy"})
    assert wrong["error"] == "unknown parameter 'before.parms': did you mean params or args?"


def test_numbers_told_of_a_gpu_are_there():
    for name in library.names():
        known = {row[0] for row in layout.describe(library.load_gpu(name))}
        assert set(tools.TOLD_OF_A_GPU) - known <= {"l1.unified_bytes"}, name  # P100's L1 is apart from shared memory


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *of: None if name == "mcp" else found(name, *of))
    assert main(["mcp"]) == 2
    assert capsys.readouterr().err == "gpusim: gpusim mcp needs the package mcp: pip install 'gpusim[mcp]'\n"


# ---------------------------------------------------------------- what a source may read


@pytest.mark.parametrize(
    "source",
    [
        '#include "/etc/passwd"',
        "#include </etc/passwd>",
        '#include "../secret.h"',
        '#include "~/secret.h"',
        "#include <C:\\secret.h>",
        '%:include "/etc/passwd"',
        '#/*\n*/include "/etc/passwd"',
        '#inc\\\nlude "/etc/passwd"',
        '#define FILE "/etc/passwd"\n#include FILE',
        '#if __has_include("/home/someone")\n#endif',
        '#import "/etc/passwd"',
        '#imp\\  \nort "/etc/passwd"',
        '"/*"\n#/*\n*/import "/etc/passwd"',
        '#embed "/etc/passwd"',
        '??=include "/etc/passwd"',
    ],
)
def test_a_source_that_may_read_a_file_is_refused(source):
    with pytest.raises(GpusimError, match=r"^source: "):
        check_alone(f"{source}\n__global__ void k() {{}}")


def test_headers_of_cuda_and_other_directives_are_taken():
    check_alone(
        "#include <cuda_fp16.h>\n#include <cub/cub.cuh>\n#include \"mma.h\"\n#pragma unroll\n"
        "#define IMPORT(x) \\\n    x\n__global__ void k() { /* import */ }"
    )  # fmt: skip


@pytest.mark.usefixtures("compiler")
def test_no_file_of_this_folder_is_found_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "mine.h").write_text("#define MINE 1\n")
    one = process.Process()
    monkeypatch.chdir(tmp_path)
    try:
        source = '#include "mine.h"\n__global__ void k(int* x) { x[0] = MINE; }'
        arguments = {"source": source, "grid": 1, "block": 1, "args": {"x": "zeros:1"}}
        assert "mine.h" in one.ask("profile", arguments, 60, lambda text: None)["error"]
    finally:
        one.close()
