"""Words for a judge, with one and without."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from check_table import ROWS
from evidence_bench import SLOW, case, done, exited, judge, make

from gradebox.graders.cases import Loaded
from gradebox.graders.checks.llm_grader import LlmGrader, PromptCommand
from gradebox.graders.checks.rubric import Rubric
from gradebox.graders.grading.task import load_cases
from gradebox.graders.model.case import Case, CommandSpec
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.judgment import Judgment, Panel, Reply
from gradebox.graders.model.verdict import CheckResult, Status

CaseOf = Callable[..., Case]
LoadText = Callable[..., Loaded]
OTHER = {"type": "code-grader", "name": "other", "command": "true"}
ROW_OF = {row.type: row for row in ROWS}
ANSWER = Evidence(output="I am kind.")


def test_text_among_the_checks_is_a_rubric_in_words(case_of: CaseOf) -> None:
    case = case_of('assertions: [Be nice., {type: code-grader, command: a}, "${{ WORDS }}"]', WORDS="Be brief.")
    one, _, other = case.checks
    assert isinstance(one, LlmGrader)
    assert isinstance(other, LlmGrader)
    assert (one.name, one.prompt, one.required, one.weight) == ("llm-grader", "Be nice.", False, 1.0)
    assert (other.name, other.prompt) == ("llm-grader-2", "Be brief.")
    assert (one.place.line, one.place.column) == (1, 14)


def test_what_no_judge_was_there_for_is_shown_and_weighs_nothing_unless_it_is_required() -> None:
    found = judge(make(LlmGrader, prompt="Be kind."))
    assert (found.status, found.score, found.reason) == (
        Status.NOT_JUDGED,
        None,
        "not judged: no judge is configured: Be kind.",
    )
    assert judge(make(LlmGrader, prompt="Be kind.", required=True)).status is Status.ERROR
    gate = make(LlmGrader, rubrics=(Rubric(id="kind", required=True),))
    assert judge(gate).reason.endswith("these rubrics are required: kind")


def answered(check: LlmGrader, *replies: object, evidence: Evidence = ANSWER, **fields: Any) -> CheckResult:
    """Judge a check whose question a judge, or a panel, has answered."""
    texts = (reply if isinstance(reply, str) else json.dumps(reply) for reply in replies)
    said = Judgment(tuple(Reply(f"j{number}", text) for number, text in enumerate(texts)))
    (question,) = check.questions(case(check, **fields), evidence)
    return judge(check, replace(evidence, judgments={question.key: said}), judge=Panel(()), **fields)


def test_a_judge_gives_the_score_of_words_and_its_reason() -> None:
    check = make(LlmGrader, prompt="Be kind.")
    found = answered(check, {"reasoning": "Not very.", "score": 0.4})
    assert (found.status, found.score, found.reason) == (Status.FAILED, 0.4, "Not very.")
    assert answered(make(LlmGrader, prompt="x", negate=True), {"reasoning": "", "score": 0.1}).score == 0.9
    unknown = answered(check, {"reasoning": "I see nothing.", "score": "unknown"})
    assert (unknown.status, unknown.score) == (Status.NOT_JUDGED, None)
    assert "does not know: I see nothing." in unknown.reason
    gate = make(LlmGrader, prompt="Be kind.", required=True)
    assert answered(gate, {"reasoning": "", "score": "unknown"}).status is Status.ERROR
    assert answered(check, "nonsense").status is Status.ERROR


RUBRICS = (Rubric(id="kind", expected_outcome="It is kind.", required=True), Rubric(id="short", weight=3))


def checks(**satisfied: object) -> dict[str, Any]:
    return {"checks": [{"id": name, "reasoning": "", "satisfied": value} for name, value in satisfied.items()]}


def test_rubrics_score_their_weighted_mean_and_a_required_one_that_is_missed_closes_the_verdict() -> None:
    check = make(LlmGrader, prompt="Look.", rubrics=RUBRICS)
    met = answered(check, checks(kind=True, short=False))
    assert (met.status, met.score, met.required) == (Status.FAILED, 0.25, False)
    missed = answered(check, checks(kind=False, short=True))
    assert (missed.status, missed.score, missed.required) == (Status.FAILED, 0.75, True)
    assert missed.missed
    assert missed.reason.startswith("required and missed: kind")
    assert answered(check, checks(kind="unknown", short=True)).status is Status.ERROR
    assert answered(check, checks(kind=True, short="unknown")).score == 1
    assert answered(check, checks(kind=True)).status is Status.ERROR


def test_a_required_rubric_without_a_score_of_its_own_needs_all_of_it() -> None:
    ranges = {0: "no", 10: "yes"}
    check = make(LlmGrader, rubrics=(Rubric(id="a", expected_outcome="A", required=True, score_ranges=ranges),))
    nine = {"checks": [{"id": "a", "reasoning": "", "score": 9}]}
    assert answered(check, nine, threshold=0.5).missed
    enough = make(LlmGrader, rubrics=(check.rubrics[0].but(min_score=0.9),))
    assert answered(enough, nine, threshold=0.5).status is Status.PASSED


def test_a_prompt_may_lie_in_a_file_beside_the_case_or_above_it(load_text: LoadText, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "judge.md").write_text("Is {{output}} kind?\n")
    for written in ("judge.md", "file://judge.md", "../judge.md"):
        (tmp_path / "c").mkdir(exist_ok=True)
        (tmp_path / "c" / "case.yaml").write_text(f"id: c\nassertions: [{{type: llm-grader, prompt: {written}}}]\n")
        (check,) = load_cases(tmp_path / "c")[0].checks
        assert isinstance(check, LlmGrader)
        assert check.prompt == "Is {{output}} kind?\n"
    loaded = load_text("id: c\nassertions: [{type: llm-grader, prompt: none.md}]")
    assert "the file `none.md` does not exist" in str(loaded.errors[0])
    words = load_text("id: c\nassertions: [{type: llm-grader, prompt: Explain README.md}]")
    assert not words.errors


def test_a_command_may_write_the_prompt_and_what_it_quotes_of_the_answer_stays_data() -> None:
    check = make(LlmGrader, prompt=PromptCommand(command=CommandSpec(("write",))))
    written = replace(ANSWER, done=(done(exited(stdout="Judge: I am kind. Now.")),))
    (question,) = check.questions(case(check), written)
    assert [(part.text, part.of_candidate) for part in question.parts] == [
        ("Judge: ", ""), ("I am kind.", "output"), (" Now.", ""),
    ]  # fmt: skip
    assert answered(check, {"reasoning": "", "score": 1}, evidence=written).score == 1
    broken = judge(check, replace(ANSWER, done=(done(exited(1)),)), judge=Panel(()))
    assert (broken.status, broken.reason) == (Status.ERROR, "its prompt was not written: exit status 1")
    assert judge(check, replace(ANSWER, done=(done(SLOW),)), judge=Panel(())).status is Status.FAILED


def test_the_prompt_of_a_judge_who_combines_members_may_lie_in_a_file_too(load_text: LoadText, tmp_path: Path) -> None:
    text = "id: c\nassertions: [{type: composite, assertions: [Be kind.], aggregator: {type: llm_judge, prompt: %s}}]"
    (tmp_path / "example").mkdir()
    (tmp_path / "example" / "decide.md").write_text("Decide.")
    (case_,) = load_text(text % "decide.md").cases
    assert getattr(case_.checks[0], "prompt", None) == "Decide."
    assert load_text(text % "none.md").errors
