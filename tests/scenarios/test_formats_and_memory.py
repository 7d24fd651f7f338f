"""Do scenarios of formats, of memory in training and of softmax by hand show the lectures' numbers?"""

import pytest

from gpusim.errors import ParameterError
from gpusim.report.units import parse_bytes
from tests.scenarios.running import load, run, tables
from tests.scenarios.test_scenarios import printed


@pytest.fixture(scope="module")
def formats():
    return tables(printed("formats"))


def by_first(table):
    return {cells[0]: cells[1:] for cells in table}


def test_ranges_and_epsilons_are_the_published_ones(formats):
    held = by_first(formats[0])
    assert [int(cells[0]) for cells in held.values()] == [32, 19, 16, 16, 8, 8]
    assert {name: cells[2] for name, cells in held.items()} == {
        "fp32": "3.4e+38", "tf32": "3.4e+38", "bf16": "3.39e+38", "fp16": "6.55e+04", "e4m3": "448", "e5m2": "5.73e+04",
    }  # fmt: skip
    assert [cells[5].split(" =")[0] for cells in held.values()] == ["2^-23", "2^-10", "2^-7", "2^-10", "2^-3", "2^-2"]


def test_small_updates_are_lost_in_all_but_fp32(formats):
    updates = by_first(formats[1])
    assert {name: float(cells[1]) for name, cells in updates.items() if name != "fp32"} == dict.fromkeys(
        ("tf32", "bf16", "fp16", "e4m3", "e5m2"), 1.0
    )
    assert float(updates["fp32"][1]) == pytest.approx(2, rel=2e-4)
    assert all(float(cells[2]) == pytest.approx(2, rel=2e-4) for cells in updates.values())


def test_a_scale_brings_back_gradients_that_fp16_loses(formats):
    found = by_first(formats[2])
    fp16 = {name: cells[:2] for name, cells in found.items()}
    assert fp16["2^-24"] == ["2^-24", "2^-24"]
    assert fp16["2^-25"] == ["0", "2^-25"]
    assert fp16["2^-40"] == ["0", "2^-40"]
    assert all(cells[2] == name for name, cells in found.items())  # bf16


def test_sums_keep_to_their_bound_and_stop_where_ones_do(formats):
    sums = by_first(formats[3])
    for cells in sums.values():
        errors, bounds, kept = cells[1:7:2], cells[2:7:2], cells[7]
        assert all(float(error) <= float(bound) for error, bound in zip(errors, bounds, strict=True))
        assert float(kept) < 0.004
    assert [sums[name][0] for name in ("tf32", "bf16", "fp16", "e4m3", "e5m2")] == ["2 048", "256", "2 048", "16", "8"]
    assert float(sums["bf16"][5]) > 0.5
    assert float(sums["fp32"][5]) < 1e-6


def test_exponentials_overflow_from_88_7_and_11_09_on(formats):
    found = by_first(formats[4])
    assert {name: (cells[0], cells[1], cells[3]) for name, cells in found.items()} == {
        "fp32": ("88.72", "88", "inf"), "tf32": ("88.72", "88", "inf"), "bf16": ("88.72", "88", "inf"),
        "fp16": ("11.09", "11", "inf"), "e4m3": ("6.10", "6", "nan"), "e5m2": ("10.96", "11", "inf"),
    }  # fmt: skip


def test_recipes_take_what_they_are_known_for_and_say_who_says_so():
    recipes, sources, zero = tables(printed("training_bytes"))
    assert {int(cells[7]) for cells in recipes} == {20, 18, 16, 15, 13, 10, 9, 6}
    for _, *parts, total, by, _ in recipes:
        assert sum(int(part) for part in parts if part != "–") == int(total)
        assert by == ("source" if int(total) in (20, 18, 16, 6) else "sum")
    assert {cells[0] for cells in recipes} <= {cells[0] for cells in sources}
    assert [cells[1] for cells in zero] == ["112 GB", "29.3 GB", "15.5 GB", "1.75 GB"]


def test_a_model_and_its_devices_can_be_given():
    *_, zero = tables(printed("training_bytes", "--parameters", "7.5e9", "--devices", "64"))
    assert [cells[1] for cells in zero] == ["120 GB", "31.4 GB", "16.6 GB", "1.88 GB"]  # ZeRO's figure 1


def test_scales_cost_little_and_a_tile_confines_an_outlier():
    overhead, errors = tables(printed("fp8_tiles"))
    assert {cells[0]: cells[4] for cells in overhead} == {
        "a scale a tensor": "1.4e-05 %", "1 x 128, activations": "3.1 %", "128 x 128, weights": "0.024 %",
        "MX, 1 x 32": "3.1 %",
    }  # fmt: skip
    found = {(float(outlier), tile): (percent(error), percent(zeros)) for outlier, tile, error, zeros, _ in errors}
    assert found[1e6, "a scale a tensor"] == (100, 100)
    assert found[1e2, "a scale a tensor"][0] < 3
    assert found[1e6, "1 x 128, activations"][0] < 4
    assert found[1e6, "128 x 128, weights"][1] == pytest.approx(100 * 128 * 128 / 262144, abs=0.01)


def percent(cell):
    return float(cell.removesuffix(" %"))


