"""Where AgentV's targets lie, and what gradebox makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.formats.agentv.target_entries import ANSWER_FILE, converted, is_agentv_file, targets_file


def test_the_nearest_file_counts_as_far_as_the_repository_goes(tmp_path: Path) -> None:
    suite = tmp_path / "repository" / "examples" / "one" / "evals"
    suite.mkdir(parents=True)
    for directory in (tmp_path, tmp_path / "repository"):
        (directory / ".agentv").mkdir()
        (directory / ".agentv" / "targets.yaml").write_text("targets: []")
    assert targets_file(suite) == tmp_path / "repository" / ".agentv" / "targets.yaml"
    (tmp_path / "repository" / "examples" / ".git").mkdir()
    assert targets_file(suite) is None
    (suite / ".agentv").mkdir()
    (suite / ".agentv" / "targets.yml").write_text("targets: []")
    found = targets_file(suite)
    assert found == suite / ".agentv" / "targets.yml"
    assert is_agentv_file(found)
    assert not is_agentv_file(suite / "targets.yaml")


@pytest.mark.parametrize(
    ("entry", "made"),
    [
        ({"provider": "mock", "response": "Hi."}, {"provider": "mock", "output": "Hi."}),
        ({"provider": "replay", "fixtures": "f.jsonl"}, {"provider": "agentv-replay", "fixtures": "f.jsonl"}),
        (
            {
                "provider": "cli",
                "command": "agent {PROMPT} {FILES} > {OUTPUT_FILE}",
                "healthcheck": {},
                "verbose": True,
            },
            {
                "provider": "cli",
                "command": f'agent "$(cat {{prompt_file}})"  > {ANSWER_FILE}',
                "output_file": ANSWER_FILE,
            },
        ),
        (
            {"provider": "cli", "command": ["agent", "{PROMPT_FILE}"], "timeout_seconds": 5},
            {"provider": "cli", "command": ["agent", "{prompt_file}"], "timeout_seconds": 5},
        ),
    ],
)
def test_an_entry_is_written_as_gradebox_writes_it(entry: dict[str, Any], made: dict[str, Any]) -> None:
    assert converted({"name": "a", **entry}) == ({"name": "a", **made}, "")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"provider": "azure", "api_key": "x"}, "gradebox does not run the provider `azure`"),
        ({"use_target": "b"}, "gradebox does not run the alias of `b`"),
    ],
)
def test_what_gradebox_cannot_run_has_a_reason(entry: dict[str, Any], problem: str) -> None:
    assert converted({"name": "a", **entry}) == ({}, problem)
