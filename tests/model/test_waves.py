"""Do waves follow from tiles, blocks and SMs, and does simulated time rise in the same steps?"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import hardware
from gpusim.errors import ParameterError
from gpusim.hardware import OccupancyError
from gpusim.model import waves as model
from tests.model.kernels import WAIT
from tests.scenarios.running import load

counts = st.integers(1, 100_000)
sizes = st.integers(1, 300)


@given(counts, st.integers(1, 200), st.integers(1, 32))
def test_waves_are_just_enough(blocks, sms, each):
    found = model.waves(blocks, sms, each)
    assert (found.count - 1) * found.slots < blocks <= found.count * found.slots
    assert found.count == math.ceil(found.exact)
    assert 1 <= found.tail_blocks <= found.slots
    assert found.count * found.slots * found.utilisation == pytest.approx(blocks)
    assert found.utilisation * found.count == pytest.approx(found.count - 1 + found.tail_efficiency)


@given(counts, st.integers(1, 200))
def test_one_more_block_costs_a_wave_exactly_where_all_slots_are_taken(blocks, sms):
    now, then = model.waves(blocks, sms), model.waves(blocks + 1, sms)
    assert then.count - now.count == (now.tail_efficiency == 1)


@given(st.lists(st.tuples(sizes, st.integers(1, 64)), min_size=1, max_size=3), st.integers(1, 200))
def test_tiles_cover_the_output_and_no_row_of_them_is_idle(axes, sms):
    shape, tile = zip(*axes, strict=True)
    found = model.quantise(shape, tile, sms)
    assert found.tiles == math.prod(len(range(0, size, extent)) for size, extent in axes)
    assert 0 < found.utilisation <= found.tile_efficiency <= 1
    fits = all(size % extent == 0 for size, extent in axes)
    assert (found.tile_efficiency == 1) == fits


@pytest.mark.parametrize("n", [256, 1792, 1793, 2560, 4096])
@pytest.mark.parametrize("sms", [108, 132])
def test_as_in_the_scenario(n, sms):
    scenario = load("wave_quantisation")
    found = model.quantise((n, n), (scenario["HEIGHT"], scenario["WIDTH"]), sms)
    assert found == scenario["covered"](n, sms)
    tiles = math.ceil(n / 256) * math.ceil(n / 128)
    assert found.tiles == tiles
    assert found.waves.count == math.ceil(tiles / sms)


SIXTEEN_SMS = """
base = "h200"
[sources]
question = "a what-if: few SMs, so that waves are short"
[identity]
full_name = "H200 with 16 SMs"
sm_count = { value = 16, unit = "1", kind = "assumed", source = "question" }
gpcs = { value = [2, 2, 2, 2, 2, 2, 2, 2], unit = "1", kind = "assumed", source = "question" }
"""


def test_simulated_time_rises_a_wave_at_a_time(tmp_path):
    """Blocks that wait for arithmetic: four an SM take as long as one, a fifth as long as all four again."""
    path = tmp_path / "few.toml"
    path.write_text(SIXTEEN_SMS)
    gpu = hardware.load(str(path))
    took = {}
    for blocks in (40, 64, 65, 128, 129, 193):
        profile = gpusim.predict(WAIT, gpu=gpu, sample=False, G=blocks)
        expected = model.waves(blocks, gpu.sm_count, profile.blocks_per_sm)
        assert expected.exact == pytest.approx(profile.waves)
        took[blocks, expected.count] = profile.cycles
    wave = (took[193, 4] - took[65, 2]) / 2
    first = took[64, 1]
    for (_, count), cycles in took.items():
        assert cycles == pytest.approx(first + (count - 1) * wave, abs=0.12 * wave)


def test_slots_of_a_launch_are_those_of_its_prediction():
    profile = gpusim.predict("matmul-tiled", gpu="a100-40gb", n=128, tile=16)
    found = model.launch_waves(
        "a100-40gb", profile.blocks, profile.threads_per_block, profile.registers_per_thread, 2048
    )
    assert found.exact == pytest.approx(profile.waves)


def test_time_is_whole_waves():
    assert model.waves(109, 108).seconds(0.5) == 1.0


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("blocks must be 1 or more, not 0", lambda: model.waves(0, 108)),
        ("sms must be 1 or more", lambda: model.waves(1, 0)),
        ("shape and tile must have as many axes, not 2 and 1", lambda: model.quantise((4, 4), (2,), 108)),
        ("tile must be 1 or more", lambda: model.quantise((4,), (0,), 108)),
        ("wave_seconds must be above 0", lambda: model.waves(1, 1).seconds(0)),
    ],
)
def test_bad_input_is_told_in_a_line(message, call):
    with pytest.raises(ParameterError, match=message):
        call()


def test_a_block_that_fits_no_sm_is_refused():
    with pytest.raises(OccupancyError, match="does not fit h200"):
        model.launch_waves("h200", 1, 2048, 32)
