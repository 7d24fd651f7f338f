"""How far to trust what a table shows: the errors of its metrics, and over which measured launches they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from gpusim.report.units import NOTHING
from gpusim.results.metric import INTERVAL_SHARE, format_error

if TYPE_CHECKING:
    from gpusim.results.figures import Figures
    from gpusim.results.metric import Metric

UNMEASURED = "±?"
"""Stands for an error that was never measured on this GPU."""

PAIR = "±a/b %"
"""How the errors of one launch's metrics are shown."""

INTERVAL = f"{100 * INTERVAL_SHARE:.0f} %"
"""What stands before, or above, a time's interval."""

ON_THIS_GPU = "the launches measured on this GPU"
HALF, MOST = "half ±", "90 % ±"
"""Rows of errors under a table of several launches."""

ROWS = f"{HALF}, {MOST}: half are off by the first at most, nine in ten by the second"


def claim(metric: Metric | None) -> tuple[str, str]:
    """Claim and errors, and what of it is shown where there is little room.

    Examples
    --------
    >>> from gpusim.results.metric import Claim, Metric
    >>> claim(Metric(1, "byte", Claim.MODELLED, 0.004, p90=0.031)), claim(Metric(1, "byte", Claim.MODELLED))
    (('modelled ±0.4/3.1 %', '±0.4/3.1 %'), ('modelled ±?', '±?'))
    """
    if metric is None:
        return NOTHING, NOTHING
    text = metric.claim_text.replace(", unmeasured", f" {UNMEASURED}")
    return text, text.partition(" ")[2] or text


def legend(metrics: Mapping[str, Metric | None]) -> str:
    """Explain the claims that a table of one launch's metrics shows.

    Parameters
    ----------
    metrics : mapping of str to Metric or None
        By what they are called in the table.
    """
    judged = {name: m for name, m in metrics.items() if m is not None and m.interval is None and _is_doubtful(m)}
    groups: dict[str, list[str]] = {}
    for name, metric in judged.items():
        if metric.error is not None:
            groups.setdefault(metric.among or ON_THIS_GPU, []).append(name)
    said = []
    if groups:
        first, *others = sorted(groups, key=lambda among: -len(groups[among]))
        also = "".join(f"; {', '.join(groups[among])}: of {among}" for among in others)
        said.append(f"{PAIR}: half are off by a % at most, nine in ten by b %, of {first}{also}.")
    if any(metric.error is None for metric in judged.values()):
        said.append(f"{UNMEASURED}: how far off this is has not been measured on this GPU.")
    return " ".join([*intervals_legend(metrics.values()), *said])


def intervals_legend(metrics: Iterable[Metric | None]) -> list[str]:
    """Explain the intervals of times, if there are any.

    Parameters
    ----------
    metrics : iterable of Metric or None
    """
    among = dict.fromkeys(m.interval.among for m in metrics if m is not None and m.interval is not None)
    said = f"{INTERVAL}: so many launches like it fall within; learnt from {'; '.join(among)}."
    return [said] if among else []


def error_rows(profiles: Sequence[Figures], columns: Mapping[str, str]) -> list[dict[str, str]]:
    """Give the errors of a table with a row a launch: those that half, and nine in ten, launches keep within.

    Parameters
    ----------
    profiles : sequence of Profile
    columns : mapping of str to str
        The metric that is shown under each heading.

    Returns
    -------
    list of dict
        Cells by heading, the largest of the launches' errors; empty where none is known.  Times with an interval are
        left out.
    """
    half, most = {}, {}
    for heading, metrics in _by_heading(profiles, columns).items():
        known = [(metric.error, metric.p90 or 0.0) for metric in metrics if metric.error is not None]
        half[heading] = f"{format_error(max(error for error, _ in known))} %" if known else "?"
        most[heading] = f"{format_error(max(p90 for _, p90 in known))} %" if known else "?"
    return [half, most] if any(_judged(profile, columns) for profile in profiles) else []


def rows_legend(profiles: Sequence[Figures], columns: Mapping[str, str]) -> str:
    """Explain :func:`error_rows`, and name the GPUs that were never measured.

    Parameters
    ----------
    profiles, columns
        As for :func:`error_rows`.
    """
    judged = [metric for profile in profiles for metric in _judged(profile, columns)]
    groups = dict.fromkeys(metric.among or ON_THIS_GPU for metric in judged)
    said = intervals_legend(profile.metrics.get(name) for profile in profiles for name in columns.values())
    said += [f"{ROWS}, of {'; '.join(groups)}."] if groups else []
    unknown = dict.fromkeys(profile.gpu for profile in profiles if not _judged(profile, columns))
    if unknown and _by_heading(profiles, columns):
        said.append(f"How far off this is has not been measured on {' and '.join(unknown)}.")
    return " ".join(said)


def _judged(profile: Figures, columns: Mapping[str, str]) -> list[Metric]:
    """Metrics of the profile whose errors are known, but for those that are exact."""
    metrics = (metric for name in columns.values() for metric in _found([profile], name))
    return [metric for metric in metrics if metric.error is not None and _is_doubtful(metric)]


def _is_doubtful(metric: Metric) -> bool:
    return metric.claim_text != metric.claim.value


def _found(profiles: Sequence[Figures], name: str) -> list[Metric]:
    """A metric of those launches that have it, and no interval of it."""
    metrics = (profile.metrics.get(name) for profile in profiles)
    return [metric for metric in metrics if metric is not None and metric.interval is None]


def _by_heading(profiles: Sequence[Figures], columns: Mapping[str, str]) -> dict[str, list[Metric]]:
    """The metrics of each column, of those launches that have them."""
    found = {heading: _found(profiles, name) for heading, name in columns.items()}
    return {heading: metrics for heading, metrics in found.items() if metrics}
