"""Do published times say where they are from, and are predictions of them what the files and pages say?"""

import json
import math

import numpy as np
import pytest

import gpusim
from calibration import published as calibration
from gpusim import cuda, report
from gpusim.cli import compare as command
from gpusim.cli import main
from gpusim.launches import file as launch_file
from gpusim.measured import published
from gpusim.measured.published import DataSet, PublishedError, PublishedLaunch, order, spread
from gpusim.report import published_times
from gpusim.results.metric import DURATION

SETS = [(gpu, one) for gpu in published.names() for one in published.of(gpu)]


def launch(name, seconds, predicted=None, **more):
    return PublishedLaunch(name, {}, seconds, predicted, **more)


@pytest.mark.parametrize(("gpu", "one"), SETS, ids=lambda x: getattr(x, "name", x))
def test_every_set_has_source_card_and_clock_and_launches_that_can_be_predicted(gpu, one):
    assert all((one.what, one.source, one.card, one.clock, one.timed))
    assert one.gpu.partition("@")[0] == gpu
    specs = launch_file.launches([one.entry(x) for x in one.launches], published.FOLDER, gpu, ())
    assert [spec.id for spec in specs] == [x.id for x in one.launches]
    assert all(spec.source.is_file() for spec in specs)
    assert all(x.seconds > 0 for x in one.launches)


def test_files_are_read_as_they_were_written(tmp_path):
    for gpu in published.names():
        assert published.to_text(published.of(gpu)) == (published.FOLDER / f"{gpu}.json").read_text()
    (tmp_path / "other.json").write_text('{"format": "gpusim measurement"}')
    with pytest.raises(PublishedError, match="holds no published times"):
        published.read(tmp_path / "other.json")
    (tmp_path / "other.json").write_text('{"format": "gpusim published times", "version": 1, "sets": [{"name": 1}]}')
    with pytest.raises(PublishedError, match=r"0\."):
        published.read(tmp_path / "other.json")


def test_errors_are_over_what_was_published():
    found = spread([launch("a", 1.0, 1.2), launch("b", 2.0, 1.0), launch("c", 4.0, 4.0)])
    assert found[:5] == pytest.approx((3, 0.2, 0.7 / 3, 0.5, 0.0))
    assert (found.order, found.best) == (0.5, 0.0)
    assert math.isnan(order([1, 2], [1, 2]))


def test_the_best_of_those_predicted_fastest_need_not_be_the_best():
    slow = [launch(str(k), 2.0 + k, 1.0 + k / 100) for k in range(published.TRIED)]
    assert spread([*slow, launch("fast", 1.0, 9.0)]).best == 1.0


def test_configurations_are_drawn_by_digest_whatever_their_times_and_order():
    rows = [{"x": str(k), "median_ms": "1", "min_ms": "1"} for k in range(1000)]
    others = [{**row, "median_ms": "2"} for row in reversed(rows)]
    drawn = calibration.drawn(rows)
    assert len(drawn) == calibration.DRAWN
    assert [row["x"] for row in drawn] == [row["x"] for row in calibration.drawn(others)]
    assert [row["x"] for row in drawn] != sorted(row["x"] for row in drawn)


def test_a_clock_is_in_doubt_within_two_seconds_of_a_long_launch():
    def result(second, read_only, use_shmem, n):
        told = {"n": n, "read_only": read_only, "use_shmem": use_shmem}
        return {"timestamp": f"2023-12-22 10:00:{second:02}.5+00:00", "configuration": told}

    of = [result(0, 0, 0, 1), result(1, 1, 0, 2), result(2, 1, 1, 3), result(4, 1, 1, 4), result(5, 1, 0, 5)]
    assert calibration.hurried(reversed([*of, result(6, 0, 1, 6)])) == {("3", "1", "1"), ("6", "0", "1")}


def test_a_configuration_becomes_a_launch():
    row = dict(zip("abcdefg", "16,2,2,2,1,0,1".split(","), strict=True)) | {"median_ms": "1.5", "min_ms": "1"}
    found = calibration.of_space("convolution", row)
    assert (found.id, found.seconds) == ("convolution 16x2 2x2 read_only shared", 1.5e-3)
    assert (found.launch["grid"], found.launch["block"]) == ([128, 1024], [16, 2])


