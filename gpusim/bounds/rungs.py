"""What is known of each level: what no schedule can do without, and what a kernel has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpusim.bounds.levels import Level
from gpusim.bounds.tiles import Tiled
from gpusim.bounds.traffic import Least
from gpusim.errors import UnknownNameError


@dataclass(frozen=True)
class LevelBound:
    """One level: what no schedule can do without, and what this kernel has.

    Attributes
    ----------
    level : Level
    least : Least
    steps : float or None
        Of a chain, bytes that its kernels cannot do without, one after the other.
    best : Tiled or None
        What the kernel's own formula has at its best tiles.
    derived : Tiled or None
        The same at the tiles that it has.
    counted : float or None
        Predicted, bytes.
    error : float or None
        How far such predictions are off, relative; None where that is not known.
    measured : float or None
        On a GPU, bytes; the median of its runs.
    """

    level: Level
    least: Least
    steps: float | None = None
    best: Tiled | None = None
    derived: Tiled | None = None
    counted: float | None = None
    error: float | None = None
    measured: float | None = None

    @property
    def bound(self) -> float:
        """Bytes that no schedule can do without."""
        return self.level.bound(self.least)

    @property
    def rungs(self) -> dict[str, float]:
        """What there is of bound, steps, best, derived, counted and measured, in bytes, in this order."""
        found = {
            "bound": self.bound,
            "steps": self.steps,
            "best": self.best.nbytes if self.best else None,
            "derived": self.derived.nbytes if self.derived else None,
            "counted": self.counted,
            "measured": self.measured,
        }
        return {name: float(value) for name, value in found.items() if value is not None}


@dataclass(frozen=True, repr=False)
class Rungs:
    """All levels of a launch, of kernels that follow one another, or of a computation.

    Attributes
    ----------
    name : str
        Of the kernel; empty where a computation was told.
    params : mapping of str to int
    gpu : str
        Empty where a size of memory was told.
    computation : str
        As text; empty where the arrays alone are known.
    formula : str
        The bound's fastest term, in elements, S being those of the memory.
    levels : tuple of LevelBound
    notes : tuple of str
        What else a reader must know.
    """

    name: str
    params: Mapping[str, int]
    gpu: str
    computation: str
    formula: str
    levels: tuple[LevelBound, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> LevelBound:
        found = {one.level.name: one for one in self.levels}
        if not isinstance(name, str) or name not in found:
            raise UnknownNameError("level", name, found)
        return found[name]
