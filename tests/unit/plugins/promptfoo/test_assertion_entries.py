"""Checks under the names that these tools have for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from promptfoo_files import PLAIN, checks, loaded, said


@pytest.mark.parametrize(
    ("written", "kind", "fields"),
    [
        ("Is polite.", "llm-grader", {"prompt": "Is polite."}),
        ({"type": "llm-rubric", "value": "Is {{w}}."}, "llm-grader", {"prompt": "Is x."}),
        ({"type": "agent-rubric", "value": "It works.", "metric": "m"}, "llm-grader", {"name": "m"}),
        ({"type": "not-llm-rubric", "value": "Is rude."}, "llm-grader", {"prompt": "Is rude.", "negate": True}),
        ({"type": "llm-rubric", "value": "v", "threshold": 0.5}, "llm-grader", {"config": {"threshold": 0.5}}),
        ({"type": "factuality", "value": "2 + 2 = 4"}, "llm-grader", {"name": "factuality"}),
        ({"type": "g-eval", "value": ["a", "b"]}, "llm-grader", {"prompt": "a\nb"}),
        ({"type": "answer-relevance", "threshold": 0.8}, "llm-grader", {"name": "answer-relevance"}),
        (
            {"type": "trajectory:goal-success", "value": {"goal": "Win {{w}}"}},
            "llm-grader",
            {"prompt": "By its tool calls and its final answer, the agent has reached this goal: Win x"},
        ),
        (
            {"type": "not-trajectory:goal-success", "value": "Lose"},
            "llm-grader",
            {"name": "not-trajectory:goal-success", "negate": True},
        ),
        (
            {"type": "llm-rubric", "value": "be kind", "rubricPrompt": "Judge {{output}} by {{rubric}}"},
            "llm-grader",
            {"prompt": "Judge {{output}} by be kind", "config": {}},
        ),
        ({"type": "javascript", "value": "output.includes('{{w}}')"}, "javascript", {"vars": {"w": "x"}}),
        ({"type": "not-cost", "threshold": 1}, "cost", {"negate": True}),
        ({"type": "similar", "value": "y", "threshold": 0.8, "provider": "p"}, "similar", {"value": ("y",)}),
        ({"type": "trajectory:tool-used", "value": ["a"]}, "trajectory:tool-used", {"value": ("a",)}),
        ({"type": "not-skill-used", "value": "s"}, "skill-used", {"negate": True, "name": "not-skill-used"}),
        ({"type": "tool-trajectory", "mode": "exact"}, "tool-trajectory", {"mode": "exact"}),
        ({"type": "script", "command": ["true"]}, "code-grader", {"protocol": "json"}),
    ],
    ids=lambda written: written if isinstance(written, str) else None,
)
def test_a_check_is_one_of_ours(written: Any, kind: str, fields: dict[str, Any], tmp_path: Path) -> None:
    (check,) = checks(tmp_path, written, vars={"w": "x"})
    assert (check.type, {name: getattr(check, name) for name in fields}) == (kind, fields)


def test_rubrics_may_be_the_value(tmp_path: Path) -> None:
    (check,) = checks(
        tmp_path, {"type": "llm-rubric", "value": [{"id": "a", "outcome": "Works.", "weight": 2}, "Nice."]}
    )
    assert [rubric.expected_outcome for rubric in check.rubrics] == ["Works.", "Nice."]


def test_a_set_has_a_score_of_its_own_and_shares_its_configuration(tmp_path: Path) -> None:
    members = [{"type": "contains", "value": "a"}, {"type": "python", "value": "1", "config": {"y": 2}}]
    (check,) = checks(tmp_path, {"type": "assert-set", "threshold": 0.5, "config": {"x": 1}, "assert": members})
    assert (check.type, check.threshold, check.aggregator) == ("composite", 0.5, "weighted_average")
    assert check.assertions[1].config == {"x": 1, "y": 2}
    inside = [{"type": "llm-rubric", "value": ["a", "b"]}]
    (composite,) = checks(tmp_path, {"type": "composite", "aggregator": "minimum", "assert": inside})
    assert len(composite.assertions[0].rubrics) == 2
    # In a file of promptfoo's, where the set may miss one of them, the set is what is required.
    (plain,) = checks(tmp_path, {"type": "assert-set", "threshold": 0.5, "assert": members}, name=PLAIN)
    assert (plain.required, [member.required for member in plain.assertions]) == (True, [False, False])
    (strict,) = checks(tmp_path, {"type": "assert-set", "assert": members}, name=PLAIN)
    assert (strict.required, [member.required for member in strict.assertions]) == (False, [True, True])


def test_a_template_is_included(tmp_path: Path) -> None:
    (tmp_path / ".agentv" / "templates").mkdir(parents=True)
    (tmp_path / ".agentv" / "templates" / "safe.yaml").write_text(
        "assert: [{type: contains, value: ok}, {include: ./b.yaml}]\n"
    )
    (tmp_path / ".agentv" / "templates" / "b.yaml").write_text("assert: [Is safe.]\n")
    assert [check.type for check in checks(tmp_path, {"include": "safe"}, "More.")] == [
        "contains",
        "llm-grader",
        "llm-grader",
    ]
    for name, message in (("gone", "does not exist"), ("./loop.yaml", "includes more than 3 others")):
        (tmp_path / "loop.yaml").write_text("assert: [{include: ./loop.yaml}]\n")
        found = loaded(tmp_path, {"prompts": ["p"], "tests": [{"assert": [{"include": name}]}]})
        assert message in said(found)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"type": "webhook", "value": "https://x"}, "`webhook` asks a server, and a grader has no network"),
        ({"type": "not-moderation"}, "`moderation` needs a model other than a judge"),
        ({"type": "select-best", "value": "x"}, "compares the answers of several prompts"),
        ({"type": "python", "value": "file://gone.py"}, "the file `gone.py` of the code does not exist"),
        ({"type": "equals", "value": "x", "transform": "output.trim()"}, "`transform` is not run"),
    ],
    ids=str,
)
def test_what_cannot_be_judged_is_refused_by_name(check: Any, message: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, {"prompts": ["p"], "tests": [{"assert": [check]}]})
    assert message in said(found)
    assert [case.id for case in found.broken] == ["test-1"]


def test_code_transforms_what_it_judges(tmp_path: Path) -> None:
    (check,) = checks(
        tmp_path, {"type": "javascript", "value": "output == 'A'"}, options={"transform": "output.trim()"}
    )
    assert check.transform == "output.trim()"


def test_a_prompt_of_its_own_is_about_the_value(tmp_path: Path) -> None:
    options = {"rubricPrompt": "Be strict about {{rubric}}."}
    own = {"type": "llm-rubric", "prompt": "Look at {{output}}.", "value": "kindness"}
    shared, with_prompt, words = checks(
        tmp_path, {"type": "llm-rubric", "value": "tone"}, own, "Polite.", options=options
    )
    assert (shared.prompt, [one.expected_outcome for one in shared.rubrics]) == ("Be strict about tone.", ["tone"])
    assert (with_prompt.prompt, len(with_prompt.rubrics), words.prompt) == ("Look at {{output}}.", 1, "Polite.")


def test_words_are_judged_by_the_whole_answer(tmp_path: Path) -> None:
    row = {"assert": [{"type": "llm-rubric", "value": "x", "transform": "output.trim()"}]}
    found = loaded(tmp_path, {"prompts": ["p"], "tests": [row]})
    assert (len(found.cases), "the judge reads the answer as it is" in said(found)) == (1, True)


def test_a_mistake_in_shared_checks_is_reported_where_they_are_written(tmp_path: Path) -> None:
    shared = "defaultTest:\n  assert:\n  - {type: webhook, value: u}\n"
    text = f"prompts: [p]\n{shared}tests: [{{assert: [words]}}]\n"
    assert ":4:12: error: `webhook`" in said(loaded(tmp_path, text))


def test_checks_of_turns_are_checks_too(tmp_path: Path) -> None:
    turns = [{"input": "Hi {{w}}", "assert": [{"type": "trajectory:goal-success", "value": "Win {{w}}"}, "Greets."]}]
    row = {"id": "a", "mode": "conversation", "vars": {"w": "x"}, "turns": turns}
    (case,) = loaded(tmp_path, {"prompts": ["p"], "tests": [row]}).cases
    assert [check.name for check in case.turns[0].checks] == ["trajectory:goal-success", "llm-grader"]
    assert case.turns[0].input[0].content == "Hi x"


def test_a_reference_leads_into_the_file(tmp_path: Path) -> None:
    text = """\
