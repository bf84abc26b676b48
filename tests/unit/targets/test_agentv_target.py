"""Targets of AgentV's file: recordings, and those that gradebox cannot run."""

from __future__ import annotations

import json
from pathlib import Path

from fake_engine import FakeEngine
from grading_bench import write

from gradebox.graders.cases import load
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Submission
from gradebox.graders.targets.target import Target
from gradebox.graders.targets.targets_file import resolve

TARGETS = """\
$schema: agentv-targets-v2.2
targets:
  - {name: recorded, provider: replay, fixtures: ../fixtures.jsonl, source_target: x}
  - {name: llm, provider: azure, api_key: "${{ NO_KEY }}"}
  - {name: alias, use_target: "${{ REAL }}"}
  - {name: fixed, provider: mock, response: "42"}
  - {name: broken, provider: cli, command: "agent ${{ NO_KEY }}"}
"""
SUITE = """\
execution: {targets: [recorded, llm, alias, fixed, broken]}
tests: [{id: one, input: x, assertions: [{type: contains, value: "42"}]}]
"""


def made(tmp_path: Path, **environ: str) -> dict[str, Submission]:
    rows = [{"test_id": name, "output": [{"role": "assistant", "content": f"{name} 42"}]} for name in ("two", "one")]
    files = {".agentv/targets.yaml": TARGETS, "evals/a.eval.yaml": SUITE, "fixtures.jsonl": _lines(rows)}
    write(tmp_path, files)
    resolved = resolve(load(tmp_path / "evals/a.eval.yaml", environ={}).cases, environ)
    assert list(resolved.findings) == []
    return {str(case.target): _submission(case, target) for case, target in resolved.cases}


def _lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _submission(case: Case, target: Target | None) -> Submission:
    assert target is not None
    return target.produce(FakeEngine(), case, Settings(image_of=lambda _: "image"))


def test_recordings_and_mocks_make_submissions_and_the_others_say_why_not(tmp_path: Path) -> None:
    found = made(tmp_path, REAL="fixed")
    recorded = found["recorded"].transcript
    assert recorded is not None
    assert recorded.output == "one 42"
    assert (found["fixed"].output, found["alias"].output) == ("42", "42")
    assert "gradebox does not run the provider `azure`" in found["llm"].fault
    assert "is a line for a shell" in found["broken"].fault


def test_an_alias_of_nothing_is_a_fault(tmp_path: Path) -> None:
    assert "the alias of" in made(tmp_path)["alias"].fault