def test_piles_of_two_sum_to_1_203_by_hand_and_in_every_kernel():
    text = printed("online_softmax", "--n", "128")
    piles, executed, _ = tables(text)
    assert piles == [["1 3", "3", "1.135", "0", "3", "1.135"], ["2 5", "5", "1.05", "0.1353", "5", "1.203"]]
    assert {cells[2] for cells in executed} == {"1.2034"}
    assert {cells[3] for cells in executed} == {"0.0152 0.1125 0.0414 0.8310"}
    assert "S has 256 MiB" in text
    assert "four trips 1024 MiB" in text


@pytest.mark.parametrize("pile", ["1", "3", "5"])
def test_other_piles_give_the_same_sum(pile):
    piles, executed, _ = tables(printed("online_softmax", "--n", "128", "--pile", pile))
    assert piles[-1][-1] == "1.203"
    assert {cells[2] for cells in executed} == {"1.2034"}


def test_attention_stores_and_loads_both_matrices_and_flash_attention_has_neither():
    *_, moved = tables(run("online_softmax", "--n", "256"))
    threads = {cells[-6] if len(cells) == 7 else cells[0]: cells for cells in moved}
    matrix = 4 * 256 * 256
    at = {name: [parse_bytes(cell) for cell in cells if cell.endswith("B")] for name, cells in threads.items()}
    assert at["S written"][:2] == pytest.approx([matrix, matrix], rel=0.01)
    assert at["S read"][:2] == pytest.approx([matrix, 2 * matrix], rel=0.01)
    assert at["P written"][:2] == pytest.approx([matrix, matrix], rel=0.01)
    assert at["P read"][:2] == pytest.approx([matrix, 2 * matrix], rel=0.01)
    flash = {name: at[name][0] for name in ("Q", "K", "V", "O", "L")}
    assert max(flash.values()) == pytest.approx(4 * 256 * 64, rel=0.01)


@pytest.mark.slow
def test_a_small_l2_leaves_trips_to_hbm_and_flash_attention_reads_its_operands_once():
    *_, moved = tables(run("online_softmax"))
    rows = {cells[0]: cells for cells in moved}
    matrix, operand = 4 * 1024 * 1024, 4 * 1024 * 64
    for kernel in ("softmax-online", "matmul-batched-nn"):
        assert 0.5 * matrix < parse_bytes(rows[kernel][5]) <= matrix
    assert parse_bytes(rows["flash-attention-2"][6]) == pytest.approx(3 * operand, rel=0.05)


def test_standard_attention_peaks_at_7_bytes_a_score_and_fills_80_gb_at_20_000():
    lengths, kernels, ends = tables(printed("attention_peak_memory"))
    scores, operand = 32 * 4096**2, 2 * 32 * 4096 * 128
    found = {tuple(cells[:2]): [parse_bytes(cell) for cell in cells[2:5]] for cells in lengths}
    kept, forward, backward = found["4096", "standard, dropout"]
    assert kept == forward == pytest.approx(5 * scores + 4 * operand, rel=0.002)
    assert backward == pytest.approx(7 * scores + 4 * operand, rel=0.002)
    assert found["4096", "standard"][2] == pytest.approx(6 * scores + 3 * operand, rel=0.002)
    flash = found["4096", "FlashAttention-2"]
    assert flash[0] == pytest.approx(4 * operand + 4 * 32 * 4096, rel=0.01)
    assert found["16384", "FlashAttention-2"] == pytest.approx([4 * nbytes for nbytes in flash], rel=0.01)
    assert sum("7." in cells[-1] for cells in kernels) == 3
    assert {cells[0]: cells[1:] for cells in ends} == {
        "standard, dropout": ["19 509", "3 970"], "standard": ["21 087", "6 048"],
        "FlashAttention-2": ["1.31 M", "79 128"],
    }  # fmt: skip


def test_the_ridge_moves_right_as_flops_outgrow_bytes():
    gpus, models, sources = tables(printed("compute_growth"))
    rows = by_first(gpus)
    assert (rows["p100"][3], rows["b200"][3]) == ("29", "281")
    for _, _, flops, nbytes, ridge, *_ in gpus:
        assert float(flops) * 1000 / float(nbytes) == pytest.approx(float(ridge), rel=0.02)
    assert {cells[0] for cells in models} == {cells[0] for cells in sources}


def test_six_flops_a_parameter_and_token_are_what_papers_print():
    stated = [(p, t, flops) for _, p, t, flops, _ in load("compute_growth")["MODELS"].values() if t and flops]
    assert len(stated) == 4
    for parameters, tokens, flops in stated:
        assert 6 * parameters * tokens == pytest.approx(flops, rel=0.01)


@pytest.mark.parametrize(
    ("name", "option", "value", "message"),
    [
        ("formats", "--seed", "-1", "--seed: must be 0 or more"),
        ("fp8_tiles", "--seed", "-1", "--seed: must be 0 or more"),
        ("compute_growth", "--dtype", "fp8", "invalid choice"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(capsys, name, option, value, message):
    with pytest.raises(SystemExit):
        run(name, option, value)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "option", "value", "message"),
    [
        ("online_softmax", "--pile", "0", "pile must be 1 or more"),
        ("online_softmax", "--scores", "nan", "scores must be finite"),
        ("training_bytes", "--devices", "0", "devices must be 1 or more"),
        ("attention_peak_memory", "--layers", "0", "layers must be above 0"),
    ],
)
def test_a_value_that_a_model_refuses_is_told_in_a_line(name, option, value, message):
    with pytest.raises(ParameterError, match=message):
        run(name, option, value)
