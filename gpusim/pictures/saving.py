"""Files that programs draw into, such as scenarios."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from gpusim.errors import GpusimError
from gpusim.pictures.canvas import content, ending

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def picture_file(text: str) -> Path:
    """Read the name of a file to draw into, as ``type`` of an argument of :mod:`argparse`.

    Parameters
    ----------
    text : str

    Raises
    ------
    argparse.ArgumentTypeError
        It ends in nothing that a picture is saved as, or its folder is not there.
    """
    file = Path(text)
    try:
        ending(file)
    except GpusimError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not file.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: there is no folder {file.parent}")
    return file


def save(axes: Axes, file: Path) -> None:
    """Save the figure of some axes.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    file : Path
        Its ending says what kind it is.
    """
    file.write_bytes(content(axes, ending(file)))
