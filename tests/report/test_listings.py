import io
import re
from dataclasses import replace

import pytest

from gpusim import hardware, report
from gpusim.catalogue import lookup
from gpusim.hardware import format as layout
from gpusim.hardware import library
from gpusim.report import listings, show
from tests.kernels.cases import REPRESENTATIVE
from tests.marks import most_by_hand

ALGORITHMS = lookup.all(hidden=True)


def text(renderables):
    sink = io.StringIO()
    show(renderables, sink)
    lines = sink.getvalue().split("\n")
    assert max(map(len, lines)) <= 100
    assert "…" not in sink.getvalue()
    return lines


@pytest.mark.parametrize("name", most_by_hand([algorithm.name for algorithm in ALGORITHMS], REPRESENTATIVE))
def test_every_kernel_has_its_formulas(name):
    assert text(listings.formulas(lookup.get(name), {}))


def test_a_formula_stands_beside_its_value():
    lines = text(listings.formulas(lookup.get("matmul-tiled"), {"n": 4096, "tile": 32}))
    assert "A (f32)  K·M·ceil(N/T)    –                8.59 GB        –" in lines
    assert "The textbook says 2MNK/T elements read, MN written: 17.2 GB and 67.1 MB." in lines
    assert lines[-2] == "Bytes are for M=4096 N=4096 K=4096 T=32."


def test_no_closed_form_is_said():
    depends = replace(lookup.get("gather"), io=None)
    assert "What it moves depends on the data: there is no closed form." in text(listings.formulas(depends, {}))


def test_gpus_are_listed_with_numbers_to_the_right():
    lines = text(listings.gpus(layout.table()))
    assert {line.split()[0] for line in lines[2:-1]} == set(hardware.names())
    ends = {line.index(" GB/s") + 5 for line in lines[:1]}
    assert all(line[end - 1].isdigit() and line[end] == " " for line in lines[2:-1] for end in ends)


@pytest.mark.parametrize("name", hardware.names())
def test_every_number_of_a_gpu_has_a_source(name):
    lines = text(listings.gpu(layout.describe(hardware.load(name)), layout.informational))
    head = next(number for number, line in enumerate(lines) if line.startswith("key "))
    body, sources = lines[head : lines.index("Sources")], lines[lines.index("Sources") :]
    kinds = [
        line for line in body if any(f" {kind} " in line for kind in ("datasheet", "measured", "fitted", "assumed"))
    ]
    assert len(kinds) > 50
    assert all(f"\n{line.split()[-1]} " in "\n".join(sources) for line in kinds)


def test_a_gpu_says_first_how_its_numbers_are_known():
    first = {
        name: " ".join(text(listings.gpu(layout.describe(hardware.load(name)), layout.informational))[:2])
        for name in ("h200", "h100-pcie")
    }
    assert re.match(r"\d+ numbers: \d+ measured, \d+ datasheet, \d+ assumed, \d+ fitted", first["h200"])
    assert "as on h200" in first["h100-pcie"]
    assert "as on h200" not in first["h200"]


@pytest.mark.parametrize("name", hardware.names())
def test_what_a_number_is_taken_from_is_a_gpu_or_an_architecture(name):
    known = {*hardware.names(), *(path.stem for path in library.ARCHITECTURES.glob("*.toml"))}
    assert {entry.lender for _, entry in hardware.load(name).sources} <= {*known, ""}
    first = text(listings.gpu(layout.describe(hardware.load(name)), layout.informational))[0]
    assert set(re.findall(r"as on ([\w-]+)", first)) <= known


def record(name, error=None, instructions=1_000_000):
    known = {"gpu__time_duration.sum": 3.2e-5, "dram__bytes_read.sum": 131_072, "dram__bytes_write.sum": 0}
    return {
        "id": name, "metrics": {} if error else known, "warp_instructions": 0 if error else instructions,
        "kept": None, "wall_s": 1.25, "error": error,
    }  # fmt: skip


def launched(*records, **how):
    return listings.launches(records, "h200", "HBM", **how)


def test_launches_have_their_times_and_bytes():
    lines = text(launched(record("one"), record("two")))
    assert re.split(r" {2,}", lines[0].strip()) == [
        "launch", "time", "HBM reads", "HBM writes", "warp instructions", "simulated in",
    ]  # fmt: skip
    assert re.split(r" {2,}", lines[2].strip()) == ["one", "32.0 us", "131 kB", "0 B", "1.00 M", "1.2 s"]
    summary = "2 of 2 launches on h200: 2.00 M warp instructions simulated in 2.5 s."
    assert " ".join(lines[3:]).strip().endswith(f"{summary} --json FILE writes every metric of each.")
    assert text(launched(record("one"), record("two"), written=True))[-2] == summary


def test_launches_of_earlier_runs_are_not_counted_as_simulated():
    kept = record("two") | {"kept": "2026-11-28T09:05:00+00:00", "wall_s": 0.01}
    lines = text(launched(record("one"), kept, written=True))
    assert re.split(r" {2,}", lines[3].strip())[-2:] == ["1.00 M", "kept"]
    assert lines[-3] == "2 of 2 launches on h200: 1.00 M warp instructions simulated in 1.2 s."
    assert lines[-2].startswith("1 of 2 are kept from earlier runs, the oldest of 2026-11-28 ")


def test_where_there_is_little_room_times_and_bytes_stay():
    lines = report.text(launched(record("one"), record("two", "out of bounds"), record("x" * 24)), 50).split("\n")
    assert "instructions" not in " ".join(lines[:2])
    assert re.split(r" {2,}", next(line for line in lines if line.startswith("one")))[:4] == [
        "one", "32.0 us", "131 kB", "0 B",
    ]  # fmt: skip
    assert "two: out of bounds" in lines


def test_of_what_a_compiler_wrote_the_first_error_is_listed():
    log = "k.cu does not compile:\nk.cu(1): warning: odd\nk.cu(2): error: y is undefined\nk.cu(3): error: z"
    joined = " ".join(" ".join(text(launched(record("one", log)))).split())
    assert "k.cu does not compile: k.cu(2): error: y is undefined 0 of 1 launches" in joined


@pytest.mark.parametrize("name", ["mm_naive_uncoalesced_1024x1024x1024", "x" * 200])
def test_long_names_and_errors_fit(name):
    lines = text(launched(record(name, "some words of an error " * 12), record("short")))
    assert any("some words of an error" in line for line in lines)
