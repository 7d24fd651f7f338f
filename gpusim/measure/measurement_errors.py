"""What can go wrong between a launch and its measurement."""

from __future__ import annotations

from gpusim.errors import GpusimError


class MeasureError(GpusimError):
    """Nothing can be measured here, and why."""


class DeviceError(GpusimError):
    """A launch that failed on the device, after which its process cannot use the device any more."""


class OutOfMemoryError(GpusimError):
    """A launch whose arrays the device has no room for."""
