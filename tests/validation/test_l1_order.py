"""Which lines of a set L1 keeps, after any order of reads and whole writes: as an H200 does, in every case."""

from __future__ import annotations

import numpy as np

from calibration import bench

MEASURED = bench.table("l1_order")["texts"]
TEXT = np.dtype([("line", "<u2", 8), ("steps", "u1", 24)])
WHAT = "RWrswx"


def encoded() -> np.ndarray:
    """The measured texts as the kernel takes them."""
    texts = np.zeros(len(MEASURED), TEXT)
    texts["steps"] = 0xFF
    for text, row in zip(texts, MEASURED, strict=True):
        steps = [WHAT.index(step[0]) << 4 | int(step[1]) for step in row["steps"].split()]
        text["line"], text["steps"][: len(steps)] = row["lines"], steps
    return texts


def test_lines_kept_are_those_an_h200_keeps() -> None:
    texts = encoded()
    words = 32 * (int(texts["line"].max()) + 1)
    gone = np.zeros((8, len(texts)), np.uint8)
    bench.launch(
        "l1_order.cu", "l1_order", 8, 32, np.zeros(words, np.int32), texts.view(np.uint8), np.int32(len(texts)), gone
    )
    kept = ["".join(str(k) for k in np.flatnonzero(column == 0)) for column in gone.T]
    differ = {row["steps"]: got for row, got in zip(MEASURED, kept, strict=True) if got != row["kept"]}
    assert not differ