prompts: [p]
assertionTemplates: {polite: {type: icontains, value: please}, loop: {$ref: '#/assertionTemplates/loop'}}
tests: [{assert: [{$ref: '#/assertionTemplates/polite'}]}]
"""
    (case,) = loaded(tmp_path, text).cases
    assert [check.type for check in case.checks] == ["icontains"]
    for wrong in ("nowhere", "loop"):
        assert "leads nowhere" in said(loaded(tmp_path, text.replace("Templates/polite'}]", f"Templates/{wrong}'}}]")))


def test_messages_to_a_judge_are_one_text(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Be strict."},
        {"role": "user", "content": "Judge {{output}} by {{rubric}}."},
    ]
    options = {"rubricPrompt": messages}
    (check,) = checks(tmp_path, {"type": "llm-rubric", "value": "tone"}, options=options)
    assert check.prompt == "Be strict.\n\nJudge {{output}} by tone."


def test_no_field_of_words_is_lost(tmp_path: Path) -> None:
    row = {"assert": [{"type": "context-recall", "value": "x", "contextTransform": "y"}]}
    found = loaded(tmp_path, {"prompts": ["p"], "tests": [row]})
    assert "`context_transform`" in said(found)
    assert found.cases[0].checks[0].config == {"context_transform": "y"}  # type: ignore[attr-defined]
