"""Occupancy and carve-out equal what Nsight Compute says of an H200."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.hardware import OccupancyError, load, names, occupancy
from gpusim.hardware.occupancy import allocated_shared

DATA = Path(__file__).parent / "data"
KIB = 1024


def rows(name):
    with (DATA / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


LAUNCHES = rows("h200_occupancy.csv")


def test_there_are_54_launches():
    assert len(LAUNCHES) == 54


@pytest.mark.parametrize("row", LAUNCHES, ids=lambda row: row["id"])
def test_limits_of_a_launch(row):
    shared = int(row["static_shared"]) + int(row["dynamic_shared"])
    held = occupancy(load("h200"), int(row["threads"]), int(row["registers"]), shared)
    assert held.limit_registers == int(row["limit_registers"])
    assert held.limit_shared == int(row["limit_shared"])
    assert held.limit_warps == int(row["limit_warps"])
    assert held.limit_blocks == int(row["limit_blocks"])
    assert held.occupancy_pct == float(row["occupancy_pct"])


def test_carveout_of_every_shape_that_was_measured():
    gpu, shapes = load("h200"), rows("h200_carveout.csv")
    assert len(shapes) == 1512
    wrong = []
    for row in shapes:
        held = occupancy(gpu, int(row["threads"]), int(row["registers"]), int(row["shared_bytes"]))
        said = (held.carveout_bytes // KIB, held.limit_registers, held.limit_shared, round(held.occupancy_pct, 2))
        measured = (
            int(row["carveout_kib"]),
            int(row["limit_registers"]),
            int(row["limit_shared"]),
            float(row["occupancy_pct"]),
        )
        if said != measured:
            wrong.append((row, said))
    assert wrong == []


@pytest.mark.parametrize(
    ("threads", "registers", "shared_kib", "carveout_kib"),
    [
        (1024, 32, 0, 8),
        (1024, 32, 16, 64),
        (1024, 32, 64, 132),
        (1024, 32, 128, 132),
        (1024, 32, 200, 228),
        (256, 16, 0, 32),  # room for others: eight blocks would fit 8 KiB
        (512, 16, 0, 16),
        (256, 255, 0, 8),  # one block only: no room for others
        (256, 32, 2, 64),  # eight blocks fit 32 KiB
        (128, 64, 9, 132),  # room for others ends at half of the largest step
        (64, 32, 8, 228),
    ],
)
def test_carveout_and_what_is_left_to_l1(threads, registers, shared_kib, carveout_kib):
    gpu = load("h200")
    held = occupancy(gpu, threads, registers, shared_kib * KIB)
    assert held.carveout_bytes == carveout_kib * KIB
    assert held.l1_bytes == (256 - carveout_kib) * KIB


def test_carveout_that_nsight_compute_showed_on_an_rtx_3090():
    """Developer forum 320732: 4.22 KB static, 65.54 KB configured, six blocks by registers and warps; an A6000's SM."""
    held = occupancy(load("rtx-a6000"), 256, 40, 4224)
    assert (held.limit_registers, held.limit_warps, held.carveout_bytes) == (6, 6, 65536)


def test_a_p100_has_shared_memory_and_l1_apart():
    held = occupancy(load("p100"), 256, 32, 16 * KIB)
    assert (held.carveout_bytes, held.l1_bytes) == (64 * KIB, 24 * KIB)
    assert (held.blocks_per_sm, held.limiters) == (4, ("shared",))


def test_registers_of_a_warp_do_not_straddle_partitions():
    gpu = load("h200")
    assert occupancy(gpu, 96, 168, 0).limit_registers == 4 * (16384 // (168 * 32)) // 3
    assert occupancy(load("p100"), 32, 200, 0).limit_registers == 2 * (32768 // (200 * 32))


def test_without_shared_memory_or_reserve_nothing_is_set_aside():
    held = occupancy(load("v100"), 256, 32, 0)
    assert (held.carveout_bytes, held.l1_bytes, held.limit_shared) == (0, 128 * KIB, 32)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((0, 32, 0), "a block of 0 threads does not fit h200: a block has 1 to 1024 threads"),
        ((1025, 32, 0), "a block of 1025 threads does not fit h200: a block has 1 to 1024 threads"),
        ((32, 32, 232449), "a block with 232449 bytes of shared memory does not fit h200: at most 232448 bytes fit"),
        ((32, 32, -1), "a block with -1 bytes of shared memory does not fit h200: at most 232448 bytes fit"),
        (
            (32, 256, 0),
            "a block of 32 threads with 256 registers each does not fit h200: at most 255 registers a thread fit",
        ),
        (
            (1024, 65, 0),
            "a block of 1024 threads with 65 registers each does not fit h200: at most 64 registers a thread fit",
        ),
        (
            (544, 104, 0),
            "a block of 544 threads with 104 registers each does not fit h200: at most 96 registers a thread fit",
        ),
    ],
)
def test_a_block_that_does_not_fit(asked, message):
    with pytest.raises(OccupancyError) as caught:
        occupancy(load("h200"), *asked)
    assert str(caught.value) == message


@given(
    name=st.sampled_from(names()),
    threads=st.integers(1, 1024),
    registers=st.integers(1, 255),
    shared=st.integers(0, 232448),
)
def test_what_fits_fits(name, threads, registers, shared):
    gpu = load(name)
    warps = -(-threads // (32 * gpu.sm.register_partitions)) * gpu.sm.register_partitions
    registers = min(registers, gpu.sm.registers // (32 * warps) // 8 * 8)
    held = occupancy(gpu, threads, registers, min(shared, gpu.shared.max_bytes_per_block))
    assert 1 <= held.blocks_per_sm <= gpu.sm.max_blocks
    assert held.blocks_per_sm * held.shared_bytes_per_block <= held.carveout_bytes
    assert held.carveout_bytes in gpu.shared.carveout_steps
    assert 0 < held.occupancy_pct <= 100
    assert held.limiters
    assert held.l1_bytes > 0


@given(shared=st.integers(0, 232448))
def test_allocated_bytes_hold_the_block_and_its_reserve(shared):
    gpu = load("h200")
    allocated = allocated_shared(gpu, shared)
    assert allocated % 128 == 0
    assert shared + 1024 <= allocated < shared + 1024 + 128
