"""``gpusim mcp``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gpusim.errors import GpusimError

INSTALL = "pip install 'gpusim[mcp]'"


def mcp(
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="How long a call may take.", min=1, max=3600)
    ] = 60,
) -> None:
    """Let a model ask, by the Model Context Protocol.

    A client starts this command and speaks with it on standard input and output.
    """
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise GpusimError(f"gpusim mcp needs the package mcp: {INSTALL}")
    from gpusim.mcp.server import run

    if sys.stdin.isatty():
        print("gpusim: waits for a client of the Model Context Protocol to speak; Ctrl-C ends it", file=sys.stderr)
    run(seconds)
