"""Figures that a program draws into a file, where matplotlib is installed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def open_figure(parser: argparse.ArgumentParser, file: Path) -> Figure:
    """Give an empty figure for the option ``--plot``, or end with a line that says why there can be none.

    Parameters
    ----------
    parser : ArgumentParser
        Ends the program.
    file : Path
        Where the figure is to be saved: in a folder that is there, with an ending that matplotlib knows.

    Returns
    -------
    matplotlib.figure.Figure
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        parser.error('--plot needs matplotlib: pip install "gpusim[plot]"')
    figure = Figure(figsize=(9, 5), layout="constrained")
    known = figure.canvas.get_supported_filetypes()
    if file.suffix[1:] not in known or not file.parent.is_dir():
        parser.error(f"--plot: {file} must lie in a folder that is there, and end in one of {', '.join(sorted(known))}")
    return figure