def test_the_page_is_of_the_files():
    by_gpu = {gpu: published.of(gpu) for gpu in published.names()}
    assert calibration.PAGE.read_text() == "\n".join(calibration.page(by_gpu)).rstrip("\n") + "\n"


# ---------------------------------------------------------------- the command


def test_published_times_are_shown_with_where_they_are_from(capsys):
    assert main(["compare", "a100-40gb"]) == 0
    shown = capsys.readouterr().out
    assert all(word in " ".join(shown.split()) for one in published.of("a100-40gb") for word in (one.name, one.source))
    assert "convolution 16x" not in shown


def test_single_launches_are_shown_where_some_are_chosen(capsys):
    assert main(["compare", "rtx-a6000", "--only", "sgemm 1 *"]) == 0
    shown = capsys.readouterr().out
    assert "sgemm 1 naive" in shown
    assert "sgemm 10" not in shown


def test_json_has_everything_and_no_nan(tmp_path):
    assert main(["compare", "rtx-a6000", "--only", "sgemm 1 *", "--json", str(tmp_path / "out.json")]) == 0
    (one,) = json.loads((tmp_path / "out.json").read_text())["sets"]
    assert one["card"] == "NVIDIA RTX A6000"
    assert one["launches"][0]["predicted"] > 0
    assert (one["spread"]["launches"], one["spread"]["order"]) == (1, None)


def test_what_cannot_be_predicted_says_why_and_the_others_are_predicted():
    one = published.of("rtx-a6000")[0]
    first, second, *others = one.launches
    records = [
        {"id": first.id, "error": "does not fit", "metrics": {}},
        {"id": second.id, "error": None, "metrics": {DURATION: 0.123456789}},
    ]
    found = published.with_predictions(one, records).launches
    assert [(x.predicted, x.error) for x in found[:2]] == [(None, "does not fit"), (0.123457, None)]
    assert found[2:] == others


def test_fresh_is_refused_where_nothing_can_be_predicted(monkeypatch, capsys):
    def fail(specs, gpu, how):
        return [{"id": spec.id, "error": "does not fit", "metrics": {}} for spec in specs]

    monkeypatch.setattr(command, "_records", fail)
    assert main(["compare", "rtx-a6000", "--fresh", "--only", "sgemm 1 *"]) == 2
    assert "sgemm 1 naive could not be predicted: does not fit" in capsys.readouterr().err


