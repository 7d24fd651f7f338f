"""Matrices of a warp and asynchronous copies, as the interpreter of lowered programs has them.

Registers lie in arrays of (register, thread); a warp is 32 threads that follow one another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.isa.instruction import RZ, Instr
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Flag, Mma

LANE = np.arange(32)
G, T = LANE // 4, LANE % 4  # row and place in it of what a lane has of a matrix
PER = {Mma.F16_16816_F32: 2, Mma.BF16_16816_F32: 2, Mma.TF32_1688_F32: 1}  # elements of a register


def copy_async(b: Any, i: Instr, m: np.ndarray) -> None:
    """LDGSTS: where p0 does not hold, zeros."""
    info = b.program.arrays[i.array]
    reads = m & b.psrc(i, 0)
    first = b.memory.address[info.name]
    place = b.wide(i, 1).astype(np.int64) + i.target - first
    data = b.memory.view(info.name)
    assert ((place >= 0) & (place + i.width <= b.memory.size[info.name]))[reads].all(), f"{info.name}: outside"
    assert (place % i.width == 0)[reads].all(), f"{info.name}: misaligned"
    for lane in np.flatnonzero(m):
        to = int(b.u(i, 0)[lane]) + i.offset
        assert to % i.width == 0, "copied to a misaligned place"
        assert to + i.width <= b.program.shared_bytes, "copied outside of shared memory"
        at = int(place[lane])
        b.shared[to : to + i.width] = data[at : at + i.width] if reads[lane] else 0


def load_matrices(b: Any, i: Instr, m: np.ndarray) -> None:
    """LDSM of four matrices."""
    info = b.program.arrays[i.array]
    for warp in np.unique(b.warp[m]):
        lanes = np.flatnonzero(b.warp == warp)
        rows = b.u(i, 0)[lanes].astype(np.int64) + i.offset
        assert ((rows >= info.offset) & (rows + 16 <= info.offset + info.nbytes)).all(), f"{info.name}: outside"
        for k in range(i.sub):
            places = rows[8 * k : 8 * k + 8, None] + np.arange(16)
            matrix = b.shared[places].copy().view(np.uint16)
            matrix = matrix.T if i.flags & Flag.TRANSPOSE else matrix
            low, high = (matrix[G, 2 * T + side].astype(np.uint32) for side in (0, 1))
            b.r[i.dst.index + k][lanes] = low | high << np.uint32(16)


def _numbers(registers: np.ndarray, kind: Mma) -> np.ndarray:
    """Elements of registers (register, lane): (register, lane, element)."""
    if kind == Mma.TF32_1688_F32:
        return (registers & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)[..., None]
    halves = np.stack([registers & np.uint32(0xFFFF), registers >> np.uint32(16)], -1)
    if kind == Mma.BF16_16816_F32:
        return (halves << np.uint32(16)).view(np.float32).astype(np.float64)
    return halves.astype(np.uint16).view(np.float16).astype(np.float64)


def multiply(b: Any, i: Instr, m: np.ndarray) -> None:
    """HMMA with sums of fp32."""
    kind = Mma(i.sub)
    per = PER[kind]
    k = per * T[:, None] + np.arange(per)
    for warp in np.unique(b.warp[m]):
        lanes = np.flatnonzero(b.warp == warp)
        held = [b.r[o.index : o.index + n, lanes] for o, n in zip(i.srcs[:2], (4, 2), strict=True)]
        left, right = (_numbers(np.ascontiguousarray(registers), kind) for registers in held)
        A, B = np.zeros((16, 8 * per)), np.zeros((8 * per, 8))
        for part in range(4):
            A[(G + 8 * (part % 2))[:, None], k + 4 * per * (part // 2)] = left[part]
        for part in range(2):
            B[k + 4 * per * part, G[:, None]] = right[part]
        product = A @ B
        for part in range(4):
            old = 0.0
            if i.srcs[2].index != RZ:
                old = b.r[i.srcs[2].index + part][lanes].view(np.float32).astype(np.float64)
            sums = (product[G + 8 * (part // 2), 2 * T + part % 2] + old).astype(np.float32)
            b.r[i.dst.index + part][lanes] = sums.view(np.uint32)


HANDLERS = {
    Op.LDGSTS: copy_async,
    Op.LDSM: load_matrices,
    Op.HMMA: multiply,
    Op.LDGDEPBAR: lambda b, i, m: None,
    Op.DEPBAR: lambda b, i, m: None,
}
