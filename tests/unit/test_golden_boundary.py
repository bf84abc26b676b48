"""The golden vectors of the boundary are well formed, and cover its table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from golden_boundary import MALFORMED, TABLE, VALUES

LANGUAGES = {"python", "javascript", "julia"}
# Descriptions belong to them, so each language has tests of its own.
DESCRIBED = set("xceno")
TAGS = {"i": 2, "f": 2, "b": 2, "#": 2, "y": 3, "k": 2, "B": 4}


def _nodes(tree: Any) -> Iterator[list[Any]]:
    if isinstance(tree, list):
        yield tree
        for part in tree[1:]:
            yield from _nodes(part)


def _is_value(tree: Any, language: str, known: set[int]) -> bool:
    """Return whether a tree is a value by the page and the table; containers are numbered as they come."""
    if not isinstance(tree, list):
        return not isinstance(tree, dict) and (type(tree) is not int or abs(tree) < 1 << 53)
    tag, *parts = tree
    if tag in TABLE["kinds"]:
        if parts[0] != -len(known) - 1 or parts[1] not in TABLE["kinds"][tag][language]:
            return False
        known.add(parts[0])
        parts = parts[2:]
    elif tag == "y":
        known.add(parts[0])
    elif tag == "v":
        if parts[0] not in TABLE["values"][language]:
            return False
    elif tag == "#":
        return parts[0] in known
    return len(tree) == TAGS.get(tag, len(tree)) and all(_is_value(part, language, known) for part in parts)


@pytest.mark.parametrize("vector", VALUES, ids=lambda vector: vector["is"])
def test_values_are_written_by_the_page_and_the_table(vector: dict[str, Any]) -> None:
    assert set(vector) - {"tree", "is", "languages", "call"} == set(vector["languages"]) <= LANGUAGES
    assert vector["languages"]
    assert all(_is_value(vector["tree"], language, set()) for language in vector["languages"])


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_kind_and_value_of_the_table_is_there(language: str) -> None:
    found = [
        (node[0], node[2] if node[0] in TABLE["kinds"] else node[1] if node[0] in "vf" else "")
        for vector in VALUES
        if language in vector["languages"]
        for node in _nodes(vector["tree"])
    ]
    wanted = {("v", name) for name in TABLE["values"][language]}
    wanted |= {("f", word) for word in ("nan", "inf", "-inf", "-0")}
    if language != "julia":
        wanted |= {(tag, kind) for tag, of in TABLE["kinds"].items() for kind in of.get(language, ()) if tag != "x"}
        wanted |= {("i", ""), ("#", ""), ("k", "")}
    assert wanted <= set(found)


def test_malformed_trees_differ_and_say_why() -> None:
    written = [json.dumps(vector["malformed"]) for vector in MALFORMED]
    assert all(vector["why"] and set(vector["languages"]) <= LANGUAGES for vector in MALFORMED)
    pairs = [(text, language) for text, each in zip(written, MALFORMED, strict=True) for language in each["languages"]]
    assert len(pairs) == len(set(pairs))
    for language in LANGUAGES:
        assert sum(language in vector["languages"] for vector in MALFORMED) >= 60
