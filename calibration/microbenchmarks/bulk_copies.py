"""Bulk copies and copies of boxes: how long one takes, and how many bytes come or go in a cycle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from calibration import bench
from gpusim import TensorMap

ROUNDS, OFTEN, SELDOM = (8, 40), (8, 24), (2, 6)
"""The difference of two numbers of rounds is timed: of single copies, of rings by one SM, of rings by many."""
SHARED = (64 << 10) + (1 << 10)
NEAR, FAR = 1 << 20, 64 << 20  # bytes of memory that one block copies: they stay in L2, or are read once
NEAR_ALL, FAR_ALL = 16 << 20, 256 << 20  # the same of many
WIDEST = 256  # elements of a box along a dimension
SIZES = (16, 128, 1024, 4096, 8192, 16384, 32768)
STATES = {"l2": "warm", "hbm": "cold"}
ALONE, RATE, STORED = "copies of an SM, one by one", "rates of copies", "stores and additions by copies"


class Shape(NamedTuple):
    """A box of a tensor.

    Attributes
    ----------
    box : tuple of int
        Elements along each dimension, the outermost first.
    swizzle : int
        Bytes; 0: none.
    pitch : int
        Elements along the innermost dimension of the tensor; 0: as many as the box has.
    kind : str
        Type of the elements.
    """

    box: tuple[int, ...]
    swizzle: int = 0
    pitch: int = 0
    kind: str = "uint8"

    @property
    def bytes(self) -> int:
        """Of a box."""
        return int(np.prod(self.box)) * np.dtype(self.kind).itemsize

    def map(self, span: int) -> TensorMap:
        """Of a tensor of at least so many bytes, whose outermost dimension is a power of two."""
        inner = (*self.box[1:-1], self.pitch or self.box[-1]) if len(self.box) > 1 else ()
        a_row = int(np.prod(inner)) * np.dtype(self.kind).itemsize
        tensor = np.zeros((span // a_row, *inner), self.kind)
        return TensorMap(tensor, self.box, swizzle=self.swizzle or None)

    def __str__(self) -> str:
        kind = "" if self.kind == "uint8" else f" of {self.kind}"
        pitch = f", pitch {self.pitch}" if self.pitch else ""
        swizzle = f", swizzle {self.swizzle}" if self.swizzle else ""
        return "x".join(map(str, self.box)) + kind + pitch + swizzle


def _of_pieces(kernel: str, nbytes: int, span: int, rounds: int, blocks: int, how: dict[str, Any]) -> np.ndarray:
    """Clocks of a kernel that copies stretches."""
    clocks = np.zeros(2 * blocks, np.int64)
    args = np.int32(rounds), np.uint32(nbytes), np.uint32(span - 1), np.zeros(span, np.uint8), clocks
    bench.launch("tma.cu", kernel, blocks, 32, *args, shared=SHARED, **how)
    return clocks


def _of_boxes(kernel: str, shape: Shape, span: int, rounds: int, blocks: int, how: dict[str, Any]) -> np.ndarray:
    """Clocks of a kernel that copies boxes."""
    clocks, tensor = np.zeros(2 * blocks, np.int64), shape.map(span)
    sizes = np.uint32(shape.bytes), np.uint32(tensor.shape[0] - 1), np.uint32(shape.box[0])
    bench.launch("tma.cu", kernel, blocks, 32, tensor, np.int32(rounds), *sizes, clocks, shared=SHARED, **how)
    return clocks


@cache
def cycles(gpu: str, kernel: str, what: int | Shape, source: str, blocks: int, rounds: tuple[int, int]) -> float:
    """Cycles of a block's round: so many bytes, or a box; what it copies stays in L2 or comes from HBM."""
    near, far = (NEAR_ALL, FAR_ALL) if blocks > 1 else (NEAR, FAR)
    span = near if source == "l2" else far
    run = _of_boxes if isinstance(what, Shape) else _of_pieces
    how = {"cache": STATES[source], "gpu": gpu}
    return bench.a_step(lambda n: bench.spent(run(kernel, what, span, n, blocks, how)), rounds, 1)  # type: ignore[operator]


