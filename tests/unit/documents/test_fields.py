"""The types of fields: sizes, durations, ids, paths."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from gradebox.graders.documents.fields import Bytes, Env, Flag, Free, Id, Seconds, Texts, WorkspacePath
from gradebox.graders.documents.scalars import plain_scalar
from gradebox.graders.documents.validators import Context

MIB = 1024**2


def validated(kind: Any, value: Any) -> Any:
    return TypeAdapter(kind).validate_python(value, strict=True, context=Context({}))


@pytest.mark.parametrize(
    ("written", "size"),
    [
        (1024, 1024),
        ("1024", 1024),
        ("100b", 100),
        ("64k", 64 * 1024),
        ("512m", 512 * MIB),
        ("512M", 512 * MIB),
        ("512MB", 512 * MIB),
        ("512MiB", 512 * MIB),
        ("512 mb", 512 * MIB),
        ("1.5g", 1536 * MIB),
        ("1GiB", 1024 * MIB),
        ("1t", 1024**4),
    ],
)
def test_sizes_are_powers_of_1024_under_every_unit(written: Any, size: int) -> None:
    assert validated(Bytes, written) == size


@pytest.mark.parametrize("written", ["", "m", "-1m", "1e3", "1mm", "1 000", "0", 0, -1, 1.5, True, None, [], "½g"])
def test_what_is_not_a_size_is_refused(written: Any) -> None:
    with pytest.raises(ValidationError):
        validated(Bytes, written)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [(1, 1.0), (0.5, 0.5), ("30", 30.0), ("30s", 30.0), ("1.5 s", 1.5), ("500ms", 0.5), ("5m", 300.0), ("1h", 3600.0)],
)
def test_durations_are_seconds_unless_they_say_otherwise(written: Any, seconds: float) -> None:
    assert validated(Seconds, written) == seconds


@pytest.mark.parametrize("written", ["", "s", "-1s", 0, -1, "1d", "1 2s", True, None, float("inf"), float("nan"), 1e9])
def test_what_is_not_a_duration_is_refused(written: Any) -> None:
    with pytest.raises(ValidationError):
        validated(Seconds, written)


@pytest.mark.parametrize(
    ("written", "text"), [("a", "a"), ("A.b_c-1", "A.b_c-1"), ("7", "7"), (7, "7"), ("x" * 128,) * 2]
)
def test_ids_are_safe_as_file_names(written: Any, text: str) -> None:
    assert validated(Id, written) == text


@pytest.mark.parametrize(("written", "text"), [("5", "5"), ("1.10", "1.10"), ("1.0", "1.0"), ("1e3", "1e3")])
def test_a_number_as_id_is_its_text_as_written(written: str, text: str) -> None:
    assert validated(Id, plain_scalar(written)) == text


@pytest.mark.parametrize(
    "written", ["", ".", "..", "../x", "a/b", "a\\b", "-a", ".a", "_a", "a b", "a\n", "a\0", "é", "x" * 129, "+5", True]
)
def test_ids_that_are_not_are_refused(written: Any) -> None:
    with pytest.raises(ValidationError):
        validated(Id, written)


@pytest.mark.parametrize(
    ("written", "path"), [("src", "src"), ("a/b.py", "a/b.py"), (".", ""), ("./", ""), ("..a", "..a")]
)
def test_paths_in_the_workspace_are_taken_as_written(written: str, path: str) -> None:
    assert validated(WorkspacePath, written) == path


@pytest.mark.parametrize("written", ["", "/", "/etc", "..", "../x", "a/../../b", "a/..", "\\x", "a\0"])
def test_paths_that_leave_the_workspace_are_refused(written: str) -> None:
    with pytest.raises(ValidationError):
        validated(WorkspacePath, written)


@pytest.mark.parametrize(
    ("written", "truth"), [("true", True), ("yes", True), ("On", True), ("no", False), ("OFF", False)]
)
def test_a_plain_word_of_old_is_a_truth_value_where_one_is_wanted(written: str, truth: bool) -> None:
    assert validated(Flag, plain_scalar(written)) is truth


@pytest.mark.parametrize("written", ["yes", "true", 1, 0, None])
def test_quoted_words_and_numbers_are_no_truth_values(written: Any) -> None:
    with pytest.raises(ValidationError):
        validated(Flag, written)


def test_one_text_is_a_list_of_one() -> None:
    assert validated(Texts, "a") == ("a",)


def test_variables_take_numbers_as_their_text() -> None:
    assert validated(Env, {"PORT": 8080, "V": plain_scalar("1.10")}) == {"PORT": "8080", "V": "1.10"}


def test_free_data_keeps_what_was_written_and_says_where_readers_differ() -> None:
    context = Context({})
    written = {
        "a": plain_scalar("no"),
        "b": plain_scalar("2024-01-01"),
        "c": plain_scalar("1.50"),
        "d": plain_scalar(""),
    }
    value = TypeAdapter(Free).validate_python(written, context=context)
    assert value == {"a": "no", "b": "2024-01-01", "c": 1.5, "d": None}
    assert [noted.text for noted, _, _ in context.notes] == ["no"]
