"""What can go wrong before a program runs, or because gpusim lacks what it asks for."""

from __future__ import annotations

from gpusim.errors import GpusimError


class ProgramError(GpusimError):
    """A program that cannot be run, or asks for what there is not; the message says which."""
