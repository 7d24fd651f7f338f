"""Do bytes a parameter and activations of a layer come out as published?"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.errors import ParameterError, UnknownNameError
from gpusim.model import fp8
from gpusim.model import training_memory as model

ROWS = {
    "bf16-fp32-accumulation": 20,
    "bf16": 16,
    "fp8-weights": 15,
    "adam8bit": 10,
    "adam8bit-fp8-weights": 9,
    "fp32": 16,
    "bf16-fp32-gradients": 18,
    "deepseek-v3": 13,
    "fp8-lm": 6,
}


def test_bytes_a_parameter():
    assert {name: kept.bytes_per_parameter for name, kept in model.CONFIGURATIONS.items()} == ROWS


def test_every_configuration_says_who_counts_so():
    assert all(kept.source for kept in model.CONFIGURATIONS.values())


def test_a_sum_that_is_no_papers_says_whose_it_is():
    stated = {name for name, kept in model.CONFIGURATIONS.items() if kept.stated}
    assert {ROWS[name] for name in stated} == {20, 18, 16, 6}
    assert {ROWS[name] for name in ROWS.keys() - stated} == {15, 13, 10, 9}
    for name in ROWS.keys() - stated - {"adam8bit"}:
        assert "this library" in model.precision(name).source


def documented():
    """Rows of the table in the module's docstring: name, parts, sum."""
    for line in model.__doc__.splitlines():
        if line.startswith("``"):
            name, *parts = line.replace("--", "0").split()
            numbers = [int(part) for part in parts if part != "+"]
            yield name.strip("`"), numbers[:-1], numbers[-1]


def test_the_documented_table_is_what_is_computed():
    rows = list(documented())
    assert {name for name, *_ in rows} == set(model.CONFIGURATIONS)
    for name, parts, total in rows:
        kept = model.precision(name).breakdown
        assert [kept[part] for part in ("weights", "gradients", "accumulation", "master")] == parts[:-2], name
        assert kept["moments"] == sum(parts[-2:])
        assert total == sum(parts) == ROWS[name]


def test_deepseek_v3_is_two_bytes_less_than_two_sums_of_15():
    kept = model.precision("deepseek-v3")
    assert (kept.weights, kept.gradients, kept.master, kept.moments) == ("fp8", "fp32", "fp32", ("bf16", "bf16"))
    assert (
        replace(kept, gradients="bf16", moments=("fp32", "fp32")).breakdown == model.precision("fp8-weights").breakdown
    )
    assert replace(kept, gradients="bf16", accumulation="fp32").bytes_per_parameter == 15
    assert "15" in kept.source


def test_a_megatron_turing_nlg_takes_over_ten_terabytes():
    """Smith et al. 2022, arXiv 2201.11990: 530 billion parameters."""
    assert 10e12 < model.model_bytes(530e9, model.precision("bf16-fp32-accumulation")) < 11e12


def test_zero_shares_as_in_its_figure_1():
    """Rajbhandari et al. 2020, figure 1: 7.5 billion parameters on 64 devices, GB."""
    shares = [model.model_bytes(7.5e9, model.precision("bf16"), devices=64, zero_stage=s) / 1e9 for s in range(4)]
    assert shares == pytest.approx([120, 31.4, 16.6, 1.9], abs=0.05)


dtypes = st.sampled_from(["fp32", "bf16", "fp16", "fp8"])
precisions = st.builds(
    model.Precision,
    weights=dtypes,
    gradients=dtypes,
    accumulation=st.none() | dtypes,
    master=st.none() | dtypes,
    moments=st.lists(dtypes, max_size=2).map(tuple),
)


@given(precisions, st.integers(2, 1024))
def test_each_stage_of_zero_divides_more(kept, devices):
    stages = [model.model_bytes(1e9, kept, devices=devices, zero_stage=s) for s in range(4)]
    assert stages == sorted(stages, reverse=True)
    assert stages[1] > stages[2] > stages[3]
    assert stages[0] == 1e9 * kept.bytes_per_parameter
    assert stages[3] == pytest.approx(stages[0] / devices)


@pytest.mark.parametrize(
    ("name", "size", "per_sbh", "share"), [("GPT-3", (12288, 96), 80, 0.70), ("MT-NLG", (20480, 128), 64, 0.65)]
)
def test_the_quadratic_part_is_as_large_as_published(name, size, per_sbh, share):
    """Korthikanti et al. 2022, section 5: 5 a s / h is 80 and 64, so leaving it out saves 70 % and 65 %."""
    h, a = size
    layer = model.Layer(s=2048, b=1, h=h, a=a)
    assert layer.quadratic_bytes == per_sbh * 2048 * h
    assert layer.quadratic_bytes / layer.activation_bytes() == pytest.approx(share, abs=0.006)


layers = st.builds(
    lambda s, b, a, d: model.Layer(s=s, b=b, h=a * d, a=a),
    st.integers(1, 8192), st.integers(1, 8), st.integers(1, 128), st.sampled_from([64, 128]),
)  # fmt: skip


@given(layers)
def test_activations_follow_the_formula(layer):
    s, b, h, a = layer.s, layer.b, layer.h, layer.a
    assert layer.activation_bytes() == 34 * s * b * h + 5 * a * s * s * b
    assert layer.activation_bytes(flash=True) == 34 * s * b * h + 4 * a * s * b
    assert layer.activation_bytes(recompute=True) == 2 * s * b * h


@given(layers)
def test_with_flash_attention_twice_the_sequence_takes_twice_the_memory(layer):
    longer = model.Layer(s=2 * layer.s, b=layer.b, h=layer.h, a=layer.a)
    assert longer.activation_bytes(flash=True) == 2 * layer.activation_bytes(flash=True)
    assert longer.activation_bytes() > 2 * layer.activation_bytes()


def test_fp8_scales_are_as_small_as_the_docstring_says():
    shape = (4096, 4096)
    assert fp8.scale_bytes(shape, fp8.BLOCK) / 4096**2 == pytest.approx(0.0002, abs=0.00005)
    assert fp8.scale_bytes(shape, fp8.MX_ROWS) / 4096**2 == pytest.approx(0.03, abs=0.002)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (UnknownNameError, "unknown configuration 'bf17': did you mean bf16", lambda: model.precision("bf17")),
        (UnknownNameError, "unknown type 'fp12'",
         lambda: model.Precision(weights="fp12", gradients="fp32").bytes_per_parameter),
        (ParameterError, "parameters must be above 0", lambda: model.model_bytes(0, model.precision("bf16"))),
        (ParameterError, "devices must be 1 or more", lambda: model.model_bytes(1, model.precision("bf16"), devices=0)),
        (ParameterError, "zero_stage must be 0, 1, 2 or 3, not 4",
         lambda: model.model_bytes(1, model.precision("bf16"), zero_stage=4)),
        (ParameterError, "h must be 1 or more", lambda: model.Layer(s=1, b=1, h=0, a=1)),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_a_line(error, message, call):
    with pytest.raises(error, match=message):
        call()
