"""Do the scenarios of single lines of lectures show what they claim?"""

import importlib.util
import re

import numpy as np
import pytest

import gpusim
from gpusim.report.units import parse_bytes
from tests.scenarios.running import column, load, moved, numbers, printed, rows, second_table, seconds

MENDED = ("divergence", "divergence-grouped", "divergence-predicated", "divergence-selected")


@pytest.mark.parametrize("w", [2, 3, 4])
def test_mended_kernels_compute_the_same_to_the_bit(w):
    x = np.random.default_rng(w).standard_normal(1000).astype(np.float32)
    first, *others = (gpusim.run(kernel, {"x": x}, N=1000, w=w, B=384)["y"] for kernel in MENDED)
    for other in others:
        np.testing.assert_array_equal(other, first)


def test_only_grouping_and_picked_operands_issue_one_path():
    found = {kernel: gpusim.predict(kernel, n=3840, paths=4, block=384) for kernel in MENDED}
    per_warp = {kernel: 32 * of.warp_instructions / (of.blocks * 384) for kernel, of in found.items()}
    branches, grouped, predicated, selected = per_warp.values()
    assert min(branches, predicated) > 4 * 64
    assert max(grouped, selected) < 2 * 64
    assert found["divergence"].simt_efficiency < 0.4
    assert all(found[kernel].simt_efficiency == 1 for kernel in MENDED[1:])


@pytest.mark.long
def test_mending_divergence_is_shown_beside_its_cost():
    below = printed("divergence").split("─\n")[2].partition("\n\n")[0]
    by_paths = {tuple(cells[:2]): cells[2:] for cells in (re.split(r" {2,}", line) for line in below.splitlines())}
    assert [by_paths["grouped by path", w][2] for w in "24"] == ["8", "16"]
    assert by_paths["operands picked", "2"] == by_paths["operands picked", "4"]


def test_adding_in_the_epilogue_saves_what_the_formula_says_of_l2():
    text = printed("matmul_add", "--gpu", "v100", "--n", "256", "--k", "32")
    ((*_, fused, apart, hbm_fused, hbm_apart, _, _, factor),) = rows(text)
    saved = parse_bytes(apart) - parse_bytes(fused)
    assert saved == pytest.approx(2 * 4 * 256**2, rel=0.02)
    assert parse_bytes(hbm_apart) == pytest.approx(parse_bytes(hbm_fused), rel=0.02)  # L2 keeps A B
    assert float(factor) > 1.3
    small, large = (load("matmul_add")["formula"](256, K) for K in (32, 256))
    assert small[1] - small[0] == large[1] - large[0] == 2 * 4 * 256**2


def test_beyond_l2_hbm_moves_the_product_twice():
    fused = gpusim.predict("matmul-add", "v100", n=1536, k=32)
    apart = gpusim.predict_chain("matmul-add-unfused", "v100", n=1536, k=32)
    assert apart.dram_bytes - fused.dram_bytes == pytest.approx(2 * 4 * 1536**2, rel=0.1)


def test_hbm_reads_bursts_and_l1_counts_sectors():
    text = printed("dram_bursts")
    asked, sectors, formula, hbm = (moved(text, index) for index in (1, 2, 3, 4))
    assert [nbytes / asked[0] for nbytes in sectors] == pytest.approx([1, 2, 4, 8, 8, 8], rel=0.01)
    assert [nbytes / asked[0] for nbytes in hbm] == pytest.approx([1, 2, 4, 8, 16, 16], rel=0.01)
    assert hbm == formula
    measured = column(text, 9)
    assert measured[4] == "–"
    assert [parse_bytes(cell) for cell in measured if cell != "–"] == pytest.approx([*hbm[:4], hbm[5]], rel=0.01)
    useful = numbers(text, 7)
    assert useful[:5] == sorted(useful[:5], reverse=True)
    assert useful[5] == pytest.approx(useful[4], rel=0.03)


def test_one_float_brings_its_burst_with_it():
    by_gpu = second_table(printed("dram_bursts", "--gpu", "v100"))
    assert {gpu: cells[2:4] for gpu, cells in by_gpu.items() if gpu in ("h200", "v100")} == {
        "h200": ["64", "64"], "v100": ["32", "32"],
    }  # fmt: skip


def by_writer(text):
    """Rows of the scenario elu by who wrote the kernel: accesses an element through L2, bytes of HBM, seconds."""
    return {
        cells[0]: (float(cells[2][:-2]), parse_bytes(cells[4]), time)
        for cells, time in zip(rows(text), seconds(text, 7), strict=True)
    }


