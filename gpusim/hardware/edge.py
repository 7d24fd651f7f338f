"""Pydantic checks one TOML file at the edge; inside there are only plain dataclasses."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args, get_origin, get_type_hints

from gpusim.errors import shown
from gpusim.hardware.errors import SpecError
from gpusim.hardware.quantities import KINDS, Rule, rules
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import key_of
from gpusim.names import suggest

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

ENTRY = ("value", "unit", "kind", "source")
"""What every number's inline table holds."""

ARCHITECTURE, PRINTED = r"^sm_\d{2,3}$", r"^[^\x00-\x1f\x7f-\x9f]*$"
"""What names of architectures look like, and any text: it is shown in one line."""

_TYPES = {"int": "an integer", "float": "a number", "tuple": "a list", "string": "text", "bool": "true or false"}
"""What to call a type, by the first word of pydantic's error."""


def check(raw: dict[str, Any], origin: str) -> dict[str, dict[str, Any]]:
    """Check what one file says, by itself; a key may still be missing, as a base may give it.

    Parameters
    ----------
    raw : dict
        The file as :mod:`tomllib` reads it.
    origin : str
        The file, for messages.

    Returns
    -------
    dict
        Section to field to either text or a dict of value, unit, kind and source.

    Raises
    ------
    SpecError
        One line, for the first mistake of the file.
    """
    from pydantic import ValidationError

    try:
        model = file_model().model_validate(raw)
    except ValidationError as error:
        raise SpecError(_sentence(origin, error.errors(), raw)) from None
    return cast("dict[str, dict[str, Any]]", model.model_dump(exclude_none=True))


@functools.cache
def file_model() -> type[BaseModel]:
    """Build the pydantic model of a specification file from the section dataclasses."""
    from pydantic import ConfigDict, create_model

    shape: dict[str, Any] = {
        "base": (_text(str) | None, None),
        "sources": (dict.__class_getitem__((str, _text(str))) | None, None),
    }
    shape |= {name: (_section_model(section) | None, None) for name, section in SECTIONS.items()}
    return create_model("File", __config__=ConfigDict(extra="forbid"), **shape)


def _section_model(section: type) -> type[BaseModel]:
    from pydantic import ConfigDict, create_model

    hints, numbers = get_type_hints(section), rules(section)
    shape: dict[str, Any] = {}
    for name, hint in hints.items():
        kind = _entry_model(name, hint, numbers[name]) if name in numbers else _text(hint, name)
        shape[name] = (kind | None, None)
    return create_model(section.__name__, __config__=ConfigDict(extra="forbid"), **shape)


def _entry_model(name: str, hint: Any, rule: Rule) -> type[BaseModel]:
    from pydantic import ConfigDict, create_model

    shape: dict[str, Any] = {
        "value": (_bounded(hint, rule), ...),
        "unit": (Literal[rule.unit], ...),
        "kind": (Literal[KINDS], ...),
        "source": (_text(str), ...),
    }
    return create_model(name, __config__=ConfigDict(extra="forbid"), **shape)


def _text(hint: Any, name: str = "") -> Any:
    from pydantic import Field

    if hint is bool:
        return Annotated[bool, Field(strict=True)]
    return Annotated[str, Field(strict=True, min_length=1, pattern=ARCHITECTURE if name == "arch" else PRINTED)]


def _bounded(hint: Any, rule: Rule) -> Any:
    """Put a rule's bounds on a number, or on every element of a list of them."""
    from pydantic import Field

    if type(None) in get_args(hint):
        hint = next(kind for kind in get_args(hint) if kind is not type(None))
    if get_origin(hint) is tuple:
        element = _bounded(get_args(hint)[0], rule)
        return Annotated[tuple.__class_getitem__((element, ...)), Field(min_length=0 if rule.unit == "name" else 1)]
    if hint is str:
        return _text(hint)
    exact = hint is int
    return Annotated[hint, Field(strict=True, ge=rule.low, le=rule.high, allow_inf_nan=None if exact else False)]


# ------------------------------------------------------------------ wording


def _sentence(origin: str, errors: list[ErrorDetails], raw: dict[str, Any]) -> str:
    where, what = _say(errors[0], raw)
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{origin}: {where}: {what}{more}"


def _say(error: ErrorDetails, raw: dict[str, Any]) -> tuple[str, str]:
    """Say where a mistake is, and what is allowed there."""
    place = [part for part in error["loc"] if isinstance(part, str)]
    given, context, kind = error["input"], error.get("ctx", {}), error["type"]
    where = key_of(place[0], place[1]) if len(place) > 1 and place[0] in SECTIONS else ".".join(place)
    part = place[2] if len(place) > 2 and place[0] in SECTIONS else ""
    if kind == "extra_forbidden":
        return _unknown(place)
    if kind == "missing":
        return where, f"{part} is missing: a number needs {', '.join(ENTRY)}"
    if kind == "literal_error":
        return where, f"{part} must be {context['expected']}, not {shown(given)}"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return where, _not_a_table(place, given)
    subject = f"{part} must be" if part else "must be"
    return where, f"{subject} {_allowed(kind, context)}, not {shown(given)}"


def _unknown(place: list[str]) -> tuple[str, str]:
    parent = [*place[:-1]]
    known: list[str] = ["base", "sources", *SECTIONS]
    if len(parent) == 1:
        known = list(get_type_hints(SECTIONS[parent[0]]))
    elif len(parent) == 2:
        known = list(ENTRY)
    return ".".join(parent) or "top level", f"unknown key {place[-1]!r}: {suggest(place[-1], known)}"


def _not_a_table(place: list[str], given: Any) -> str:
    if len(place) > 1 and place[0] in SECTIONS:
        return f"must be a table {{ {', '.join(ENTRY)} }}, not {shown(given)}"
    return f"must be a table, not {shown(given)}"


def _allowed(kind: str, context: dict[str, Any]) -> str:
    if kind == "greater_than_equal":
        return f"at least {context['ge']:g}"
    if kind == "less_than_equal":
        return f"at most {context['le']:g}"
    if kind in ("string_too_short", "too_short"):
        return "not empty"
    if kind == "string_pattern_mismatch":
        return "like sm_90" if context["pattern"] == ARCHITECTURE else "of characters that can be shown"
    if kind == "finite_number":
        return "finite"
    return _TYPES.get(kind.split("_")[0], kind)
