"""A program run as it is and as its counting image, without caches and time: both must count alike."""

from __future__ import annotations

import numpy as np

from gpusim import hardware
from gpusim.engine.core.machine import driver
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.isa.encode import Image, bind_constants, encode
from gpusim.isa.image_memory import needs_data
from gpusim.isa.slice import counting_image
from gpusim.simulate import Launch
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.build import machine
from gpusim.simulate.launch import banks_of, fill_memory, lay_out

NAMES = {
    column: name for name, column in vars(C).items() if isinstance(column, int) and name[:2] not in ("A_", "S_", "N_")
}


def counted(launch: Launch, gpu: str, image: Image, *, data: bool) -> tuple[np.ndarray, np.ndarray]:
    """Counts of the launch and of its arrays when it only executes, on one SM."""
    layout, spec = lay_out(launch), hardware.load(gpu)
    image = bind_constants(image, banks_of(launch, layout))
    memory = fill_memory(launch, layout) if data else np.zeros(1, np.uint32)
    held = hardware.occupancy(spec, launch.threads, launch.program.n_registers, launch.shared_bytes)
    m = machine(spec, launch, held, image, layout, memory, 1, timeless=True, n_sm=1)
    step = driver(m, BlockQueue.whole(launch.blocks).rows())
    while not step(int(m.misc[S.STEPS]) + (1 << 20)):
        pass
    assert m.misc[S.E_CODE] == E.OK
    return m.counts[0], m.arrays


def compare_images(launch: Launch, gpu: str, *, but: tuple[int, ...] = ()) -> Image:
    """Run both and compare column by column, ``but`` for some; the counting image."""
    short = counting_image(launch.program)
    full, full_arrays = counted(launch, gpu, encode(launch.program), data=True)
    cut, cut_arrays = counted(launch, gpu, short, data=needs_data(short))
    wrong = {NAMES[c]: (int(full[c]), int(cut[c])) for c in C.EXECUTED if full[c] != cut[c] and c not in but}
    assert not wrong, f"counted by the program and by its counting image: {wrong}"
    np.testing.assert_array_equal(full_arrays, cut_arrays)
    return short
