"""One HTML file of sections: style, script and pictures inside, nothing from the network."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template

    from gpusim.pages.content import Section

_PATH = re.compile(r"(?<![\w.:/])(?:~|/)[\w.+@%-]*(?:/[\w.+@%-]+)+/?")


def page(title: str, head: Sequence[str], sections: Sequence[Section], command: str = "") -> str:
    """Lay sections out as a page.

    Parameters
    ----------
    title : str
    head : sequence of str
        Lines below the title.
    sections : sequence of Section
    command : str
        What made it, for who wants to make it again.

    Returns
    -------
    str
        HTML.  Whatever was given is text in it: nothing is taken for markup.  Paths outside the working folder are
        shortened to their last part.
    """
    from datetime import UTC, datetime

    from gpusim import __version__

    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return _template().render(
        title=title, head=head, sections=sections, command=command, version=__version__, made=made
    )


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup, escape

    environment = Environment(
        loader=PackageLoader("gpusim.pages", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["plain"] = lambda text: escape(without_paths(str(text)))
    environment.filters["drawing"] = lambda svg: Markup(without_paths(svg))
    environment.filters["kind"] = lambda item: type(item).__name__
    return environment.get_template("page.html")


def without_paths(text: str, folder: str | None = None) -> str:
    """Shorten paths: within the working folder to what is below it, elsewhere to their last part.

    Parameters
    ----------
    text : str
    folder : str, optional
        The working folder, unless it is the process's.

    Examples
    --------
    >>> without_paths("see /home/ada/work/mm.cu:41 and /opt/cuda/include/mma.h", "/home/ada/work")
    'see mm.cu:41 and …/mma.h'
    >>> without_paths("up to 1/2 of x/y, 3 B/s", "/home")
    'up to 1/2 of x/y, 3 B/s'
    """
    here = Path(folder or os.getcwd())  # noqa: PTH109 (as it is spelt in paths)

    def shortened(match: re.Match[str]) -> str:
        path = Path(match[0]).expanduser()
        if path.is_relative_to(here):
            return str(path.relative_to(here))
        return f"…/{path.name}"

    return _PATH.sub(shortened, text)
