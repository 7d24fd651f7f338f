"""Are hits of L2's reads and writes told apart, and what it still holds of the result?

Held against an H200: of reads of a sector in every 128 bytes Nsight Compute counts two misses each and no hit
(1 048 576 reads, 2 097 152 misses, 131 072 hits, which is what was written); copies hit as many sectors as they write.
"""

import pytest

import gpusim
import gpusim.lang as gl
from gpusim import hardware
from gpusim.simulate import Buffer, Launch, count
from gpusim.simulate.metrics import metrics

READS = "lts__t_sectors_srcunit_tex_op_read{}.sum"
N = 4096


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 256),), block=lambda p: (256,))
def every(x: gl.In[gl.f32, "N * 32"], y: gl.Out[gl.f32, "N"], sectors: gl.Tile = 1):
    """A word of so many sectors in every 128 bytes."""
    i = gl.ctaid.x * 256 + gl.tid.x
    total = gl.var(gl.f32, 0.0)
    for k in gl.unroll(sectors):
        total += x[i * 32 + 8 * k]
    y[i] = total


def reads(sectors: int) -> tuple[float, float, float]:
    """Sectors read, and of these hits and misses."""
    gpu, program = hardware.load("h200"), every.lower(sectors=sectors)
    buffers = {"x": Buffer(128 * N), "y": Buffer(4 * N), "N": N}
    held = hardware.occupancy(gpu, 256, program.n_registers, 0)
    found = metrics(count(Launch(program, (N // 256, 1, 1), (256, 1, 1), buffers), gpu, held, sample=False))
    read, hit, miss = (found[READS.format(what)].value for what in ("", "_lookup_hit", "_lookup_miss"))
    return read, hit, miss


def test_reads_of_a_naive_transpose_miss_and_its_writes_hit():
    profile = gpusim.predict("transpose-naive", n=128)
    assert (profile.l2_read_hit_rate, profile.l2_write_hit_rate) == (0, 1)
    assert profile.l2_hit_rate == pytest.approx(8 / 9)  # eight sectors written for one that is read


def test_what_comes_along_is_a_miss_but_no_hit():
    assert reads(1) == (N, 0, 2 * N)


def test_what_came_along_is_a_hit_when_it_is_read():
    read, hit, miss = reads(2)
    assert (read, miss) == (2 * N, 2 * N)
    assert hit == pytest.approx(N, rel=0.02)


def test_l2_holds_what_was_not_written_back():
    profile = gpusim.predict("copy", n=1 << 16)
    assert (profile.dram_bytes_written, profile.l2_dirty_bytes) == (0, 4 << 16)
    large = gpusim.predict("copy", n=1 << 23)
    assert large.dram_bytes_written + large.l2_dirty_bytes == 4 << 23
    assert "MB: L2 still holds" in large.sentence
