"""Advice on launches that follow one another: what passing arrays from one to the next costs, and advice on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.advice.advise import Advice, advise
from gpusim.advice.edits import EDITS
from gpusim.advice.finding import Finding, Findings
from gpusim.errors import ParameterError
from gpusim.report.busy import ranked
from gpusim.report.units import format_bytes
from gpusim.results.causes import Cause

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.progress import Progress
    from gpusim.results.chain import ChainFigures
    from gpusim.results.figures import Figures


DATA_STAGE = "l1tex__data_pipe"


@dataclass(frozen=True, repr=False)
class ChainAdvice(Findings):
    """What would make launches that follow one another faster.

    Attributes
    ----------
    chain : ChainProfile
        The launches as they are.
    findings : tuple of Finding
        Of all together: one kernel in their place.
    steps : tuple of Advice
        On each of them.
    """

    chain: ChainFigures
    findings: tuple[Finding, ...]
    steps: tuple[Advice, ...]

    def table(self) -> list[RenderableType]:  # noqa: D102 (as of Findings)
        from gpusim.advice.table import chain_table

        each = (line for step in self.steps for line in ("", *step.table()))
        return [*chain_table(self.chain, self.findings), *each]

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            ``chain``, ``params``, ``gpu``, ``cache``, ``cycles``, ``findings``, and ``steps`` as of :class:`Advice`.
        """
        chain = self.chain
        return {
            "chain": chain.chain, "params": dict(chain.params), "gpu": chain.gpu, "cache": chain.cache,
            "cycles": chain.total("cycles"),
            "findings": [finding.to_dict() for finding in self.findings],
            "steps": [step.to_dict() for step in self.steps],
        }  # fmt: skip


def advise_chain(chain: ChainFigures, progress: Progress | None = None) -> ChainAdvice:
    """Find what would make launches that follow one another faster.

    They are simulated again with the arrays that pass between them in registers; and each as by :func:`advise`.

    Parameters
    ----------
    chain : ChainProfile
        As ``predict_chain`` has given it.
    progress : callable, optional
        Called with (blocks done, blocks, text).

    Returns
    -------
    ChainAdvice

    Raises
    ------
    ParameterError
        It was read from a file.
    """
    if any(step.rerun is None for step in chain.steps):
        raise ParameterError(f"advice on {chain.chain} needs its launches: predict it in this process")
    found = _fused(chain, progress) if chain.between else None
    steps = tuple(advise(step, progress) for step in chain.steps)
    return ChainAdvice(chain, (found,) if found else (), steps)


def _fused(chain: ChainFigures, progress: Progress | None) -> Finding:
    """What one kernel in their place would save."""
    cycles = float(chain.total("cycles"))
    without = min(_cycles_of_one(chain, progress), cycles)
    passed = ", ".join(f"{name} ({format_bytes(chain.nbytes[name])})" for name in chain.between)
    what = f"{len(chain.steps)} launches pass {passed} from one to another"
    return Finding(Cause.APART, cycles, without, what, EDITS[Cause.APART], simulated=False)


def _cycles_of_one(chain: ChainFigures, progress: Progress | None) -> float:
    """Cycles of one kernel that does what all do: it is launched once, and what has been in registers stays there.

    Its traffic takes what the first launch takes, and what each of the others takes longer for the arrays that nothing
    before it had.  Its SMs have the work of all, which the busiest unit of each tells where no array costs anything.
    """
    traffic = work = 0.0
    held = set(chain.between)
    for step, names in zip(chain.steps, chain.names, strict=True):
        assert step.rerun is not None
        again = step.rerun(free=[names[name] for name in names if name in held], progress=progress)
        alone = step.rerun(free=list(names.values()), progress=progress)
        traffic += max(float(again.cycles - alone.cycles), 0.0) if traffic else float(again.cycles)
        work += _busy(alone)
        held |= {name for name in names if name in chain.inputs}
    first = chain.steps[0]
    return max(traffic, work + float(first.cycles - first.value("sm__cycles_active.max")))


def _busy(profile: Figures) -> float:
    """Cycles for which the busiest pipe of a launch works, or the data stage of shared memory."""
    units = (unit for unit in ranked(profile) if unit.unit.kind == "compute" or unit.unit.metric.startswith(DATA_STAGE))
    share = max((unit.share for unit in units), default=0.0)
    return float(share * profile.value("sm__cycles_active.avg"))
