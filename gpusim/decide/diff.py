"""What changed between two launches, by level and line, and why the time did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.decide import diff_why
from gpusim.decide.changes import Change, counters, levels, not_exact, settings
from gpusim.decide.diff_found import NOT_ASKED, SAME_TIME, Found
from gpusim.decide.diff_lines import arrays, lines
from gpusim.decide.diff_sides import PREDICTED, DiffError, Side, side_of
from gpusim.decide.diff_trust import Duration, duration
from gpusim.errors import check_flags
from gpusim.pictures.notebook import Pictured

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from rich.console import RenderableType

    from gpusim.measured.measurement import MeasuredLaunch
    from gpusim.progress import Progress
    from gpusim.results.chain import ChainFigures
    from gpusim.results.figures import Figures


@dataclass(frozen=True, repr=False)
class Diff(Found, Pictured):
    """What changed from A to B.

    Attributes
    ----------
    a, b : Side
        Both, each with the figures of its launches.
    time : Duration or None
        How long they take, and how sure their ratio is; None where one has no time.
    why : Why or None
        Causes of time, by what each costs A and B in SM cycles.
    no_why : str
        Why that is not known; empty where it is.
    settings : tuple of Setting
        How they were launched: what differs.
    levels : tuple of Change
        Figures from instructions down to device memory, changed or not.
    counters : tuple of Change
        Every metric that both have.
    lines, arrays : tuple of Line
        Those of the source and of global memory, what changed most first; empty where a side has none.
    wrong : tuple of Change
        Counts predicted as exact of a launch, and measured otherwise.
    """

    @property
    def verdict(self) -> str:
        """What the times say, in one sentence."""
        from gpusim.decide.diff_words import verdict

        return verdict(self)

    def exceeded(self, *limits: str) -> list[str]:
        """Say of each limit that B exceeds by how much its figure grew.

        Parameters
        ----------
        *limits : str
            ``"FIGURE>PERCENT%"``: ``"time>5%"``; a figure is ``time``, a metric, or a property of a profile that
            ``to_dict`` writes under ``derived``.

        Returns
        -------
        list of str
            A sentence each; empty where B keeps within all of them.

        Raises
        ------
        GpusimError
            No limit, a figure that nobody knows, or one that A or B does not have.
        """
        from gpusim.decide.diff_limits import exceeded, read_limit

        return list(exceeded(self, [read_limit(limit) for limit in limits]))

    def table(self) -> list[RenderableType]:
        """Lay it out: the verdict, why, then by level and by line.

        Returns
        -------
        list of rich renderables
            Print them with :func:`gpusim.report.show`.
        """
        from gpusim.decide.diff_table import table

        return list(table(self))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw why the time changed, cause by cause; where that is not known, how the figures of each level did.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a figure of its own unless given.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ParameterError
            Nothing changed.
        """
        from gpusim.decide.diff_plot import plot

        return plot(self, ax)

    def __repr__(self) -> str:
        from gpusim.report import text

        return text(self.table())

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            ``a`` and ``b`` (name, kind, GPU, caches, parameters, what binds it), ``verdict``, ``unchanged``, ``time``,
            ``why`` or None with ``no_why``, ``settings``, ``levels``, ``metrics``, ``lines``, ``arrays``, ``wrong``.
        """
        return {
            "a": _side_dict(self.a), "b": _side_dict(self.b), "verdict": self.verdict,
            "unchanged": self.is_unchanged, "time": None if self.time is None else _time_dict(self.time),
            "why": None if self.why is None else self.why.to_dict(), "no_why": self.no_why,
            "settings": [setting._asdict() for setting in self.settings],
            "levels": [change.to_dict() for change in self.levels],
            "metrics": [change.to_dict() | self._claims(change) for change in self.counters],
            "lines": [line.to_dict() for line in self.lines if not line.is_unchanged],
            "arrays": [array.to_dict() for array in self.arrays if not array.is_unchanged],
            "wrong": [change.to_dict() for change in self.wrong],
        }  # fmt: skip

    def to_dataframe(self) -> pd.DataFrame:
        """Give the metrics that both have as a table, one row each.

        Returns
        -------
        pandas.DataFrame
            Index ``metric``; columns ``unit``, ``a``, ``b``, ``difference``, ``factor`` (B over A), ``claim_a``,
            ``claim_b``, ``error_a``, ``error_b``.
        """
        import pandas as pd

        columns = ["metric", "unit", "a", "b", "difference", "factor", "claim_a", "claim_b", "error_a", "error_b"]
        rows = [
            {"metric": of.key, "a": of.a, "b": of.b, "difference": of.difference, "factor": of.factor}
            | self._claims(of)
            for of in self.counters
        ]
        return pd.DataFrame(rows, columns=columns).set_index("metric")

    def _claims(self, change: Change) -> dict[str, Any]:
        """Unit of a metric, and how far to trust it on either side."""
        found: dict[str, Any] = {"unit": ""}
        for label, side, metric in (("a", self.a, change.of_a), ("b", self.b, change.of_b)):
            if metric is not None:
                found["unit"] = found["unit"] or metric.unit
                told = metric.claim.value if side.tells_trust else None
                found[f"claim_{label}"] = told if side.measured is None else side.kind
                found[f"error_{label}"] = metric.error
        return found


def diff(
    a: Figures | ChainFigures | MeasuredLaunch | Mapping[str, Any] | Side,
    b: Figures | ChainFigures | MeasuredLaunch | Mapping[str, Any] | Side,
    *,
    why: bool = True,
    progress: Progress | None = None,
) -> Diff:
    """Say what changed from one launch to another, by level and line, and why the time did.

    Parameters
    ----------
    a, b : Profile, ChainProfile, MeasuredLaunch or dict
        Predictions, measured launches, or what their JSON holds.
    why : bool
        Find out what the causes of time cost either: both are simulated again, a few times.
    progress : callable, optional
        Called with (blocks done, blocks, text).

    Returns
    -------
    Diff

    Raises
    ------
    GpusimError
        Something else, or a document with several results.

    Examples
    --------
    >>> from gpusim import Claim, Metric, Profile
    >>> def copied(seconds):
    ...     time = Metric(seconds, "second", Claim.MODELLED)
    ...     return Profile("copy", {}, "h200", (1, 1, 1), (32, 1, 1), {"gpu__time_duration.sum": time})
    >>> print(diff(copied(2e-5), copied(1e-5)).verdict)
    B takes 0.50 of A's time: 10.0 us instead of 20.0 us (2.00x as fast).
    """
    check_flags(why=why)
    return compare(_read(a, "A"), _read(b, "B"), why=why, progress=progress)


def compare(a: Side, b: Side, *, why: bool = True, progress: Progress | None = None) -> Diff:
    """Compare two sides; as :func:`diff`."""
    both = a.whole, b.whole
    if not (found := counters(*both)):
        raise DiffError(f"{a.name} and {b.name} have no figure in common")
    no_why = diff_why.unknown(a, b) if why else NOT_ASKED
    if all(change.is_unchanged for change in found) and a.kind == b.kind:
        no_why = no_why or SAME_TIME
    known = all(side.whole.lines for side in (a, b)), all(side.whole.arrays for side in (a, b))
    return Diff(
        a, b, duration(a, b), None if no_why else diff_why.why(a, b, progress), no_why, settings(a, b), levels(*both),
        found, lines(a.whole.lines, b.whole.lines) if known[0] else (),
        arrays(a.whole.arrays, b.whole.arrays) if known[1] else (), not_exact(a, b),
    )  # fmt: skip


def _read(given: Any, label: str) -> Side:
    if isinstance(given, Side):
        return given
    if isinstance(given, Mapping):
        from gpusim.decide.diff_files import side_in

        return side_in(given, label)
    return side_of(given)


def _side_dict(side: Side) -> dict[str, Any]:
    from gpusim.report.time import bound_by

    figures = side.whole
    bound = bound_by(figures) if side.kind == PREDICTED and len(side.steps) == 1 else ""
    return {
        "name": side.name, "kind": side.kind, "gpu": figures.gpu, "cache": figures.cache,
        "params": {name: getattr(value, "item", lambda value=value: value)() for name, value in figures.params.items()},
        "launches": len(side.steps), "bound": bound,
    }  # fmt: skip


def _time_dict(time: Duration) -> dict[str, Any]:
    return {
        "a": time.a, "b": time.b, "unit": "second" if time.in_seconds else "cycle", "ratio": time.ratio,
        "interval": None if time.interval is None else time.interval._asdict(), "told_apart": time.told_apart,
        "unknown": time.unknown,
    }  # fmt: skip
