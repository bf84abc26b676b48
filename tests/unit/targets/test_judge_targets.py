"""Judges in files of targets: gradebox's own by their role, AgentV's by the name that a target gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.documents.diagnostics import Findings
from gradebox.graders.judges.openai_judge import OpenaiJudge
from gradebox.graders.model.case import Case
from gradebox.graders.targets.judge_targets import with_target_judges
from gradebox.graders.targets.targets_file import read_targets

Tree = Callable[..., Path]
WORDS = "assertions: [It is kind.]\n"
OWN = """\
- {name: agent, provider: mock, output: x}
- {name: reader, provider: openai, model: m, role: judge}
- {name: watcher, provider: openai, model: m, role: audit}
"""
AGENTV = """\
targets:
  - {name: agent, provider: mock, grader_target: reader}
  - {name: plain, provider: mock}
  - {name: default, use_target: agent}
  - {name: reader, use_target: "${{ READER }}"}
  - {name: gpt, provider: openai, model: m, api_key: "${{ KEY }}", base_url: "http://127.0.0.1:1/v1"}
  - {name: router, provider: openrouter, model: "${{ MODEL:-r }}", api_key: "${{ KEY }}"}
  - {name: literal, provider: openai, model: m, api_key: sk-123}
  - {name: cloud, provider: azure, model: m}
"""


def judged(root: Path, **environ: str) -> tuple[Case, list[str]]:
    findings = Findings()
    (case,) = with_target_judges(load(root / "c", environ=environ).cases, environ, findings)
    return case, [found.message for found in findings]


def test_an_entry_with_a_judging_role_judges_and_makes_no_submission(tree: Tree) -> None:
    root = tree({"c/case.yaml": WORDS, "c/targets.yaml": OWN})
    case, complaints = judged(root)
    assert case.judge
    assert [(judge.name, judge.role) for judge in case.judge.judges] == [("reader", "judge"), ("watcher", "audit")]
    assert not complaints
    assert list(read_targets(root / "c/targets.yaml", Findings(), {}) or {}) == ["agent"]


def test_a_case_with_a_judge_or_without_words_stays_as_it_is(tree: Tree) -> None:
    own = f"judge: {{provider: openai, model: own}}\n{WORDS}"
    case, _ = judged(tree({"c/case.yaml": own, "c/targets.yaml": OWN}))
    assert case.judge
    assert len(case.judge.judges) == 1
    command = "assertions: [{type: code-grader, command: [a]}]\n"
    assert judged(tree({"c/case.yaml": command}))[0].judge is None
    rubric = "assertions: [{type: composite, assertions: [{type: rubrics, rubrics: [It is kind.]}]}]\n"
    assert judged(tree({"c/case.yaml": rubric}))[0].judge


def test_a_mistake_in_a_judge_of_ours_is_an_error_with_its_place(tree: Tree) -> None:
    root = tree({"c/case.yaml": WORDS, "c/targets.yaml": "- {name: reader, provider: openai, role: judge}\n"})
    case, complaints = judged(root)
    assert case.judge is None
    assert complaints == ["`model` is missing"]


@pytest.mark.parametrize(
    ("target", "reader", "found", "complaint"),
    [
        ("agent", "gpt", ("gpt", "http://127.0.0.1:1/v1", "m", "KEY"), ""),
        ("default", "gpt", ("gpt", "http://127.0.0.1:1/v1", "m", "KEY"), ""),
        ("", "gpt", ("gpt", "http://127.0.0.1:1/v1", "m", "KEY"), ""),
        ("agent", "router", ("router", "https://openrouter.ai/api/v1", "r", "KEY"), ""),
        ("plain", "gpt", None, ""),
        ("agent", "literal", None, "its `api_key` is not taken from the environment"),
        ("agent", "cloud", None, "gradebox does not ask the provider `azure`"),
        ("agent", "nobody", None, "gradebox does not ask the provider `None`"),
    ],
)
def test_agentvs_file_names_the_judge_of_a_target(
    tree: Tree, target: str, reader: str, found: tuple[str, ...] | None, complaint: str
) -> None:
    execution = f"execution: {{target: {target}}}\n" if target else ""
    root = tree({".git/": "", ".agentv/targets.yaml": AGENTV, "c/case.yaml": execution + WORDS})
    case, complaints = judged(root, READER=reader, KEY="sk-1")
    if found is None:
        assert case.judge is None
    else:
        assert case.judge
        (judge,) = case.judge.judges
        assert isinstance(judge, OpenaiJudge)
        assert (judge.name, judge.base_url, judge.model, judge.api_key_env) == found
        assert "sk-1" not in repr(case)
    assert [one.partition("not judged: ")[2] for one in complaints] == ([complaint] if complaint else [])


def test_without_the_key_words_are_not_judged_and_a_warning_says_so(tree: Tree) -> None:
    root = tree({".git/": "", ".agentv/targets.yaml": AGENTV, "c/case.yaml": f"execution: {{target: agent}}\n{WORDS}"})
    case, complaints = judged(root, READER="gpt")
    assert case.judge is None
    assert "KEY, which is not set in the environment" in complaints[0]
