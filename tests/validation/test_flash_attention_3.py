"""FlashAttention-3, written by hand: counters here and on an H100, and the page that tells of it."""

import pytest

from calibration import flash_attention_2, flash_attention_3, hopper
from calibration.flash_attention_3 import Found, Launch

SMALL = Launch(16, 512, causal=False)
EXACT = (
    "dram__bytes_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "launch__registers_per_thread",
)  # fmt: skip


@pytest.mark.long
@pytest.mark.usefixtures("measured_compiler")
def test_counters_are_those_of_an_h100():
    found, measured = flash_attention_3.run(SMALL), hopper.by_hand("h100-sxm")[SMALL.id]
    assert {name: found.value(name) for name in EXACT} == {name: measured.value(name) for name in EXACT}
    for name, error in (
        ("smsp__inst_executed.sum", 0.02),  # warps that wait try again, how often depends on time
        ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 0.01),
        ("lts__t_sectors_srcunit_tex_op_read.sum", 0.1),
        ("sm__cycles_active.avg", 0.1),
    ):
        assert found.value(name) == pytest.approx(measured.value(name), rel=error), name


def test_its_part_has_every_length_that_was_published_and_measured():
    assert set(flash_attention_3.PUBLISHED.values()) == {s for s in flash_attention_2.SHAPES if s.d == 128}
    assert {launch.id for launch in flash_attention_3.MEASURED} <= set(hopper.by_hand("h100-sxm"))
    parts = {flash_attention_3.part_of(launch) for launch in flash_attention_3.LAUNCHES}
    found = {launch: Found(launch.flops / 500e12, launch.heads * 125e3) for launch in parts}
    text = flash_attention_3.part(flash_attention_3.whole(flash_attention_3.LAUNCHES, found))
    assert text.startswith(flash_attention_2.SECOND_PART)
    assert "| no | 8192 | 646 | 500 | -22.6% |" in text
    assert "| yes | 16384 | 616 | 500 | -18.8% |" in text
    assert "| no | 8192 | 652 | 1608 | 1367001 | 2000000 | +46.3% | 2670 | 3906 |" in text
    assert "| no | 16384 | 682 | 1575 | 5100918 | 2000000 | -60.8% | 2491 | 977 |" in text


def test_a_part_is_written_and_the_other_left(tmp_path, monkeypatch):
    page = tmp_path / "attention.md"
    monkeypatch.setattr(flash_attention_2, "PAGE", page)
    page.write_text("# One\n\nfirst\n")
    flash_attention_2.write_part("## FlashAttention-3\n\nsecond\n", first=False)
    flash_attention_2.write_part("# One\n\nanew\n", first=True)
    flash_attention_2.write_part("## FlashAttention-3\n\nthird\n", first=False)
    assert page.read_text() == "# One\n\nanew\n\n## FlashAttention-3\n\nthird\n"