def test_fresh_predicts_anew(monkeypatch, capsys):
    asked = []

    def predict(specs, gpu, how):
        asked.append((gpu, how["sample"]))
        return [{"id": spec.id, "error": None, "metrics": {DURATION: 0.5}} for spec in specs]

    monkeypatch.setattr(command, "_records", predict)
    assert main(["compare", "rtx-a6000", "--fresh", "--only", "sgemm 1 *"]) == 0
    assert asked == [("rtx-a6000", "quick")]
    assert "500 ms" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("a100-40gb other.json", "give the name alone"), ("a100-40gb --gpu h200", "give the name alone"),
        ("a100-40gb --described", "--described does not apply to a100-40gb: published times know"),
        ("a100-40gb --arch sm_80", "--arch does not apply"), ("a100-40gb --kernels .", "--kernels does not apply"),
        ("a100-40gb --only nothing*", "no launch matches 'nothing*': there are 359,"),
        ("a100-40gb --only nothing* --fresh", "no launch matches 'nothing*': there are 600,"),
        ("a100-40g", "did you mean a100-40gb"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused_in_a_line(words, says, capsys):
    assert main(["compare", *words.split()]) == 2
    assert says in capsys.readouterr().err


def test_launches_of_which_none_was_predicted_are_refused_with_the_reason(capsys):
    launches = [x for one in published.of("a100-40gb") for x in one.launches]
    failed, later = (
        next(x.id for x in launches if x.predicted is None and bool(x.error) is wrong) for wrong in (True, False)
    )
    assert main(["compare", "a100-40gb", "--only", failed]) == 2
    assert f"--only {failed}: none of these can be predicted: {failed}: a block of" in capsys.readouterr().err
    assert main(["compare", "a100-40gb", "--only", later]) == 2
    assert f"--only {later}: none of these was predicted yet: --fresh predicts them" in capsys.readouterr().err


def test_of_a_set_without_predictions_no_table_is_begun():
    none, some = (DataSet(name, "", "", "", "", "", "", "", "", launches=found) for name, found in (
        ("none", [launch("a", 1.0, error="does not fit")]), ("some", [launch("b", 1.0, 2.0)]),
    ))  # fmt: skip
    shown = report.text(published_times.compared([none, some], each=True))
    assert shown.count("predicted  published") == 1


# ---------------------------------------------------------------- our kernels


@pytest.mark.parametrize("flags", [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 1, 1)])
def test_a_convolution_is_one(flags):
    size, filtered = 40, 15
    names = ("READ_ONLY", "PADDED", "SHARED")
    tiles = {"SIZE": size, "BLOCK_X": 16, "BLOCK_Y": 2, "TILE_X": 2, "TILE_Y": 3}
    defines = {name: str(value) for name, value in (*tiles.items(), *zip(names, flags, strict=True))}
    kernel = cuda.compile(published.FOLDER / "convolution.cu", gpu="a100-40gb", defines=defines).kernel()
    rng = np.random.default_rng(0)
    image = rng.standard_normal((size + 2 * filtered, size + filtered - 1), np.float32)
    weights = rng.standard_normal((filtered, filtered), np.float32)
    result = np.zeros((size, size), np.float32)
    gpusim.profile(
        kernel, (2, 7), (16, 2), [result, image], gpu="a100-40gb", symbols={"weights": weights.ravel()}, sample=False
    )
    windows = np.lib.stride_tricks.sliding_window_view(image, weights.shape)[:size, :size]
    np.testing.assert_allclose(result, np.einsum("yxij,ij->yx", windows, weights), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("strided", ["0", "1"])
def test_a_dedispersion_adds_up_what_belongs_together(strided):
    samples, measures, channels, latest = 50, 6, 7, 20
    defines = {
        "SAMPLES": "50", "MEASURES": "6", "CHANNELS": "7", "LATEST": "20", "BLOCK_X": "8", "BLOCK_Y": "4",
        "TILE_X": "2", "TILE_Y": "2", "STRIDED_X": strided, "STRIDED_Y": strided,
    }  # fmt: skip
    kernel = cuda.compile(published.FOLDER / "dedispersion.cu", gpu="a100-40gb", defines=defines).kernel()
    rng = np.random.default_rng(0)
    heard = rng.integers(0, 255, (channels, samples + latest), np.uint8)
    delays = np.linspace(150, 0, channels, dtype=np.float32)
    found = np.zeros((measures, samples), np.float32)
    gpusim.profile(kernel, (4, 1), (8, 4), [heard, found, delays], gpu="a100-40gb", sample=False)
    later = (np.arange(measures, dtype=np.float32)[:, None] * np.float32(0.02) * delays).astype(int)
    want = [
        [sum(int(heard[c, s + later[m, c]]) for c in range(channels)) for s in range(samples)] for m in range(measures)
    ]
    np.testing.assert_array_equal(found, np.array(want, np.float32))


def test_rows_are_what_numpy_says():
    module = cuda.compile(published.FOLDER / "rows.cu", gpu="a100-80gb")
    rng = np.random.default_rng(0)
    x, gain, bias = (rng.standard_normal(shape).astype(np.float16) for shape in ((3, 640), 640, 640))
    soft, norm, gelu = (np.zeros_like(x) for _ in range(3))
    columns, how = np.int32(640), {"gpu": "a100-80gb", "sample": False}
    gpusim.profile(module.kernel("softmax"), 3, 64, [x, soft, columns], **how)
    gpusim.profile(module.kernel("layernorm"), 3, 64, [x, gain, bias, norm, columns], **how)
    gpusim.profile(module.kernel("gelu"), 4, 64, [x, gelu, np.int32(x.size)], **how)
    wide = x.astype(float)
    powers = np.exp(wide - wide.max(1, keepdims=True))
    np.testing.assert_allclose(soft, powers / powers.sum(1, keepdims=True), atol=1e-4)
    even = (wide - wide.mean(1, keepdims=True)) / wide.std(1, keepdims=True)
    np.testing.assert_allclose(norm, even * gain + bias, atol=2e-2)
    erf = np.vectorize(math.erf)
    np.testing.assert_allclose(gelu, wide / 2 * (1 + erf(wide / 2**0.5)), atol=2e-3)
