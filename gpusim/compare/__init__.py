"""Predictions against measurements: errors metric by metric (``rows``), files of predictions (``predictions``)."""

from __future__ import annotations

from gpusim.compare.predictions import CompareError, Predicted, pair, read_predictions
from gpusim.compare.rows import Empty, Row, Summary, explained, relative, rows, summarise, waiting

__all__ = [
    "CompareError", "Empty", "Predicted", "Row", "Summary", "explained", "pair", "read_predictions", "relative", "rows",
    "summarise", "waiting",
]  # fmt: skip
