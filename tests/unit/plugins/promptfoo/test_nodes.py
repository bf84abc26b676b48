"""Parts of documents that are rewritten."""

from __future__ import annotations

from gradebox.graders.documents.positions import Node, data
from gradebox.plugins.promptfoo.nodes import in_our_words, items_of, mapping, moved, written

AT = Node("x", 3, 7)


def test_data_is_written_where_another_part_is() -> None:
    node = written({"a": [1, Node("kept", 9, 9)]}, AT)
    assert data(node) == {"a": [1, "kept"]}
    assert isinstance(node.value, dict)
    listed = node.value["a"]
    assert (listed.line, listed.column, listed.key_line) == (3, 7, 3)
    assert isinstance(listed.value, list)
    assert [(one.line, one.column) for one in listed.value] == [(3, 7), (9, 9)]
    assert moved(Node("kept", 9, 9), AT) == Node("kept", 3, 7)


def test_what_says_nothing_is_left_out() -> None:
    assert data(mapping({"a": Node(None, 1, 1), "b": AT}, AT)) == {"b": "x"}
    assert items_of(None) == []
    assert items_of(AT) == [AT]


def test_references_are_written_as_ours() -> None:
    text = '{{- a -}} {{ vars.b.c }} {{ env.HOME }} {{ env.A | default("b c") }} ${{ D }} {{ e | upper }} {% if %}'
    assert in_our_words(Node([Node(text, 1, 1)], 1, 1)).value == [
        Node("{{a}} {{b.c}} ${{ HOME }} ${{ A:-b c }} ${{ D }} {{ e | upper }} {% if %}", 1, 1)
    ]
