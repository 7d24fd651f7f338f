"""Every table fits every width, and no number in it is cut or folded."""

import io
import math
import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import hardware, report
from gpusim.catalogue import lookup
from gpusim.hardware import format as layout
from gpusim.measured.comparison import Row, summarise
from gpusim.measured.measurement import Device, MeasuredLaunch, Measurement
from gpusim.profiles.chain import ChainProfile
from gpusim.profiles.profile import Profile
from gpusim.report import comparison, listings, tables
from gpusim.report.busy import BAR, UNITS
from gpusim.report.grid import GAP, Grid, blocks, needs, widths
from gpusim.report.time import REASONS
from gpusim.results.metric import LEFT_DIRTY, STALL_REASON, STALL_SHARE, Claim, Metric
from gpusim.results.traffic import Traffic
from tests.report.cells import WIDTHS, assert_whole
from tests.report.profiles import tiled_matmul

NUMBER = re.compile(r"[+-]?[\d.]+( \d{3})*( ?[kMGTPE]?B| [kMGTPE]| %| [num]?s)?$")
AMONG = ("", "61 launches of matmul kernels on h200, by description", "5 launches on h200, each sampled")
OPS, SHARED = ("read", "write"), ("ld", "st", "ldgsts")
NAMES = sorted(
    {
        *tiled_matmul().metrics, *(unit.metric for unit in UNITS), "gpc__cycles_elapsed.max", "sm__cycles_active.max",
        "sm__cycles_active.avg", LEFT_DIRTY,
        *(name.format(why) for why in REASONS for name in (STALL_REASON, STALL_SHARE)),
        *(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in SHARED),
        *(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in SHARED),
        *(f"l1tex__t_{unit}_pipe_lsu_mem_{of}.sum" for unit in ("requests", "sectors")
          for of in ("global_op_atom", "global_op_red", "local_op_ld", "local_op_st")),
        *(f"lts__t_sectors_srcunit_tex_op_{op}_lookup_{what}.sum" for op in OPS for what in ("hit", "miss")),
        *(f"smsp__inst_executed_op_{what}.sum" for what in ("shared_atom", "ldsm", "ldgsts")),
    }
)  # fmt: skip


def any_count(chance):
    """A number of any magnitude."""
    return chance.randrange(10 ** chance.randrange(1, 18))


def any_metric(name, chance):
    """A metric of any size and any claim, whose errors may be unknown."""
    value = chance.uniform(0, 100) if "pct" in name or "ratio" in name else any_count(chance)
    error, p90 = (chance.choice([None, 0.0, chance.uniform(0, 0.2), chance.uniform(0, 9)]) for _ in range(2))
    return Metric(value, "", chance.choice(list(Claim)), error, None, p90, chance.choice(AMONG))


def any_profile(seed):
    """A launch of a kernel with two parameters or many, by line and by array; some metrics may be missing."""
    chance = random.Random(seed)
    names = chance.choice([("M", "N"), ("BM", "BN", "BK", "TM", "TN", "M", "N", "K")])
    known = chance.choice([NAMES, [name for name in NAMES if chance.random() < 0.7]])
    figures = {name: any_metric(name, chance) for name in known}
    figures |= {name: replace(figures[name], value=1 + any_count(chance)) for name in known if "cycles" in name}
    figures["gpu__time_duration.sum"] = Metric(10 ** chance.uniform(-9, 3), "s", Claim.CALIBRATED)
    lines = tuple(
        Traffic(f"a_file_of_some_length.cu:{n}", "  out[i] += a[i * s];", *(any_count(chance) for _ in range(8)))
        for n in range(chance.randrange(4))
    )
    return Profile(
        "matmul-register-tiled-vec4", {name: 1 + any_count(chance) % 2**31 for name in names},
        chance.choice(["h200", "a100-40gb", "/home/someone/gpus/mine.toml"]), (1 + any_count(chance), 65535, 1),
        (32, 32, 1), figures, chance.choice([{}, tiled_matmul().textbook]), flops=any_count(chance),
        notes=("264 of 16384 blocks went through the caches; the rest is scaled from them",), lines=lines, arrays=lines,
    )  # fmt: skip


