"""Do copies and kernels take what the formula says, and does overlapping keep order and units apart?"""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim import hardware
from gpusim.errors import ParameterError, UnknownNameError
from gpusim.model import copies
from gpusim.model.copies import UNITS, Chunk, overlapped, sequential, total_seconds

times = st.floats(0, 10)
chunks = st.builds(Chunk, times, times, times)


@given(chunks, st.integers(1, 20))
def test_equal_chunks_take_what_the_formula_says(chunk, k):
    found = total_seconds(overlapped([chunk] * k))
    assert found == pytest.approx(sum(chunk.seconds) + (k - 1) * max(chunk.seconds))


@given(st.lists(chunks, max_size=12))
def test_overlapping_takes_no_longer_than_one_after_another_and_no_less_than_the_busiest_unit(several):
    overlap, apart = total_seconds(overlapped(several)), total_seconds(sequential(several))
    assert apart == pytest.approx(sum(sum(chunk.seconds) for chunk in several))
    busiest = max((sum(of) for of in zip(*(chunk.seconds for chunk in several), strict=True)), default=0)
    assert busiest - 1e-9 <= overlap <= apart + 1e-9


@given(st.lists(chunks, max_size=12))
def test_a_unit_does_one_thing_at_a_time_and_a_chunk_goes_from_unit_to_unit(several):
    spans = overlapped(several)
    for unit in UNITS:
        of_unit = [span for span in spans if span.unit == unit]
        assert [span.chunk for span in of_unit] == list(range(len(several)))
        assert all(one.end_s <= other.begin_s for one, other in pairwise(of_unit))
    for number in range(len(several)):
        of_chunk = [span for span in spans if span.chunk == number]
        assert [span.unit for span in of_chunk] == [*UNITS]
        assert all(one.end_s <= other.begin_s for one, other in pairwise(of_chunk))


def test_links_are_those_of_the_specification_and_every_gpu_has_one():
    assert [round(copies.link_bytes_per_s(gpu) / 1e9, 2) for gpu in ("v100", "a100-40gb", "h200")] == [
        15.75, 31.51, 63.02,
    ]  # fmt: skip
    assert set(copies.GENERATIONS) == set(hardware.names())
    assert copies.copy_seconds(63e9, 63e9, setup_s=1e-6) == pytest.approx(1 + 1e-6)


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="kernel_s"):
        Chunk(1.0, -1.0, 1.0)
    with pytest.raises(ParameterError, match="bytes_per_s"):
        copies.copy_seconds(8, 0)
    with pytest.raises(UnknownNameError, match="GPU with a known link"):
        copies.link_bytes_per_s(replace(hardware.load("h200"), name="mine"))
