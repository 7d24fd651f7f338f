"""What is wrong with a launch, by line: accesses, races, reads of what nothing wrote, barriers; and what to do.

A run notes faults (:mod:`gpusim.simulate.checking`); here they become findings that a person, an editor or a code host
can read.
"""

from __future__ import annotations

from gpusim.checks.finding import Finding, Spot
from gpusim.checks.kinds import KINDS, ORDER, Level
from gpusim.checks.result import CheckResult

__all__ = ["KINDS", "ORDER", "CheckResult", "Finding", "Level", "Spot"]
