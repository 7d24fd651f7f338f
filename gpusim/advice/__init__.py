"""What would make a launch faster: its causes of time, each taken away alone, by what that gains.

No profiler can do that: it counts what a launch does, not what it would do otherwise.
"""

from __future__ import annotations

from gpusim.advice.advise import Advice, advise
from gpusim.advice.chain import ChainAdvice, advise_chain
from gpusim.advice.finding import Finding, Place

__all__ = ["Advice", "ChainAdvice", "Finding", "Place", "advise", "advise_chain"]
