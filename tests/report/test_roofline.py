"""Do tables of rooflines fit, and say what their marks say?"""

import math

import pytest

from gpusim import report
from gpusim.report import roofline
from gpusim.results.metric import Interval
from gpusim.results.roofline import Mark, Roof
from tests.report.cells import WIDTHS

ROOF = Roof(
    "h200", {"fp32": 60e12, "tensor fp16": 900e12}, {"L1": 30e12, "HBM": 5e12}, {"L1": "measured", "HBM": "assumed"}
)
AMONG = "162 launches of all kernels on h200, by description"


def mark(level, nbytes, bound, roof, **others):
    seconds = others.pop("seconds", 2e-6)
    return Mark(
        kernel="matmul-tiled M=64 N=64 K=64", gpu="h200", level=level, flops=4e6, nbytes=nbytes, seconds=seconds,
        intensity=4e6 / nbytes if nbytes else math.inf, flop_rate=4e6 / seconds, roof_flops=roof, bound=bound,
        bytes_claim="exact", seconds_claim="calibrated, 80 %: 1.9e-06 to 2.5e-06", **others,
    )  # fmt: skip


INTERVAL = Interval(1.9e-6, 2.5e-6, AMONG)
MARKS = [mark("L1", 1e6, "compute", 60e12, interval=INTERVAL), mark("HBM", 2e6, "HBM", 10e12, interval=INTERVAL)]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_width_is_kept(width):
    measured = [mark("L1", 1e6, "compute", 60e12, measured=True), mark("HBM", 0, "compute", 60e12, measured=True)]
    for shown in (roofline.marks([*MARKS, *measured], [ROOF]), roofline.roofs([ROOF, ROOF])):
        lines = report.text(shown, width).splitlines()
        assert max(map(len, lines)) <= max(width, 40)


def test_rows_and_sentence_say_what_the_marks_say():
    shown = report.text(roofline.marks(MARKS, [ROOF]), 100)
    rows = [line.split() for line in shown.splitlines()[2:4]]
    assert rows[0] == "matmul-tiled L1 4.00 M 1.00 MB 4 2.00 T 60.0 T 3.3 % compute".split()
    assert rows[1] == "on h200 HBM 4.00 M 2.00 MB 2 2.00 T 10.0 T* 20 % HBM".split()
    said = " ".join(shown.split())
    assert "2.00 us predicted (calibrated, 80 %: 1.90 us to 2.50 us), below the fp32 peak" in said
    assert "Its lowest roof is 10.0 TFLOP/s by the bandwidth of HBM, 20 % of it reached (16 % to 21 %)." in said
    assert f"learnt from {AMONG}." in said
    assert "* follows from a number of the GPU that is assumed." in said


def test_without_assumed_numbers_there_is_no_star():
    assert "*" not in report.text(roofline.marks(MARKS))


def test_of_roofs_each_peak_has_its_ridge_points():
    rows = [line.split() for line in report.text(roofline.roofs([ROOF]), 100).splitlines()[2:5]]
    assert rows == ["h200 bandwidth 30.0 TB/s 5.00 TB/s*".split(), "fp32 60.0 T 2 12".split(),
                    "tensor fp16 900 T 30 180".split()]  # fmt: skip
