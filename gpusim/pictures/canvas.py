"""What all pictures have in common: colours, fonts, new axes, and the file or the page that a figure goes to."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError, ParameterError, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = ("png", "svg", "pdf")
"""Kinds of files that a picture is saved as."""

BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442",
)  # fmt: skip
"""Colours that people with any colour vision tell apart.

Source: Okabe and Ito, "Color Universal Design", 2008."""

SERIES = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY)
"""Colours of lines and marks, in their order."""

MARKS = "osD^vPX*"
"""Shapes of marks, in their order: who sees no colour tells them apart by these."""

HEAT = "cividis"
"""Colours of heat maps, from little to much; they are told apart by lightness alone, too."""

INK, FAINT = "#010203", "#808080"
"""Colour of text and lines, nearly black: a page puts its own in its place; and of what stands behind."""

FEW_POWERS = 300.0
"""How many times its beginning the end of a logarithmic axis is at which its powers of ten do as marks."""

LONGEST = 64
"""Letters of a name in a picture."""

POWERS = (
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "u"),
    (1e-9, "n"),
)
"""Powers of ten, and their letters."""

PER_INCH = 160
"""Dots of an inch of a PNG."""

_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so a picture is the same everywhere
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "text.color": INK,
    "text.parse_math": False,  # names of kernels may have dollar signs
    "xtick.color": INK,
    "ytick.color": INK,
    "savefig.dpi": PER_INCH,
    "svg.hashsalt": "gpusim",
}


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Draw in gpusim's style meanwhile."""
    import matplotlib as mpl
    from cycler import cycler

    wanted: Any = {**_STYLE, "axes.prop_cycle": cycler(color=SERIES)}
    with mpl.rc_context(wanted):
        yield


def axes_of(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Give the axes to draw into: those given, or new ones in a figure of their own.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, optional
    size : (float, float)
        Width and height of a new figure, inches.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        `ax` is something else.
    """
    if ax is not None:
        if not hasattr(ax, "inset_axes"):
            raise ParameterError(f"ax is an Axes of matplotlib, not {shown(ax)}")
        return ax
    return _figure()(figsize=size, layout="constrained").subplots()


@functools.cache
def _figure() -> type[Figure]:
    """The class of new figures: notebooks show them, in the page's own colours."""
    from matplotlib.figure import Figure

    class Shown(Figure):
        def _repr_html_(self) -> str:
            return inline(self.axes[0], self.axes[0].get_title("left") or "picture", str(next(_numbers)))

    return Shown


_numbers = itertools.count()
"""Tell pictures of one page apart."""


def divided(ax: Axes, boxes: Sequence[tuple[float, float, float, float]]) -> list[Axes]:
    """Give axes within axes, which then show nothing themselves.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    boxes : sequence of (float, float, float, float)
        Left and lower edge, width and height of each, as shares of those of `ax`.

    Returns
    -------
    list of matplotlib.axes.Axes
    """
    ax.set_axis_off()
    return [ax.inset_axes(box) for box in boxes]


def cut(text: str, most: int = LONGEST) -> str:
    """Give a text that is not too long for a picture: the rest of a longer one gives way to an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def write_powers(axes: Axes, *which: str) -> None:
    """Write the numbers of logarithmic axes out, ``10 k`` and ``0.01``: powers would need mathematical text.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    *which : str
        ``"x"``, ``"y"``.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for name in which:
        axis = getattr(axes, f"{name}axis")
        low, high = axis.get_view_interval()
        if high < FEW_POWERS * low:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
        axis.set_minor_formatter(NullFormatter())


def _short(value: float) -> str:
    if 1e-3 < value < 1e3:
        return f"{value:g}"
    size, letter = next(((size, letter) for size, letter in POWERS if value >= size), POWERS[-1])
    return f"{value / size:g} {letter}".rstrip()


def ending(file: PurePath, option: str = "") -> str:
    """Give what a file's name says of its kind.

    Parameters
    ----------
    file : PurePath
    option : str
        What the file was given with, for the error.

    Returns
    -------
    str
        One of :data:`ENDINGS`.

    Raises
    ------
    GpusimError
        It says none that a picture can be saved as.
    """
    found = file.suffix[1:].lower()
    if found not in ENDINGS:
        *others, last = (f".{name}" for name in ENDINGS)
        raise GpusimError(f"{option} {file}: a picture's name ends in {', '.join(others)} or {last}".strip())
    return found


def figure_of(axes: Axes) -> Figure:
    """Give the whole figure that some axes stand in."""
    found = axes.get_figure(root=True)
    assert found is not None
    return found


def content(axes: Axes, kind: str) -> bytes:
    """Give the figure of some axes as the content of a file, the same each time.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    kind : str
        One of :data:`ENDINGS`.

    Returns
    -------
    bytes
    """
    undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": None}
    sink = io.BytesIO()
    with styled():
        figure_of(axes).savefig(sink, format=kind, metadata=undated[kind])
    return sink.getvalue()


def inline(axes: Axes, label: str, which: str = "") -> str:
    """Give the figure of some axes as SVG in a page: as wide as there is room, text in the page's own colour.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    label : str
        What the picture shows, for who cannot see it.
    which : str
        Tells pictures of one label on one page apart.

    Returns
    -------
    str
        An ``<svg>`` element; its text is text.
    """
    import re
    from html import escape

    import matplotlib as mpl

    sink = io.StringIO()
    with styled(), mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": label + which}):
        figure_of(axes).savefig(sink, format="svg", transparent=True, metadata={"Date": None})
    drawn = sink.getvalue()
    drawn = drawn[drawn.index("<svg") :].replace(INK, "currentColor")
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, count=1, flags=re.DOTALL)
    drawn = re.sub(r'(<svg [^>]*?) width="([\d.]+)pt" height="[\d.]+pt"', r'\1 style="max-width:\2pt"', drawn, count=1)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" width="100%" ', 1)
