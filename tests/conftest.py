"""What every test shares: how hypothesis searches, and that only this repository's kernels are seen."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Compiling an engine function may take seconds the first time, so no example has a deadline.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("here"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

os.environ.pop("GPUSIM_KERNELS", None)
