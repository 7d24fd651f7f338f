import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.profiles.profile import Profile
from gpusim.report import as_text, show, table, tables
from gpusim.report.tables import WIDTH
from gpusim.results.metric import Claim, Metric
from tests.report.profiles import tiled_matmul

SIZES = st.integers(1, 2**31 - 1)
COUNTS = st.integers(0, 10**15)
ERRORS = st.none() | st.floats(0, 9)
METRICS = sorted(tiled_matmul().metrics)


@st.composite
def profiles(draw, names=("BM", "BN", "BK", "TM", "TN", "M", "N", "K")):
    """Any profile: some metrics, sizes of any magnitude."""
    chosen = draw(st.lists(st.sampled_from(METRICS), unique=True))
    claims = st.sampled_from(list(Claim))
    metrics = {name: Metric(draw(COUNTS), "unit", draw(claims), draw(ERRORS)) for name in chosen}
    params = {name: draw(SIZES) for name in names}
    gpu = draw(st.sampled_from(["h200", "a100-40gb", "rtx-a6000"]))
    extent = (draw(SIZES), draw(st.integers(1, 65535)), draw(st.integers(1, 65535)))
    return Profile("matmul-register-tiled-vec4", params, gpu, extent, (1024, 1, 1), metrics, flops=1)


@given(profiles())
def test_one_profile_fits_the_width(profile):
    assert_fits(repr(profile))


@given(st.lists(profiles(names=("BM", "N")), min_size=2, max_size=4))
def test_several_profiles_fit_the_width(several):
    assert_fits(as_text(several))


def assert_fits(text):
    assert max(map(len, text.split("\n"))) <= WIDTH
    assert "…" not in text


def test_every_level_is_a_row_with_its_claim():
    text = repr(tiled_matmul())
    rows = {line[:18].strip(): line for line in text.split("\n")}
    assert rows["L1 global loads"].split() == "L1 global loads 134 M 537 M 17.2 GB 3.0 % 17.2 GB exact".split()
    assert rows["HBM reads"].split() == "HBM reads – – 8.42 GB – 17.2 GB extrapolated ±0.6 %".split()
    for level in ("L1 global stores", "shared wavefronts", "L2 reads", "L2 writes", "HBM writes"):
        assert level in rows


def test_what_a_launch_does_not_do_is_no_row():
    text = repr(tiled_matmul())
    assert not any(words in text for words in ("atomics", "local", "copies", "matrix"))


def test_local_memory_and_atomics_are_rows_where_there_are_any():
    names = {
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": 3,
        "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum": 4,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum": 30,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum": 40,
        "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum": 10,
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": 40,
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum": 20,
        "smsp__inst_executed_op_shared_atom.sum": 5,
        "smsp__inst_executed_op_ldgsts.sum": 6,
        "smsp__inst_executed_op_ldsm.sum": 0,
    }
    metrics = {name: Metric(value, "unit", Claim.MODELLED, 0.01) for name, value in names.items()}
    text = repr(Profile("mine", {}, "h200", (1, 1, 1), (1, 1, 1), metrics))
    rows = {line[:18].strip(): line[18:].split() for line in text.split("\n")}
    assert rows["global atomics"] == "7 70 2.24 kB – modelled ±1 %".split()
    assert rows["local loads"] == "10 40 1.28 kB 50 % modelled ±1 %".split()
    assert rows["shared atomics"] == "5 – – – modelled ±1 %".split()
    assert rows["copies to shared"] == "6 – – – modelled ±1 %".split()
    assert not {"local stores", "matrix loads"} & set(rows)


def test_without_a_textbook_there_is_no_column_for_it():
    alone, other = (replace(tiled_matmul(tile=tile), textbook={}) for tile in (16, 32))
    assert "textbook" not in as_text([alone])
    assert "textbook" not in as_text([alone, other])
    assert "of it" not in as_text([alone, other])
    assert "of the loads" in as_text([alone])


def test_graphics_memory_is_not_called_hbm():
    assert "HBM" not in repr(tiled_matmul(memory="GDDR6X"))
    assert "HBM" not in as_text([tiled_matmul(memory="GDDR6X"), tiled_matmul(memory="GDDR6X", tile=16)])


def test_an_error_that_was_never_measured_is_marked_and_explained():
    text = repr(tiled_matmul(error=None))
    assert "extrapolated ±?" in text
    assert "±?: how far off this is has not been measured" in text
    assert "±?" not in repr(tiled_matmul(error=0.01))