PROFILES = st.builds(any_profile, st.integers(0, 2**32))


def numbers(text):
    """Cells that are numbers, of lines with several."""
    lines = (re.split(r" {2,}", line.strip()) for line in text.split("\n"))
    return {cell for cells in lines if len(cells) > 1 for cell in cells if NUMBER.match(cell)}


def assert_fits(shown, *, excerpts=False):
    """Hold every width against what stands in the tables."""
    columns = [column for grid in shown if isinstance(grid, Grid) for column in grid.columns]
    texts = [text for column in columns for text in (*column.texts(), *column.shortened().texts(), column.heading)]
    whole = {cell for text in texts for cell in text.split("  ")} | {str(row) for row in range(1, 20)}
    for width in WIDTHS:
        text = report.text(shown, width)
        assert max(map(len, text.split("\n"))) <= width
        assert excerpts or "…" not in text
        assert numbers(text) <= whole
        assert_whole(shown, width)
    assert max(map(len, report.text(shown).split("\n"))) <= 100


@given(PROFILES)
@settings(max_examples=20)
@pytest.mark.long
def test_one_launch(profile):
    assert_fits(report.table(profile))
    assert_fits(list(report.where(profile)) or ["nothing"], excerpts=True)


@given(st.lists(PROFILES, min_size=2, max_size=4))
@settings(max_examples=10)
def test_a_sweep(several):
    assert_fits(report.table(several))


@given(st.lists(PROFILES, min_size=1, max_size=3), st.integers(1, 2))
@settings(max_examples=6)
def test_chains(steps, n):
    labels = ("attention-scores", "softmax-online", "matmul-batched-nn-f16")[: len(steps)]
    nbytes = {"Q": 10**9, "S": 10**12, "O": 5}
    chain = ChainProfile(
        "attention-standard", {"N": 4096, "d": 64}, "h200", "cold", tuple(steps), labels, nbytes, ("Q",), ("O",)
    )
    assert_fits(
        report.chains([chain, *[ChainProfile(**{**chain.__dict__, "params": {"N": 2**31, "d": 64}})] * (n - 1)])
    )


@given(st.integers(0, 2**32))
@settings(max_examples=8)
def test_predictions_beside_measurements(seed):
    chance = random.Random(seed)
    rows = [
        Row(
            "attention-standard-f16 B=1 H=16",
            name,
            *(chance.choice([0.0, 1e15 * chance.random()]) for _ in range(4)),
        )
        for name in chance.sample(NAMES, 20)
    ]
    waits = {"long_scoreboard": (0.631, 0.58), "wait": (0.004, 0.2)}
    assert_fits(comparison.compared("attention-standard-f16", rows, waits))
    assert_fits(comparison.summarised(summarise(rows), rows, {"a launch of some length": 0.5}))


def test_launches_that_were_measured():
    values = {
        "gpu__time_duration.sum": [1.5e-3],
        "gpc__cycles_elapsed.max": [123456789],
        "dram__bytes_read.sum": [1e12],
    }
    launch = MeasuredLaunch(
        "matmul-register-tiled-vec4-f16 M=8192 N=8192 K=8192", {}, metrics=values, seconds=[1.5e-3] * 3
    )
    device = Device("NVIDIA H200", "h200", "sm_90", 132, "580.159", "13.0")
    assert_fits(
        comparison.measured(Measurement(device, "2026-11-25", "cold", "NVRTC", "Nsight Compute", 2e-6, [launch]))
    )