def rate(gpu: str, kernel: str, what: int | Shape, source: str, blocks: int) -> float:
    """Bytes that a block copies in a cycle."""
    nbytes = what.bytes if isinstance(what, Shape) else what
    copies = _copies_of(kernel)
    return copies * nbytes / cycles(gpu, kernel, what, source, blocks, OFTEN if blocks == 1 else SELDOM)


def _copies_of(kernel: str) -> int:
    """Copies of a round."""
    ring = re.search(r"_(\d+)x(\d+)$", kernel)
    return int(ring[1]) * int(ring[2]) if ring else int(re.search(r"\d+$", kernel)[0])  # type: ignore[index]


SINGLE = (
    *(Shape((rows, 128), swizzle) for rows in (8, 64, 128, 256) for swizzle in (0, 128)),
    *(Shape((64, 128), 128, pitch) for pitch in (256, 4096)),
    *(Shape((256, 128), 128, pitch) for pitch in (256, 4096)),
    Shape((64, 64)), Shape((64, 64), 64), Shape((64, 32)), Shape((64, 32), 32), Shape((64, 16)),
    Shape((8, 16)), Shape((256, 16)), Shape((256, 32)), Shape((256, 64)),
    Shape((64, 64), 64, 4096), Shape((64, 16), 0, 4096),
    Shape((8, 256)), Shape((32, 256)), Shape((8, 256), 0, 0, "uint32"), Shape((32, 256), 0, 0, "uint32"),
    Shape((64, 64), 128, 0, "float16"), Shape((64, 32), 128, 0, "float32"),
)  # fmt: skip
OF_DIMENSIONS = {
    1: Shape((256,), 0, 0, "uint64"), 3: Shape((4, 16, 128)), 4: Shape((2, 4, 8, 128)), 5: Shape((2, 2, 2, 8, 128)),
}  # fmt: skip
IN_RINGS = (
    Shape((8, 16)), Shape((64, 16)), Shape((256, 16)), Shape((64, 32)), Shape((256, 32)), Shape((64, 64)),
    Shape((256, 64)), Shape((8, 128)), Shape((64, 128)), Shape((64, 128), 128), Shape((256, 128)),
    Shape((256, 128), 128), Shape((64, 128), 128, 4096), Shape((64, 64), 64, 4096), Shape((16, 256)),
    Shape((8, 256), 0, 0, "uint32"),
)  # fmt: skip


def _single() -> Iterator[tuple[str, int | Shape, str]]:
    """Kernels that copy once a round: what, and from where."""
    for source in STATES:
        for nbytes in SIZES:
            yield "piece_load", nbytes, source
    for shape in SINGLE:
        yield "box_load_2d", shape, "l2"
    for dimensions, shape in OF_DIMENSIONS.items():
        yield f"box_load_{dimensions}d", shape, "l2"
    for rows in (8, 64, 256):
        yield "box_load_2d", Shape((rows, 128), 128), "hbm"
    for nbytes in (16, 1024, 16384):
        for kernel in ("piece_load_fetched", "piece_fetch", "piece_issue_1", "piece_issue_8"):
            yield kernel, nbytes, "hbm" if "fetch" in kernel else "l2"
    for shape in (Shape((8, 128)), Shape((64, 128)), Shape((64, 16))):
        for kernel in ("box_load_fetched", "box_fetch", "box_issue_1", "box_issue_8"):
            yield kernel, shape, "hbm" if "fetch" in kernel else "l2"


def _stored() -> Iterator[tuple[str, int | Shape, str]]:
    """Kernels that store or add once a round."""
    for nbytes in (16, 128, 1024, 4096, 16384):
        for kernel in ("piece_store_read", "piece_store_done", "piece_add_u32"):
            yield kernel, nbytes, "l2"
    for shape in (Shape((8, 128)), Shape((64, 128)), Shape((64, 128), 128), Shape((64, 64)), Shape((64, 16))):
        yield "box_store_read", shape, "l2"
        yield "box_store_done", shape, "l2"
    for dimensions, shape in OF_DIMENSIONS.items():
        yield f"box_store_done_{dimensions}d", shape, "l2"
    for kind in ("float16", "float32", "uint32"):
        yield "box_add", Shape((64, 64 if kind == "float16" else 32), 0, 0, kind), "l2"


