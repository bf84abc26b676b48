"""Models of documents: other names, forms that differ from what is kept, and models built from Python."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from gradebox.graders.documents.entries import Entry, Late, WrittenAs, all_spellings, also, homes, spelled_in, spellings
from gradebox.graders.documents.fields import Text, Texts
from gradebox.graders.documents.validators import Context


class Inner(Entry):
    depth: int = 0


class Outer(Entry):
    elsewhere: ClassVar = {"inner.depth": ("deep",)}
    internal = frozenset({"origin"})

    origin: str = ""
    title: Text = Field(default="", validation_alias=also("caption", "inner.caption"))
    words: Texts = ()
    inner: Inner | None = None
    length: Annotated[int, WrittenAs(Text, len)] = 0


def read(value: dict[str, Any]) -> tuple[Outer, list[tuple[Any, str, Any]]]:
    context = Context({})
    return TypeAdapter(Outer).validate_python(value, strict=True, context=context), context.unknown


@pytest.mark.parametrize("value", [{"title": "a"}, {"caption": "a"}, {"inner": {"caption": "a"}}])
def test_every_spelling_of_a_field_is_read_under_its_first_name(value: dict[str, Any]) -> None:
    entry, unknown = read(value)
    assert (entry.title, unknown) == ("a", [])


def test_two_spellings_in_one_place_are_an_error() -> None:
    with pytest.raises(ValidationError) as caught:
        read({"title": "a", "caption": "b"})
    (error,) = caught.value.errors()
    assert (error["type"], error["ctx"]) == ("two_spellings", {"first": "title", "second": "caption"})


def test_a_field_of_an_inner_mapping_may_be_written_elsewhere() -> None:
    entry, _ = read({"deep": 3})
    assert entry.inner == Inner(depth=3)


def test_null_stands_for_a_field_that_is_not_there_and_one_text_for_a_list() -> None:
    entry, _ = read({"title": None, "words": "a"})
    assert (entry.title, entry.words, entry.model_fields_set) == ("", ("a",), {"words"})


def test_unknown_and_internal_keys_are_noted_and_the_rest_is_read() -> None:
    entry, unknown = read({"title": "a", "tilte": "b", "origin": "x"})
    assert (entry.title, entry.origin) == ("a", "")
    assert [(key, model) for _, key, model in unknown] == [("tilte", Outer), ("origin", Outer)]
    assert Outer.known_keys() == ("title", "words", "inner", "length", "caption", "deep")


def test_a_field_is_kept_in_another_form_than_it_is_written_in() -> None:
    assert read({"length": "abc"})[0].length == 3
    assert Outer(length=7, title="${{ NOT_READ }}").length == 7


def test_a_copy_has_other_values_and_the_original_its_own() -> None:
    entry = Outer(title="a")
    other = entry.but(length=2)
    assert (other.title, other.length, entry.length, other.model_fields_set) == ("a", 2, 0, {"title", "length"})
    assert other == entry.model_copy(update={"length": 2})


def test_spellings_are_known_by_model_and_by_name() -> None:
    assert spellings(Outer) == {"title": ("caption", "inner.caption"), "inner.depth": ("deep",)}
    assert {"caption", "inner.caption"} <= set(all_spellings("title"))
    assert "caption" in spelled_in("inner")
    assert homes(Outer) == {"depth": "inner"}


class Rare(Entry):
    inner: Annotated[Any, Late(Inner)] | None = None


def test_a_type_that_is_built_late_reads_reports_and_describes_as_any_other() -> None:
    context = Context({})
    read_it = TypeAdapter(Rare).validate_python
    assert read_it({"inner": {"depth": 2}}, strict=True, context=context).inner == Inner(depth=2)
    assert (read_it({}, strict=True, context=context).inner, context.unknown) == (None, [])
    with pytest.raises(ValidationError) as caught:
        read_it({"inner": {"depth": "x", "deep": 1}}, strict=True, context=context)
    assert [error["loc"] for error in caught.value.errors()] == [("inner", "depth")]
    assert [(key, model) for _, key, model in context.unknown] == [("deep", Inner)]
    assert "depth" in str(Rare.model_json_schema())
