"""Errors of the hardware room, each worded as one line."""

from __future__ import annotations


class SpecError(ValueError):
    """A GPU specification that cannot be used; the message names file, key and what is allowed."""


class OccupancyError(ValueError):
    """A block that no SM of the GPU can hold; the message says what is asked and the largest that fits."""
