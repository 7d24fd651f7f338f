"""Do scenarios run, and does their table show what they claim?"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim.report.units import parse_bytes
from tests.scenarios.running import (
    FOLDER,
    column,
    load,
    moved,
    names,
    numbers,
    printed,
    rows,
    run,
    second_table,
    seconds,
    source,
)  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", names())
def test_the_docstring_asks_claims_and_gives_a_formula(name):
    lines = ast.get_docstring(ast.parse(source(name))).splitlines()
    assert lines[0].endswith("?")
    assert max(map(len, lines)) <= 100
    assert any(line.startswith("Claim:") for line in lines)
    assert any(line.startswith("Formula:") for line in lines)


@pytest.mark.parametrize("name", names())
def test_it_imports_nothing_private_and_stays_small(name):
    text = source(name)
    assert 20 <= len(text.splitlines()) <= 145
    modules = [node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    inside = {module for module in modules if module.startswith("gpusim")}
    report = {f"gpusim.report{part}" for part in ("", ".listings", ".units")}
    pictures = {"gpusim.pictures.canvas", "gpusim.pictures.saving"}
    assert inside <= {"gpusim.catalogue.lookup", "gpusim.progress", *report, *pictures}


@pytest.mark.parametrize("name", names())
def test_times_have_the_units_of_every_other_table(name):
    assert "µ" not in source(name)


def test_there_is_one_for_each_question():
    assert set(names()) >= {
        "row_or_column", "naive_or_coalesced", "tiling", "coarsening", "divergence", "bank_conflicts", "alignment",
        "wave_quantisation", "attention_loops", "attention_ledger", "precision_ladder", "block_size",
        "block_sparsity", "parallelism", "decode_or_prefill", "gpt2_attention", "fusion", "softmax_three_ways",
        "matrix_mystery", "tensor_map", "tensor_ladder",
        "flash_attention_generations", "memory_hierarchy", "formats", "training_bytes", "fp8_tiles", "online_softmax",
        "attention_peak_memory", "compute_growth", "matmul_add", "dram_bursts", "elu", "attention_peak",
        "copies_and_kernels", "launch_overhead", "attention_warps",
    }  # fmt: skip


def test_it_runs_as_a_file_from_any_folder(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    command = [sys.executable, str(FOLDER / "row_or_column.py")]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
    assert "a column" in result.stdout


def test_a_column_is_32_lines_and_a_row_is_one():
    text = printed("row_or_column")
    assert column(text, 3) == column(text, 2)
    assert (rows(text)[0][3], rows(text)[-1][3]) == ("4 / 1", "32 / 32")
    assert all(measured in (counted, "–") for counted, measured in zip(column(text, 3), column(text, 5), strict=True))


def test_what_lectures_quote_is_what_the_specifications_say():
    quoted = {cells[0]: cells[-1] for cells in rows(printed("memory_hierarchy"))}
    assert quoted["20 MB"] == "20.25 MiB"
    assert quoted["19 TB/s"] == "19.5 TB/s"
    assert quoted["8x"] == "12.5x"
    assert (quoted["14,592 cores"], quoted["16,896 cores"]) == ("14 592", "16 896")
    assert quoted["600 GB/s"] == "300 GB/s"


@pytest.mark.long
def test_a_column_a_warp_costs_6_times_the_sectors_and_16_times_the_cycles():
    text = printed("naive_or_coalesced")
    assert numbers(text, 2) == numbers(text, 1) == [16.5, 2.5] == numbers(text, 7)
    assert numbers(text, 3) == [16.5, 1.0]


@pytest.mark.long
def test_tiles_reduce_l1_loads_by_t_and_hbm_reads_only_beyond_l2():
    text = printed("tiling")
    assert numbers(text, 1) == numbers(text, 2)
    assert column(text, 3) == column(text, 4)
    assert column(text, 6)[:3] == ["2.10 MB"] * 3 == column(text, 8)[:3]
    assert 40 <= numbers(text, 7)[3] <= 60


def test_sizes_and_tiles_can_be_given():
    text = printed("tiling", "--n", "96,128", "--tile", "16,32")
    assert [cells[:3] for cells in rows(text)] == [
        ["96", "16", "16"], ["96", "32", "32"], ["128", "16", "16"], ["128", "32", "32"],
    ]  # fmt: skip


@pytest.mark.long
def test_coarsening_saves_fills_and_no_shared_loads():
    text = printed("coarsening")
    assert numbers(text, 5) == numbers(text, 2) == numbers(text, 1) == [1.00, 1.33, 1.60, 1.78]
    assert numbers(text, 3) == numbers(text, 4)
    assert len(set(numbers(text, 6))) == 1
    assert set(numbers(text, 7)) == {1.0}
    assert "As claimed it does not hold" in text


@pytest.mark.long
def test_the_formula_of_coarsening_is_exact_where_a_word_of_a_is_read_once():
    factors = load("coarsening")["as_claimed"]()
    assert factors == {Cf: 2 * Cf / (1 + Cf) for Cf in (1, 2, 4, 8)}


def test_what_reads_a_word_of_a_once_multiplies():
    A, B = np.random.default_rng(5).standard_normal((2, 128, 128), np.float32)
    for Cf in (1, 4):
        C = gpusim.run(load("coarsening")["a_once"], A=A, B=B, T=32, Cf=Cf)["C"]
        np.testing.assert_allclose(C, A @ B, rtol=1e-4, atol=1e-4)


@pytest.mark.long
def test_a_warp_of_w_paths_keeps_one_lane_in_w_busy():
    text = printed("divergence")
    for alone, whole in ((3, 2), (5, 4)):
        assert numbers(text, alone) == pytest.approx(numbers(text, whole), abs=1.5)
    assert column(text, 6)[2:] == ["–", "–"]
    assert [float(cell[:-2]) for cell in column(text, 6)[:2]] == pytest.approx(numbers(text, 5)[:2], abs=2.5)


def test_padding_removes_every_bank_conflict():
    text = printed("bank_conflicts")
    naive, shared, padded = rows(text)
    assert naive[1] == "32"
    assert shared[1:4] == ["4", "32", "32"]
    assert padded[1:5] == ["4", "1", "1", "0"]
    assert shared[4] == shared[5] == "1.02 M"


@pytest.mark.usefixtures("compiler")
@pytest.mark.long
def test_a_swizzle_or_narrow_boxes_remove_the_conflicts_and_only_the_swizzle_saves_time():
    text = printed("tensor_map", "--blocks", "16")
    found = {tuple(cells[-8:-5]): cells[-5:] for cells in rows(text)[7:14]}  # by ldmatrix: row, swizzle, boxes
    assert [cells[0] for cells in found.values()] == ["1", "2", "4", "8", "1", "1", "1"]
    assert [cells[1] for cells in found.values()] == [cells[0] for cells in found.values()]
    cycles = {key: float(cells[3]) for key, cells in found.items()}
    best = cycles["128", "128", "1"]
    assert best == min(cycles.values())
    assert cycles["128", "none", "1"] > 1.5 * best
    assert cycles["16", "none", "8"] > 1.5 * best
    assert [cells[2] for cells in found.values()] == ["2.00"] + ["1.00"] * 6


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_steps_of_the_ladder_read_no_more_than_their_tiles_say_and_say_what_binds_them():
    text = printed("tensor_ladder", "--n", "512")
    formula, reads = moved(text, 1), moved(text, 2)
    assert [formula[0] / of_step for of_step in formula] == pytest.approx([1, 4, 4, 4, 16 / 3, 16 / 3, 8], rel=0.01)
    assert all(got <= 1.1 * of_step for got, of_step in zip(reads, formula, strict=True))
    assert min(reads) < reads[-1]  # what two blocks are to have joins nothing, unlike what each asks for itself
    assert numbers(text, 5)[0] == min(numbers(text, 5))
    assert "H100 cycles" not in text  # nothing was measured of this size
    assert {len(cells) for cells in rows(text)} == {7}
    for name in column(text, 0):
        assert re.search(rf"^{name}: .*\n?.*bound by", text, re.MULTILINE), name


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_wgmma_needs_tiles_that_come_without_threads_and_wider_ones():
    rates = dict(zip(column(text := printed("tensor_ladder"), 0), numbers(text, 5), strict=True))
    assert rates["matmul-tensor-bf16"] > 20 * rates["matmul-tiled-bf16"]
    assert rates["wgmma_shared"] < rates["matmul-tensor-bf16"] < rates["wgmma_tma"] < rates["wgmma_specialised"]
    assert rates["wgmma_persistent"] > rates["wgmma_specialised"]
    measured = [float(cell) for cell in column(text, 7)[2:]]
    assert numbers(text, 3)[2:] == pytest.approx(measured, rel=0.3)


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_gains_are_times_of_standard_attention_on_the_same_cores_over_others_and_are_drawn(tmp_path):
    text = printed("flash_attention_generations", "--n", "128", "--plot", str(tmp_path / "gains.svg"))
    assert "<svg" in (tmp_path / "gains.svg").read_text()
    assert numbers(text, 3) == [1.5]  # one N x N matrix is N/d times Q, two are half of Q, K, V and O
    standard, first, second, standard_tensor, second_tensor, third = (seconds(text, k)[0] for k in range(4, 10))
    gains = {cells[0]: [float(cell) for cell in cells[1:5]] for cells in gained(text) if cells[0] == "128"}["128"]
    own = [standard / first, standard / second, standard_tensor / second_tensor, standard_tensor / third]
    assert gains == pytest.approx(own, rel=0.06)
    assert min(own[1:]) > 2


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_flash_1_saves_time_from_a_length_on_and_flash_2_and_3_do_at_each():
    text = printed("flash_attention_generations", "--n", "128", "256")
    gains = {cells[0]: [float(cell) for cell in cells[1:5]] for cells in gained(text) if cells[0] in ("128", "256")}
    assert gains["128"][0] < 1 < gains["256"][0]
    assert 128 < int(re.search(r"FA-1 from N = (\d+) on", text)[1]) < 256
    assert text.count("at every length") == 5


def gained(text):
    """Cells of the table of gains."""
    below = text.partition("Gains:")[2].partition("─\n")[2].partition("\n\n")[0]
    return [re.split(r" {2,}", line.strip()) for line in below.splitlines()]


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_flash_2_and_3_gain_on_tensor_cores_about_what_was_published():
    text = printed("flash_attention_generations", "--n", "1024", "4096")
    for n, *cells in gained(text):
        if n in ("1024", "4096"):
            second, third, published_second, published_third = (float(cells[k]) for k in (2, 3, 5, 6))
            assert second == pytest.approx(published_second, rel=0.25)
            assert third == pytest.approx(published_third, rel=0.5)  # softmax here is slower, the clock faster
            assert third > 1.3 * second


def test_where_a_gain_begins_and_ends_is_between_the_lengths_that_were_tried():
    wins = load("flash_attention_generations")["wins"]
    assert wins({128: 0.5, 256: 1.0, 512: 2.0}) == "from N = 256 on"
    assert wins({128: 4.0, 256: 2.0, 1024: 0.5}) == "up to N = 512"
    assert wins({128: 4.0, 256: 2.0}) == "at every length"
    assert wins({128: 0.4, 256: 0.2}) == "at none"


def test_a_size_that_tiles_do_not_divide_is_refused(capsys):
    with pytest.raises(SystemExit):
        run("tensor_ladder", "--n", "1000")
    assert "--n: 1000 is no multiple of 256" in capsys.readouterr().err


@pytest.mark.long
def test_odd_rows_cost_the_coalesced_kernel_and_help_the_naive_one():
    text = printed("alignment")
    assert numbers(text, 3) == pytest.approx(numbers(text, 2), rel=0.02)
    assert [numbers(text, 3)[i] for i in (0, 2)] == [2.50, 2.94]
    naive = [cells for cells in rows(text) if cells[0] == "matmul-naive"]
    assert [cells[6] for cells in naive] == ["32", "8", "1"]
    assert float(naive[1][8]) == pytest.approx(2.6, abs=0.2)


def test_the_98th_and_the_120th_tile_take_one_wave_and_two():
    text = printed("wave_quantisation")
    first, second, _ = rows(text)
    assert first == ["1792", "7 x 14 = 98", "0.91", "1", "91 %", "91 %"]
    assert second[:5] == ["1793", "8 x 15 = 120", "1.11", "2", "56 %"]


def test_waves_on_another_gpu():
    assert "132 SMs" in printed("wave_quantisation", "--gpu", "h200", "--n", "2048")


@pytest.mark.long
def test_keys_outside_move_more_and_only_a_block_a_tile_fills_the_gpu():
    text = printed("attention_loops")
    assert column(text, 1) == ["16", "16", "128"]
    outside, inside, tiles = (float(cell.removesuffix(" MB")) for cell in column(text, 4))
    assert outside > 5 * inside
    assert inside > tiles
    assert column(text, 5) == ["6.32 MB"] * 3
    assert "–" not in column(text, 7)


@pytest.mark.long
def test_fewer_bytes_buy_time_where_a_thread_moves_as_many():
    text = printed("precision_ladder")
    single, wide, relu, matmul = (
        numbers(text, -4)[part] for part in (slice(3), slice(3, 6), slice(6, 10), slice(10, 14))
    )
    assert max(single + relu) < 1.5
    assert wide == sorted(wide)
    assert wide[1] > 1.7
    assert wide[2] > 3
    assert max(matmul) < 1.3
    assert numbers(text, -2)[:3] == [14, 206, 412]


@pytest.mark.long
def test_hbm_sees_the_matrices_of_attention_only_where_they_outgrow_l2():
    text = printed("attention_ledger")
    assert numbers(text, 1) == [2, 4, 8, 16, 32, 64, 128, 256]
    inputs, code = [3 * 4 * 64 * 4 * N for N in (128, 256, 512)], 30e3  # launches read their code besides
    for index, count in ((5, 3), (6, 3), (7, 2), (8, 3)):
        assert all(0 <= got - q_k_v < code for got, q_k_v in zip(moved(text, index)[:count], inputs, strict=False))
    assert moved(text, 7)[2] > 5 * inputs[2]


@pytest.mark.long
def test_larger_tiles_save_time_and_hbm_accesses_only_beyond_l2():
    sizes = ("--n", "64", "--d", "16", "--heads", "672", "--Bc", "8,32")
    text = printed("block_size", "--gpu", "p100,a100-40gb", *sizes)
    for larger, smaller in (moved(text, 2)[:2], seconds(text, 7)[:2], seconds(text, 7)[2:]):
        assert larger > 2 * smaller
    hbm = moved(text, 5)
    assert hbm[0] > 4 * hbm[1]
    assert hbm[2:] == pytest.approx([3 * 672 * 64 * 16 * 4] * 2, rel=0.01)  # Q, K and V, once


@pytest.mark.long
def test_hbm_accesses_follow_the_formula_on_a_v100_and_time_falls_until_few_blocks_fit():
    text = printed("block_size")
    formula, hbm, times = moved(text, 2), moved(text, 5), seconds(text, 7)
    assert hbm[:2] == pytest.approx(formula[:2], rel=0.05)
    assert len(set(column(text, 5)[4:])) == 1
    for of_gpu in (times[:4], times[4:]):
        assert min(of_gpu) < 0.7 * of_gpu[0]
        assert of_gpu[3] > 1.2 * min(of_gpu)


@pytest.mark.long
def test_time_and_l2_reads_go_with_the_share_of_the_tiles_and_hbm_reads_do_not():
    text = printed("block_sparsity", "--n", "256", "--heads", "2")
    assert column(text, 0) == ["1", "2", "4", "8"]
    assert numbers(text, 8)[1] == pytest.approx(2, abs=0.2)
    assert sorted(numbers(text, 8)) == numbers(text, 8)
    assert numbers(text, 8)[3] < 8
    reads, hbm = moved(text, 3), moved(text, 5)
    keys = [each - reads[3] for each in reads]
    assert keys[0] == pytest.approx(7 * keys[2], rel=0.01)
    assert hbm[0] < 2 * hbm[3]


@pytest.mark.long
def test_time_follows_the_sms_at_work():
    text = printed("parallelism", "--n", "256", "--heads", "2", "--splits", "4")
    assert column(text, 1) == ["2", "8", "32"]
    for sms, idle in ((108, 3), (132, 8)):
        assert numbers(text, idle) == [sms - 2, sms - 8, sms - 32]
        expected, faster = numbers(text, idle + 1), numbers(text, idle + 3)
        assert faster == pytest.approx(expected, rel=0.4)


@pytest.mark.long
def test_grouped_heads_raise_the_intensity_and_parts_of_the_cache_fill_the_sms():
    text = printed("decode_or_prefill", "--n", "512", "--prompt", "128", "--heads", "16")
    assert column(text, 7) == ["compute", *["HBM"] * 5]
    prompt, one, parts, many, grouped, both = range(6)
    formula, seen, times = numbers(text, 5), numbers(text, 6), seconds(text, 9)
    assert formula == [32, 0.5, 0.5, 0.5, 4, 4]
    assert seen[one] <= seen[many] <= seen[one] + 0.001  # the code of a kernel is a smaller part of many heads
    assert seen[grouped] == pytest.approx(8 * seen[many], rel=0.02)
    assert seen[prompt] > 14 > max(seen[one:])
    assert times[parts] < 0.6 * times[one]
    assert times[both] < 0.6 * times[grouped]
    assert times[grouped] > times[many]


@pytest.mark.long
def test_a_kept_mask_of_dropout_makes_gpt2s_attention_move_what_was_published():
    text = printed("gpt2_attention")
    passes = {cells[0]: cells[1:] for cells in rows(text)}
    matrix = 2 * 64 * 16 * 1024**2
    for name, cells in passes.items():
        assert parse_bytes(cells[2]) == pytest.approx(sum(map(parse_bytes, cells[:2])), rel=0.01)
        if name.endswith("*"):
            assert cells[5] == "–", name
        elif name != "flash 2 backward":  # its blocks add to dQ, which they read
            assert 1 <= float(cells[5]) <= 1.1, name
    for name in ("mask of S", "P = softmax(S)", "dropout of P", "dropout of dP"):
        assert parse_bytes(passes[name][2]) == pytest.approx(2 * matrix, rel=0.01)
        assert passes[name][5] == "1.00"
    assert {passes[name][4] for name in ("O = P V", "dV = P^T dO", "dP = dO V^T", "dQ = dS K", "dK = dS^T Q")} == {
        "137"
    }
    sums = second_table(text)
    assert sums["Algorithms 0 and 3"][2] == "25.2 GB"
    assert sums["mask and dropout too"][2] == "38.1 GB"
    assert sums["dropout's mask kept"][2] == "40.3 GB"
    assert sums["gradient of the mask"][2] == "44.6 GB"
    once, threads = map(parse_bytes, sums["FlashAttention-1"][2:4])
    assert once < 4.4e9 < threads


def test_fusing_what_l2_holds_saves_launches_and_no_byte_of_hbm_but_code():
    text = printed("fusion", "--n", "16384")
    assert numbers(text, 4) == numbers(text, 0) == [2, 3, 4, 5, 6, 7, 8]
    simulated = second_table(text)
    apart = {"chain3": "73.2 kB", "gelu": "76.5 kB", "elu": "70.9 kB", "sin2cos2": "78.3 kB"}  # 65.5 kB and code
    for name, kernels, factor in (("chain3", 3, 3.0), ("gelu", 4, 5.0), ("elu", 2, 2.5), ("sin2cos2", 5, 5.5)):
        cells = simulated[f"{name}, {kernels}"]
        assert float(cells[3]) == factor
        assert (cells[4], cells[5]) == (apart[name], "68.4 kB")
        assert 0.8 * kernels < float(cells[-1]) <= kernels


@pytest.mark.long
def test_fusing_what_outgrows_l2_saves_the_bytes_of_the_formula():
    text = printed("fusion")
    large = [re.split(r" {2,}", line) for line in text.splitlines() if "16.8 M  " in line]
    assert [cells[0] for cells in large] == ["chain3, 3", "gelu, 4"]
    for cells, formula in zip(large, (6, 10), strict=True):
        assert 0.9 * formula * 4 * 2**24 < parse_bytes(cells[5]) <= formula * 4 * 2**24
        assert float(cells[7]) >= formula / 2
        assert float(cells[10]) > formula / 2 - 1


def test_online_softmax_reads_as_little_as_naive_and_overflows_as_little_as_safe():
    text = printed("softmax_three_ways", "--shape", "16", "1024")
    assert numbers(text, 2) == numbers(text, 3) == [3, 4, 3]
    assert numbers(text, 4) == [2, 2, 2]
    assert numbers(text, 5) == [2.05, 2.07, 2.07]  # beside the array its code
    values = second_table(text)
    assert values["87"] == ["1", "1", "1"]
    for score in ("88", "89", "1000"):
        naive, safe, online = values[score]
        assert (safe, online) == ("1", "1")
        assert naive in ("0", "nan")
    assert values["89"][0] == "nan"


@pytest.mark.long
def test_hbm_sees_every_pass_of_a_softmax_only_where_no_cache_holds_the_rows():
    text = printed("softmax_three_ways")
    formula, l1, l2, hbm = (numbers(text, column) for column in (2, 3, 4, 5))
    assert l1 == formula
    assert l2[:3] == pytest.approx([2, 2, 2], abs=0.1)
    assert l2[3:] == pytest.approx(formula[3:], abs=0.1)
    assert hbm[:6] == pytest.approx([2] * 6, abs=0.01)
    assert hbm[6:] == pytest.approx(formula[6:], abs=0.05)
    for predicted, measured in ((3, 7), (4, 8), (5, 9)):
        assert numbers(text, predicted)[:3] == pytest.approx(
            [float(cell) for cell in column(text, measured)[:3]], abs=0.0301
        )
    times = [float(cell.split()[0]) for cell in column(text, 6)]
    assert 1.3 < times[7] / times[6] < 1.6
    assert times[8] / times[6] < 1.05


def test_the_curve_by_waves_drops_where_tiles_no_longer_fit():
    text = printed("matrix_mystery", "--n", "128", "127", "130")
    found = {cells[0]: cells[1:] for cells in rows(text)}
    assert [found[n][0] for n in ("127", "128", "130")] == ["odd", "of 64", "of 2"]
    assert [found[n][2] for n in ("2048", "2049", "2432", "2433")] == ["2", "3", "3", "4"]
    for full, over in (("2048", "2049"), ("2432", "2433")):
        assert float(found[over][4]) < 0.8 * float(found[full][4])
        assert found[over][5] == found[full][5] == "–"
    assert found["128"][4:6] != ["–", "–"]
    assert found["127"][-1] == found["130"][-1] == "–" != found["128"][-1]
    assert float(found["127"][6]) > float(found["130"][6]) > float(found["128"][6]) == 4


@pytest.mark.long
def test_a_second_wave_halves_a_matmul_and_alignment_costs_a_few_per_cent():
    text = printed("matrix_mystery")
    found = {cells[0]: [float(cell) if cell != "–" else None for cell in cells[5:]] for cells in rows(text)}
    waves, simulated = found["1409"][:2]
    assert found["1408"][0] == found["1408"][1]  # the formula's wave is this one
    assert waves == pytest.approx(found["1408"][0] / 2, rel=0.01)
    assert 0.5 < simulated / found["1408"][1] < 0.65
    for n in ("510", "511"):
        assert 0.93 < found[n][1] / found["512"][1] < 0.97
    for n in ("256", "512", "768"):
        assert found[n][3] > 1.1 * found[n][1]


def test_the_plot_has_what_is_simulated_and_the_curve(tmp_path):
    printed("matrix_mystery", "--n", "96", "97", "--plot", str(tmp_path / "mystery.svg"))
    drawing = (tmp_path / "mystery.svg").read_text()
    assert "<svg" in drawing
    assert drawing.count("<use") > 2


@pytest.mark.parametrize("name", ["matrix_mystery", "flash_attention_generations"])
@pytest.mark.parametrize("file", ["mystery.docx", "missing/mystery.png"])
def test_a_plot_that_cannot_be_written_is_refused_before_anything_runs(tmp_path, capsys, name, file):
    with pytest.raises(SystemExit):
        run(name, "--plot", str(tmp_path / file))
    assert "--plot" in capsys.readouterr().err


def test_the_lengths_that_can_be_asked_for_leave_the_usage_narrow():
    file = FOLDER / "flash_attention_generations.py"
    asked = [sys.executable, str(file), "--help"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"})
    assert max(map(len, done.stdout.splitlines())) <= 80