@pytest.mark.usefixtures("compiler")
def test_eagerly_elu_moves_nine_accesses_an_element_and_in_any_one_kernel_two(monkeypatch):
    found, lacking = importlib.util.find_spec, {"triton", "torch"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *_: None if name in lacking else found(name, *_))
    text = printed("elu", "--n", "65536")
    found = by_writer(text)
    assert list(found) == ["eager", "described", "CUDA"]
    assert [accesses for accesses, *_ in found.values()] == [9.0, 2.0, 2.0]
    assert found["eager"][2] > 3 * max(found["described"][2], found["CUDA"][2])
    assert "Triton is not installed" in text
    assert "PyTorch is not installed" in text


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
@pytest.mark.filterwarnings("ignore")  # PyTorch's own, and Triton's
def test_triton_and_inductor_move_what_cuda_does():
    pytest.importorskip("triton", reason="gpusim[triton] is not installed")
    pytest.importorskip("torch", minversion="2.10", reason="PyTorch is not installed")
    found = by_writer(printed("elu", "--n", "65536"))
    assert list(found) == ["eager", "described", "CUDA", "Triton", "torch.compile"]
    assert [accesses for accesses, *_ in found.values()] == [9.0, 2.0, 2.0, 2.0, 2.0]
    assert max(hbm for _, hbm, _ in found.values()) < 1.2 * 4 * 65536


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_shares_of_peak_grow_from_flash_1_to_3_and_are_near_what_was_published():
    text = printed("attention_peak")
    shares = dict(zip([tuple(cells[:3]) for cells in rows(text)], numbers(text, 8), strict=True))
    assert shares["FA-1", "a100-40gb", "CUDA"] < 0.6 * shares["FA-2", "a100-40gb", "CUDA"]
    assert 50 < shares["FA-2", "a100-40gb", "tensor"] < 73  # as the abstract has it
    assert shares["FA-2", "h100-sxm", "tensor"] < 40 < shares["FA-3", "h100-sxm", "tensor"] < 75
    published = [(float(cells[8][:-2]), float(cells[11][:-2])) for cells in rows(text) if "tensor" in cells]
    assert all(predicted == pytest.approx(share, rel=0.15) for predicted, share in published)


def test_a_share_of_peak_is_flops_over_time_and_the_datasheets_rate():
    text = printed("attention_peak", "--only", "FA-2")
    for cells, time in zip(rows(text), seconds(text, 5), strict=True):
        rate = 4 * 16384 * float(cells[3]) * 2048 / time / 1e12
        assert float(cells[6]) == pytest.approx(rate, rel=0.01)
        assert float(cells[8][:-2]) == pytest.approx(100 * rate / float(cells[7]), abs=1)


def test_streams_hide_all_but_the_slowest_of_copies_and_kernel():
    text = printed("copies_and_kernels", "--kernel", "vector-add")
    for cells, *times in zip(rows(text), *(seconds(text, index) for index in range(3, 8)), strict=True):
        k, (into, kernel, out, apart, overlapped) = int(cells[2]), times
        assert apart == pytest.approx(k * (into + kernel + out), rel=0.01)
        assert overlapped == pytest.approx(into + kernel + out + (k - 1) * max(into, kernel, out), rel=0.01)
    assert seconds(text, 3)[3] == pytest.approx(8 * 2**22 / 63.02e9, rel=0.01)
    assert max(numbers(text, 8)) < 1.7
    drawn = re.search(r"4 chunks, overlapped: .*\ncopy in +(.*)\nkernel +(.*)\ncopy out +(.*)\n", text)
    assert all(set("0123") <= set(line) for line in drawn.groups()[::2])
    assert len({len(line) for line in drawn.groups()}) == 1


@pytest.mark.usefixtures("compiler")
def test_the_host_hides_behind_long_kernels_only():
    text = printed("launch_overhead", "--n", "4096", "1048576")
    predicted = {cells[0]: cells[1] for cells in rows(text)}
    assert 1 < float(predicted["h200"].removesuffix(" us")) < 2
    assert rows(text)[0][2:] == ["1.37 us", "513 ns"]
    below = text.split("─\n")[2].partition("\n\n")[0].splitlines()
    short, long, *_ = (re.split(r" {2,}", line.strip()) for line in below)
    assert (short[-1], long[-1]) == ("host", "GPU")
    host, at_once = (float(short[k].removesuffix(" us")) for k in (1, 4))
    assert at_once == pytest.approx(4 * host + 2, abs=0.5)
    assert "Nobody has measured" in text or "Measured by the host's clock" in text


def test_launches_that_are_asked_for_too_late_leave_the_gpu_idle():
    at_once = load("launch_overhead")["asked_at_once"]
    assert at_once([2.0] * 4, 5.0) == 22
    assert at_once([9.0] * 4, 5.0) == 41
    assert at_once([20.0, 1.0], 5.0) == 26


def test_what_was_measured_of_the_host_is_shown():
    said = load("launch_overhead")["said"]
    assert "each waited for 8.20 us" in said({"asked for": [2.5, 2.4, 3.0], "each waited for": [8.2, 8.0, 9.1]})
    assert "Nobody has measured" in said({})


def test_sharing_out_keys_sends_parts_of_o_through_shared_memory_and_queries_nothing():
    queries, keys = rows(printed("attention_warps", "--gpu", "h100-sxm"))
    products, parts, loads, stores = (parse_bytes(cell) for cell in queries[2:6])
    assert (parts, stores) == (0, 0)
    assert loads == pytest.approx(products, rel=0.01)
    products, parts, loads, stores = (parse_bytes(cell) for cell in keys[2:6])
    assert parts == pytest.approx(2 * 4 * 64 * 64 * 4, rel=0.01)
    assert stores > parts / 2
    assert products + parts / 2 < loads < 2 * (products + parts / 2)
    assert (int(queries[6]), int(keys[6])) == (2, 5)
    assert float(keys[9].removesuffix(" us")) > 1.5 * float(queries[9].removesuffix(" us"))


def test_sharing_out_keys_or_queries_gives_the_same_attention():
    given = np.random.default_rng(3).standard_normal((3, 1, 2, 100, 64)).astype(np.float16)
    inputs = dict(zip("QKV", given, strict=True))
    queries, keys = (
        gpusim.run(f"flash-attention-{way}-tensor", inputs, B=1, H=2, N=100, d=64, Br=64, Bc=64, W=16)
        for way in ("2", "split-keys")
    )
    np.testing.assert_allclose(keys["O"].astype(float), queries["O"].astype(float), atol=2e-3)
    np.testing.assert_allclose(keys["L"], queries["L"], atol=1e-5)
