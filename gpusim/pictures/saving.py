"""Files that programs draw into, such as scenarios."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gpusim.errors import GpusimError
from gpusim.pictures.canvas import axes_of, content, ending, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (9.0, 5.0)
"""Width and height of a figure, inches."""


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


def save(draw: Callable[[Axes], Axes], file: Path) -> None:
    """Draw into a figure in gpusim's style, and save it.

    Parameters
    ----------
    draw : callable
        Draws into axes, and gives them.
    file : Path
        Its ending says what kind it is.
    """
    with styled():
        file.write_bytes(content(draw(axes_of(None, SIZE)), ending(file)))
