"""Which words of a line L1 keeps of what is read and written in part: as an H200 does."""

from __future__ import annotations

import numpy as np
import pytest

from calibration import bench

MEASURED = bench.table("l1_words")
ROW = 64  # words
REST = 3000  # cycles between steps of l1_rows that say so


def kept(kernel: str, texts: list[dict[str, str]], words: int, wait: int) -> dict[str, str]:
    """Words that are there in the end, as bits, for the steps of each text."""
    encoded = np.full((len(texts), 2, 10), 0xFF, np.uint8)
    for row, text in zip(encoded, texts, strict=True):
        steps = np.array([step.split(":") for step in text["steps"].split()], np.uint8)
        row[:, : len(steps)] = steps.T
    memory, gone = np.zeros(words * len(texts), np.int32), np.zeros((32, len(texts)), np.uint8)
    bench.launch("l1_words.cu", kernel, 32, 32, memory, encoded.ravel(), np.int32(len(texts)), gone, np.int32(wait))
    bits = (gone == 0).astype(np.int64) << np.arange(32)[:, None]
    return {text["steps"]: f"{mask:08x}" for text, mask in zip(texts, bits.sum(axis=0), strict=True)}


def measured(texts: list[dict[str, str]]) -> dict[str, str]:
    return {text["steps"]: text["kept"] for text in texts}


def test_words_of_a_line_are_kept_as_on_an_h200() -> None:
    assert kept("l1_words", MEASURED["line"], 32, 0) == measured(MEASURED["line"])


def test_a_store_to_a_line_on_its_way_drops_it_as_on_an_h200() -> None:
    texts = MEASURED["rows"]
    assert kept("l1_rows", texts, 32 * ROW, REST) == measured(texts)


def test_rows_stored_twice_are_gone_as_on_an_h200() -> None:
    between, n = np.arange(5, dtype=np.int32), 5
    gone, gap = np.zeros((32, n), np.uint8), np.zeros((32, n), np.int32)
    rows = np.zeros(n * 2 * 32 * ROW, np.int32)
    bench.launch("l1_words.cu", "stored_twice", 32, 32, rows, between, np.int32(n), gone.ravel(), gap.ravel())
    apart = np.median(gap, axis=0)
    want = np.interp(apart, MEASURED["stored_twice"]["cycles"], MEASURED["stored_twice"]["gone"])
    assert apart[0] < 100 < apart[-1]
    np.testing.assert_allclose(gone.sum(axis=0), want, atol=3)


@pytest.mark.parametrize("case", MEASURED["hits"], ids=lambda c: f"{c['kernel']}-{c['threads']}-{c['b']}")
def test_rows_changed_word_by_word_hit_as_often_as_on_an_h200(case: dict) -> None:
    one, b = np.float32(1), np.float32(case["b"])
    args = (np.zeros(4096 * ROW, np.float32), one, b, np.float32(2), np.int32(8), np.int32(4))
    profile = bench.launch("l1_words.cu", case["kernel"], 1, case["threads"], *args)
    hits = profile.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")
    paced = {"divided": 0.15, "multiplied": 0.03}[case["kernel"]]  # stores come about as fast as they leave
    assert hits == pytest.approx(case["hits"], rel=paced if case["b"] else 0)