def test_lists():
    records = [
        {
            "id": f"flash-attention-1-swapped-f16 B=1 H={k}",
            "metrics": dict.fromkeys(listings.PREDICTED, 10.0 ** (k - 9)) if error is None else {},
            "warp_instructions": 10**k,
            "kept": None,
            "wall_s": 10.0**k,
            "error": error,
        }
        for k, error in ((3, None), (9, "matmul.cu:41: reads global memory out of bounds, 4 bytes after the end of A"))
    ]
    assert_fits(listings.launches(records, "h200", "HBM"))
    assert_fits(listings.gpus(layout.table()))
    keys, body = layout.describe(hardware.load("h200"))[0], layout.describe(hardware.load("h200"))[1:]
    assert_fits(listings.gpu([keys, *(row for row in body if " " not in row[1])], layout.informational)[:3])
    assert_fits(listings.formulas(lookup.get("flash-attention-1"), {}))


COLUMN = st.tuples(
    st.sampled_from(["number", "name", "text", "names", "bar"]), st.none() | st.integers(0, 3), st.booleans(),
    st.text("ab ", min_size=1, max_size=14), st.integers(1, 18),
)  # fmt: skip


@given(st.lists(COLUMN, min_size=1, max_size=14), st.integers(40, 200))
def test_columns_keep_their_numbers_whole_and_those_that_cannot_be_spared_are_there(wanted, width):
    grid = Grid()
    for kind, spared, key, heading, _ in wanted:
        grid.add_column(heading, kind, spared=spared, key=key, full=50)
    grid.add_row(*(0.5 if kind == "bar" else "7" * size for kind, _, _, _, size in wanted))
    shown = blocks(grid.columns, width)
    for columns in shown:
        found = widths(columns, width)
        assert sum(found) + GAP * (len(found) - 1) <= width
        assert all(w >= (c.least if c.kind == "number" else c.folded) for w, c in zip(found, columns, strict=True))
    there = {column.cells[0] for columns in shown for column in columns}
    needed = {c.cells[0] for c in grid.columns if c.spared is None and c.kind != "bar"}
    assert needed <= there


class Terminal(io.StringIO):
    """What looks like one."""

    def isatty(self):
        return True


@pytest.mark.parametrize(("columns", "most"), [("60", 60), ("80", 80), ("200", 100)])
def test_a_terminal_is_filled_up_to_100_columns(monkeypatch, columns, most):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("TERM", "xterm")
    file = Terminal()
    report.show(report.table(tiled_matmul()), file)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue()).split("\n")
    assert most - 20 < max(map(len, lines)) <= most


def test_bars_give_way_before_anything_else():
    busy = {unit.metric: Metric(100, "%", Claim.CALIBRATED) for unit in UNITS}
    narrow = report.as_text(Profile("mine", {}, "h200", (1, 1, 1), (1, 1, 1), busy), 60)
    rows = [line for line in narrow.split("\n") if "100 %" in line]
    assert len(rows) == 6
    assert max(line.count("█") for line in rows) < BAR


def test_what_is_needed_least_goes_first():
    of = {width: report.as_text(tiled_matmul(error=0.01, p90=0.03), width).split("\n") for width in (40, *WIDTHS)}
    assert [any("requests" in line for line in lines) for lines in of.values()] == [False, False, False, True, True]
    assert [any("textbook" in line for line in lines) for lines in of.values()] == [False, True, True, True, True]
    for heading in ("bytes", "claim"):
        assert all(any(heading in line for line in lines) for lines in of.values())


@given(PROFILES, st.integers(40, 100))
@settings(max_examples=20)
def test_a_claims_word_goes_only_where_no_column_can_be_spared(profile, width):
    (columns,) = blocks(tables.memory_table(profile).columns, width)
    whole = columns[-1].has_short
    assert whole or not any(column.spared is not None for column in columns)
    assert whole or needs([*columns[:-1], tables.memory_table(profile).columns[-1]]) > width


def test_a_share_of_nothing_is_no_number():
    assert not math.isfinite(Profile("mine", {}, "h200", (1, 1, 1), (1, 1, 1), {}).l2_read_hit_rate)
