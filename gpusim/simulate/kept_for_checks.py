"""What a machine keeps for checks: who touched what last, and what threads know of one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import WORD
from gpusim.isa.encode import F
from gpusim.isa.opcodes import Op
from gpusim.simulate.launch import zeros

if TYPE_CHECKING:
    from gpusim.isa.encode import Image
    from gpusim.simulate.launch import Launch

OF_SHARED = (Op.LDS, Op.STS, Op.LD, Op.ST, Op.ATOMS, Op.ATOM)
OF_GLOBAL = (Op.LDG, Op.STG, Op.LD, Op.ST, Op.ATOMG, Op.RED, Op.ATOM)


class Looks(NamedTuple):
    """What is known of global memory before a checked run: first bytes of stretches, and one past their last.

    Attributes
    ----------
    fresh : tuple of (int, int)
        What nobody has written yet.
    freed : tuple of (int, int)
        What has been freed.
    watched : (int, int), optional
        A block and a warp of it, whose accesses are kept.
    """

    fresh: tuple[tuple[int, int], ...] = ()
    freed: tuple[tuple[int, int], ...] = ()
    watched: tuple[int, int] | None = None


def kept(launch: Launch, image: Image, slots: int, words: int, looks: Looks | None) -> dict[str, np.ndarray]:
    """Room for checks of a launch, nothing noted yet; the least there can be in runs without checks.

    Parameters
    ----------
    launch, image
        What runs.
    slots : int
        Places of blocks.
    words : int
        Words of global memory.
    looks : Looks, optional
        Of a checked run.
    """
    if looks is None:
        return _arrays(1, 1, 1, 1, 1, 1, 1) | {"found": np.zeros((1, K.N_FOUND), np.int64), **_of_looks(Looks(), 0)}
    of_shared, of_global = granule_bits(image, OF_SHARED), granule_bits(image, OF_GLOBAL)
    found = np.zeros((1 + K.MOST_FOUND, K.N_FOUND), np.int64)
    found[0, K.F_SHARED_BITS], found[0, K.F_GLOBAL_BITS] = of_shared, of_global
    found[0, K.F_SHARED_END] = launch.program.shared_base + _declared(launch)
    found[0, K.F_NOW] = 1  # 0 is the number of what never was
    if looks.watched is not None:
        block, warp = looks.watched
        found[0, K.F_WATCHED] = (block << K.THREAD_BITS | warp * S.LANES) + 1
    shared, local = launch.program.shared_base + launch.shared_bytes, -(-launch.program.local_bytes // WORD)
    return _arrays(
        slots, slots * launch.warps, launch.warps * S.LANES, (shared >> of_shared) + 1,
        ((words * WORD) >> of_global) + WORD, max(local, 1), K.MOST_CLOCKS,
    ) | {"found": found, **_of_looks(looks, len(image.code))}  # fmt: skip


def _declared(launch: Launch) -> int:
    """Bytes of a block's shared memory that the source declares; dynamic shared memory lies behind what is padded."""
    static_alone = launch.shared_bytes == launch.program.shared_bytes
    return launch.shared_bytes - launch.program.shared_padding * static_alone


def _arrays(
    slots: int, warps: int, threads: int, of_shared: int, of_global: int, local: int, clocks: int
) -> dict[str, np.ndarray]:
    """Room for so many places of blocks, warps, threads of a block, granules, words and clocks."""
    return {
        "shadow_shared": _room(np.int64, slots, of_shared, K.N_SHADOW),
        "shadow_global": _room(np.int64, of_global, K.N_SHADOW),
        "shadow_local": _room(np.uint8, warps, local, S.LANES),
        "kept_blocks": _room(np.int64, slots, K.N_KEPT_BLOCK),
        "kept_threads": _room(np.int64, slots, threads, K.N_KEPT_THREAD),
        "kept_warps": _room(np.int64, warps, K.N_KEPT_WARP),
        "known": _room(np.int64, slots, threads, threads + 1),
        "clocks": _room(np.int64, clocks, K.C_FIRST + threads + 1),
        "pairs": _room(np.int64, clocks, K.C_FIRST + threads + 1),
        "joined": np.zeros(threads + 1, np.int64),
    }


def _of_looks(looks: Looks, code: int) -> dict[str, np.ndarray]:
    """Stretches of memory, and room for the accesses of a warp by so many instructions."""
    stretches = {"fresh": looks.fresh, "freed": looks.freed}
    rows = 1 if looks.watched is None else 2 * code
    return {
        "lanes_kept": np.zeros((rows, K.N_TOUCHED), np.int64),
        **{name: np.array(some, np.int64).reshape(-1, 2) for name, some in stretches.items()},
    }


def granule_bits(image: Image, ops: Sequence[Op]) -> int:
    """Bits of an address inside the narrowest access that a program has of some instructions, a word at most."""
    rows = image.code[np.isin(image.code[:, F.OP], ops)]
    narrowest = int(rows[:, F.WIDTH].min(initial=WORD))
    return max(narrowest.bit_length() - 1, 0)


def _room(dtype: type, *shape: int) -> np.ndarray:
    return zeros(int(np.prod(shape)), dtype).reshape(shape)
