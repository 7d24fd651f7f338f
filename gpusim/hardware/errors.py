"""Errors of the hardware room, each worded as one line."""

from __future__ import annotations

from gpusim.errors import GpusimError


class SpecError(GpusimError):
    """A GPU specification that cannot be used; the message names file, key and what is allowed."""


class OccupancyError(GpusimError):
    """A block that no SM of the GPU can hold; the message says what is asked and the largest that fits."""