def _in_rings() -> Iterator[tuple[str, int | Shape, str, int]]:
    """Kernels that copy many at once: what, from where, by how many SMs."""
    for nbytes in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768):
        yield "piece_ring_4x4", nbytes, "l2", 1
    for nbytes in (16, 64, 128, 256, 512, 1024, 2048):
        yield "piece_ring_8x8", nbytes, "l2", 1
    for shape in (Shape((1, 128)), Shape((8, 16)), Shape((8, 128)), Shape((16, 64)), Shape((64, 16))):
        yield "box_ring_8x8", shape, "l2", 1
    for kernel in ("piece_ring_1x1", "piece_ring_1x2", "piece_ring_1x4", "piece_ring_1x8"):
        for nbytes in (1024, 8192, 32768):
            yield kernel, nbytes, "l2", 1
    for shape in IN_RINGS:
        yield "box_ring_4x4", shape, "l2", 1
    for kernel in ("box_ring_1x1", "box_ring_1x2", "box_ring_1x4", "box_ring_1x8"):
        yield kernel, Shape((64, 128), 128), "l2", 1
    for dimensions, shape in OF_DIMENSIONS.items():
        yield f"box_ring_{dimensions}d_4x4", shape, "l2", 1
    yield from _by_many()


def _by_many() -> Iterator[tuple[str, int | Shape, str, int]]:
    """The same by many SMs."""
    for blocks in (2, 8, 16, 33, 66, bench.SMS):
        yield "piece_ring_4x4", 8192, "l2", blocks
    for nbytes in (1024, 16384):
        yield "piece_ring_4x4", nbytes, "l2", bench.SMS
    for nbytes in (64, 128, 256, 1024):
        yield "piece_ring_8x8", nbytes, "l2", bench.SMS
    for shape in (Shape((64, 128), 128), Shape((64, 16)), Shape((64, 64), 64, 4096)):
        yield "box_ring_4x4", shape, "l2", bench.SMS
    for nbytes in (1024, 8192):
        yield "piece_ring_4x4", nbytes, "hbm", bench.SMS
    yield "box_ring_4x4", Shape((64, 128), 128), "hbm", bench.SMS


def _in_groups() -> Iterator[tuple[str, int | Shape, str, int]]:
    """Kernels that store or add four at once, waiting for the fourth group before."""
    for nbytes in (16, 128, 1024, 4096, 16384):
        yield "piece_stores_4", nbytes, "l2", 1
        yield "piece_adds_u32_4", nbytes, "l2", 1
    for kind in ("u64", "f32", "f16"):
        yield f"piece_adds_{kind}_4", 4096, "l2", 1
    for shape in (Shape((64, 128)), Shape((64, 128), 128), Shape((64, 64)), Shape((64, 16))):
        yield "box_stores_4", shape, "l2", 1
    yield "box_adds_4", Shape((64, 64), 0, 0, "float16"), "l2", 1
    for kernel in ("piece_stores_4", "piece_adds_u32_4"):
        yield kernel, 8192, "l2", bench.SMS
        yield kernel, 8192, "hbm", bench.SMS


def questions() -> Iterator[bench.Question]:
    """Copies alone in cycles, rings in bytes a cycle."""
    for group, asked in ((ALONE, _single()), (STORED, _stored())):
        for kernel, what, source in asked:
            at = kernel, what, source, 1, ROUNDS
            yield bench.Question(group, _named(kernel, what, source), "cycle", lambda gpu, at=at: cycles(gpu, *at))  # type: ignore[misc]
    for group, many in ((RATE, _in_rings()), (STORED, _in_groups())):
        for kernel, what, source, blocks in many:
            name = _named(kernel, what, source) + (f", {blocks} SMs" if blocks > 1 else "")
            each = kernel, what, source, blocks
            yield bench.Question(group, name, "byte/cycle", lambda gpu, at=each: rate(gpu, *at))  # type: ignore[misc]


def _named(kernel: str, what: int | Shape, source: str) -> str:
    return f"{kernel}, {what}{'' if isinstance(what, Shape) else ' bytes'}, {source}"
