"""What is asked of a simulation: launches as a front end hands them over, and how they are to be run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from gpusim.errors import ParameterError, check_flags, shown, whole
from gpusim.processors import MOST
from gpusim.results.figures import CACHES

if TYPE_CHECKING:
    import numpy as np

    from gpusim.progress import Progress
    from gpusim.results.timeline import Recording
    from gpusim.results.traffic import Formula
    from gpusim.simulate.known_errors import Way
    from gpusim.simulate.launch import Launch


Sample = Literal["quick"] | bool | None
"""How much of a launch is run: little of it, part of it or all of it; None decides by its size."""


class ClosedForms(NamedTuple):
    """What closed forms say of a launch.

    Attributes
    ----------
    textbook : mapping of str to Formula
        Its traffic.
    flops : int or None
        Floating-point operations of the algorithm.
    """

    textbook: Mapping[str, Formula]
    flops: int | None


@dataclass(frozen=True)
class Work:
    """A launch as a front end hands it over, and what is known of it besides.

    Attributes
    ----------
    launch : Launch
    name : str
        What it is called.
    params : mapping
        Its sizes.
    way : str
        How it came about: ``"description"``, ``"machine_code"``, ``"program"``, or ``"other"``: errors unknown.
    family : str
        Of the kernel, if it is one of the catalogue.
    closed_forms : callable, optional
        Gives what closed forms say of it.
    closed_forms_of : object
        All that decides what they say.
    watched : bool
        Execute a few blocks under watch beside it.
    step : str
        Which launch of several it is, as progress tells it.
    take : callable, optional
        Given the arrays after the launch, where values are computed.
    source : object
        What the front end made it of.
    notes : tuple of str
        What a user has to know besides the result.
    """

    launch: Launch
    name: str
    params: Mapping[str, Any]
    way: Way
    family: str = ""
    closed_forms: Callable[[], ClosedForms] | None = None
    closed_forms_of: object = None
    watched: bool = False
    step: str = ""
    take: Callable[[Mapping[str, np.ndarray]], None] | None = None
    source: object = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class How:
    """How launches are to be predicted.

    Attributes
    ----------
    cache : {"cold", "warm", "flushed"}
        Caches empty before the first launch, as Nsight Compute leaves them; as the same launches left them; or with an
        L2 full of other data that HBM does not have yet, as benchmarks leave it that set a large array before.
    sample : bool or "quick", optional
        Run only part of a large launch, or little of it; None decides by its size.
    values : bool
        Compute what launches compute; then all blocks are run.
    limit : int, optional
        Warp instructions beyond which a run is taken not to end; by default only one that gets nowhere is.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    timeline : Recording, optional
        Record what one SM does, cycle by cycle.
    fresh : bool
        Simulate, whatever is kept from an earlier run.
    jobs : int, optional
        Processors of this host to work with; None: all of them.  No result depends on it.

    Raises
    ------
    ParameterError
        What is no state of the caches, cannot be told of progress, is no flag, or no number of processors.
    """

    cache: str = "cold"
    sample: Sample = None
    values: bool = False
    limit: int | None = None
    progress: Progress | None = None
    timeline: Recording | None = None
    fresh: bool = False
    jobs: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.cache, str) or self.cache not in CACHES:
            raise ParameterError(f"cache must be 'cold', 'warm' or 'flushed', not {shown(self.cache)}")
        if self.progress is not None and not callable(self.progress):
            raise ParameterError(f"progress must be a function of (done, total, text), not {shown(self.progress)}")
        if self.jobs is not None:
            whole("jobs", self.jobs, 1, MOST)
        check_flags(values=self.values, fresh=self.fresh)
        if self.sample != "quick" and type(self.sample).__name__ not in ("NoneType", "bool", "bool_"):
            raise ParameterError(f"sample must be True, False or 'quick', not {shown(self.sample)}")
        self._check_quick()

    def _check_quick(self) -> None:
        """Refuse what little of a launch does not tell."""
        if self.sample != "quick":
            return
        if self.values:
            raise ParameterError("a quick prediction computes no values: give values=False, or leave out 'quick'")
        if self.cache != "cold":
            raise ParameterError("a quick prediction is of cold caches: it does not tell what a launch leaves in L2")
        if self.timeline is not None:
            raise ParameterError("a quick prediction has no timeline: leave one of them out")

    @property
    def warming(self) -> How:
        """How the same launches are run before, to leave the caches as they do."""
        return replace(self, values=False, sample=False if self.values else self.sample, timeline=None)
