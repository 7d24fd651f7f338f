"""Documents held against the published schema, as the kind of document that they are."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

from gpusim.results.documents import schema_text

SCHEMA = json.loads(schema_text())


def faults(document: Any, kind: str) -> list[str]:
    """What is wrong with a document of a kind, such as ``"profiles"``, where it is wrong first."""
    schema = {"$schema": SCHEMA["$schema"], "$ref": f"#/$defs/{kind}_document", "$defs": SCHEMA["$defs"]}
    found = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [f"{'/'.join(map(str, one.absolute_path))}: {one.message[:200]}" for one in found]


def is_valid(document: Any) -> bool:
    """Whether the schema as a whole takes it."""
    return bool(jsonschema.Draft202012Validator(SCHEMA).is_valid(document))
