"""What ``-k`` selects."""

from __future__ import annotations

import pytest

from gradebox.graders.documents.id_filter import id_matcher
from gradebox.graders.errors import UsageRefused

IDS = ("auth", "auth-slow", "add-AUTH", "slug", "two words", "suite/deep", "not")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("auth", ["auth"]),
        ("aut", ["auth", "auth-slow", "add-AUTH"]),
        ("AUTH", ["auth", "auth-slow", "add-AUTH"]),
        ("auth*", ["auth", "auth-slow"]),
        ("s*", ["slug", "suite/deep"]),
        ("[as]*-*", ["auth-slow", "add-AUTH"]),
        ("two words", ["two words"]),
        ("two w", ["two words"]),
        ("deep", ["suite/deep"]),
        ("not", ["not"]),
        ("not aut", ["slug", "two words", "suite/deep", "not"]),
        ("aut and not slow", ["auth", "add-AUTH"]),
        ("slug or auth", ["auth", "slug"]),
        ("slug or aut and slow", ["auth-slow", "slug"]),
        ("(slug or aut) and s", ["auth-slow", "slug"]),
        ("not not slug", ["slug"]),
        ("not (aut or slug)", ["two words", "suite/deep", "not"]),
        ("", []),
        (" and ", None),
        ("auth and", None),
        ("(auth", None),
        ("auth)", None),
        ("auth slug or x", None),
        ("or", None),
        ("not " * 60 + "x", None),
        ("(" * 60 + "x" + ")" * 60, None),
    ],
)
def test_ids_are_selected(text: str, ids: list[str] | None) -> None:
    if ids is None:
        with pytest.raises(UsageRefused, match=r"^-k "):
            id_matcher(text, IDS)
        return
    matcher = id_matcher(text, IDS)
    assert [one for one in IDS if matcher(one)] == ids


def test_a_word_is_a_part_where_no_case_has_it_as_its_id() -> None:
    assert id_matcher("auth")("add-auth")
    assert not id_matcher("auth", ["auth"])("add-auth")
