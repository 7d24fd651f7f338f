"""``--plot``: a result as a picture, in a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from gpusim.cli.files import check_writable, is_stdout, write_bytes
from gpusim.errors import GpusimError, UnknownNameError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.profiles.profile import Profile
    from gpusim.results.timeline import Recording

PlotFile = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the result: a name that ends in .png, .svg or .pdf.")
]
PlotKind = Annotated[
    str | None,
    typer.Option(
        "--plot-kind",
        metavar="KIND",
        help="What --plot draws of one launch: overview, speed-of-light, memory, roofline, occupancy, waves, warp or "
        "timeline; of several: times or roofline.",
    ),
]
PlotLine = Annotated[
    str | None,
    typer.Option("--plot-line", metavar="LINE", help="Of --plot-kind warp: the line of the source, such as 41."),
]

OF_SEVERAL = ("times", "roofline")
"""Pictures of several launches."""


class Drawing(NamedTuple):
    """What the options say: where to, what, of which line."""

    file: Path | None
    kind: str | None = None
    line: str | None = None

    def check(self, launches: int) -> None:
        """Refuse, before any work is done, what cannot be drawn.

        Raises
        ------
        GpusimError
            A file that cannot be written or is no picture's, options without a file, a kind that is not known.
        """
        if self.file is None:
            for option, value in (("--plot-kind", self.kind), ("--plot-line", self.line)):
                if value is not None:
                    raise GpusimError(f"{option} needs --plot FILE")
            return
        check_picture(self.file)
        if self.kind is not None:
            from gpusim.pictures.launch import KINDS

            known = list(KINDS) if launches == 1 else list(OF_SEVERAL)
            if self.kind not in known:
                raise UnknownNameError(f"--plot-kind of {_many(launches)}", self.kind, known)
        if self.line is not None and self.kind != "warp":
            raise GpusimError("--plot-line is for --plot-kind warp")

    def recording(self) -> Recording | None:
        """What a picture of what one SM does has to have recorded; None of other pictures."""
        if self.kind != "timeline":
            return None
        from gpusim.results.timeline import Recording

        return Recording()

    def save(self, profiles: Sequence[Profile]) -> None:
        """Draw launches, and write the file whole or not at all."""
        if self.file is None:
            return
        if len(profiles) == 1:
            save_picture(self.file, lambda: profiles[0].plot(self.kind or "overview", line=self.line))
            return
        from gpusim.pictures.launch import rooflines
        from gpusim.pictures.times import times

        save_picture(self.file, lambda: (rooflines if self.kind == "roofline" else times)(profiles))


def _many(launches: int) -> str:
    return "one launch" if launches == 1 else f"{launches} launches"


def check_picture(file: Path | None) -> None:
    """Refuse, before any work is done, a file that no picture can be written to.

    Raises
    ------
    GpusimError
        Its ending says no kind of picture, or it cannot be written.
    """
    if file is None:
        return
    if is_stdout(file):
        raise GpusimError("--plot -: a picture goes to a file")
    from gpusim.pictures.canvas import ending

    ending(file, "--plot")
    check_writable(file, "--plot")


def save_picture(file: Path, draw: Callable[[], Axes]) -> None:
    """Draw, and write the file whole or not at all."""
    from gpusim.pictures.canvas import content, ending

    write_bytes(content(draw(), ending(file)), file, "--plot")
