"""The unit and range of every number of a specification.

The unit of a field is the one its TOML entry must carry: ``"1"`` for a count
or an index, ``"name"`` for a list of names, ``"byte"``, ``"bit"``, ``"cycle"`` (of the SM clock, unless the
field says otherwise), ``"s"``, ``"Hz"``, ``"byte/s"``, ``"byte/cycle"``, ``"flop/s"``,
``"op/s"``.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, field, fields
from typing import Any, NamedTuple

KINDS = ("datasheet", "measured", "fitted", "assumed")
"""How a number came to be known, best first (a datasheet is a document, header or property of the vendor)."""

LONGEST = 10_000
"""Cycles that a latency or a gap may have."""

SHARED_WINDOW = 1 << 24
"""Bytes of the window through which generic addresses reach shared memory."""


class Rule(NamedTuple):
    """What a number must obey.

    Attributes
    ----------
    unit : str
    low, high : float or None
        Bounds, both included; for a list, of each element.
    informational : bool
        Whether no simulated number depends on it.  Closed-form models and listings may show it.
    """

    unit: str
    low: float | None
    high: float | None
    informational: bool


def quantity(
    unit: str, *, low: float | None = 1, high: float | None = None, optional: bool = False, informational: bool = False
) -> Any:
    """Declare a number of the specification.

    Parameters
    ----------
    unit : str
        The unit its TOML entry must carry.
    low, high : float or None
        Bounds, both included.
    optional : bool
        Whether it may be left out (then it is None).
    informational : bool
        Whether no simulated number depends on it.

    Returns
    -------
    dataclasses.Field
    """
    return field(default=None if optional else MISSING, metadata={"rule": Rule(unit, low, high, informational)})


def fixed(unit: str, value: int) -> Any:
    """Declare a number of which the engine knows one value (:mod:`.fixed`).

    Parameters
    ----------
    unit : str
        The unit its TOML entry must carry.
    value : int
        The only one that is not refused.

    Returns
    -------
    dataclasses.Field
    """
    return quantity(unit, low=value, high=value)


def rules(section: type) -> dict[str, Rule]:
    """Give the rule of every number of a section, by field name."""
    return {f.name: f.metadata["rule"] for f in fields(section) if "rule" in f.metadata}


def required(section: type) -> list[str]:
    """Give the names of a section's fields that have no default."""
    return [f.name for f in fields(section) if _has_no_default(f)]


def _has_no_default(f: Field[Any]) -> bool:
    return f.default is MISSING and f.default_factory is MISSING
