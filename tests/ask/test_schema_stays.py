"""Does version 1 of the schema stay what was published, but for optional properties and kinds of documents?"""

import copy
import json
from pathlib import Path

import pytest

from gpusim.results import documents
from tests.ask.schema_changes import breaking

PUBLISHED = json.loads(Path(__file__).with_name("results-1-as-published.json").read_text(encoding="utf-8"))
NOW = json.loads(documents.schema_text())


def test_who_reads_version_1_can_read_it_still():
    assert documents.VERSION == 1, "keep a copy of the new version here, as of the one before"
    assert list(breaking(PUBLISHED, NOW)) == []


def changed(change):
    after = copy.deepcopy(PUBLISHED)
    change(after["$defs"])
    return list(breaking(PUBLISHED, after))


def move(properties, old, new):
    properties[new] = properties.pop(old)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d["metric"]["properties"].pop("unit"), "metric/properties/unit: went"),
        (lambda d: move(d["metric"]["properties"], "unit", "units"), "metric/properties/unit: went"),
        (lambda d: d.pop("finding"), "$defs/finding: went"),
        (lambda d: d["profile"]["required"].append("step"), "profile/required: step changed"),
        (lambda d: d["profile"]["required"].remove("gpu"), "profile/required: gpu changed"),
        (lambda d: d["metric"]["properties"]["value"].update(type="number"), "value/type: was ['number', 'null']"),
        (lambda d: d["metric"]["properties"]["unit"].update(type=["string", "null"]), "unit/type: was string"),
        (lambda d: d["cache"]["enum"].remove("flushed"), "cache/enum: was ['cold', 'warm', 'flushed']"),
        (lambda d: d["cache"]["enum"].append("hot"), "cache/enum: was"),
        (lambda d: d["size"].update(maxItems=2), "size/maxItems: was 3, is 2"),
        (lambda d: d["size"].update(uniqueItems=True), "size/uniqueItems: came"),
        (lambda d: d["metric"].update(additionalProperties=True), "metric/additionalProperties: was False"),
        (lambda d: d["metric"]["properties"]["interval"]["anyOf"].pop(), "interval/anyOf: was"),
        (lambda d: d["schema"].update(const=2), "schema/const: was 1, is 2"),
    ],
)
def test_what_breaks_a_reader_is_seen(change, says):
    assert any(says in line for line in changed(change)), changed(change)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["metric"]["properties"].update(spread={"type": "number"}),
        lambda d: d.update(roofline={"type": "object"}),
        lambda d: d["metric"].update(description="Other words."),
    ],
)
def test_what_breaks_nobody_may_change(change):
    assert changed(change) == []


def test_another_kind_of_document_may_come_and_none_may_go():
    more = copy.deepcopy(PUBLISHED)
    more["anyOf"].append({"$ref": "#/$defs/roofline_document"})
    assert list(breaking(PUBLISHED, more)) == []
    assert list(breaking(more, PUBLISHED)) == ["/anyOf: {'$ref': '#/$defs/roofline_document'} went"]
