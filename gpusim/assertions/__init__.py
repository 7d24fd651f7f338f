"""What a launch must keep to, as a test says it: ``profile.assert_metric("shared conflicts", "==", 0)``."""

from __future__ import annotations

from gpusim.assertions.metric import assert_metric

__all__ = ["assert_metric"]
