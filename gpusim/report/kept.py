"""What is said of results that are kept from an earlier run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any


def kept_line(times: Iterable[datetime | None]) -> str:
    """Say how many results are kept from earlier runs, and since when.

    Parameters
    ----------
    times : iterable of datetime or None
        When each was simulated; None: now.

    Returns
    -------
    str
        Empty where all were simulated now.

    Examples
    --------
    >>> from datetime import UTC
    >>> day = datetime(2026, 11, 28, 9, 5, tzinfo=UTC)
    >>> kept_line([day, None, day]).partition(",")[0]
    '2 of 3 are kept from earlier runs'
    """
    known = list(times)
    kept = [when for when in known if when is not None]
    if not kept:
        return ""
    oldest = f"{min(kept).astimezone():%Y-%m-%d %H:%M}"
    if len(known) == 1:
        return f"Kept from a run of {oldest}; --fresh simulates anew."
    return f"{len(kept)} of {len(known)} are kept from earlier runs, the oldest of {oldest}; --fresh simulates anew."


def times_kept(records: Iterable[Mapping[str, Any]]) -> list[datetime | None]:
    """When launches were simulated of which there are records; None: now.

    Parameters
    ----------
    records : iterable of mapping
        Each with ``kept``, as JSON has it.
    """
    return [datetime.fromisoformat(record["kept"]) if record["kept"] else None for record in records]
