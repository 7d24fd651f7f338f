"""Programs run by the command line, as a user runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

QUIET = "GPUSIM_QUIET"
PROGRAMS = Path(__file__).parent / "programs"


class Ran(NamedTuple):
    """How a program ended, what it and gpusim printed, and its launches."""

    status: int
    output: str
    errors: str
    json: dict[str, Any]

    @property
    def launches(self) -> list[dict[str, Any]]:
        return self.json["launches"]


def run(
    program: str | Path,
    *arguments: str,
    options: Sequence[str] = (),
    folder: Path,
    env: Mapping[str, str] | None = None,
) -> Ran:
    """Run a program of this folder, or one elsewhere; what it launched is written to a file in `folder`."""
    written = folder / "launches.json"
    written.unlink(missing_ok=True)
    command = [sys.executable, "-m", "gpusim", "run", "--json", str(written), *options, str(PROGRAMS / program)]
    ended = subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, QUIET: "1", **(env or {})},
    )
    found = json.loads(written.read_text()) if written.exists() else {}
    return Ran(ended.returncode, ended.stdout, ended.stderr, found)
