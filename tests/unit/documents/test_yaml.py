"""YAML text -> nodes with positions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gradebox.graders.documents.diagnostics import DocumentPath
from gradebox.graders.documents.positions import Document, Malformed, Problem, data
from gradebox.graders.documents.yaml import read_yaml


def document_of(text: str) -> Document:
    problems: list[Problem] = []
    document = Document(Path("x.yaml"), read_yaml(text, problems))
    assert not problems
    return document


def plain(text: str) -> Any:
    return data(document_of(text).root)


TEXT = """\
id: a
assertions:
  - type: x
    env: {A: "1",
          B: two}
  -   - nested
"""


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ((), (1, 1), (1, 1)),
        (("id",), (1, 5), (1, 1)),
        (("assertions",), (3, 3), (2, 1)),
        (("assertions", 0), (3, 5), (3, 5)),
        (("assertions", 0, "type"), (3, 11), (3, 5)),
        (("assertions", 0, "env"), (4, 10), (4, 5)),
        (("assertions", 0, "env", "B"), (5, 14), (5, 11)),
        (("assertions", 1, 0), (6, 9), (6, 9)),
        # A path that leads nowhere is at the nearest part that exists.
        (("assertions", 0, "command"), (3, 5), (3, 5)),
        (("assertions", 7), (3, 3), (2, 1)),
    ],
)
def test_every_part_of_a_document_has_its_place(path: DocumentPath, value: Any, key: Any) -> None:
    document = document_of(TEXT)
    place = document.place(path)
    assert (place.line, place.column) == value
    place = document.place(path, of_key=True)
    assert (place.line, place.column) == key


def test_columns_count_characters_and_not_bytes() -> None:
    place = document_of('{"naïve ✓ 🎉": x}').place(("naïve ✓ 🎉",))
    assert (place.line, place.column) == (1, 15)


def test_a_path_with_the_first_name_finds_the_name_that_is_written() -> None:
    document = document_of("execution:\n  evaluators:\n  - metric: a\n")
    assert document.written(("assertions", 0, "name")) == ("execution", "evaluators", 0, "metric")
    assert document.place(("assertions", 0, "name")).line == 3


def test_a_field_written_elsewhere_is_found_beside_a_field_written_here() -> None:
    document = document_of("limits: {cpus: 1}\nworkspace:\n  docker:\n    memory: 1g\n")
    assert document.written(("limits", "memory")) == ("workspace", "docker", "memory")
    assert document.written(("limits", "cpus")) == ("limits", "cpus")


def test_keys_are_text_whatever_they_look_like() -> None:
    assert plain("{on: 1, 010: 2, null: 3, 1: 4, 2024-01-01: 5}") == {
        "on": 1,
        "010": 2,
        "null": 3,
        "1": 4,
        "2024-01-01": 5,
    }


def test_quoted_and_block_scalars_are_text_whatever_they_look_like() -> None:
    assert plain("a: 'no'\nb: \"010\"\nc: |\n  yes\nd: >-\n  12:30\n") == {
        "a": "no",
        "b": "010",
        "c": "yes\n",
        "d": "12:30",
    }


def test_an_alias_repeats_its_anchor_without_sharing_data() -> None:
    value = plain("a: &x {k: [1]}\nb: *x\n")
    assert value == {"a": {"k": [1]}, "b": {"k": [1]}}
    assert value["a"]["k"] is not value["b"]["k"]


def test_a_merge_key_adds_what_the_mapping_does_not_have() -> None:
    assert plain("a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], x: 0}\n")["c"] == {"x": 0, "y": 1, "z": 2}


def test_what_a_merge_key_adds_is_shown_where_it_is_written() -> None:
    document = document_of("a: &a\n  x: 1\nb:\n  <<: *a\n")
    assert document.place(("b", "x")).line == 2


@pytest.mark.timeout(60)
def test_aliases_that_explode_are_refused_at_once() -> None:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 40)]
    with pytest.raises(Malformed, match="aliases repeat more than"):
        read_yaml("l0: &l0 [lol]\n" + "\n".join(levels), [])


def test_merges_that_explode_are_refused_at_once() -> None:
    levels = [f"l{n}: &l{n} {{a{n}: *l{n - 1}, b{n}: *l{n - 1}, <<: *l{n - 1}}}" for n in range(1, 60)]
    with pytest.raises(Malformed, match="aliases repeat more than"):
        read_yaml("l0: &l0 {k: v}\n" + "\n".join(levels), [])


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[[{a: "])
def test_nesting_has_a_limit(opening: str) -> None:
    with pytest.raises(Malformed):
        read_yaml(opening * 100_000, [])


def test_a_text_with_very_many_mistakes_is_given_up() -> None:
    with pytest.raises(Malformed, match="too many mistakes"):
        read_yaml("a: 1\n" * 500, [])


json_like = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(json_like)
@example(["0..."])
def test_data_written_as_yaml_is_read_back(value: Any) -> None:
    text = yaml.safe_dump(value)
    # What its writer leaves without quotes though not all readers agree what it is: merge keys, 0:0, and 08 and 0E0,
    # which are texts for YAML 1.1 and numbers for YAML 1.2.
    assume("<<" not in text and not re.search(r"\b(0[0-9:]|[0-9]+[eE][-+]?[0-9])", text))
    assert plain(re.sub(r"^\.\.\.\n\Z", "", text, flags=re.MULTILINE)) == value
