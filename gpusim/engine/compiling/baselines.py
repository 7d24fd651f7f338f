"""Processors that code in a wheel is compiled for: what nearly every machine of an architecture can run.

Only the standard library is needed, so that a build can ask before anything is compiled.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Baseline:
    """A processor as LLVM names it.

    Attributes
    ----------
    name : str
    needs : tuple of str
        Features that a machine must have to run its code, by LLVM's names.
    """

    name: str
    needs: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, str]:
        """Environment variables by which numba compiles for it, and calls no library that other machines may lack."""
        return {"NUMBA_CPU_NAME": self.name, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}

    def runs_on(self, features: Mapping[str, bool]) -> bool:
        """Whether a machine with these features runs its code."""
        return all(features.get(need, False) for need in self.needs)


X86_64_V3 = Baseline(
    "x86-64-v3",
    ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1",
     "sse4.2", "ssse3", "xsave"),
)  # fmt: skip
"""The third level of the x86-64 psABI: Haswell (2013), Zen (2017) and newer."""
X86_64_V4 = Baseline(
    "x86-64-v4", (*X86_64_V3.needs, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
)  # fmt: skip
"""The fourth: servers since Skylake (2017), Zen 4 (2022) and newer.  Rows of 32 lanes take half the instructions."""
ARMV8_A = Baseline("generic")
"""What every 64-bit ARM processor runs."""

_X86, _ARM = (X86_64_V4, X86_64_V3), (ARMV8_A,)
_BY_MACHINE = {"x86_64": _X86, "amd64": _X86, "aarch64": _ARM, "arm64": _ARM}


def of_machine(machine: str | None = None) -> tuple[Baseline, ...]:
    """The baselines of an architecture, the fastest first; none where wheels carry no compiled code.

    Parameters
    ----------
    machine : str, optional
        As :func:`platform.machine` names it; this machine's unless given.

    Examples
    --------
    >>> [baseline.name for baseline in of_machine("AMD64")]
    ['x86-64-v4', 'x86-64-v3']
    >>> of_machine("riscv64")
    ()
    """
    return _BY_MACHINE.get((machine or platform.machine()).lower(), ())
