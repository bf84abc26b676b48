"""Keys are compared in one spelling."""

from __future__ import annotations

from gradebox.plugins.promptfoo.keys import snake_case


def test_keys_have_one_spelling() -> None:
    words = ("defaultTest", "default_test", "llm-rubric", "URL", "$schema", "requiredElements")
    assert [snake_case(word) for word in words] == [
        "default_test",
        "default_test",
        "llm-rubric",
        "URL",
        "$schema",
        "required_elements",
    ]
