"""A user's own GPU, written as what differs from another."""

import os

import pytest

from gpusim import hardware
from gpusim.hardware import format as layout
from gpusim.hardware.inherit import deal, spread


def write(tmp_path, text, name="my.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def number(name, value, unit="1"):
    return f'{name} = {{ value = {value}, unit = "{unit}", kind = "assumed", source = "what if" }}\n'


def test_only_what_is_said_differs(tmp_path):
    path = write(tmp_path, 'base = "h200"\n[l2]\n' + number("size_bytes", 1 << 20, "byte"))
    mine, base = hardware.load(str(path)), hardware.load("h200")
    assert mine.l2.size_bytes == 1 << 20
    assert mine.provenance("l2.size_bytes")[1:] == ("byte", "assumed", "what if")
    assert (mine.name, mine.full_name, mine.measured) == ("my", "my", False)
    assert (mine.sm, mine.latency, mine.placement) == (base.sm, base.latency, base.placement)


def test_what_was_measured_on_the_base_is_assumed_here(tmp_path):
    mine = hardware.load(write(tmp_path, 'base = "h200"\n'))
    entry = mine.provenance("latency.l1_hit_cycles")
    assert entry.kind == "assumed"
    assert entry.source.startswith("as h200: measured on an H200")
    assert mine.provenance("sm.max_warps").kind == "datasheet"
    assert mine.provenance("dram.read_bytes_per_s") == (
        4.4375e12, "byte/s", "assumed", f"as h200: {hardware.load('h200').provenance('dram.read_bytes_per_s').source}"
    )  # fmt: skip


def test_a_base_may_be_a_file_beside_it(tmp_path):
    write(tmp_path, 'base = "a100-80gb"\n[dram]\n' + number("size_bytes", 7, "byte"), "first.toml")
    path = write(tmp_path, 'base = "first.toml"\n[identity]\nname = "second"\nfull_name = "The second"\n')
    mine = hardware.load(path)
    assert (mine.name, mine.full_name, mine.dram.size_bytes, mine.dram.type) == ("second", "The second", 7, "HBM2e")
    assert mine.provenance("sm.fp32_lanes").source.startswith("as a100-40gb: ")


def test_another_architecture_brings_what_its_sms_hold(tmp_path):
    mine = hardware.load(write(tmp_path, 'base = "h200"\n[identity]\narch = "sm_86"\n'))
    a6000, h200 = hardware.load("rtx-a6000"), hardware.load("h200")
    assert (mine.shared, mine.abi, mine.instructions) == (a6000.shared, a6000.abi, a6000.instructions)
    assert (mine.sm.max_warps, mine.sm.max_blocks, mine.sm.fp32_lanes) == (48, 16, h200.sm.fp32_lanes)
    assert (mine.l2, mine.clock) == (h200.l2, h200.clock)


def test_fewer_sms_are_laid_out_anew(tmp_path):
    mine = hardware.load(write(tmp_path, 'base = "h200"\n[identity]\n' + number("sm_count", 66)))
    assert mine.gpcs == (8, 8, 8, 8, 8, 8, 8, 10)
    assert sorted(mine.placement.order) == list(range(66))
    assert mine.placement.order[:8] == (0, 1, 16, 17, 32, 33, 48, 49)
    assert mine.throughput.fp32_flops == pytest.approx(33.45e12)
    assert mine.provenance("throughput.fp32_flops").source.endswith("scaled with sm_count")


def test_the_same_number_of_sms_keeps_the_layout(tmp_path):
    mine = hardware.load(write(tmp_path, 'base = "h200"\n[identity]\n' + number("sm_count", 132)))
    assert mine.placement == hardware.load("h200").placement


def test_one_half_of_l2_has_no_far_sms(tmp_path):
    mine = hardware.load(write(tmp_path, 'base = "h200"\n[l2]\n' + number("partitions", 1)))
    assert set(mine.placement.sm_half) == {0}
    assert mine.placement.order == hardware.load("h200").placement.order


def test_an_l1_apart_from_shared_memory_replaces_the_unified_one(tmp_path):
    mine = hardware.load(write(tmp_path, 'base = "h200"\n[l1]\n' + number("size_bytes", 65536, "byte")))
    assert mine.l1.unified_bytes is None
    assert mine.l1_bytes(233472) == 65536


def test_a_source_may_be_named_once(tmp_path):
    text = 'base = "h200"\n[sources]\nmine = "my own measurement"\n[latency]\n'
    text += 'fma_cycles = { value = 5, unit = "cycle", kind = "measured", source = "mine" }\n'
    assert hardware.load(write(tmp_path, text)).provenance("latency.fma_cycles").source == "my own measurement"


def test_a_changed_file_is_read_again(tmp_path):
    path = write(tmp_path, 'base = "h200"\n')
    first = hardware.load(path)
    assert hardware.load(path) is first
    write(tmp_path, 'base = "a100-40gb"\n')
    assert hardware.load(path).sm_count == 108


def test_a_file_is_read_again_when_a_base_of_its_base_has_changed(tmp_path):
    write(tmp_path, 'base = "middle.toml"\n')
    write(tmp_path, 'base = "lowest.toml"\n', "middle.toml")
    for gpu in ("h200", "a100-40gb", "h200"):
        write(tmp_path, f'base = "{gpu}"\n', "lowest.toml")
        assert hardware.load(tmp_path / "my.toml").sm_count == hardware.load(gpu).sm_count


def test_a_file_that_has_changed_within_a_tick_of_the_clock_is_read_again(tmp_path):
    path = write(tmp_path, 'base = "a100-40gb"\n')
    before, first = path.stat(), hardware.load(path)
    write(tmp_path, 'base = "a100-80gb"\n')
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert hardware.load(path).l2 == hardware.load("a100-80gb").l2
    assert hardware.load(path).dram != first.dram


@pytest.mark.parametrize("count", [1, 2, 3, 7, 64, 131, 132, 133])
@pytest.mark.parametrize("gpcs", [1, 6, 8])
def test_sms_are_shared_out_and_dealt_completely(count, gpcs):
    sizes = spread(count, gpcs)
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) <= 2
    dealt = deal(sizes)
    assert tuple(dealt.count(gpc) for gpc in range(len(sizes))) == sizes


def test_listing_the_gpus():
    rows = layout.table()
    assert [row[0] for row in rows] == ["GPU", *hardware.names()]
    assert len({len(row) for row in rows}) == 1
    assert rows[1 + hardware.names().index("h200")][2:6] == ("sm_90", "132", "1980", "60")


def test_describing_a_gpu():
    gpu = hardware.load("h200")
    rows = layout.describe(gpu)
    assert rows[0] == ("key", "value", "unit", "kind", "source")
    described = {row[0]: row[1:] for row in rows[1:]}
    assert described["l2.size_bytes"][:3] == ("62914560", "byte", "datasheet")
    assert described["dram.type"] == ("HBM3e", "", "", "")
    assert described["placement.order"][0].endswith("... (132 in all)")
    assert "latency.dram_far_cycles" not in described
    assert all(isinstance(cell, str) and "\n" not in cell for row in rows for cell in row)
