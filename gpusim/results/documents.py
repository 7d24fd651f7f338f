"""Documents that gpusim writes as JSON: which version of the published schema they follow, and which are read back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpusim.errors import GpusimError, shown

VERSION = 1
"""Of the schema that documents follow; docs/schema.md says what makes a new one."""

KEY = "schema"
"""What a document calls its version; one from before there was a schema has no such key."""


def document(content: Mapping[str, Any]) -> dict[str, Any]:
    """Give results as a document: they, the gpusim that wrote them, and the schema that they follow.

    Parameters
    ----------
    content : mapping
        Plain dicts, lists, strings and numbers.

    Examples
    --------
    >>> list(document({"profiles": []}))
    ['gpusim', 'schema', 'profiles']
    """
    from gpusim import __version__

    return {"gpusim": __version__, KEY: VERSION, **content}


def plain(value: Any) -> Any:
    """Give the Python number that a NumPy scalar holds, which JSON can hold too; anything else as it is.

    Parameters
    ----------
    value : object
    """
    return value.item() if hasattr(value, "item") else value


def finite(value: Any) -> Any:
    """Give a number as JSON can hold it: None where it is NaN or infinite.

    Parameters
    ----------
    value : int or float

    Examples
    --------
    >>> finite(2.5), finite(float("nan"))
    (2.5, None)
    """
    number = plain(value)
    return number if math.isfinite(number) else None


def check_version(raw: Any, where: str, refuse: type[GpusimError]) -> None:
    """Refuse a document of a later schema.

    One without a version is from before there was a schema, and is read.

    Parameters
    ----------
    raw : object
        The document.
    where : str
        What messages call it.
    refuse : type of GpusimError
        What is raised.

    Examples
    --------
    >>> check_version({"gpusim": "0.1.0", "profiles": []}, "old.json", GpusimError)
    >>> check_version({"gpusim": "3.0", "schema": 2}, "new.json", GpusimError)
    Traceback (most recent call last):
    gpusim.errors.GpusimError: new.json: follows schema 2, written by gpusim 3.0; ...
    """
    if not isinstance(raw, Mapping) or KEY not in raw:
        return
    version = raw[KEY]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise refuse(f"{where}: {KEY}: must be a whole number from 1 on, not {shown(version)}")
    if version > VERSION:
        writer = raw.get("gpusim")
        by = f", written by gpusim {writer}" if isinstance(writer, str) else ""
        raise refuse(f"{where}: follows schema {version}{by}; this gpusim reads up to {VERSION}: take a newer")


def schema_text() -> str:
    """Give the published JSON Schema (draft 2020-12) of every document, as its file has it."""
    file = Path(__file__).parents[1] / "data" / "schema" / f"results-{VERSION}.json"
    return file.read_text(encoding="utf-8")
