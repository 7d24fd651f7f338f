"""Sectors written in part: what L2 fetches from HBM to make them whole, and when."""

import pytest

import gpusim.lang as gl
from gpusim import hardware
from gpusim.engine.state import counts as C
from gpusim.isa.program import Program
from gpusim.simulate import Buffer, Launch, count

SECTOR, LINE = 32, 128


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 256),), block=lambda p: (256,))
def store(y: gl.Out[gl.f32, "N * s"]):  # noqa: F821
    """One word at every stride."""
    N, s = gl.sizes("N", "s")
    i = gl.ctaid.x * 256 + gl.tid.x
    with gl.if_(i < N):
        y[i * s] = 1.0


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 32),), block=lambda p: (32,))
def store_and_load(x: gl.Out[gl.f32, "N"], y: gl.InOut[gl.f32, "N * 8"], words: gl.Tile = 1):  # noqa: F821
    """So many words of every sector, then its last one read."""
    i = gl.ctaid.x * 32 + gl.tid.x
    for k in gl.unroll(words):
        y[i * 8 + k] = 1.0
    x[i] = y[i * 8 + 7]


def counted(program: Program, blocks: int, threads: int, **arguments: int | Buffer) -> list[int]:
    """HBM sectors read and written, and L2 read misses."""
    gpu = hardware.load("h200")
    launch = Launch(program, (blocks, 1, 1), (threads, 1, 1), arguments)
    held = hardware.occupancy(gpu, threads, program.n_registers, 0)
    total = count(launch, gpu, held, sample=False).total
    return [int(total[k]) for k in (C.DRAM_READ, C.DRAM_WRITE, C.L2_MISS)]


def strided(lines: int, stride: int) -> list[int]:
    """HBM traffic of stores of one word at every stride (bytes) over so many lines."""
    n = lines * LINE // stride
    program = store.lower()
    return counted(program, -(-n // 256), 256, y=Buffer(lines * LINE), N=n, s=stride // 4)


@pytest.mark.parametrize("words", range(1, 9))
def test_a_partial_sector_is_fetched_when_read_and_a_whole_one_is_not(words: int) -> None:
    sectors = 64
    arrays = {"x": Buffer(4 * sectors), "y": Buffer(SECTOR * sectors)}
    read, written, missed = counted(store_and_load.lower(words=words), sectors // 32, 32, N=sectors, **arrays)
    assert (read, written, missed) == ((0, 0, 0) if words == 8 else (sectors, 0, sectors))


@pytest.mark.parametrize("stride", [32, 64, 128])
def test_few_partial_lines_stay_as_they_are(stride: int) -> None:
    assert strided(50_000, stride)[:2] == [0, 0]


@pytest.mark.parametrize("stride", [32, 64, 128])
def test_many_partial_lines_are_filled_and_written_back(stride: int) -> None:
    lines, each = 200_000, LINE // stride
    read, written, _ = strided(lines, stride)
    kept = lines - read // each
    share = hardware.load("h200").l2
    assert share.partial_low_share <= kept / (share.size_bytes / LINE) <= share.partial_high_share
    assert written == read


def test_whole_sectors_are_never_fetched() -> None:
    assert strided(200_000, 4)[0] == 0