def test_what_half_and_nine_in_ten_launches_keep_within_stands_there_and_is_explained():
    text = repr(tiled_matmul(error=0.012, p90=0.15))
    assert "extrapolated ±1.2/15 %" in text
    assert "±a/b %: half are off by a % at most, nine in ten by b %, of the launches measured on this GPU." in text
    assert "nine in ten" not in repr(tiled_matmul(error=None))


def test_reads_and_writes_of_l2_have_their_own_hit_rates():
    nothing, half = (repr(tiled_matmul(l1_hit=0, merged=0, l2_hit=hit)) for hit in (0, 0.5))
    assert row(nothing, "L2 reads")[6:10] == ["17.2", "GB", "0", "%"]
    assert row(half, "L2 reads")[6:10] == ["17.2", "GB", "50", "%"]
    assert row(nothing, "L2 writes")[6:10] == ["67.1", "MB", "100", "%"]


def row(text, label):
    """Words of a row."""
    return next(line for line in text.split("\n") if line.startswith(label)).split()


def test_a_kernel_without_shared_memory_has_no_row_of_it():
    used = tiled_matmul()
    waves = {name: metric for name, metric in used.metrics.items() if "inst_executed_op_shared" not in name}
    assert "shared" in repr(used)
    assert "shared" not in repr(replace(used, metrics=waves))
    assert "shared" in as_text([used, replace(used, gpu="mine")])
    assert "shared" not in as_text([replace(used, metrics=waves), replace(used, metrics=waves, gpu="mine")])


def test_errors_of_a_sweep_stand_under_its_columns():
    text = as_text([tiled_matmul(tile=tile, error=0.012, p90=0.15) for tile in (16, 32)])
    rows = {line[:6].strip(): line for line in text.split("\n") if ":" not in line}
    column = next(line for line in text.split("\n") if "HBM reads" in line).index("HBM reads") + len("HBM reads")
    assert rows["half ±"][:column].endswith("1.2 %")
    assert rows["90 % ±"][:column].endswith("15 %")
    assert "half ±, 90 % ±: half are off by the first at most" in text
    assert "±" not in as_text([tiled_matmul(tile=tile, error=None) for tile in (16, 32)])


def test_a_gpu_that_was_never_measured_is_named_under_a_sweep():
    several = [tiled_matmul(error=0.01), tiled_matmul(gpu="a100-40gb", error=None)]
    assert "has not been measured on a100-40gb." in " ".join(as_text(several).split())


def test_several_tiles_are_rows_told_apart_by_the_tile():
    text = as_text([tiled_matmul(tile=tile) for tile in (8, 16, 32)])
    assert text.split("\n")[0] == "matmul-tiled  M=4096 N=4096 K=4096  on h200  cold caches"
    assert [line.split()[0] for line in text.split("\n")[4:7]] == ["8", "16", "32"]


def test_several_gpus_and_tiles_are_rows_told_apart_by_both():
    cases = [tiled_matmul(tile=tile, gpu=gpu) for gpu in ("h200", "a100-40gb") for tile in (16, 32)]
    assert tables.varying(cases) == ["gpu", "T"]
    assert tables.label(cases[-1], ["gpu", "T"]) == "a100-40gb, T=32"


def test_the_same_profile_twice_is_two_rows():
    assert tables.varying([tiled_matmul(), tiled_matmul()]) == ["gpu"]


def test_a_list_of_one_is_shown_like_the_profile_alone():
    assert as_text([tiled_matmul()]) == repr(tiled_matmul())


def test_text_that_looks_like_markup_is_shown_as_it_is():
    sink = io.StringIO()
    profile = Profile("[bold]mine[/bold]", {}, "h200", (1, 1, 1), (1, 1, 1), {}, notes=("see [1]",))
    show(table(profile), sink)
    assert "[bold]mine[/bold]" in sink.getvalue()
    assert "see [1]" in sink.getvalue()


def test_no_escape_codes_off_a_terminal():
    sink = io.StringIO()
    show(table(tiled_matmul()), sink)
    assert "\x1b" not in sink.getvalue()


@pytest.mark.parametrize(("extent", "shown"), [((1, 1, 1), (1,)), ((4, 1, 2), (4, 1, 2)), ((4, 2, 1), (4, 2))])
def test_trailing_ones_of_a_grid_are_not_shown(extent, shown):
    assert tables.trimmed(extent) == shown
