"""XML that is a text, or stands in one."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from evidence_bench import text_is_judged

from gradebox.graders.checks.text.is_xml import ContainsXml, IsXml, elements

BOOK = "<book><title>x</title><part><page/></part></book>"
LAUGHS = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>'


@pytest.mark.parametrize(
    ("kind", "value", "text", "met"),
    [
        (IsXml, (), BOOK, True),
        (IsXml, (), f"\n<?xml version='1.0'?>{BOOK}\n", True),
        (IsXml, (), f"<?xml version='1.0' encoding='nonsense'?>{BOOK}", True),
        (IsXml, (), f"<?xml version='1.0' encoding='undefined'?>{BOOK}", True),
        (IsXml, (), f"<?xml version='1.0' encoding='utf-16'?>{BOOK}", True),
        (IsXml, (), "<?xml version='1.0' encoding='nonsense'?><a>", False),
        (IsXml, (), f"Here: {BOOK}", False),
        (IsXml, (), "<a><b></a>", False),
        (IsXml, (), LAUGHS, False),
        (IsXml, ("book.title", "book.part.page"), BOOK, True),
        (IsXml, ("title",), BOOK, False),
        (ContainsXml, (), f"Here: {BOOK}. Done.", True),
        (ContainsXml, (), "Here: <a/>. Done.", True),
        (ContainsXml, ("book.title",), f"<other/> {BOOK}", True),
        (ContainsXml, (), "1 < 2 and <a> is open", False),
        (ContainsXml, (), "no", False),
        (IsXml, ("book",), "<books><book/></books>", False),
        (IsXml, ("a.b.c",), "<a.b><c/></a.b>", True),
        (IsXml, ("a.b",), "<a><c><b/></c><x><a><b/></a></x></a>", False),
    ],
)
def test_it_is_well_formed_and_has_its_elements(kind: Any, value: Any, text: str, *, met: bool) -> None:
    text_is_judged(kind, {"value": value}, text, met=met)


@pytest.mark.timeout(60)
def test_paths_that_nobody_wants_take_no_memory() -> None:
    names = [letter * 20_000 for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    opened = "".join(f"<{name}>" for name in names)
    inner = "".join(f"<x{number}/>" for number in range(100_000))
    text = opened + inner + "".join(f"</{name}>" for name in reversed(names))
    tracemalloc.start()
    try:
        assert elements(text, (names[0],)) == {names[0]}
        assert tracemalloc.get_traced_memory()[1] < 20 * len(text)
    finally:
        tracemalloc.stop()
