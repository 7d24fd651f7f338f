"""How a command that fails says so."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 + SIGINT, as shells give it."""

TERMINATED = 143
"""The same after SIGTERM."""


def complain(message: str, status: int, *, as_written: bool = False) -> int:
    """Print a message on standard error, in one line unless a compiler wrote it; give the exit status back."""
    import contextlib

    with contextlib.suppress(OSError):
        print("gpusim:", message if as_written else " ".join(message.split()), file=sys.stderr)
    return status
