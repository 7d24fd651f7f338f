"""``gpusim schema``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpusim.cli.files import check_writable, write


def schema(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to; standard output unless given.")
    ] = Path("-"),
) -> None:
    """Print the JSON Schema of what --json writes.

    Every document says which version it follows, under "schema".
    """
    from gpusim.results.documents import schema_text

    check_writable(output, "--output")
    write(schema_text(), output, "--output")
