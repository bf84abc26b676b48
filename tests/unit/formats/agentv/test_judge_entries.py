"""Which entry of AgentV's targets judges, and what a case would say in its place."""

from __future__ import annotations

from typing import Any

import pytest

from gradebox.graders.formats.agentv.judge_entries import judge_entry, judging_name

ENTRIES: list[dict[str, Any]] = [
    {"name": "default", "use_target": "${{ AGENT }}"},
    {"name": "agent", "grader_target": "reader"},
    {"name": "old", "judge_target": "${{ READER }}"},
    {"name": "reader", "use_target": "gpt"},
    {"name": "gpt", "provider": "openai"},
]


@pytest.mark.parametrize(
    ("target", "name"), [("agent", "gpt"), (None, "gpt"), ("default", "gpt"), ("old", "x"), ("gpt", ""), ("none", "")]
)
def test_the_judge_of_a_target_is_found_by_its_name(target: str | None, name: str) -> None:
    assert judging_name(ENTRIES, target, {"AGENT": "agent", "READER": "x"}) == name


def test_a_key_is_named_and_never_read() -> None:
    made = judge_entry({"name": "a", "provider": "openai", "model": "m", "api_key": " ${{ KEY }} ", "max_tokens": 9})
    assert made.entry == {
        "provider": "openai", "name": "a", "base_url": "https://api.openai.com/v1", "model": "m",
        "max_tokens": 9, "api_key_env": "KEY",
    }  # fmt: skip
    for key in ("sk-1", "x${{ KEY }}", "${{ KEY:-sk-1 }}"):
        assert "sk-1" not in str(judge_entry({"provider": "openai", "api_key": key}))
        assert judge_entry({"provider": "openai", "api_key": key}).problem
    assert judge_entry({"provider": "claude-cli"}).problem == "gradebox does not ask the provider `claude-cli`"
